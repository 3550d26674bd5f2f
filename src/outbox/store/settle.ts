import { MOVES } from '../../domain/job.js';
import type { Outcome } from '../../domain/outcome.js';
import { Prisma } from '../../platform/database/generated/client.js';
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

/**
 * What became of the settle of an attempt. `now`: this statement recorded it. `before`: it was recorded, by an earlier try of the same settle whose
 * answer was lost, or by another settle of its claim (Q21). `lost`: its claim was lost, and nothing was changed.
 */
export type Settled = 'now' | 'before' | 'lost';

/** The largest value of the column `duration_ms`. An attempt takes longer if its instance was suspended for a month. */
const MAX_DURATION_MS = 2_147_483_647;

/** SQL: keeps delivered orders until their POS says something of them (Q18). An order may be delivered again after a refusal (Q16). @param delivered SELECT of id and restaurant of jobs */
const unheard = (delivered: string) =>
  `INSERT INTO unheard_orders (job_id, restaurant_id, delivered_at) SELECT *, now() FROM (${delivered}) AS delivered
   ON CONFLICT (job_id) DO UPDATE SET delivered_at = excluded.delivered_at`;

// $11 stands in a subquery, so that the planner estimates as many rows with the values as without them, and keeps one plan. Otherwise it would plan
// each statement of few rows, which takes longer than the statement
const settling = (name: string, ofPos: string) =>
  preparedStatement(
    name,
    `WITH ended AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::int[], (SELECT ${jsonTexts('$11')}), $12::text[], $13::boolean[], $14::text[], $15::boolean[])
      AS ended(job_id, locked_by, started_at, duration_ms, http_status, error_code, status, reach, error, retry_in_ms, sent_body,
        cause, resolved, subject, is_unheard)
  ), settled AS (
    UPDATE outbox_jobs job
    SET status = ended.status::job_status, next_run_at = now() + ended.retry_in_ms * interval '1 millisecond',
        -- the error of an attempt that delivered is only a note
        last_error = CASE WHEN ended.status <> 'SENT' THEN ended.error END, cause = ended.cause, subject = ended.subject, processing_at = NULL,
        locked_by = NULL, resolved_at = CASE WHEN ended.resolved THEN now() END, updated_at = now()
    FROM ended
    -- only a PROCESSING job has locked_by (CHECK); a condition on status would make the planner use the index of PROCESSING jobs
    WHERE job.id = ended.job_id AND job.locked_by = ended.locked_by
    RETURNING job.attempts, job.restaurant_id, ended.*
  )${ofPos}
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

const SETTLE = settling('settle', '');
/** As {@link SETTLE}, for a batch with unheard attempts. A batch without them does not pay for the additional insert. */
const SETTLE_UNHEARD = settling(
  'settle_unheard',
  `, unheard AS (${unheard('SELECT job_id, restaurant_id FROM settled WHERE is_unheard')})`,
);

const UNHEARD_LATE = Prisma.raw(`, unheard AS (${unheard('SELECT id, restaurant_id FROM delivered')})`);

/**
 * The moves `deliver`, `retry` and `park`: changes the jobs' statuses and records their attempts in one statement (O12, O18).
 * If the statement fails, no attempt is settled; a single row may have caused the error. If the answer gets lost, the call may safely be
 * repeated.
 * @returns what became of each attempt
 */
export async function settle(prisma: PrismaService, attempts: readonly EndedAttempt[]): Promise<Settled[]> {
  const statement = attempts.some(({ outcome }) => outcome.isUnheard) ? SETTLE_UNHEARD : SETTLE;
  const rows = await prisma.prepared<{ id: string }>(statement, columnsOf(attempts));
  const settled = new Set(rows.map(({ id }) => id));
  if (settled.size === attempts.length) return attempts.map(() => 'now');
  const missing = attempts.filter(({ job }) => !settled.has(claimOf(job.lockedBy)));
  const before = new Set(await settledBefore(prisma, missing));
  return Promise.all(
    attempts.map(async (attempt) => {
      const claim = claimOf(attempt.job.lockedBy);
      if (settled.has(claim)) return 'now';
      if (before.has(claim)) return 'before';
      return attempt.outcome.settling === 'deliver' && (await deliverLate(prisma, attempt)) ? 'now' : 'lost';
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
    attempts.map(({ outcome }) => outcome.isUnheard ?? false),
  ];
}

/**
 * The move `deliverLate`: the lease expired, but no worker has claimed the job since. Job and attempt become SENT: the POS has the order,
 * which must not be sent again.
 * @returns false when the job was claimed again: nothing was changed
 */
async function deliverLate(prisma: PrismaService, { job, outcome, durationMs }: EndedAttempt): Promise<boolean> {
  const claim = claimOf(job.lockedBy);
  const ofPos = outcome.isUnheard ? UNHEARD_LATE : Prisma.empty;
  const changed = await prisma.$executeRaw`
    WITH delivered AS (
      UPDATE outbox_jobs
      SET status = 'SENT', next_run_at = NULL, last_error = NULL, updated_at = now()
      WHERE id = ${job.id}::uuid AND status = 'PENDING'
        AND (SELECT attempt.id = ${claim}::uuid AND attempt.outcome = 'LOST' AND NOT EXISTS (
               -- its POS has refused what that attempt brought, and somebody has sent the order again (Q16)
               SELECT FROM pos_acceptances refused
               WHERE refused.job_id = outbox_jobs.id AND refused.state = 'REFUSED' AND refused.created_at > attempt.started_at)
             FROM delivery_attempts attempt WHERE attempt.job_id = outbox_jobs.id
             ORDER BY attempt.started_at DESC, attempt.number DESC LIMIT 1)
      RETURNING id, restaurant_id
    )${ofPos}
    UPDATE delivery_attempts attempt
    SET outcome = 'SENT', reach = ${outcome.reach}::attempt_reach, http_status = ${outcome.httpStatus}::int,
        error_code = ${outcome.errorCode}, cause = NULL, error = ${outcome.error}, duration_ms = ${Math.min(durationMs, MAX_DURATION_MS)}::int,
        sent_body = ${outcome.sentBody ?? null}::json
    FROM delivered WHERE attempt.id = ${claim}::uuid AND attempt.job_id = delivered.id`;
  return changed > 0;
}

/** @returns the claims whose attempts are recorded already */
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
