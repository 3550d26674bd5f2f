import { CsvError, parse } from 'csv-parse/sync';
import type { Delimiter, FileRecord } from './rules/csv.js';
import { cellText, type FileRefusal } from './rules/file-text.js';

/** The limits of a file (L90, L91). */
export const MAX_ROWS = 50_000;
/** A few lines may stand before the names. */
const BEFORE_NAMES = 20;
const MAX_RECORD = 65_536;
const MAX_COLUMNS = 200;
const MAX_CELL = 300;

/** A file that is refused while it is read. */
export class RefusedFileError extends Error {
  constructor(readonly refusal: FileRefusal) {
    super(refusal.reason);
  }
}

/**
 * Reads the records of a CSV file. Cells are trimmed, and cut at 300 characters. Empty lines are left out, and count as rows all the same:
 * each costs as much as another (L90).
 * @param maxRows of the file
 * @throws RefusedFileError
 */
export function recordsOf(text: string, delimiter: Delimiter, maxRows = MAX_ROWS): FileRecord[] {
  const mostRecords = maxRows + BEFORE_NAMES;
  refuseManyLines(text, maxRows);
  const records: FileRecord[] = [];
  let line = 1;
  let read = 0;
  const add = (cells: readonly string[], { lines }: { readonly lines: number }): null => {
    const begins = line;
    line = lines + 1;
    if (++read > mostRecords) throw tooManyRows(begins, maxRows);
    if (cells.every((cell) => cell.trim() === '')) return null;
    if (cells.length > MAX_COLUMNS) throw refused(begins, `has more than ${MAX_COLUMNS} columns`);
    records.push({ line: begins, cells: cells.map((cell) => cellText(cell).slice(0, MAX_CELL).toWellFormed()) });
    return null;
  };
  const { stackTraceLimit } = Error;
  // the parser makes an error for each record of another length, also where it is allowed: its stack would take most of the time
  Error.stackTraceLimit = 0;
  try {
    // the parser counts CR LF in quotes as two lines
    parse(text.replaceAll(/\r\n?/g, '\n'), {
      delimiter,
      relax_column_count: true,
      // a quote within a cell that does not begin with one is a character
      relax_quotes: true,
      max_record_size: MAX_RECORD,
      record_delimiter: '\n',
      on_record: add,
    });
  } catch (error) {
    throw error instanceof CsvError ? refused(line, reasonOf(error)) : error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return records;
}

/** Refuses a file with too many lines before the parser reads it: 50,000 records of it take a second. Lines within quotes make one record. */
function refuseManyLines(text: string, maxRows: number): void {
  if (text.includes('"')) return;
  const mostRecords = maxRows + BEFORE_NAMES;
  let lines = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g))
    if (++lines === mostRecords) {
      if (index + end.length < text.length) throw tooManyRows(mostRecords + 1, maxRows);
      return;
    }
}

function tooManyRows(line: number, maxRows: number): RefusedFileError {
  return refused(line, `the file has more than ${maxRows} rows`);
}

function refused(line: number, reason: string): RefusedFileError {
  return new RefusedFileError({ line, reason });
}

function reasonOf({ code }: CsvError): string {
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `the row is longer than ${MAX_RECORD} characters; perhaps a quote is not closed`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is opened and not closed';
  return 'the quotes of the row cannot be read';
}
