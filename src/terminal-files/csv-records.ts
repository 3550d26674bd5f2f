import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import type { FileRecord } from '../domain/file-mapping.js';
import { cellText, type FileRefusal } from '../domain/file-text.js';
import type { Delimiter } from '../domain/terminal-file.js';

/** The limits of a file (L90, L91). */
export const MAX_ROWS = 50_000;
const MAX_RECORD = 65_536;
const MAX_COLUMNS = 200;
const MAX_CELL = 300;
/** The bytes that are parsed before other requests have their turn. */
const PIECE = 16_384;

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** A file that is refused while its records are read. */
export class RefusedFileError extends Error {
  constructor(readonly refusal: FileRefusal) {
    super(refusal.reason);
  }
}

/**
 * Reads the records of a CSV file, in pieces, so that no other request waits for the whole file (J1). Cells are trimmed, and cut at 300
 * characters. Empty lines are left out.
 * @throws RefusedFileError
 */
export async function* recordsOf(text: string, delimiter: Delimiter): AsyncGenerator<FileRecord> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    // a quote within a cell that does not begin with one is a character
    relax_quotes: true,
    max_record_size: MAX_RECORD,
    record_delimiter: '\n',
  });
  const fed = feed(parser, text);
  let line = 1;
  let records = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const begins = line;
      line = info.lines + 1;
      if (record.every((cell) => cell.trim() === '')) continue;
      if (record.length > MAX_COLUMNS) throw refused(begins, `has more than ${MAX_COLUMNS} columns`);
      // a few lines may stand before the names
      if (++records > MAX_ROWS + 20) throw refused(begins, `the file has more than ${MAX_ROWS} rows`);
      yield { line: begins, cells: record.map((cell) => cellText(cell).slice(0, MAX_CELL).toWellFormed()) };
    }
    await fed;
  } catch (error) {
    throw error instanceof CsvError ? refused(line, reasonOf(error)) : error;
  } finally {
    parser.destroy();
    await fed.catch(() => undefined);
  }
}

/** Writes the text to the parser in pieces; ends early when the parser has failed. */
async function feed(parser: ReturnType<typeof parse>, text: string): Promise<void> {
  // the parser counts CR LF in quotes as two lines
  const bytes = Buffer.from(text.replaceAll(/\r\n?/g, '\n'));
  for (let at = 0; at < bytes.length && !parser.destroyed; at += PIECE) {
    if (!parser.write(bytes.subarray(at, at + PIECE))) await drained(parser);
    await setImmediate();
  }
  if (!parser.destroyed) parser.end();
}

function drained(parser: ReturnType<typeof parse>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) parser.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) parser.once(event, done);
  });
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
