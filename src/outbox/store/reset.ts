import { Prisma } from '../../database/generated/client.js';
import type { PrismaService } from '../../database/prisma.service.js';

/** Which jobs an operator resets; what is absent does not narrow. */
export interface ResetFilter {
  readonly jobIds?: readonly string[] | undefined;
  readonly restaurantId?: string | undefined;
  /** of parked jobs, as `error_cause()` makes it of their error: what waits for its next attempt is then left alone */
  readonly cause?: string | undefined;
  /** parked, or failed, at or after this time */
  readonly since?: Date | undefined;
}

/** The move `reset` (R11), as in prisma/sql/reset-job.sql. */
const RESET = Prisma.sql`status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL,
  locked_by = NULL, updated_at = now()`;

/** Jobs of deleted restaurants are left alone. */
const RESTAURANT_IS_THERE = Prisma.sql`EXISTS (
  SELECT 1 FROM restaurants WHERE restaurants.id = job.restaurant_id AND restaurants.deleted_at IS NULL)`;

/** Two conditions, each of one partial index: parked jobs, and jobs that wait for their next attempt. */
function conditionsOf({ jobIds, restaurantId, cause, since }: ResetFilter): { parked: Prisma.Sql; failed: Prisma.Sql } {
  const narrowed = Prisma.join(
    [
      RESTAURANT_IS_THERE,
      ...(jobIds === undefined ? [] : [Prisma.sql`job.id = ANY (${[...jobIds]}::uuid[])`]),
      ...(restaurantId === undefined ? [] : [Prisma.sql`job.restaurant_id = ${restaurantId}::uuid`]),
      ...(since === undefined ? [] : [Prisma.sql`job.updated_at >= ${since}::timestamptz`]),
    ],
    ' AND ',
  );
  const ofCause = cause === undefined ? Prisma.empty : Prisma.sql`AND error_cause(job.last_error) = ${cause}::text`;
  return {
    parked: Prisma.sql`job.status = 'DLQ' AND NOT job.withdrawn ${ofCause} AND ${narrowed}`,
    failed: cause === undefined ? Prisma.sql`job.status = 'FAILED' AND ${narrowed}` : Prisma.sql`false`,
  };
}

/** @returns how many jobs the filter finds, and the time of the database at which it was asked, to the microsecond */
export async function countResettable(
  prisma: PrismaService,
  filter: ResetFilter,
): Promise<{ matched: number; asOf: string }> {
  const { parked, failed } = conditionsOf(filter);
  const [row] = await prisma.reports.$queryRaw<{ matched: number; asOf: string }[]>`
    SELECT ((SELECT count(*) FROM outbox_jobs job WHERE ${parked}) + (SELECT count(*) FROM outbox_jobs job WHERE ${failed})
           )::int AS matched, now()::text AS "asOf"`;
  return row as { matched: number; asOf: string };
}

/**
 * The move `reset` (R9 to R12) of a batch: parked jobs first, then those that wait for their next attempt. Rows that a worker or a
 * cancel holds now are skipped.
 * @param asOf jobs that have changed since are left alone: one that was reset and parked again is not reset twice
 * @returns the restaurant of each job that was reset
 */
export async function resetJobs(
  prisma: Prisma.TransactionClient,
  filter: ResetFilter,
  asOf: string,
  limit: number,
): Promise<string[]> {
  const { parked, failed } = conditionsOf(filter);
  const before = Prisma.sql`job.updated_at <= ${asOf}::timestamptz`;
  const rows = await prisma.$queryRaw<{ restaurantId: string }[]>`
    WITH parked AS MATERIALIZED (
      SELECT job.id FROM outbox_jobs job WHERE ${parked} AND ${before} LIMIT ${limit}::int FOR UPDATE OF job SKIP LOCKED
    ), failed AS MATERIALIZED (
      SELECT job.id FROM outbox_jobs job WHERE ${failed} AND ${before}
      LIMIT ${limit}::int - (SELECT count(*) FROM parked) FOR UPDATE OF job SKIP LOCKED
    )
    UPDATE outbox_jobs SET ${RESET}
    FROM (SELECT id FROM parked UNION ALL SELECT id FROM failed) AS picked
    WHERE outbox_jobs.id = picked.id AND outbox_jobs.status IN ('DLQ', 'FAILED') AND NOT outbox_jobs.withdrawn
    RETURNING outbox_jobs.restaurant_id::text AS "restaurantId"`;
  return rows.map(({ restaurantId }) => restaurantId);
}
