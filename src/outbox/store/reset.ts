import type { Cause, Subject } from '../../domain/cause.js';
import type { JobStatus } from '../../domain/job.js';
import { AHEAD } from '../../platform/database/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { PARKED } from '../parked.sql.js';
import { TRACE_ID_OF_JOB } from './trace-id.sql.js';

/** Which jobs an operator resets. An absent field sets no condition. */
export interface ResetFilter {
  readonly jobIds?: readonly string[] | undefined;
  readonly restaurantId?: string | undefined;
  /** only parked jobs whose error, or `error_cause()` of it, is this text; no FAILED jobs */
  readonly cause?: string | undefined;
  /** only parked jobs with this cause (O30); no FAILED jobs */
  readonly kind?: Cause | undefined;
  /** only parked jobs that were refused for this (O47); no FAILED jobs */
  readonly subject?: Subject | undefined;
  /** only jobs that were parked or failed at or after this time */
  readonly since?: Date | undefined;
}

/** An order whose content was erased cannot be sent (W42); its cancel can. Looked up one by one (decisions/032). */
const HAS_CONTENT = Prisma.sql`(job.action <> 'CREATE' OR (
  SELECT erased_at FROM terminal_events WHERE transaction_key = job.event_key AND terminal_events.restaurant_id = job.restaurant_id) IS NULL)`;

/**
 * FROM and WHERE of two selections: parked jobs, and FAILED jobs, which wait for a retry. Each selection reads one partial index. A FAILED
 * order is never erased (W40). `parked` has erased orders too.
 */
function selectionsOf({ jobIds, restaurantId, cause, kind, subject, since }: ResetFilter): {
  parked: Prisma.Sql;
  failed: Prisma.Sql;
} {
  const narrowed = Prisma.join(
    [
      Prisma.sql`true`,
      ...(jobIds === undefined ? [] : [Prisma.sql`job.id = ANY (${[...jobIds]}::uuid[])`]),
      ...(restaurantId === undefined ? [] : [Prisma.sql`job.restaurant_id = ${restaurantId}::uuid`]),
      ...(since === undefined ? [] : [Prisma.sql`job.updated_at >= ${since}::timestamptz`]),
    ],
    ' AND ',
  );
  const ofCause = [
    ...(cause === undefined ? [] : [Prisma.sql`error_cause(job.last_error) = error_cause(${cause}::text)`]),
    ...(kind === undefined ? [] : [Prisma.sql`job.cause = ${kind}::text`]),
    ...(subject === undefined ? [] : [Prisma.sql`coalesce(job.subject, 'other') = ${subject}::text`]),
  ];
  const lives = Prisma.sql`EXISTS (
    SELECT 1 FROM restaurants WHERE restaurants.id = job.restaurant_id AND restaurants.deleted_at IS NULL AND paused_until IS NULL)`;
  return {
    // as the view parked_jobs, which has no cause: a join for it takes quadratic time without statistics
    parked: Prisma.sql`FROM outbox_jobs job WHERE ${PARKED} AND ${Prisma.join([...ofCause, narrowed, lives], ' AND ')}`,
    failed: Prisma.sql`FROM outbox_jobs job WHERE job.status = 'FAILED' AND ${ofCause.length === 0} AND ${narrowed} AND ${lives}`,
  };
}

/** @returns the number of jobs that match, of those that do not because their sale was erased (W42), and the time of this count by the database's clock, to the microsecond */
export async function countResettable(
  prisma: PrismaService,
  filter: ResetFilter,
): Promise<{ matched: number; erased: number; asOf: string }> {
  const { parked, failed } = selectionsOf(filter);
  const [row] = await prisma.reports.$queryRaw<{ matched: number; erased: number; asOf: string }[]>`
    SELECT (found.parked - found.erased + (SELECT count(*) ${failed}))::int AS matched, found.erased::int AS erased, now()::text AS "asOf"
    FROM (SELECT count(*) AS parked, count(*) FILTER (WHERE NOT ${HAS_CONTENT}) AS erased ${parked}) AS found`;
  return row as { matched: number; erased: number; asOf: string };
}

/** What a reset would send again. */
export interface Resettable {
  readonly matched: number;
  /** how many would match if their sale had not been erased (W42) */
  readonly erased: number;
  /** receipt of the oldest; null when none matches */
  readonly oldestAt: Date | null;
  /** sum of what was paid for the orders, in cents; cancels count 0 */
  readonly paidCents: number;
  readonly restaurants: number;
  /** up to three different errors */
  readonly errors: readonly string[];
}

/** Describes the jobs that match, for the person who is about to reset them. */
export async function describeResettable(prisma: PrismaService, filter: ResetFilter): Promise<Resettable> {
  const { parked, failed } = selectionsOf(filter);
  const columns = Prisma.sql`job.event_key, job.restaurant_id, job.action, job.created_at, job.last_error`;
  const [row] = await prisma.reports.$queryRaw<Resettable[]>`
    WITH found AS MATERIALIZED (
      SELECT ${columns}, ${HAS_CONTENT} AS has_content ${parked} UNION ALL SELECT ${columns}, true ${failed}
    ), job AS (SELECT * FROM found WHERE has_content)
    SELECT (SELECT count(*) FROM found WHERE NOT has_content)::int AS erased,
           count(*)::int AS matched, min(created_at) AS "oldestAt", coalesce(sum(paid.cents), 0)::float8 AS "paidCents",
           count(DISTINCT restaurant_id)::int AS restaurants,
           ARRAY(SELECT DISTINCT last_error FROM job WHERE last_error IS NOT NULL ORDER BY 1 LIMIT 3) AS errors
    FROM job LEFT JOIN LATERAL (
      SELECT paid_cents AS cents FROM terminal_events
      WHERE transaction_key = job.event_key AND restaurant_id = job.restaurant_id AND job.action = 'CREATE' OFFSET 0) AS paid ON true`;
  return row as Resettable;
}

/** The CREATE job of an order, before {@link resetOrder}. */
export interface OrderBeforeReset {
  readonly jobId: string;
  readonly status: JobStatus;
  /** whether a cancel of the order was requested */
  readonly cancelled: boolean;
  /** the trace id of the sale (X3); null: it has none */
  readonly traceId: string | null;
  /** whether the content of the sale was erased (W40) */
  readonly erased: boolean;
  /** whether somebody has entered it in the till by hand (R65) */
  readonly entered: boolean;
}

/**
 * The move `reset` (R11) of the CREATE job of one order, if the job is FAILED or parked, no cancel was requested, and its sale has its
 * content.
 * @param although whether it is reset although somebody has entered it in the till (R65)
 * @returns the job before the reset; undefined when the restaurant has no such order
 */
export async function resetOrder(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  eventKey: string,
  although: { readonly entered: boolean },
): Promise<OrderBeforeReset | undefined> {
  const [row] = await tx.$queryRaw<OrderBeforeReset[]>`
    WITH job AS MATERIALIZED (
      SELECT id, status, ${TRACE_ID_OF_JOB} AS trace_id, withdrawn OR EXISTS (
               SELECT FROM outbox_jobs cancel
               WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id AND cancel.action = 'CANCEL'
             ) AS cancelled
      FROM outbox_jobs job
      WHERE event_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid AND action = 'CREATE' FOR UPDATE
    ), event AS MATERIALIZED (
      -- read again after the lock: another call may have erased or entered it while this one waited for the job
      SELECT erased_at IS NOT NULL AS erased, entered_at IS NOT NULL AS entered FROM terminal_events
      WHERE transaction_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid AND EXISTS (SELECT FROM job) FOR NO KEY UPDATE
    ), reset AS MATERIALIZED (
      SELECT id FROM reset_jobs(ARRAY(
        SELECT id FROM job, event
        WHERE status IN ('FAILED', 'DLQ') AND NOT cancelled AND NOT erased AND (NOT entered OR ${although.entered}::boolean)))
    )
    SELECT job.id::text AS "jobId", job.status::text, cancelled, erased, entered, job.trace_id AS "traceId"
    FROM job CROSS JOIN event LEFT JOIN reset ON reset.id = job.id`;
  return row;
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
  // what has a time of the future was parked while the clock was ahead, before this count
  const before = Prisma.sql`(job.updated_at <= ${asOf}::timestamptz OR job.updated_at > ${Prisma.raw(AHEAD)})`;
  const rows = await prisma.$queryRaw<{ restaurantId: string }[]>`
    WITH parked AS MATERIALIZED (
      SELECT job.id ${parked} AND ${HAS_CONTENT} AND ${before} LIMIT ${limit}::int FOR UPDATE OF job SKIP LOCKED
    ), failed AS MATERIALIZED (
      SELECT job.id ${failed} AND ${before}
      LIMIT ${limit}::int - (SELECT count(*) FROM parked) FOR UPDATE OF job SKIP LOCKED
    )
    SELECT restaurant_id::text AS "restaurantId" FROM reset_jobs(ARRAY(SELECT id FROM parked UNION ALL SELECT id FROM failed))`;
  return rows.map(({ restaurantId }) => restaurantId);
}
