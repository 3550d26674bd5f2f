import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { reasonOf } from '../database/errors.js';
import { backoffMs } from '../domain/backoff.js';
import { MOVES, type Outcome, withinAttempts } from '../domain/job.js';
import { errorLine } from '../domain/pos-answer.js';
import { Log } from '../log.js';
import { Metrics } from '../metrics.js';
import { JobStore, type LockedJob } from './job-store.js';

/** The settling write is repeated this often while the database is away. */
const RETRY_MS = 250;
/** A stopping instance does not wait longer than this for the database; the reaper of another one takes over. */
const LIMIT_WHEN_STOPPING_MS = 5_000;

/** SETTLE: ends an attempt in the database, in the log and in the metrics. */
@Injectable()
export class Settlement {
  private stopping = false;

  constructor(
    private readonly jobs: JobStore,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** From now on the database is not waited for as long as a lease lasts. */
  stop(): void {
    this.stopping = true;
  }

  async settle(job: LockedJob, ended: Outcome, durationMs: number): Promise<void> {
    const limited = withinAttempts(ended, job.attempt, this.config.outbox.maxAttempts);
    const outcome = limited.error === null ? limited : { ...limited, error: errorLine(limited.error) };
    const retryInMs =
      outcome.settling === 'retry' ? backoffMs(job.attempt, Math.random(), outcome.retryAfterMs ?? undefined) : null;
    const held = await this.untilDatabaseAnswers(job, () => this.jobs.settle(job, outcome, durationMs, retryInMs));
    const { id, eventKey, action, restaurantId, attempt, lockedBy } = job;
    const line = { job: id, eventKey, action, restaurantId, attempt, lockedBy, ms: durationMs, retryInMs, ...outcome };
    const delivered = outcome.settling === 'deliver';
    if (!held) {
      this.metrics.lostLocks.inc();
      this.log.warn({ event: 'outbox.lock_lost', ...line }, 'settled by another worker; nothing changed');
      return;
    }
    this.metrics.attempts.inc({ outcome: MOVES[outcome.settling].to });
    if (outcome.settling === 'park') this.metrics.parked.inc();
    this.metrics.attemptSeconds.observe(durationMs / 1_000);
    if (delivered && action === 'CREATE')
      this.metrics.deliverySeconds.observe(Math.max(0, Date.now() - job.receivedAt.getTime()) / 1_000);
    this.log[delivered ? 'info' : 'warn']({ event: 'outbox.attempt', ...line });
    if (outcome.settling === 'park')
      this.log.error({ event: 'alarm.job_parked', job: id, eventKey, action, restaurantId, error: outcome.error });
  }

  /** Gives a job back that was locked but not sent. */
  async release(job: LockedJob): Promise<void> {
    await this.untilDatabaseAnswers(job, () => this.jobs.release(job));
    this.log.info({ event: 'outbox.released', job: job.id, eventKey: job.eventKey, action: job.action });
  }

  /** While the database is away the write is repeated, never the send. */
  private async untilDatabaseAnswers(job: LockedJob, write: () => Promise<boolean>): Promise<boolean> {
    const since = performance.now();
    for (;;) {
      try {
        return await write();
      } catch (error) {
        const waitedMs = Math.round(performance.now() - since);
        this.log.error({ event: 'outbox.settle_delayed', job: job.id, waitedMs, error: reasonOf(error) });
        const limit = this.stopping ? LIMIT_WHEN_STOPPING_MS : 2 * this.config.outbox.processingTtlMs;
        if (waitedMs > limit) throw error;
        await delay(RETRY_MS);
      }
    }
  }
}
