import { Digits } from './card-issuers.js';
import type { Hint } from './card-names.js';

/** A digit: ASCII, Arabic-Indic, Persian, or of full width. The digits of each kind begin at a multiple of 16. */
export const DIGIT = '[0-9\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]';
const [PERCENT, TWO] = [0x25, 0x32];

/**
 * Groups of digits with what stands between them: a text of {@link DIGIT}s, blanks and signs. Kept in arrays, because a sale may have half a
 * million groups. Groups are named by their place, from 0.
 */
export class DigitRun {
  /** all digits, without those of `%20` */
  readonly digits: Digits;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  /** place of each group in `digits`; at the end, their number */
  private readonly offsets: number[] = [];

  constructor(readonly text: string) {
    const values = new Uint8Array(text.length);
    let count = 0;
    for (let i = 0; i < text.length; i++) {
      if (!isDigit(text.charCodeAt(i)) || isOfPercent(text, i)) continue;
      this.starts.push(i);
      this.offsets.push(count);
      for (; isDigit(text.charCodeAt(i)); i++) values[count++] = text.charCodeAt(i) & 0xf;
      this.ends.push(i);
    }
    this.offsets.push(count);
    this.digits = new Digits(values.subarray(0, count));
  }

  /** The number of groups. */
  get groups(): number {
    return this.starts.length;
  }

  /** The place of a group in the text. */
  startOf(group: number): number {
    return this.starts[group] as number;
  }

  /** The place after a group in the text. */
  endOf(group: number): number {
    return this.ends[group] as number;
  }

  /** The place of a group in `digits`; of the number of groups: the number of digits. */
  offsetOf(group: number): number {
    return this.offsets[group] as number;
  }

  sizeOf(group: number): number {
    return this.offsetOf(group + 1) - this.offsetOf(group);
  }

  /** Whether the groups from this one on have these sizes. */
  haveSizes(group: number, sizes: readonly number[]): boolean {
    if (group + sizes.length > this.groups) return false;
    for (let n = 0; n < sizes.length; n++) if (this.sizeOf(group + n) !== sizes[n]) return false;
    return true;
  }

  /** What stands before a group, after the group before. */
  before(group: number): string {
    return this.text.slice(group === 0 ? 0 : this.endOf(group - 1), this.startOf(group));
  }

  /** The digits of the groups from one to before another. */
  digitsOf(from: number, to: number): string {
    return this.digits.text(this.offsetOf(from), this.offsetOf(to));
  }

  /** Whether the digits of the groups from one to before another look like a card number (W39). */
  isCard(from: number, to: number, hint: Hint): boolean {
    return this.digits.isCard(this.offsetOf(from), this.offsetOf(to), hint);
  }
}

/** As {@link DIGIT}. NaN, which is the code beyond the end, is none. */
function isDigit(code: number): boolean {
  if (code < 0x660) return code >= 0x30 && code <= 0x39;
  return (code >= 0x660 && code <= 0x669) || (code >= 0x6f0 && code <= 0x6f9) || (code >= 0xff10 && code <= 0xff19);
}

/** Whether the digit at this place is one of `%20`. */
function isOfPercent(text: string, i: number): boolean {
  const before = text.charCodeAt(i - 1);
  return before === PERCENT || (before === TWO && text.charCodeAt(i - 2) === PERCENT);
}
