import { Prisma } from '../../platform/database/generated/client.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';

/** The longest pause, in hours (L243). */
export const LONGEST_PAUSE_H = 24;
/** What waited is due within this time after a pause, whatever the pace, in hours (L244). */
const LONGEST_RESUMING_H = 12;
/** Orders that waited become due at this pace after a pause, unless a person says another one: a minute (L244). */
export const PER_MINUTE = 60;
/** So long after the last of them is due, orders of the restaurant are not late (O49). */
const RESTS_FOR = "interval '5 minutes'";
export const LONGEST_PAUSE = `interval '${LONGEST_PAUSE_H} hours'`;
const LONGEST_RESUMING = `interval '${LONGEST_RESUMING_H} hours'`;

/** SQL: the ids of the paused restaurants (O49). */
export const PAUSED_RESTAURANTS = 'SELECT id FROM restaurants WHERE paused_until IS NOT NULL';
/** SQL: a list of the restaurants whose orders are becoming due after a pause. */
export const RESUMING_RESTAURANTS = 'SELECT id FROM restaurants WHERE resuming_until IS NOT NULL';

/** SQL: whether a pause is over: also one that was begun while the clock was ahead. */
const IS_OVER = `paused_until NOT BETWEEN now() AND now() + ${LONGEST_PAUSE}`;
/** SQL: whether orders are becoming due after a pause, and no further one has begun. */
const IS_RESUMING = 'paused_until IS NULL AND resuming_until > now()';

/** When {@link resume} does something: a pause is over, there is a pause or orders are becoming due after one, or only the latter. */
export type ResumeOf = 'over' | 'any' | 'resuming';

/** What {@link resume} has ended. */
export interface Resumed {
  /** the restaurant's */
  readonly name: string;
  /** jobs that waited */
  readonly jobs: number;
  /** when the last of them is due; null: none waited */
  readonly until: Date | null;
}

/**
 * Ends the pause of a restaurant: its waiting jobs are due one after the other, the oldest first (O50). A job of which an attempt has failed is not due
 * before its retry. One statement, which locks the row of the restaurant: of two calls the second finds no pause. A job that another session
 * has locked is due now.
 */
const RESUME = `WITH place AS MATERIALIZED (
    SELECT id, coalesce($2::int, resuming_per_minute, ${PER_MINUTE}) AS per_minute FROM restaurants
    WHERE id = $1::uuid AND deleted_at IS NULL
      AND CASE $3::text WHEN 'over' THEN ${IS_OVER} WHEN 'any' THEN paused_until IS NOT NULL OR resuming_until > now() ELSE ${IS_RESUMING} END
    FOR NO KEY UPDATE
  ), job AS MATERIALIZED (
    SELECT id, status, next_run_at, created_at FROM outbox_jobs
    WHERE restaurant_id = $1::uuid AND status IN ('PENDING', 'FAILED') AND EXISTS (SELECT FROM place) FOR UPDATE SKIP LOCKED
  ), slot AS MATERIALIZED (
    SELECT id, due_at, CASE WHEN status = 'FAILED' THEN greatest(next_run_at, due_at) ELSE due_at END AS next_run_at
    FROM (SELECT *, now() + (row_number() OVER (ORDER BY created_at, id) - 1)
              * least(interval '60 seconds' / (SELECT per_minute FROM place), ${LONGEST_RESUMING} / count(*) OVER ()) AS due_at FROM job) AS numbered
  ), due AS (
    UPDATE outbox_jobs SET next_run_at = slot.next_run_at FROM slot
    -- status as text, so that the planner looks up jobs by id
    WHERE outbox_jobs.id = slot.id AND outbox_jobs.status::text IN ('PENDING', 'FAILED')
  )
  UPDATE restaurants SET paused_at = NULL, paused_until = NULL, pause_reason = NULL, paused_by = NULL,
    resuming_until = (SELECT max(due_at) FROM slot), resuming_per_minute = (SELECT per_minute FROM place), updated_at = now()
  WHERE id IN (SELECT id FROM place)
  RETURNING name, (SELECT count(*)::int FROM slot) AS jobs, (SELECT max(due_at) FROM slot) AS until`;

/**
 * @param perMinute the most jobs that become due in a minute; null: as many as before
 * @returns undefined: there is nothing of this kind
 */
export async function resume(
  client: Prisma.TransactionClient,
  restaurantId: string,
  perMinute: number | null,
  of: ResumeOf,
): Promise<Resumed | undefined> {
  const [row] = await client.$queryRawUnsafe<Resumed[]>(RESUME, restaurantId, perMinute, of);
  return row;
}

/** A restaurant that is paused, or resumes. */
export interface Pausing {
  readonly restaurantId: string;
  /** its pause ends now */
  readonly isOver: boolean;
  /** its jobs are becoming due, or the last one became due a moment ago: since the last look */
  readonly isResuming: boolean;
}

/** Reads the few restaurants by their index, and forgets those whose orders became due some time ago. */
const PAUSINGS = preparedStatement(
  'pausings',
  `WITH forgotten AS (
    UPDATE restaurants SET resuming_until = NULL
    WHERE resuming_until NOT BETWEEN now() - ${RESTS_FOR} AND now() + ${LONGEST_RESUMING}
  )
  SELECT id::text AS "restaurantId", coalesce(${IS_OVER}, false) AS "isOver", coalesce(resuming_until >= now() - interval '5 seconds', false) AS "isResuming"
  FROM restaurants WHERE (paused_until IS NOT NULL OR resuming_until IS NOT NULL) AND deleted_at IS NULL`,
);

export const pausings = (prisma: PrismaService): Promise<Pausing[]> => prisma.prepared<Pausing>(PAUSINGS, []);

/**
 * Locks the restaurant's row: in a transaction, before the jobs, as all that change both.
 * @returns whether orders of the restaurant are becoming due after a pause (O50)
 */
export async function lockResuming(client: Prisma.TransactionClient, restaurantId: string): Promise<boolean> {
  const rows = await client.$queryRaw<[]>`
    SELECT FROM restaurants WHERE id = ${restaurantId}::uuid AND ${Prisma.raw(IS_RESUMING)} FOR NO KEY UPDATE`;
  return rows.length > 0;
}
