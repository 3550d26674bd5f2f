import { HttpStatus } from '@nestjs/common';
import { problem } from '../problem.js';

/** What a page begins after: jobs are ordered by createdAt, and by id where that is the same. */
interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

export interface Page<Row> {
  readonly data: Row[];
  /** `next` is the `after` of the next page; null: this is the last */
  readonly meta: { readonly limit: number; readonly next: string | null };
}

/** A page of `limit` rows out of `limit + 1` that were asked for, so that late pages are as fast as early ones. */
export function pageOf<Row extends Position>(rows: Row[], limit: number): Page<Row> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, meta: { limit, next: rows.length > limit && last ? cursorOf(last) : null } };
}

/** The condition for rows beyond a cursor. @throws 400 when it is not a cursor of ours */
export function beyond(cursor: string, direction: 'asc' | 'desc') {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const createdAt = new Date(time);
  if (Number.isNaN(createdAt.getTime()) || !/^[0-9a-f-]{36}$/.test(id))
    throw problem(HttpStatus.BAD_REQUEST, 'VALIDATION_FAILED', ['after must be the meta.next of another page']);
  const further = <T>(value: T) => (direction === 'desc' ? { lt: value } : { gt: value });
  // the first condition is implied by the second; it is what the index is searched by
  return {
    AND: [
      { createdAt: direction === 'desc' ? { lte: createdAt } : { gte: createdAt } },
      { OR: [{ createdAt: further(createdAt) }, { createdAt, id: further(id) }] },
    ],
  };
}

function cursorOf({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');
}
