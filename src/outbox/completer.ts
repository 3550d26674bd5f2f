import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { isDatabaseAway, reasonOf } from '../database/errors.js';
import { backoffMs } from '../domain/backoff.js';
import { MOVES } from '../domain/job.js';
import { limitAttempts, type Outcome } from '../domain/outcome.js';
import { errorLine } from '../domain/text.js';
import { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { JobStore } from './job-store.js';
import { SettleQueue } from './settle-queue.js';
import type { LockedJob } from './store/lock.js';

/** Pause between two tries of a write while the database is away, in ms. */
export const SETTLE_RETRY_MS = 250;
/** How long a write is repeated that fails although the database is there, in ms: a bug, but perhaps an outage of a new kind. */
const LIMIT_OF_OTHER_ERRORS_MS = 30_000;
/** A stopping instance waits no longer than this for the database, in ms: the reaper returns the job later. */
const LIMIT_WHEN_STOPPING_MS = 5_000;

/** The settle step: ends the claim of a job in the database (O12, O13), then writes the log line and the metrics of the attempt. */
@Injectable()
export class Completer {
  constructor(
    private readonly jobs: JobStore,
    private readonly queue: SettleQueue,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /**
   * Settles an attempt: the job becomes SENT, FAILED (with its backoff, O14 to O16) or DLQ. When the lock was lost meanwhile,
   * it changes nothing and logs `outbox.lock_lost`; but a delivery still counts while nobody has locked the job since.
   * @param attempted the outcome before OUTBOX_MAX_ATTEMPTS is considered
   * @param durationMs duration of the attempt, in ms
   * @throws the database's error: after 5 s while the process is stopping, else after 30 s of errors that are no outage
   */
  async settle(job: LockedJob, attempted: Outcome, durationMs: number): Promise<void> {
    const limited = limitAttempts(attempted, job.attempt, this.config.outbox.maxAttempts);
    const outcome = limited.error === null ? limited : { ...limited, error: errorLine(limited.error) };
    const retryInMs = outcome.settling === 'retry' ? retryMs(outcome, job.attempt) : null;
    const ended = { job, outcome, durationMs, retryInMs };
    const lockHeld = await this.untilDatabaseAnswers(job, () => this.queue.settle(ended));
    const { sentBody: _, retryInMs: __, ...told } = outcome;
    const { id, eventKey, action, restaurantId, attempt, lockedBy } = job;
    const line = { job: id, eventKey, action, restaurantId, attempt, lockedBy, ms: durationMs, retryInMs, ...told };
    if (!lockHeld) {
      this.metrics.lostLocks.inc();
      this.log.warn(
        { event: 'outbox.lock_lost', ...line },
        'the lease expired before the attempt was settled; nothing was changed',
      );
      return;
    }
    this.observe(job, outcome, durationMs);
    this.log[outcome.settling === 'deliver' ? 'info' : 'warn']({ event: 'outbox.attempt', ...line });
    if (outcome.settling === 'park')
      this.log.error({ event: 'alarm.job_parked', job: id, eventKey, action, restaurantId, error: outcome.error });
  }

  /**
   * Releases a job that was locked but not sent (O2): it is due as before, and the attempt is not counted.
   * @throws the database's error, as {@link settle} does
   */
  async release(job: LockedJob): Promise<void> {
    await this.untilDatabaseAnswers(job, () => this.jobs.release(job));
    this.log.info({ event: 'outbox.released', job: job.id, eventKey: job.eventKey, action: job.action });
  }

  private observe(job: LockedJob, { settling }: Outcome, durationMs: number): void {
    this.metrics.attempts.inc({ outcome: MOVES[settling].to });
    this.metrics.attemptSeconds.observe(durationMs / 1_000);
    if (settling === 'park') this.metrics.parked.inc();
    if (settling === 'deliver' && job.action === 'CREATE')
      this.metrics.deliverySeconds.observe(Math.max(0, Date.now() - job.receivedAt.getTime()) / 1_000);
  }

  /** How long a write is repeated that ended in this error, in ms. */
  private limitMs(error: unknown): number {
    if (this.stopping.aborted) return LIMIT_WHEN_STOPPING_MS;
    // nothing else can be done meanwhile, and the answer of the POS is known nowhere else
    return isDatabaseAway(error) ? Number.POSITIVE_INFINITY : LIMIT_OF_OTHER_ERRORS_MS;
  }

  /** Repeats the write, never the send, while the database is away (O13), however long that is. */
  private async untilDatabaseAnswers(job: LockedJob, write: () => Promise<boolean>): Promise<boolean> {
    const since = performance.now();
    for (;;) {
      try {
        return await write();
      } catch (error) {
        const waitedMs = Math.round(performance.now() - since);
        this.log.error({ event: 'outbox.settle_delayed', job: job.id, waitedMs, error: reasonOf(error) });
        if (waitedMs > this.limitMs(error)) throw error;
        await delay(SETTLE_RETRY_MS);
      }
    }
  }
}

/** ms until a retry: as the outcome says, else the backoff (O14, O15). */
function retryMs({ retryInMs, retryAfterMs }: Outcome, attempt: number): number {
  return retryInMs ?? backoffMs(attempt, Math.random(), retryAfterMs ?? undefined);
}
