import { Prisma } from '../../platform/database/generated/client.js';
import { problem } from '../../platform/http/problem.js';
import { FILE_CODES } from './error-codes.js';
import type { Clock } from './reading/file-preview.js';
import type { Mapping } from './rules/terminal-file.js';
import { MAPPED_COLUMNS } from './rules/terminal-file.js';

/** A file, with what its rows are read with. */
export interface StoredFile {
  readonly name: string;
  readonly columns: string[];
  readonly mapping: Mapping;
  /** its cells; null: they are kept no longer (J15) */
  readonly content: Uint8Array | null;
  readonly reading: number;
  readonly matchedAt: Date | null;
  readonly days: { readonly from: string; readonly to: string } | null;
  readonly clock: Clock;
  readonly currency: string | null;
}

/** A file without cells that is not confirmed is being removed. */
const IS_THERE = { OR: [{ confirmedAt: { not: null } }, { content: { not: null } }] };
/** SQL: the same */
export const IS_THERE_SQL = Prisma.sql`(confirmed_at IS NOT NULL OR content IS NOT NULL)`;

/** Reads a file. @throws 404 */
export async function storedFile(
  db: Prisma.TransactionClient,
  restaurantId: string,
  fileId: string,
): Promise<StoredFile> {
  const file = await db.terminalFile.findFirst({
    where: { id: fileId, restaurantId, ...IS_THERE },
    include: { restaurant: { select: { timezone: true, dayClosesAt: true, currency: true } } },
  });
  if (!file) throw noSuchFile();
  const { name, columns, mapping, content, reading, matchedAt, fromDay, toDay, restaurant } = file;
  const { currency, ...clock } = restaurant;
  const days = fromDay && toDay && { from: dayText(fromDay), to: dayText(toDay) };
  return {
    name,
    columns,
    mapping: plainMapping(mapping as unknown as Mapping),
    content,
    reading,
    matchedAt,
    days,
    clock,
    currency,
  };
}

/** The cells of a file. @throws 409 FILE_CONFIRMED when they are kept no longer */
export function contentOf({ content }: StoredFile): Uint8Array {
  if (!content)
    throw problem(
      FILE_CODES.FILE_CONFIRMED,
      'the file is confirmed, and its cells are no longer kept: take it back with DELETE, and upload it again',
    );
  return content;
}

/** @throws 400 when the mapping names a column that the file does not have */
export function checkMapping(mapping: Mapping, columns: readonly string[]): void {
  const beyond = MAPPED_COLUMNS.filter((column) => (mapping[column] ?? 0) >= columns.length);
  if (beyond.length > 0)
    throw problem(
      'VALIDATION_FAILED',
      beyond.map((column) => `${column} must be below ${columns.length}, the number of columns of the file`),
    );
}

/** The mapping without what it inherits. One that an earlier version stored lacks columns. */
export function plainMapping({ decimal, dateOrder, zone, kinds, statuses, ...places }: Mapping): Mapping {
  const columns = Object.fromEntries(MAPPED_COLUMNS.map((column) => [column, places[column] ?? null]));
  return {
    ...columns,
    decimal,
    dateOrder,
    zone,
    kinds: (kinds ?? []).map(({ value, kind }) => ({ value, kind })),
    statuses: (statuses ?? []).map(({ value, counts }) => ({ value, counts })),
  } as unknown as Mapping;
}

export function dayText(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function notConfirmed() {
  return problem(FILE_CODES.FILE_NOT_CONFIRMED, 'the file is not confirmed yet');
}

export function noSuchFile() {
  return problem('NOT_FOUND', 'the restaurant has no such file');
}

/** Why no file that waits was found: it is confirmed, or the restaurant has none, also because it was removed meanwhile. */
export async function notOpen(tx: Prisma.TransactionClient, restaurantId: string, id: string) {
  const file = await tx.terminalFile.findFirst({ where: { id, restaurantId, ...IS_THERE }, select: { id: true } });
  return file ? confirmed() : noSuchFile();
}

export function confirmed() {
  return problem(FILE_CODES.FILE_CONFIRMED, 'the file is confirmed: "again": true reads it again with this mapping');
}
