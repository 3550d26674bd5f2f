import { MOVES } from '../../domain/job.js';
import type { Outcome } from '../../domain/outcome.js';
import { joinJson, jsonTexts } from '../../platform/database/json-texts.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { HeldJob } from './claim.js';

/** An attempt that has ended, and its result. */
export interface EndedAttempt {
  readonly job: HeldJob;
  readonly outcome: Outcome;
  /** duration of the attempt, in ms */
  readonly durationMs: number;
  /** ms until the retry; null when the job is not retried */
  readonly retryInMs: number | null;
}

/** The largest value of the column `duration_ms`. An attempt takes longer if its instance was suspended for a month. */
const MAX_DURATION_MS = 2_147_483_647;

const SETTLE = preparedStatement(
  'settle',
  `WITH ended AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::int[], ${jsonTexts('$11')}, $12::text[], $13::boolean[], $14::text[])
      AS ended(job_id, locked_by, started_at, duration_ms, http_status, error_code, status, reach, error, retry_in_ms, sent_body,
        cause, resolved, subject)
  ), settled AS (
    UPDATE outbox_jobs job
    SET status = ended.status::job_status, next_run_at = now() + ended.retry_in_ms * interval '1 millisecond',
        -- the error of an attempt that delivered is only a note
        last_error = CASE WHEN ended.status <> 'SENT' THEN ended.error END, cause = ended.cause, subject = ended.subject, processing_at = NULL,
        locked_by = NULL, resolved_at = CASE WHEN ended.resolved THEN now() END, updated_at = now()
    FROM ended
    -- only a PROCESSING job has locked_by (CHECK); a condition on status would make the planner use the index of PROCESSING jobs
    WHERE job.id = ended.job_id AND job.locked_by = ended.locked_by
    RETURNING job.attempts, ended.*
  )
  INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, error_code, outcome, reach, cause,
    error, sent_body)
  SELECT right(locked_by, 36)::uuid, job_id, attempts, started_at::timestamptz, duration_ms, http_status, error_code,
         status::attempt_outcome, reach::attempt_reach, cause, error,
         -- a body that equals the last stored body of the job is not stored again (O19)
         CASE WHEN attempts = 1 OR sent_body IS DISTINCT FROM (
           SELECT sent_body::text FROM delivery_attempts before
           WHERE before.job_id = settled.job_id AND before.sent_body IS NOT NULL ORDER BY before.started_at DESC LIMIT 1
         ) THEN sent_body::json END
  FROM settled
  RETURNING id::text`,
);

/**
 * The moves `deliver`, `retry` and `park`: changes the jobs' statuses and records their attempts in one statement (O12, O18).
 * If the statement fails, no attempt is settled; a single row may have caused the error. If the answer gets lost, the call may safely be
 * repeated.
 * @returns for each attempt whether it was recorded; false: its claim was lost, and nothing was changed
 */
export async function settle(prisma: PrismaService, attempts: readonly EndedAttempt[]): Promise<boolean[]> {
  const rows = await prisma.prepared<{ id: string }>(SETTLE, columnsOf(attempts));
  const settled = new Set(rows.map(({ id }) => id));
  if (settled.size === attempts.length) return attempts.map(() => true);
  const missing = attempts.filter(({ job }) => !settled.has(claimOf(job.lockedBy)));
  for (const claim of await settledBefore(prisma, missing)) settled.add(claim);
  return Promise.all(
    attempts.map((attempt) => {
      if (settled.has(claimOf(attempt.job.lockedBy))) return true;
      return attempt.outcome.settling === 'deliver' && deliverLate(prisma, attempt);
    }),
  );
}

function columnsOf(attempts: readonly EndedAttempt[]): unknown[] {
  return [
    attempts.map(({ job }) => job.id),
    attempts.map(({ job }) => job.lockedBy),
    attempts.map(({ job }) => job.claimedAt),
    attempts.map(({ durationMs }) => Math.min(durationMs, MAX_DURATION_MS)),
    attempts.map(({ outcome }) => outcome.httpStatus),
    attempts.map(({ outcome }) => outcome.errorCode),
    attempts.map(({ outcome }) => MOVES[outcome.settling].to),
    attempts.map(({ outcome }) => outcome.reach),
    attempts.map(({ outcome }) => outcome.error),
    attempts.map(({ retryInMs }) => retryInMs),
    joinJson(attempts.map(({ outcome }) => outcome.sentBody ?? null)),
    attempts.map(({ outcome }) => outcome.cause),
    attempts.map(({ outcome }) => outcome.resolved ?? false),
    attempts.map(({ outcome }) => outcome.subject ?? null),
  ];
}

/**
 * The move `deliverLate`: the lease expired, but no worker has claimed the job since. Job and attempt become SENT: the POS has the order,
 * which must not be sent again.
 * @returns false when the job was claimed again: nothing was changed
 */
async function deliverLate(prisma: PrismaService, { job, outcome, durationMs }: EndedAttempt): Promise<boolean> {
  const claim = claimOf(job.lockedBy);
  const changed = await prisma.$executeRaw`
    WITH delivered AS (
      UPDATE outbox_jobs
      SET status = 'SENT', next_run_at = NULL, last_error = NULL, updated_at = now()
      WHERE id = ${job.id}::uuid AND status = 'PENDING'
        AND (SELECT attempt.id = ${claim}::uuid AND attempt.outcome = 'LOST'
             FROM delivery_attempts attempt WHERE attempt.job_id = outbox_jobs.id
             ORDER BY attempt.started_at DESC, attempt.number DESC LIMIT 1)
      RETURNING id
    )
    UPDATE delivery_attempts attempt
    SET outcome = 'SENT', reach = ${outcome.reach}::attempt_reach, http_status = ${outcome.httpStatus}::int,
        error_code = ${outcome.errorCode}, cause = NULL, error = ${outcome.error}, duration_ms = ${Math.min(durationMs, MAX_DURATION_MS)}::int,
        sent_body = ${outcome.sentBody ?? null}::json
    FROM delivered WHERE attempt.id = ${claim}::uuid AND attempt.job_id = delivered.id`;
  return changed > 0;
}

/** @returns the claims that an earlier call of {@link settle}, whose answer was lost, has already settled */
async function settledBefore(prisma: PrismaService, attempts: readonly EndedAttempt[]): Promise<string[]> {
  const claims = attempts.map(({ job }) => claimOf(job.lockedBy));
  const found = await prisma.deliveryAttempt.findMany({
    where: { id: { in: claims }, outcome: { not: 'LOST' } },
    select: { id: true },
  });
  return found.map(({ id }) => id);
}

/** The UUID in `lockedBy`, which becomes the id of the attempt. */
function claimOf(lockedBy: string): string {
  return lockedBy.slice(lockedBy.lastIndexOf('/') + 1);
}
