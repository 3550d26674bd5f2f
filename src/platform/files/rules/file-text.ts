import type { Delimiter, FileEncoding } from './csv.js';

/** Why a file is refused whole (J4). */
export interface FileRefusal {
  /** from 1; null: of the file as a whole */
  readonly line: number | null;
  readonly reason: string;
}

/** The characters of windows-1252 from 0x80 to 0x9f; the others are those of Latin 1. Some versions of Node decode these as Latin 1. */
const FROM_0X80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
/** Of both orders of the bytes. */
const UTF_16_MARKS = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;
type Utf16 = keyof typeof UTF_16_MARKS;

/** Decodes the bytes of a file (J4): without a byte order mark. */
export function decodeFile(
  bytes: Uint8Array,
): { readonly text: string; readonly encoding: FileEncoding } | FileRefusal {
  const orders = Object.keys(UTF_16_MARKS) as Utf16[];
  const utf16 = orders.find((order) => UTF_16_MARKS[order].every((byte, i) => bytes[i] === byte));
  const decoded = utf16 ? decodeUtf16(bytes, utf16) : decodeBytes(bytes);
  if ('reason' in decoded) return decoded;
  const nul = decoded.text.indexOf('\0');
  if (nul >= 0) return { line: lineAt(decoded.text, nul), reason: 'has a NUL character: it is no text' };
  if (decoded.text.trim() === '') return { line: null, reason: 'the file is empty' };
  return decoded;
}

function decodeUtf16(
  bytes: Uint8Array,
  encoding: Utf16,
): { readonly text: string; readonly encoding: FileEncoding } | FileRefusal {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return { line: null, reason: 'the file begins as UTF-16, and is not UTF-16' };
  }
}

function decodeBytes(bytes: Uint8Array): { readonly text: string; readonly encoding: FileEncoding } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    const latin = new TextDecoder('latin1').decode(bytes);
    const text = latin.replaceAll(/[\u0080-\u009f]/g, (at) => FROM_0X80[at.charCodeAt(0) - 0x80] as string);
    return { text, encoding: 'windows-1252' };
  }
}

/** The line of a place in a text, from 1. */
export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

const DELIMITERS: readonly Delimiter[] = [';', ',', '\t', '|'];
/** The lines, and the characters, by which the delimiter is guessed. */
const [LINES, CHARACTERS] = [50, 65_536];

/**
 * The delimiter on which most lines agree (J4): the one whose usual number, times the lines that have this number, is the largest. Text in
 * quotes does not count. Decimal commas are in one column, and delimiters between all of them.
 */
export function guessDelimiter(text: string): Delimiter {
  const lines = unquotedLines(text.slice(0, CHARACTERS)).slice(0, LINES);
  const scores = DELIMITERS.map((delimiter) => {
    const numbers = lines.map((line) => line.split(delimiter).length - 1).filter((number) => number > 0);
    const usual = mostFrequent(numbers);
    return { delimiter, score: usual * numbers.filter((number) => number === usual).length };
  });
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).delimiter;
}

/** The lines without what is in quotes. */
function unquotedLines(text: string): string[] {
  return text.replaceAll(/"(?:[^"]|"")*"/g, '').split(/\r\n|\n|\r/);
}

/** The most frequent of some numbers, the larger of two; 0 without any. */
export function mostFrequent(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  let best = 0;
  for (const [number, count] of counts) {
    const most = counts.get(best) ?? 0;
    if (count > most || (count === most && number > best)) best = number;
  }
  return best;
}

const FORMULA_TEXT = /^="((?:[^"]|"")*)"$/;
/** What this relay writes before the start of a formula (R25). */
const WRITTEN_BEFORE_FORMULA = /^'(?=[=+\-@])/;

/** The text of a cell: trimmed; spreadsheets write `="0012"` so that a number stays text (J4). */
export function cellText(cell: string): string {
  const text = cell.trim();
  const [, inner] = FORMULA_TEXT.exec(text) ?? [];
  return (inner === undefined ? text : inner.replaceAll('""', '"').trim()).replace(WRITTEN_BEFORE_FORMULA, '');
}
