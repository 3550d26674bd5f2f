import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { isDatabaseAway, reasonOf } from '../database/errors.js';
import { notSent, type Outcome } from '../domain/outcome.js';
import { Log } from '../telemetry/log.js';
import { Completer } from './completer.js';
import { Delivery } from './delivery.js';
import { JobStore } from './job-store.js';
import type { LockedJob } from './store/lock.js';

/** OUTBOX_PACE=eager: the most slots that one restaurant holds, even if no other waits (O11); the rest stays for others. */
const EAGER_SHARE = 3 / 4;
/** A stopping instance waits this much longer than POS_TIMEOUT_MS for what is in flight, in ms (O20). */
const STOP_MARGIN_MS = 6_000;
/** Rounds that may be missing before the worker counts as stalled, in ticks. */
const STALLED_TICKS = 3;
/** Calls of one attempt, each with its own deadline: sign-in and order, and both again after a refused token (D16). */
const CALLS_OF_AN_ATTEMPT = 4;

/**
 * The background worker (P5, O2). It locks due jobs, maps each transaction to a POS order, sends it and settles the job: SENT
 * on success, FAILED with a backoff on a temporary failure, DLQ on a permanent one.
 *
 * It has OUTBOX_BATCH_SIZE slots and locks no more jobs than it has free slots, so that no locked job waits past its lease (O8).
 */
@Injectable()
export class Worker implements BeforeApplicationShutdown {
  /** deliveries under way, each in a slot, with their restaurants */
  private readonly inFlight = new Map<Promise<void>, string>();
  /** locks of a statement that was not answered: whatever it locked is released before the next lock */
  private unanswered: readonly string[] = [];
  /** whether the last lock left slots free because a restaurant has its share: due jobs of it may wait for them */
  private heldBack = false;
  private lastProgressAt = performance.now();
  private givenUp = 0;
  private runningTick: Promise<void> | undefined;
  private wokenMeanwhile = false;

  constructor(
    private readonly jobs: JobStore,
    private readonly delivery: Delivery,
    private readonly completer: Completer,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Call it after a job was stored: with OUTBOX_PACE=eager the worker takes due jobs at once, else at its next tick (O9). */
  wake(): void {
    if (this.config.outbox.workerEnabled && this.eager) void this.tick();
  }

  /**
   * Takes due jobs as OUTBOX_PACE says. Ticks of one instance never overlap (O6). Never rejects: an error is logged, and the
   * next tick tries again.
   */
  async tick(): Promise<void> {
    if (this.stopping.aborted) return;
    if (this.runningTick) {
      this.wokenMeanwhile = this.eager;
      return;
    }
    this.runningTick = (this.eager ? this.takeUntilNothingIsDue() : this.takeOneBatch()).catch((error: Error) =>
      this.log.error({ event: 'outbox.tick_failed', error: reasonOf(error) }),
    );
    await this.runningTick;
    this.runningTick = undefined;
    // a wake-up that came after the tick's last query
    if (this.wokenMeanwhile) await this.tick();
  }

  /**
   * Waits for what is in flight (O20): calls under way end within POS_TIMEOUT_MS, locked jobs without a call are released. The
   * stopping signal keeps new batches and calls from beginning. Ends in time whatever POS and database do: what is not settled
   * by then is returned by the reaper.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const limitMs = this.config.pos.timeoutMs + STOP_MARGIN_MS;
    const settled = Promise.resolve(this.runningTick).then(() => Promise.all(this.inFlight.keys()));
    await Promise.race([settled, delay(limitMs, undefined, { ref: false })]);
    if (this.unsettled > 0) this.log.error({ event: 'outbox.stopped_unsettled', jobs: this.unsettled });
  }

  /** How many jobs this instance has locked and not settled or released: those in flight, and those it gave up when stopping. */
  get unsettled(): number {
    return this.inFlight.size + this.givenUp;
  }

  /**
   * Whether this instance should deliver and does not: for several ticks, and longer than an attempt can last, it has neither
   * asked for due jobs nor ended a delivery.
   */
  get stalled(): boolean {
    const { outbox, pos, databaseTimeoutMs } = this.config;
    const limitMs = STALLED_TICKS * outbox.tickMs + CALLS_OF_AN_ATTEMPT * (pos.timeoutMs + databaseTimeoutMs);
    return outbox.workerEnabled && performance.now() - this.lastProgressAt > limitMs;
  }

  /** OUTBOX_PACE=tick (O9): takes one batch and waits until all of it is settled. */
  private async takeOneBatch(): Promise<void> {
    await this.takeDue(this.freeSlots);
    await Promise.all(this.inFlight.keys());
  }

  /** OUTBOX_PACE=eager (O9): fills free slots until nothing is due; a slow POS occupies its own slot only. */
  private async takeUntilNothingIsDue(): Promise<void> {
    this.wokenMeanwhile = false;
    while (!this.stopping.aborted) {
      const { freeSlots } = this;
      if (freeSlots === 0) await Promise.race(this.inFlight.keys());
      else if ((await this.takeDue(freeSlots)) < freeSlots) return;
    }
  }

  /**
   * Locks up to `limit` due jobs and starts to deliver all of them concurrently.
   * @returns how many jobs were locked
   */
  private async takeDue(limit: number): Promise<number> {
    await this.releaseUnanswered();
    const lockedAt = performance.now();
    const locks = Array.from({ length: limit }, () => this.jobs.newLock());
    // until the answer is here, the statement may have locked jobs that nobody knows of
    this.unanswered = locks;
    const underWay = this.underWay();
    const jobs = await this.jobs.lockDue({ locks, underWay, share: this.share });
    this.unanswered = [];
    this.lastProgressAt = performance.now();
    for (const { restaurantId } of jobs) underWay.set(restaurantId, (underWay.get(restaurantId) ?? 0) + 1);
    this.heldBack = jobs.length < limit && [...underWay.values()].some((calls) => calls >= this.share);
    for (const job of jobs) this.begin(job, lockedAt);
    return jobs.length;
  }

  /** Jobs that were locked by a statement whose answer was lost do not wait until their lease expires. */
  private async releaseUnanswered(): Promise<void> {
    if (this.unanswered.length === 0) return;
    const released = await this.jobs.releaseLocks(this.unanswered);
    this.unanswered = [];
    this.log.warn({ event: 'outbox.unanswered_lock', released }, 'a lock was not answered; its jobs are due again');
  }

  private begin(job: LockedJob, lockedAt: number): void {
    const done = this.deliver(job, lockedAt)
      .catch((error: Error) => {
        if (this.stopping.aborted) this.givenUp++;
        this.log.error({ event: 'outbox.delivery_failed', job: job.id, error: reasonOf(error) });
      })
      .finally(() => {
        this.inFlight.delete(done);
        this.lastProgressAt = performance.now();
        if (this.heldBack) this.wake();
      });
    this.inFlight.set(done, job.restaurantId);
  }

  /** Calls under way, by restaurant. */
  private underWay(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const restaurantId of this.inFlight.values()) counts.set(restaurantId, (counts.get(restaurantId) ?? 0) + 1);
    return counts;
  }

  /** The most slots of one restaurant (O11). A tick of OUTBOX_PACE=tick ends before the next, so it may take all of them. */
  private get share(): number {
    const { batchSize } = this.config.outbox;
    return this.eager ? Math.ceil(batchSize * EAGER_SHARE) : batchSize;
  }

  private async deliver(job: LockedJob, lockedAt: number): Promise<void> {
    const startedAt = performance.now();
    const leaseEnds = lockedAt + this.config.outbox.processingTtlMs;
    // a call begins only if its deadline ends before the lease (D4), so that no other worker sends the same job meanwhile
    const mayCall = () => !this.stopping.aborted && performance.now() + this.config.pos.timeoutMs < leaseEnds;
    const ended = await this.delivery.attempt(job, mayCall).catch((error: Error) => this.interrupted(job, error));
    if (ended === 'release' || (ended === 'not-begun' && this.stopping.aborted)) return this.completer.release(job);
    const outcome = ended === 'not-begun' ? notSent('retry', 'the lease was too short for another call') : ended;
    await this.completer.settle(job, outcome, Math.round(performance.now() - startedAt));
  }

  /**
   * An attempt that ended in an error. Of an outage of the database the job is released: what an attempt asks the database
   * comes before its order is sent, or after an answer that the POS will repeat.
   */
  private interrupted(job: LockedJob, error: Error): Outcome | 'release' {
    if (!isDatabaseAway(error)) return internalError(error);
    this.log.warn({ event: 'outbox.attempt_interrupted', job: job.id, error: reasonOf(error) });
    return 'release';
  }

  private get eager(): boolean {
    return this.config.outbox.pace === 'eager';
  }

  private get freeSlots(): number {
    return this.config.outbox.batchSize - this.inFlight.size;
  }
}

/** A bug: the order may have been sent. */
function internalError(error: Error): Outcome {
  return { ...notSent('retry', `internal error: ${reasonOf(error)}`), reach: 'UNKNOWN' };
}
