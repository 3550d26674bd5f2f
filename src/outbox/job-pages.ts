import { HttpStatus } from '@nestjs/common';
import { Prisma as Sql } from '../database/generated/client.js';
import type { Prisma } from '../database/prisma.js';
import type { JobStatus } from '../domain/job.js';
import { readTime } from '../domain/time.js';
import { problem } from '../problem.js';

type Direction = 'asc' | 'desc';

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
export function beyond(cursor: string, direction: Direction) {
  const { createdAt, id } = positionOf(cursor);
  const further = <T>(value: T) => (direction === 'desc' ? { lt: value } : { gt: value });
  // the first condition is implied by the second; it is what the index is searched by
  return {
    AND: [
      { createdAt: direction === 'desc' ? { lte: createdAt } : { gte: createdAt } },
      { OR: [{ createdAt: further(createdAt) }, { createdAt, id: further(id) }] },
    ],
  };
}

/** With more under way than this, a walk through the history meets them soon enough. */
const FEW = 2_000;

/**
 * A condition that leads to jobs in this state by the partial indexes: few are under way, and without it the whole history
 * would be searched for them. (Prisma's own condition is a parameter, for which the planner cannot use such an index.)
 */
export async function inState(prisma: Prisma, status: JobStatus | undefined, restaurantId?: string) {
  if (status === undefined || status === 'SENT' || status === 'DLQ') return { status };
  const ofRestaurant = restaurantId ? Sql.sql`AND restaurant_id = ${restaurantId}::uuid` : Sql.empty;
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM outbox_jobs WHERE status = ${Sql.raw(`'${status}'`)} ${ofRestaurant} LIMIT ${FEW + 1}`;
  return rows.length > FEW ? { status } : { status, id: { in: rows.map(({ id }) => id) } };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function positionOf(cursor: string): Position {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const createdAt = readTime(time);
  if (createdAt?.toISOString() === time && UUID.test(id)) return { createdAt, id };
  throw problem(HttpStatus.BAD_REQUEST, 'VALIDATION_FAILED', ['after must be the meta.next of another page']);
}

function cursorOf({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');
}
