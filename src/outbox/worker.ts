import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { reasonOf } from '../database/errors.js';
import { backoffMs } from '../domain/backoff.js';
import { MOVES, notSent, type Outcome, outcomeOf, withinAttempts } from '../domain/job.js';
import { describe, errorLine, judge, type PosAnswer } from '../domain/pos-answer.js';
import { mapOrder, type PosOrder } from '../domain/pos-order.js';
import { readTransaction } from '../domain/transaction.js';
import { Log } from '../log.js';
import { Metrics } from '../metrics.js';
import { type Delivery, PosClient } from '../pos/client.js';
import { posTarget } from '../pos/target.js';
import { SecretBox } from '../secret-box.js';
import { JobStore, type LockedJob } from './job-store.js';

/** The settling write is retried this often while the database is away. */
const SETTLE_RETRY_MS = 250;
/** A stopping instance does not wait longer than this for the database; the reaper of another one takes over. */
const SETTLE_LIMIT_WHEN_STOPPING_MS = 5_000;

/**
 * The background worker (seed, "What the service does", 3 and 4). It takes due jobs, locks each one, maps the transaction
 * to the POS order shape, and sends it. On success the job becomes SENT, on a temporary failure FAILED, to be retried with
 * a growing delay, on a permanent failure DLQ.
 */
@Injectable()
export class Worker {
  private readonly inFlight = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    private readonly jobs: JobStore,
    private readonly pos: PosClient,
    private readonly box: SecretBox,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** How many more jobs may be locked now: never more than are sent at once, so that none waits past its lease. */
  get free(): number {
    return this.stopping ? 0 : this.config.outbox.batchSize - this.inFlight.size;
  }

  /**
   * Takes up to `limit` due jobs and begins to deliver them all at once.
   * @returns how many there were
   */
  async takeDue(limit: number): Promise<number> {
    const lockedAt = performance.now();
    const jobs = await this.jobs.lockDue(limit);
    for (const job of jobs) this.begin(job, lockedAt);
    return jobs.length;
  }

  /** Waits until one (or every) delivery under way has settled. */
  async settled(which: 'one' | 'all'): Promise<void> {
    await (which === 'one' ? Promise.race(this.inFlight) : Promise.all(this.inFlight));
  }

  /** Begins no further call; calls under way end within POS_TIMEOUT_MS, and jobs not yet sent are given back. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.settled('all');
  }

  private begin(job: LockedJob, lockedAt: number): void {
    const delivery = this.deliver(job, lockedAt)
      .catch((error: Error) => this.log.error({ event: 'outbox.delivery_failed', job: job.id, error: reasonOf(error) }))
      .finally(() => this.inFlight.delete(delivery));
    this.inFlight.add(delivery);
  }

  private async deliver(job: LockedJob, lockedAt: number): Promise<void> {
    const startedAt = performance.now();
    const leaseEnds = lockedAt + this.config.outbox.processingTtlMs;
    const outcome = await this.send(job, leaseEnds).catch((error: Error) => unexpected(error));
    if (outcome === 'not-begun' && this.stopping) return this.release(job);
    const ended = outcome === 'not-begun' ? notSent('retry', 'the lease was too short for another call') : outcome;
    const { attempt } = job;
    await this.settle(job, withinAttempts(ended, attempt, this.config.outbox.maxAttempts), startedAt);
  }

  /** From the stored transaction to the outcome of this attempt. */
  private async send(job: LockedJob, leaseEnds: number): Promise<Outcome | 'not-begun'> {
    if (job.attempt > this.config.outbox.maxAttempts)
      return notSent('park', `gave up after ${job.attempt - 1} attempts`);
    const mapped = this.map(job);
    if ('settling' in mapped) return mapped;
    const target = posTarget(job, this.config, this.box);
    if ('missing' in target) return notSent('retry', target.missing);
    // an order is sent only while the lease outlives the call: nobody else can be sending it
    const mayCall = () => !this.stopping && performance.now() + this.config.pos.timeoutMs < leaseEnds;
    return this.judge(job, await this.pos.createOrder(target, mapped, mayCall));
  }

  private map(job: LockedJob): PosOrder | Outcome {
    if (!job.codeStorePos) return notSent('retry', 'restaurant has no codeStorePos');
    const mapped = mapOrder(readTransaction(job.payload), {
      orderId: job.eventKey,
      codStore: job.codeStorePos,
      receivedAt: job.receivedAt,
      tenders: this.config.pos.tenders,
      extra: this.config.pos.orderExtra,
    });
    return 'order' in mapped ? mapped.order : notSent('park', `cannot be mapped: ${mapped.unmappable}`);
  }

  private async judge(job: LockedJob, delivery: Delivery): Promise<Outcome | 'not-begun'> {
    if (delivery.step === 'not-begun') return 'not-begun';
    const { answer } = delivery;
    if (delivery.step === 'sign-in') return signInFailed(answer);
    switch (judge(answer, this.config.pos)) {
      case 'sent':
        return outcomeOf(answer, 'deliver', null);
      case 'park':
        return outcomeOf(answer, 'park', describe(answer));
      case 'duplicate':
        return (await this.jobs.mayHaveArrivedBefore(job))
          ? outcomeOf(answer, 'deliver', null)
          : outcomeOf(answer, 'park', describe(answer));
      case 'retry':
        return outcomeOf(answer, 'retry', describe(answer));
      case 'sign-in-again':
        return outcomeOf(answer, 'retry', `POS authentication failed: ${describe(answer)}`);
    }
  }

  private async settle(job: LockedJob, ended: Outcome, startedAt: number): Promise<void> {
    const outcome = ended.error === null ? ended : { ...ended, error: errorLine(ended.error) };
    const durationMs = Math.round(performance.now() - startedAt);
    const retryInMs =
      outcome.settling === 'retry' ? backoffMs(job.attempt, Math.random(), outcome.retryAfterMs ?? undefined) : null;
    const held = await this.untilDatabaseAnswers(job, () => this.jobs.settle(job, outcome, durationMs, retryInMs));
    const { id, eventKey, restaurantId, attempt, lockedBy } = job;
    const line = { job: id, eventKey, restaurantId, attempt, lockedBy, ms: durationMs, retryInMs, ...outcome };
    if (!held) {
      this.metrics.lostLocks.inc();
      this.log.warn({ event: 'outbox.lock_lost', ...line }, 'settled by another worker; nothing changed');
      return;
    }
    this.metrics.attempts.inc({ outcome: MOVES[outcome.settling].to });
    this.metrics.attemptSeconds.observe(durationMs / 1_000);
    if (outcome.settling === 'deliver')
      this.metrics.deliverySeconds.observe(Math.max(0, Date.now() - job.receivedAt.getTime()) / 1_000);
    this.log[outcome.settling === 'deliver' ? 'info' : 'warn']({ event: 'outbox.attempt', ...line });
  }

  private async release(job: LockedJob): Promise<void> {
    await this.untilDatabaseAnswers(job, () => this.jobs.release(job));
    this.log.info({ event: 'outbox.released', job: job.id, eventKey: job.eventKey });
  }

  /** While the database is away the write is repeated, never the send. */
  private async untilDatabaseAnswers(job: LockedJob, write: () => Promise<boolean>): Promise<boolean> {
    const since = performance.now();
    for (;;) {
      try {
        return await write();
      } catch (error) {
        const waited = performance.now() - since;
        this.log.error({
          event: 'outbox.settle_delayed',
          job: job.id,
          waitedMs: Math.round(waited),
          error: reasonOf(error),
        });
        const limit = this.stopping ? SETTLE_LIMIT_WHEN_STOPPING_MS : 2 * this.config.outbox.processingTtlMs;
        if (waited > limit) throw error;
        await delay(SETTLE_RETRY_MS);
      }
    }
  }
}

/** Credentials can be corrected while the job waits, so a failed sign-in is never permanent. */
function signInFailed(answer: PosAnswer): Outcome {
  return { ...outcomeOf(answer, 'retry', `POS sign-in failed: ${describe(answer)}`), reach: 'NOT_SENT' };
}

/** A bug, or the database going away in the middle: the order may have been sent. */
function unexpected(error: Error): Outcome {
  return { ...notSent('retry', `internal error: ${reasonOf(error)}`), reach: 'UNKNOWN' };
}
