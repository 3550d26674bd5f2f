import { Prisma } from '../../../platform/database/generated/client.js';

/** SQL: whether a row counts: its file is confirmed with the row's reading (J8). @param row the alias of terminal_file_rows */
export function isCounted(row: 'taken' | 'earlier' | 'other' | 'of_sale'): Prisma.Sql {
  const alias = Prisma.raw(row);
  return Prisma.sql`EXISTS (SELECT FROM terminal_files counted
    WHERE counted.id = ${alias}.file_id AND counted.reading = ${alias}.reading AND counted.confirmed_at IS NOT NULL)`;
}

/** SQL: the rows of a file, of its reading. */
export function rowsOf(fileId: string): Prisma.Sql {
  return Prisma.sql`file_id = ${fileId}::uuid AND reading = (SELECT reading FROM terminal_files WHERE id = ${fileId}::uuid)`;
}
