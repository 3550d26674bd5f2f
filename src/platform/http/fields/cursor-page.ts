import { isUuid } from '../../../domain/text.js';
import { readTime } from '../../../domain/time.js';
import { Prisma } from '../../database/generated/client.js';
import { problem } from '../problem.js';
import { Integer, NullableText } from './fields.js';
import { QueryInteger, QueryText } from './query-fields.js';

/** The most rows of a page. */
export const MAX_PAGE = 100;

/** Query parameters of a list with cursor pagination. */
export class CursorPageDto {
  @QueryInteger({ default: 20, minimum: 1, maximum: MAX_PAGE })
  limit = 20;

  @QueryText(2_000, 'cursor: `meta.next` of the previous page')
  after?: string;
}

/** `meta` of a list with cursor pagination. */
export class CursorPageMetaView {
  @Integer() readonly limit: number;

  @NullableText('cursor of the next page: send it as `after`; null on the last page')
  readonly next: string | null;
}

/** The sort key of a row: a time, then id, a UUID or another text. */
interface Position {
  readonly at: Date;
  readonly id: string;
}

/** One page of rows. */
export interface Page<Row> {
  readonly data: Row[];
  readonly meta: CursorPageMetaView;
}

/**
 * Builds a page.
 * @param rows up to `limit + 1` rows from the database; the last one only shows that there is a next page
 * @param timeOf the time that the list is sorted by
 */
export function pageOf<Row extends { readonly id: string }>(
  rows: Row[],
  limit: number,
  timeOf: (row: Row) => Date,
): Page<Row> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return {
    data,
    meta: { limit, next: rows.length > limit && last ? cursorOf({ at: timeOf(last), id: last.id }) : null },
  };
}

/**
 * Builds the SQL condition for the rows after a cursor.
 * @param key SQL of the two columns of the sort key
 * @param type type of the second column
 * @param oldestFirst whether the list has the oldest rows first
 * @throws 400 VALIDATION_FAILED when the cursor is invalid
 */
export function sqlAfterCursor(
  cursor: string,
  [at, id]: readonly [Prisma.Sql, Prisma.Sql],
  type: 'uuid' | 'text',
  oldestFirst = false,
): Prisma.Sql {
  const after = positionOf(cursor, type);
  const beyond = Prisma.raw(oldestFirst ? '>' : '<');
  // the first condition is redundant: it is the range of an index on the time alone
  return Prisma.sql`${at} ${beyond}= ${after.at}::timestamptz
    AND (${at}, ${id}) ${beyond} (${after.at}::timestamptz, ${after.id}::${Prisma.raw(type)})`;
}

function positionOf(cursor: string, type: 'uuid' | 'text'): Position {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [time = ''] = text.split(' ', 1);
  const id = text.slice(time.length + 1);
  const at = readTime(time);
  const isValid = type === 'uuid' ? isUuid(id) : id !== '' && !id.includes('\0') && id.isWellFormed();
  if (at?.toISOString() === time && isValid) return { at, id };
  throw problem('VALIDATION_FAILED', ['after must be the meta.next of another page']);
}

function cursorOf({ at, id }: Position): string {
  return Buffer.from(`${at.toISOString()} ${id}`).toString('base64url');
}
