import { withoutCardNumbers } from '../../../domain/card-numbers.js';
import { MAX_ROWS, RefusedFileError, recordsOf } from '../../../platform/files/csv-records.js';
import type { Delimiter, FileEncoding, FileRecord } from '../../../platform/files/rules/csv.js';
import { decodeFile, guessDelimiter } from '../../../platform/files/rules/file-text.js';
import { findHeader, guessMappings } from '../rules/file-mapping.js';
import { presetOf } from '../rules/file-words.js';
import type { Mapping, Preset } from '../rules/terminal-file.js';
import { packed } from './packed-records.js';

/** The names of the columns stand in one of the first lines (J4). */
const HEADER_WITHIN = 20;

/** A file to read. */
export interface ReadInput {
  readonly bytes: Uint8Array;
  /** the clock of the restaurant */
  readonly zone: string;
}

/** What a file is, before a person has confirmed how it is read. */
export interface ReadFile {
  readonly columns: readonly string[];
  readonly headerLine: number;
  readonly delimiter: Delimiter;
  readonly encoding: FileEncoding;
  readonly preset: Preset | null;
  /** the number of its records */
  readonly rows: number;
  /** its records, as they are kept */
  readonly content: Uint8Array;
  readonly guess: Mapping;
  /** other guesses (J5) */
  readonly others: readonly Mapping[];
}

/**
 * Reads a file (J4): what looks like a card number is masked (J15). It takes the thread for as long as a second.
 * @throws RefusedFileError
 */
export function readFile({ bytes, zone }: ReadInput): ReadFile {
  const decoded = decodeFile(bytes);
  if ('reason' in decoded) throw new RefusedFileError(decoded);
  const { text, encoding } = decoded;
  const delimiter = guessDelimiter(text);
  const all = recordsOf(text, delimiter);
  const place = findHeader(all.slice(0, HEADER_WITHIN));
  const header = all[place];
  if (!header) throw refused(null, `no names of columns in the first ${HEADER_WITHIN} lines`);
  const columns = header.cells.map((name) => masked({ line: header.line, cells: [name] }, []).cells[0] as string);
  const records = all.slice(place + 1).map((record) => masked(record, columns));
  if (records.length === 0) throw refused(header.line, 'no row follows the names of the columns');
  if (records.length > MAX_ROWS)
    throw refused(records[MAX_ROWS]?.line ?? null, `the file has more than ${MAX_ROWS} rows`);
  const [guess, ...others] = guessMappings({ columns, records, delimiter, zone });
  const preset = presetOf(columns);
  const content = packed(records);
  const found = { columns, headerLine: header.line, delimiter, encoding, preset };
  return { ...found, rows: records.length, content, guess, others };
}

function refused(line: number | null, reason: string): RefusedFileError {
  return new RefusedFileError({ line, reason });
}

/** 13 digits or more in a cell: only such a cell is looked at. */
const MAY_BE_CARD = /(?:\d\D{0,3}){13}/;

function masked({ line, cells }: FileRecord, columns: readonly string[]): FileRecord {
  if (!cells.some((cell) => MAY_BE_CARD.test(cell))) return { line, cells };
  return {
    line,
    cells: cells.map((cell, place) => {
      if (!MAY_BE_CARD.test(cell)) return cell;
      // the name of a column says what its numbers are, as that of a field of a sale
      const name = columns[place] || 'cell';
      return String(Object.values(withoutCardNumbers({ [name]: cell }).payload)[0]);
    }),
  };
}
