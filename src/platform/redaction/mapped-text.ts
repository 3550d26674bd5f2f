/** A text that was made of another one, with the place in the original from which each of its characters comes. */
export interface MappedText {
  readonly text: string;
  readonly starts: Int32Array;
  /** exclusive */
  readonly ends: Int32Array;
}

/** A text that is its own original. */
export function mapped(text: string): MappedText {
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  for (let i = 0; i < text.length; i++) {
    starts[i] = i;
    ends[i] = i + 1;
  }
  return { text, starts, ends };
}

/** Writes a text that is made of another one. The text has a most number of characters; what is beyond is left out. */
export class MappedWriter {
  private readonly codes: Uint16Array;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  private length = 0;

  constructor(
    private readonly from: MappedText,
    most = from.text.length,
  ) {
    this.codes = new Uint16Array(most);
    this.starts = new Int32Array(most);
    this.ends = new Int32Array(most);
  }

  /** The number of characters so far. */
  get size(): number {
    return this.length;
  }

  /** Takes characters over as they are. */
  copy(start: number, end: number): void {
    for (let i = start; i < end; i++) this.write(this.from.text.charCodeAt(i), i, i + 1);
  }

  /** Adds a character, which these of the other text stand for. */
  write(code: number, start: number, end: number): void {
    const at = this.length;
    if (at === this.codes.length) return;
    this.codes[at] = code;
    this.starts[at] = this.from.starts[start] as number;
    this.ends[at] = this.from.ends[end - 1] as number;
    this.length++;
  }

  /** The last character stands for what is before this place, too. */
  extend(end: number): void {
    if (this.length > 0) this.ends[this.length - 1] = this.from.ends[end - 1] as number;
  }

  /** Drops the characters beyond this number. */
  cut(length: number): void {
    this.length = Math.min(this.length, length);
  }

  done(): MappedText {
    const [starts, ends] = [this.starts.subarray(0, this.length), this.ends.subarray(0, this.length)];
    return { text: textOf(this.codes.subarray(0, this.length)), starts, ends };
  }
}

/** Codes of one call: its arguments stand on the stack. */
const CHUNK = 8_192;

function textOf(codes: Uint16Array): string {
  let text = '';
  for (let at = 0; at < codes.length; at += CHUNK) text += String.fromCharCode(...codes.subarray(at, at + CHUNK));
  return text;
}
