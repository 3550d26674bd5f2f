import { Prisma } from '../../database/generated/client.js';
import type { PrismaService } from '../../database/prisma.service.js';

/** Which jobs an operator resets. An absent field sets no condition. */
export interface ResetFilter {
  readonly jobIds?: readonly string[] | undefined;
  readonly restaurantId?: string | undefined;
  /** only parked jobs for whose error `error_cause()` gives this text; no FAILED jobs */
  readonly cause?: string | undefined;
  /** only jobs that were parked or failed at or after this time */
  readonly since?: Date | undefined;
}

/** FROM and WHERE of two selections: parked jobs, and FAILED jobs, which wait for a retry. Each selection reads one partial index. */
function selectionsOf({ jobIds, restaurantId, cause, since }: ResetFilter): { parked: Prisma.Sql; failed: Prisma.Sql } {
  const narrowed = Prisma.join(
    [
      Prisma.sql`true`,
      ...(jobIds === undefined ? [] : [Prisma.sql`job.id = ANY (${[...jobIds]}::uuid[])`]),
      ...(restaurantId === undefined ? [] : [Prisma.sql`job.restaurant_id = ${restaurantId}::uuid`]),
      ...(since === undefined ? [] : [Prisma.sql`job.updated_at >= ${since}::timestamptz`]),
    ],
    ' AND ',
  );
  const ofCause = cause === undefined ? Prisma.sql`true` : Prisma.sql`error_cause(job.last_error) = ${cause}::text`;
  return {
    parked: Prisma.sql`FROM parked_jobs job WHERE ${ofCause} AND ${narrowed}`,
    failed: Prisma.sql`FROM outbox_jobs job WHERE job.status = 'FAILED' AND ${cause === undefined} AND ${narrowed} AND EXISTS (
      SELECT 1 FROM restaurants WHERE restaurants.id = job.restaurant_id AND restaurants.deleted_at IS NULL)`,
  };
}

/** @returns the number of jobs that match, and the time of this count by the database's clock, to the microsecond */
export async function countResettable(
  prisma: PrismaService,
  filter: ResetFilter,
): Promise<{ matched: number; asOf: string }> {
  const { parked, failed } = selectionsOf(filter);
  const [row] = await prisma.reports.$queryRaw<{ matched: number; asOf: string }[]>`
    SELECT ((SELECT count(*) ${parked}) + (SELECT count(*) ${failed}))::int AS matched, now()::text AS "asOf"`;
  return row as { matched: number; asOf: string };
}

/**
 * The move `reset` (R9 to R12) of a batch: parked jobs first, then FAILED jobs. Rows that a worker or a cancel has locked are skipped.
 * @param asOf jobs that have changed since this time are skipped, so that a job that was parked again is not reset twice
 * @returns the restaurant of each job that was reset
 */
export async function resetJobs(
  prisma: Prisma.TransactionClient,
  filter: ResetFilter,
  asOf: string,
  limit: number,
): Promise<string[]> {
  const { parked, failed } = selectionsOf(filter);
  const before = Prisma.sql`job.updated_at <= ${asOf}::timestamptz`;
  const rows = await prisma.$queryRaw<{ restaurantId: string }[]>`
    WITH parked AS MATERIALIZED (
      SELECT job.id ${parked} AND ${before} LIMIT ${limit}::int FOR UPDATE OF job SKIP LOCKED
    ), failed AS MATERIALIZED (
      SELECT job.id ${failed} AND ${before}
      LIMIT ${limit}::int - (SELECT count(*) FROM parked) FOR UPDATE OF job SKIP LOCKED
    )
    SELECT restaurant_id::text AS "restaurantId" FROM reset_jobs(ARRAY(SELECT id FROM parked UNION ALL SELECT id FROM failed))`;
  return rows.map(({ restaurantId }) => restaurantId);
}
