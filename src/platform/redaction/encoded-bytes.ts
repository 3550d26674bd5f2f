import { OTHER } from './escapes.js';
import { type MappedText, MappedWriter } from './mapped-text.js';

/** Bytes as text writes them. A run may begin within a longer one, so it is read from each place of a group. */
interface Alphabet {
  readonly runs: RegExp;
  readonly bits: number;
  /** after so many digits a byte begins where a digit does */
  readonly group: number;
  readonly values: Uint8Array;
}

const BASE64 = alphabet(/[\w+/-]{4,}={0,2}/g, 6, 4, [
  ...['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'],
  `${' '.repeat(62)}-_`,
]);
const HEX = alphabet(/[\da-f]{6,}/gi, 4, 2, ['0123456789abcdef', `${' '.repeat(10)}ABCDEF`]);
/** Lists of bytes: hexadecimal, as of a certificate or of a dump, and decimal, as JSON has a Buffer of Node. */
const LISTS = [
  { runs: /(?:(?:0x)?[\da-f]{2}[:,;-]){3,}(?:0x)?[\da-f]{2}/gi, each: /(?:0x)?([\da-f]{2})(?:[:,;-]|$)/gi, base: 16 },
  { runs: /(?:\d{1,3},){3,}\d{1,3}/g, each: /(\d{1,3})(?:,|$)/g, base: 10 },
] as const;
const QUOTED_PRINTABLE = /=([\da-f]{2})/gi;

function alphabet(runs: RegExp, bits: number, group: number, digits: readonly string[]): Alphabet {
  const values = new Uint8Array(128);
  for (const some of digits) for (const [value, digit] of [...some].entries()) values[digit.charCodeAt(0)] = value;
  return { runs, bits, group, values };
}

/**
 * What runs of base64, hexadecimal, lists of bytes and quoted-printable in a text are decoded, one after the other, as far as it is readable ASCII. NULs
 * belong to the letters beside them, as in UTF-16.
 * @param from a text of visible characters
 * @param least a shorter piece is left out
 * @param most characters; what is beyond is left out
 * @returns empty: nothing is readable
 */
export function decodedRuns(from: MappedText, least: number, most: number): MappedText {
  const writer = new MappedWriter(from, most);
  for (const kind of [BASE64, HEX])
    for (const { 0: run, index } of from.text.matchAll(kind.runs)) {
      const end = index + run.length;
      const digits = run.endsWith('=') ? end - (run.endsWith('==') ? 2 : 1) : end;
      for (let first = 0; first < kind.group; first++)
        decodeRun(from.text, writer, kind, index + first, digits, end, least);
    }
  decodeLists(from, writer, least);
  decodeQuoted(from, writer);
  return writer.done();
}

function decodeRun(
  text: string,
  writer: MappedWriter,
  { bits, values }: Alphabet,
  start: number,
  digits: number,
  end: number,
  least: number,
): void {
  const bytes = Math.floor(((digits - start) * bits) / 8);
  let [begin, readable, held, has, at] = [writer.size, 0, 0, 0, start];
  // where the NULs before a letter begin
  let before: number | undefined;
  const close = () => {
    if (readable < least) writer.cut(begin);
    else writer.write(OTHER, start, start + 1);
    [begin, readable] = [writer.size, 0];
  };
  for (let i = 0; i < bytes; i++) {
    const first = has > 0 ? at - 1 : at;
    while (has < 8) {
      held = (held << bits) | (values[text.charCodeAt(at)] as number);
      has += bits;
      at++;
    }
    has -= 8;
    const byte = held >> has;
    held &= (1 << has) - 1;
    // the padding belongs to the last byte
    const last = at === digits ? end : at;
    if (byte === 0) {
      if (readable > 0) writer.extend(last);
      before ??= first;
      continue;
    }
    if ((byte < 0x20 || byte > 0x7e) && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) {
      if (readable > 0) close();
      before = undefined;
      continue;
    }
    writer.write(byte, before ?? first, last);
    before = undefined;
    readable++;
  }
  close();
}

function decodeLists(from: MappedText, writer: MappedWriter, least: number): void {
  for (const { runs, each, base } of LISTS)
    for (const { 0: run, index } of from.text.matchAll(runs)) {
      const begin = writer.size;
      let readable = 0;
      for (const { 0: part, 1: digits = '', index: at } of run.matchAll(each)) {
        const byte = Number.parseInt(digits, base);
        const isReadable = byte >= 0x20 && byte <= 0x7e;
        writer.write(isReadable ? byte : OTHER, index + at, index + at + part.length);
        if (isReadable) readable++;
      }
      if (readable < least) writer.cut(begin);
      else writer.write(OTHER, index, index + 1);
    }
}

function decodeQuoted(from: MappedText, writer: MappedWriter): void {
  let end: number | undefined;
  for (const match of from.text.matchAll(QUOTED_PRINTABLE)) {
    writer.copy(end ?? 0, match.index);
    end = match.index + match[0].length;
    writer.write(Number.parseInt(match[1] as string, 16), match.index, end);
  }
  if (end !== undefined) writer.copy(end, from.text.length);
}
