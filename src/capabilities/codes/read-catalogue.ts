import { digestsOf } from '../../domain/catalogue.js';
import { RefusedFileError, recordsOf } from '../../platform/files/csv-records.js';
import type { Delimiter, FileEncoding } from '../../platform/files/rules/csv.js';
import { guessDecimal } from '../../platform/files/rules/file-amount.js';
import { decodeFile, guessDelimiter } from '../../platform/files/rules/file-text.js';
import {
  CATALOGUE_COLUMNS,
  type CatalogueColumn,
  type CatalogueProblem,
  type CatalogueRow,
  cataloguePlaces,
  readCatalogueRow,
  searchText,
} from './rules/catalogue-file.js';

/** The most products of a catalogue (L237). */
export const MAX_PRODUCTS_OF_CATALOGUE = 20_000;
/** The names of the columns stand in one of the first lines. */
const HEADER_WITHIN = 20;
/** The rows and problems that an answer shows (L238). */
export const SHOWN_ROWS = 20;
export const SHOWN_PROBLEMS = 50;
/** The products of one statement: on the embedded database sales wait for each of them (L239). */
const OF_PIECE = 1_000;

/** A catalogue as it was read. All of it can be cloned. */
export interface ReadCatalogue {
  /** as the file names them; null: it has none */
  readonly columns: Readonly<Record<CatalogueColumn, string | null>>;
  readonly headerLine: number;
  readonly delimiter: Delimiter;
  readonly encoding: FileEncoding;
  readonly count: number;
  /** rows that are equal to one before */
  readonly duplicates: number;
  readonly rows: readonly CatalogueRow[];
  /** cells that cannot be read */
  readonly unreadable: number;
  readonly problems: readonly CatalogueProblem[];
  /** JSON of `[code, name, priceCents, search]`, in pieces */
  readonly pieces: readonly string[];
  /** the bytes of `digestsOf()` */
  readonly digests: Uint8Array;
}

/**
 * Reads a catalogue (I14). It takes the thread for as long as half a second.
 * @throws RefusedFileError
 */
export function readCatalogue({ bytes }: { readonly bytes: Uint8Array }): ReadCatalogue {
  const decoded = decodeFile(bytes);
  if ('reason' in decoded) throw new RefusedFileError(decoded);
  const { text, encoding } = decoded;
  const delimiter = guessDelimiter(text);
  const records = recordsOf(text, delimiter, MAX_PRODUCTS_OF_CATALOGUE);
  const found = records.slice(0, HEADER_WITHIN).findIndex(({ cells }) => cataloguePlaces(cells) !== undefined);
  const header = records[found];
  const places = header && cataloguePlaces(header.cells);
  if (!header || !places)
    throw refused(
      null,
      `no columns of code and name in the first ${HEADER_WITHIN} lines: name them code, name and price`,
    );
  const rest = records.slice(found + 1);
  if (rest.length === 0) throw refused(header.line, 'no row follows the names of the columns');
  if (rest.length > MAX_PRODUCTS_OF_CATALOGUE)
    throw refused(
      rest[MAX_PRODUCTS_OF_CATALOGUE]?.line ?? null,
      `the file has more than ${MAX_PRODUCTS_OF_CATALOGUE} rows`,
    );
  const { price } = places;
  const prices = price === null ? [] : rest.map(({ cells }) => cells[price] ?? '');
  const decimal = guessDecimal(prices) ?? (delimiter === ';' ? 'comma' : 'point');
  const rows = new Map<string, CatalogueRow & { readonly line: number }>();
  const problems: CatalogueProblem[] = [];
  let duplicates = 0;
  for (const record of rest) {
    const { line } = record;
    const row = readCatalogueRow(record, places, decimal);
    if (!('code' in row)) {
      problems.push(...row);
      continue;
    }
    const same = rows.get(row.code);
    if (!same) rows.set(row.code, { ...row, line });
    else if (same.name === row.name && same.priceCents === row.priceCents) duplicates++;
    else problems.push({ line, column: 'code', reason: `stands in line ${same.line} too, with another name or price` });
  }
  const all = [...rows.values()];
  const columns = CATALOGUE_COLUMNS.map((column) => [column, header.cells[places[column] ?? -1] ?? null]);
  return {
    columns: Object.fromEntries(columns),
    headerLine: header.line,
    delimiter,
    encoding,
    count: all.length,
    duplicates,
    rows: all.slice(0, SHOWN_ROWS).map(({ line: _, ...row }) => row),
    unreadable: problems.length,
    problems: problems.slice(0, SHOWN_PROBLEMS),
    pieces: piecesOf(all),
    digests: new Uint8Array(digestsOf(all.map(({ code }) => code)).buffer),
  };
}

function piecesOf(rows: readonly CatalogueRow[]): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < rows.length; at += OF_PIECE) {
    const piece = rows.slice(at, at + OF_PIECE);
    pieces.push(JSON.stringify(piece.map((row) => [row.code, row.name, row.priceCents, searchText(row)])));
  }
  return pieces;
}

function refused(line: number | null, reason: string): RefusedFileError {
  return new RefusedFileError({ line, reason });
}
