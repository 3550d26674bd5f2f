import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { Prisma as Sql } from '../database/generated/client.js';
import { Prisma } from '../database/prisma.js';
import { type JobAction, type JobStatus, MOVES, type Outcome } from '../domain/job.js';

/** An event about to be stored, in the shape of its row. */
export interface NewEvent {
  /** as stored: in test mode with its suffix */
  readonly transactionKey: string;
  readonly sourceKey: string;
  readonly testMode: boolean;
  readonly restaurantId: string;
  readonly storeCode: string | null;
  readonly transactionNumber: string | null;
  readonly transactionDate: Date | null;
  readonly amountMismatchCents: bigint | null;
  readonly paidCents: bigint;
  /** tenderType -> cents */
  readonly paidByTender: Readonly<Record<string, bigint>>;
  readonly payload: Record<string, unknown>;
}

/** A job this instance holds, with all it takes to deliver it. */
export interface LockedJob {
  readonly id: string;
  readonly eventKey: string;
  readonly action: JobAction;
  readonly restaurantId: string;
  /** the number of this attempt, from 1 */
  readonly attempt: number;
  /** "instance/claim": settling succeeds only for this very lock */
  readonly lockedBy: string;
  readonly lockedAt: Date;
  readonly testMode: boolean;
  readonly receivedAt: Date;
  readonly payload: Record<string, unknown>;
  readonly codeStorePos: string | null;
  readonly posIdPartner: string | null;
  /** encrypted */
  readonly posSecret: string | null;
}

/** A job whose lease expired. */
export interface ExpiredJob {
  readonly id: string;
  readonly eventKey: string;
  readonly restaurantId: string;
  readonly attempt: number;
  readonly lockedBy: string;
}

/** The move `withdraw`: from every state in which the order is not at the POS and not on its way there. */
const WITHDRAWABLE = Sql.sql`action = 'CREATE' AND status IN ('PENDING', 'FAILED', 'DLQ') AND NOT withdrawn`;
const WITHDRAWN = Sql.sql`status = 'DLQ', withdrawn = true, next_run_at = NULL, updated_at = now(),
  last_error = 'withdrawn: order cancelled before it was sent'`;

/**
 * The only writer of outbox jobs. Every change of status is one conditional statement named after its move in
 * `domain/job.ts`; zero rows mean that another writer was first. Statuses stand in the statements as literals, so that the
 * planner can use the partial indexes; time is the database's clock.
 */
@Injectable()
export class JobStore {
  constructor(
    private readonly prisma: Prisma,
    private readonly config: Config,
  ) {}

  /**
   * Stores an event and its CREATE job, both or neither.
   * @returns the job's id, or undefined when the event's key (in test mode: its source key) is there already
   */
  async enqueue(event: NewEvent): Promise<string | undefined> {
    const [job] = await this.prisma.$queryRaw<{ id: string }[]>`
      WITH event AS (
        INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code,
          transaction_number, transaction_date, amount_mismatch_cents, paid_cents, paid_by_tender, payload, received_at)
        SELECT ${event.transactionKey}, ${event.sourceKey}, ${event.testMode}, ${event.restaurantId}::uuid,
          ${event.storeCode}, ${event.transactionNumber}, ${event.transactionDate}::timestamptz,
          ${event.amountMismatchCents}::bigint, ${event.paidCents}::bigint,
          ${JSON.stringify(event.paidByTender, (_, value) => (typeof value === 'bigint' ? Number(value) : value))}::jsonb,
          ${JSON.stringify(event.payload)}::jsonb, now()
        WHERE NOT EXISTS (SELECT 1 FROM spent_keys WHERE transaction_key = ${event.transactionKey})
          AND NOT EXISTS (SELECT 1 FROM spent_keys WHERE test_mode AND ${event.testMode}
            AND restaurant_id = ${event.restaurantId}::uuid AND source_key = ${event.sourceKey})
        ON CONFLICT DO NOTHING
        RETURNING transaction_key, restaurant_id
      )
      INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
      SELECT ${randomUUID()}::uuid, transaction_key, restaurant_id, 'CREATE', 'PENDING', now(), now(), now() FROM event
      RETURNING id::text`;
    return job?.id;
  }

  /** The job of the test transaction that this source key was first received as (DECISIONS 2.7). */
  async findTestJob(restaurantId: string, sourceKey: string): Promise<string | undefined> {
    const job = await this.prisma.outboxJob.findFirst({
      where: { action: 'CREATE', event: { restaurantId, sourceKey, testMode: true } },
      select: { id: true },
    });
    if (job) return job.id;
    const spent = await this.prisma.spentKey.findFirst({
      where: { restaurantId, sourceKey, testMode: true },
      select: { jobId: true },
    });
    return spent?.jobId;
  }

  /**
   * Locks up to `limit` due jobs, oldest due first, by an optimistic update on the status column: rows that another
   * instance holds or has just changed are skipped. The attempt is counted here, so that a crash counts.
   */
  async lockDue(limit: number): Promise<LockedJob[]> {
    return this.prisma.$queryRaw<LockedJob[]>`
      WITH locked AS (
        UPDATE outbox_jobs
        SET status = 'PROCESSING', attempts = attempts + 1, processing_at = now(), updated_at = now(),
            locked_by = ${this.config.instance} || '/' || gen_random_uuid()
        WHERE status IN ('PENDING', 'FAILED')
          AND id = ANY (ARRAY(
            SELECT id FROM outbox_jobs
            WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()
              -- a cancel does not overtake its order
              AND (action = 'CREATE' OR NOT EXISTS (
                SELECT 1 FROM outbox_jobs sending
                WHERE sending.event_key = outbox_jobs.event_key AND sending.action = 'CREATE'
                  AND sending.status = 'PROCESSING'))
            ORDER BY next_run_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
        RETURNING id, event_key, action, restaurant_id, attempts, locked_by, processing_at, next_run_at
      )
      SELECT locked.id::text, locked.event_key AS "eventKey", locked.action::text AS action,
             locked.restaurant_id::text AS "restaurantId", locked.attempts AS attempt, locked.locked_by AS "lockedBy",
             locked.processing_at AS "lockedAt", event.test_mode AS "testMode", event.received_at AS "receivedAt", event.payload,
             restaurant.code_store_pos AS "codeStorePos", restaurant.pos_id_partner AS "posIdPartner",
             restaurant.pos_secret AS "posSecret"
      FROM locked
      JOIN terminal_events event ON event.transaction_key = locked.event_key
      JOIN restaurants restaurant ON restaurant.id = locked.restaurant_id
      ORDER BY locked.next_run_at`;
  }

  /**
   * Ends an attempt: moves the job on and records the attempt, both or neither, and only while this very lock holds.
   * @param nextRunInMs from now on, for a retry
   * @returns false when the lock was lost: nothing was changed
   */
  async settle(job: LockedJob, outcome: Outcome, durationMs: number, nextRunInMs: number | null): Promise<boolean> {
    const status: JobStatus = MOVES[outcome.settling].to;
    const claim = claimOf(job.lockedBy);
    const rows = await this.prisma.$queryRaw<{ id: string }[]>`
      WITH settled AS (
        UPDATE outbox_jobs
        SET status = ${status}::job_status, next_run_at = now() + ${nextRunInMs}::int * interval '1 millisecond',
            processing_at = NULL, locked_by = NULL, last_error = ${outcome.error}, updated_at = now()
        WHERE id = ${job.id}::uuid AND status = 'PROCESSING' AND locked_by = ${job.lockedBy}
        RETURNING id
      )
      INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, error_code, outcome, reach, error)
      SELECT ${claim}::uuid, id, ${job.attempt}::int, ${job.lockedAt}::timestamptz, ${durationMs}::int, ${outcome.httpStatus}::int,
             ${outcome.errorCode}, ${status}::attempt_outcome, ${outcome.reach}::attempt_reach, ${outcome.error}
      FROM settled
      RETURNING id::text`;
    return rows.length > 0 || this.isSettled(claim);
  }

  /**
   * Gives back a job that was locked but not started, because its instance is stopping: due as before, and the attempt
   * that never was is not counted.
   */
  async release(job: LockedJob): Promise<boolean> {
    const changed = await this.prisma.$executeRaw`
      UPDATE outbox_jobs
      SET status = 'PENDING', attempts = attempts - 1, processing_at = NULL, locked_by = NULL, updated_at = now()
      WHERE id = ${job.id}::uuid AND status = 'PROCESSING' AND locked_by = ${job.lockedBy}`;
    return changed > 0;
  }

  /**
   * Returns jobs that have been PROCESSING longer than the lease to PENDING, due now. Their attempts stay counted, and are
   * recorded as LOST: the order may have arrived.
   */
  async expireLeases(limit: number): Promise<ExpiredJob[]> {
    const lease = Sql.sql`${this.config.outbox.processingTtlMs}::int * interval '1 millisecond'`;
    return this.prisma.$queryRaw<ExpiredJob[]>`
      WITH stuck AS MATERIALIZED (
        SELECT id, attempts, processing_at, locked_by, ('lease of ' || locked_by || ' expired') AS error
        FROM outbox_jobs
        WHERE status = 'PROCESSING' AND processing_at < now() - ${lease}
        ORDER BY processing_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ), expired AS (
        UPDATE outbox_jobs job
        SET status = 'PENDING', next_run_at = now(), processing_at = NULL, locked_by = NULL, last_error = stuck.error,
            updated_at = now()
        FROM stuck WHERE job.id = stuck.id AND job.status = 'PROCESSING'
        RETURNING job.id, job.event_key, job.restaurant_id
      ), recorded AS (
        INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach, error)
        SELECT coalesce(substring(locked_by FROM '[0-9a-f-]{36}$')::uuid, gen_random_uuid()), id, greatest(attempts, 1),
               processing_at, least(extract(epoch FROM now() - processing_at) * 1000, 2147483647), 'LOST', 'UNKNOWN', error
        FROM stuck
      )
      SELECT expired.id::text, expired.event_key AS "eventKey", expired.restaurant_id::text AS "restaurantId",
             stuck.attempts AS attempt, stuck.locked_by AS "lockedBy"
      FROM expired JOIN stuck ON stuck.id = expired.id`;
  }

  /**
   * Asks for an order to be cancelled: one CANCEL job for an event, and its CREATE withdrawn at once, unless it is being
   * sent or was delivered; both or neither.
   * @returns undefined when the restaurant has no such event
   */
  async enqueueCancel(
    restaurantId: string,
    eventKey: string,
  ): Promise<{ jobId: string; created: boolean } | undefined> {
    const [job] = await this.prisma.$queryRaw<{ id: string }[]>`
      WITH event AS (
        SELECT transaction_key, restaurant_id FROM terminal_events
        WHERE transaction_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid
      ), withdrawn AS (
        UPDATE outbox_jobs SET ${WITHDRAWN}
        FROM event WHERE event_key = transaction_key AND ${WITHDRAWABLE}
      )
      INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
      SELECT ${randomUUID()}::uuid, transaction_key, restaurant_id, 'CANCEL', 'PENDING', now(), now(), now() FROM event
      ON CONFLICT (event_key, action) DO NOTHING
      RETURNING id::text`;
    if (job) return { jobId: job.id, created: true };
    const known = await this.prisma.outboxJob.findFirst({
      where: { eventKey, restaurantId, action: 'CANCEL' },
      select: { id: true },
    });
    return known ? { jobId: known.id, created: false } : undefined;
  }

  /**
   * Withdraws the CREATE of an event, unless it is being sent or was delivered.
   * @returns its state now (DLQ: withdrawn), and whether an attempt of it may have reached the POS
   */
  async withdrawCreate(eventKey: string): Promise<{ status: JobStatus; mayHaveArrived: boolean }> {
    await this.prisma
      .$executeRaw`UPDATE outbox_jobs SET ${WITHDRAWN} WHERE event_key = ${eventKey} AND ${WITHDRAWABLE}`;
    const [create] = await this.prisma.$queryRaw<{ status: JobStatus; mayHaveArrived: boolean }[]>`
      SELECT status::text, EXISTS (
        SELECT 1 FROM delivery_attempts
        WHERE job_id = outbox_jobs.id AND (reach = 'UNKNOWN' OR (reach = 'ANSWERED' AND http_status >= 500))
      ) AS "mayHaveArrived"
      FROM outbox_jobs WHERE event_key = ${eventKey} AND action = 'CREATE'`;
    if (!create) throw new Error(`event ${eventKey} has no CREATE job`);
    return create;
  }

  /** Whether an earlier attempt of this job may have reached the POS without our learning of it (DECISIONS 3). */
  async mayHaveArrivedBefore(job: LockedJob): Promise<boolean> {
    const attempt = await this.prisma.deliveryAttempt.findFirst({
      where: { jobId: job.id, reach: 'UNKNOWN' },
      select: { id: true },
    });
    return attempt !== null;
  }

  /** An attempt whose settling committed although its answer was lost on the way back counts as settled. */
  private async isSettled(claim: string): Promise<boolean> {
    const attempt = await this.prisma.deliveryAttempt.findUnique({ where: { id: claim }, select: { outcome: true } });
    return attempt !== null && attempt.outcome !== 'LOST';
  }
}

/** The UUID, new for every lock, that becomes the id of the attempt. */
function claimOf(lockedBy: string): string {
  return lockedBy.slice(lockedBy.lastIndexOf('/') + 1);
}
