import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { HeldJob } from './claim.js';
import { TRACE_ID_OF_JOB } from './trace-id.sql.js';

/** Clears the claim, as every move out of PROCESSING does. */
const UNLOCKED = Prisma.sql`processing_at = NULL, locked_by = NULL, updated_at = now()`;

/** The condition that this claim is still valid (O12). If no row matches, the reaper or another release has ended the claim. */
const heldBy = ({ id, lockedBy }: HeldJob) =>
  Prisma.sql`id = ${id}::uuid AND status = 'PROCESSING' AND locked_by = ${lockedBy}`;

/** Whether the order of a CREATE `job` was cancelled meanwhile. Such a job is withdrawn and does not wait again (C5). */
const CANCELLED = Prisma.sql`(job.action = 'CREATE' AND EXISTS (
  SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id
    AND cancel.action = 'CANCEL'))`;

/** The columns that the moves `release` and `expire` set: the `job` is due again at `dueAt`, or withdrawn if its order was cancelled. */
const waitingAgain = (dueAt: Prisma.Sql, error: Prisma.Sql, cause: Prisma.Sql) => Prisma.sql`
  status = CASE WHEN ${CANCELLED} THEN 'DLQ'::job_status ELSE 'PENDING'::job_status END, withdrawn = ${CANCELLED},
  next_run_at = CASE WHEN ${CANCELLED} THEN NULL ELSE ${dueAt} END,
  last_error = CASE WHEN ${CANCELLED} THEN 'withdrawn: order cancelled while it was being sent' ELSE ${error} END,
  cause = CASE WHEN ${CANCELLED} THEN 'withdrawn' ELSE ${cause} END,
  ${UNLOCKED}`;

/** INSERT of the attempts of claims that have ended without an answer. @param held rows of their jobs, with `error` */
export const recordingLost = (held: Prisma.Sql) => Prisma.sql`
  INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach, cause, error)
  SELECT coalesce(substring(locked_by FROM '[0-9a-f-]{36}$')::uuid, gen_random_uuid()), id, greatest(attempts, 1),
         processing_at, least(extract(epoch FROM now() - processing_at) * 1000, 2147483647), 'LOST', 'UNKNOWN', 'lost', error
  FROM ${held}`;

/** A job that the reaper returned because its lease expired. */
export interface ExpiredJob {
  readonly id: string;
  readonly eventKey: string;
  readonly restaurantId: string;
  /** number of the lost attempt, from 1 */
  readonly attempt: number;
  /** `instance/UUID` of the claim that expired */
  readonly lockedBy: string;
  /** the trace id of the sale (X3); null: it has none */
  readonly traceId: string | null;
}

/**
 * The move `release`, for a job that was claimed but not sent: the job is due as before, and the attempt is not counted. An order
 * that was cancelled meanwhile is withdrawn.
 * @returns false when the claim was lost: nothing was changed
 */
export async function release(prisma: PrismaService, job: HeldJob): Promise<boolean> {
  const changed = await prisma.$executeRaw`
    UPDATE outbox_jobs job
    SET attempts = attempts - 1, ${waitingAgain(Prisma.sql`next_run_at`, Prisma.sql`last_error`, Prisma.sql`cause`)}
    WHERE ${heldBy(job)}`;
  return changed > 0;
}

/**
 * The move `release` by claim id, for a claim statement whose answer was lost: no delivery of these jobs has begun.
 * @returns how many jobs were released
 */
export function releaseClaims(prisma: PrismaService, claimIds: readonly string[]): Promise<number> {
  return prisma.$executeRaw`
    UPDATE outbox_jobs job
    SET attempts = attempts - 1, ${waitingAgain(Prisma.sql`next_run_at`, Prisma.sql`last_error`, Prisma.sql`cause`)}
    WHERE status = 'PROCESSING' AND locked_by = ANY (${claimIds}::text[])`;
}

/**
 * The move `expire`, for up to `limit` jobs that have been PROCESSING longer than the lease: the jobs are due now (O17). Their
 * attempts stay counted and are recorded as LOST, since the order may have arrived (D17). An order that was cancelled
 * meanwhile is withdrawn instead, so that it is never sent after its cancel was accepted.
 * @param leases of workers (PROCESSING_TTL_MS), and of a POS that pulls (PULL_LEASE_MS, Q4); ms
 */
export async function expireLeases(
  prisma: PrismaService,
  leases: { readonly processingTtlMs: number; readonly pullLeaseMs: number },
  limit: number,
): Promise<ExpiredJob[]> {
  const msOf = (ms: number) => Prisma.sql`${ms}::int * interval '1 millisecond'`;
  const { processingTtlMs, pullLeaseMs } = leases;
  return prisma.$queryRaw<ExpiredJob[]>`
    WITH stuck AS MATERIALIZED (
      SELECT id, attempts, processing_at, locked_by, ('lease of ' || locked_by || ' expired') AS error
      FROM outbox_jobs
      -- the first condition is one of the index
      WHERE status = 'PROCESSING' AND processing_at < now() - ${msOf(Math.min(processingTtlMs, pullLeaseMs))}
        AND processing_at < now() - CASE WHEN locked_by LIKE 'pos/%' THEN ${msOf(pullLeaseMs)} ELSE ${msOf(processingTtlMs)} END
      ORDER BY processing_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), expired AS (
      UPDATE outbox_jobs job
      SET ${waitingAgain(Prisma.sql`now()`, Prisma.sql`stuck.error`, Prisma.sql`'lost'`)}
      FROM stuck WHERE job.id = stuck.id AND job.status = 'PROCESSING'
      RETURNING job.id, job.event_key, job.restaurant_id, ${TRACE_ID_OF_JOB} AS trace_id
    ), recorded AS (
      ${recordingLost(Prisma.sql`stuck`)}
    )
    SELECT expired.id::text, expired.event_key AS "eventKey", expired.restaurant_id::text AS "restaurantId",
           stuck.attempts AS attempt, stuck.locked_by AS "lockedBy", expired.trace_id AS "traceId"
    FROM expired JOIN stuck ON stuck.id = expired.id`;
}
