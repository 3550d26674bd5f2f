import type { Cause } from '../../domain/cause.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';

/** Which parked jobs of a restaurant somebody settles by hand (R40). */
export interface ResolveFilter {
  readonly restaurantId: string;
  /** a business day, YYYY-MM-DD: only orders received before it; never one of the current business day */
  readonly before?: string | undefined;
  /** only jobs with this cause (O30) */
  readonly kind?: Cause | undefined;
  /** only jobs whose error, or `error_cause()` of it, is this text */
  readonly cause?: string | undefined;
}

/** FROM and WHERE: the open parked jobs of earlier business days. The order of a job is looked up by key (decisions/032). */
function selectionOf({ restaurantId, before, kind, cause }: ResolveFilter): Prisma.Sql {
  return Prisma.sql`FROM parked_jobs job
    WHERE job.restaurant_id = ${restaurantId}::uuid
      AND ${kind === undefined ? Prisma.sql`true` : Prisma.sql`(SELECT cause FROM outbox_jobs WHERE id = job.id) = ${kind}::text`}
      AND ${cause === undefined ? Prisma.sql`true` : Prisma.sql`error_cause(job.last_error) = error_cause(${cause}::text)`}
      AND (SELECT received_at FROM terminal_events WHERE transaction_key = job.event_key AND restaurant_id = job.restaurant_id) < (
        SELECT (least(${before ?? null}::date, business_day(now(), timezone, day_closes_at)) + day_closes_at::time) AT TIME ZONE timezone
        FROM restaurants WHERE restaurants.id = ${restaurantId}::uuid)`;
}

/** @returns the number of jobs that match */
export async function countResolvable(prisma: PrismaService, filter: ResolveFilter): Promise<number> {
  const [row] = await prisma.reports.$queryRaw<{ matched: number }[]>`
    SELECT count(*)::int AS matched ${selectionOf(filter)}`;
  return (row as { matched: number }).matched;
}

/**
 * Settles a batch of parked jobs by hand (R40): they stay in DLQ with the time of their last move. Rows that another session has locked
 * are skipped.
 * @returns the number of jobs that were settled
 */
export function resolveJobs(tx: Prisma.TransactionClient, filter: ResolveFilter, limit: number): Promise<number> {
  return tx.$executeRaw`
    WITH parked AS MATERIALIZED (
      SELECT job.id ${selectionOf(filter)} LIMIT ${limit}::int FOR UPDATE OF job SKIP LOCKED
    )
    UPDATE outbox_jobs SET resolved_at = now() WHERE id IN (SELECT id FROM parked)`;
}
