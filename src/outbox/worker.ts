import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { reasonOf } from '../database/errors.js';
import { Log } from '../telemetry/log.js';
import { Completer } from './completer.js';
import { Delivery, LEASE_TOO_SHORT } from './delivery.js';
import { JobStore } from './job-store.js';
import { type HeldJob, Slots } from './slots.js';
import { UnansweredClaims } from './unanswered-claims.js';

/** OUTBOX_PACE=eager: the most slots that one restaurant holds, even if no other waits (O11); the rest stays for others. */
const EAGER_SHARE = 3 / 4;
/** OUTBOX_PACE=eager: between two claims by turns (O11) claims take the oldest due jobs, for so long, in ms. */
const TURNS_EVERY_MS = 100;
/** What was locked ahead and has no slot after so long, in ms, is released: another instance may have one. */
const LONGEST_WAIT_MS = 1_000;
/** OUTBOX_PACE=eager: the most jobs that are locked ahead of their slots. */
const MOST_AHEAD = 200;
/** While slots are free and more may be due, claims are no further apart, in ms. */
const LONGEST_PAUSE_MS = 10;
/** No more is locked while so many attempts, and as many as there are slots, wait for the database to settle them. */
const MOST_UNSETTLED = 1_000;
/** A stopping instance waits this much longer than POS_TIMEOUT_MS for what is in flight, in ms (O20). */
const STOP_MARGIN_MS = 6_000;
/** Rounds that may be missing before the worker counts as stalled, in ticks. */
const STALLED_TICKS = 3;
/** Calls of one attempt, each with its own deadline: sign-in and order, and both again after a refused token (D16). */
const CALLS_OF_AN_ATTEMPT = { resend: 4, ask: 7 } as const;

/**
 * The background worker (P5, O2). It locks due jobs, maps each transaction to a POS order, sends it and settles the job: SENT
 * on success, FAILED with a backoff on a temporary failure, DLQ on a permanent one.
 *
 * It has OUTBOX_BATCH_SIZE slots, one for each call under way. What it locks ahead is what will have a slot in a moment, by the
 * pace of the calls, and a call begins only within its job's lease (O8).
 */
@Injectable()
export class Worker implements BeforeApplicationShutdown {
  private readonly slots: Slots;
  /** deliveries from the lock to the end of the settling */
  private readonly inFlight = new Set<Promise<void>>();
  private readonly unanswered: UnansweredClaims;
  /** whether the last lock left slots free because a restaurant has its share: due jobs of it may wait for them */
  private heldBack = false;
  private lastTurnsAt = Number.NEGATIVE_INFINITY;
  private lastProgressAt = performance.now();
  private givenUp = 0;
  private runningTick: Promise<void> | undefined;
  private wokenMeanwhile = false;
  /** called when a claim has become worth its cost */
  private roomAgain: (() => void) | undefined;
  private pause: NodeJS.Timeout | undefined;
  private waitTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly jobs: JobStore,
    private readonly delivery: Delivery,
    private readonly completer: Completer,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly log: Log,
  ) {
    const { batchSize } = config.outbox;
    // a tick of OUTBOX_PACE=tick ends before the next, so one restaurant may take all of it
    this.slots = this.eager
      ? new Slots(batchSize, Math.ceil(batchSize * EAGER_SHARE), MOST_AHEAD)
      : new Slots(batchSize, batchSize, 0);
    this.unanswered = new UnansweredClaims((locks) => jobs.releaseLocks(locks), config.databaseTimeoutMs);
  }

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
    this.roomAgain?.();
    this.releaseWaiting();
    const settled = Promise.resolve(this.runningTick).then(() => Promise.all(this.inFlight));
    await Promise.race([settled, delay(limitMs, undefined, { ref: false })]);
    if (this.unsettled > 0) this.log.error({ event: 'outbox.stopped_unsettled', jobs: this.unsettled });
  }

  /** How many jobs this instance has locked and not settled or released: those in flight, and those it gave up when stopping. */
  get unsettled(): number {
    return this.inFlight.size + this.slots.waitingJobs + this.givenUp;
  }

  /**
   * Whether this instance should deliver and does not: for several ticks, and longer than an attempt can last, it has neither
   * asked for due jobs nor ended a delivery.
   */
  get stalled(): boolean {
    const { outbox, pos, databaseTimeoutMs } = this.config;
    const calls = CALLS_OF_AN_ATTEMPT[pos.afterUnknown];
    const limitMs = STALLED_TICKS * outbox.tickMs + calls * (pos.timeoutMs + databaseTimeoutMs);
    return outbox.workerEnabled && performance.now() - this.lastProgressAt > limitMs;
  }

  /** OUTBOX_PACE=tick (O9): takes one batch and waits until all of it is settled. */
  private async takeOneBatch(): Promise<void> {
    await this.takeDue();
    await Promise.all(this.inFlight);
  }

  /** OUTBOX_PACE=eager (O9): fills free slots until nothing is due; a slow POS occupies its own slot only. */
  private async takeUntilNothingIsDue(): Promise<void> {
    this.wokenMeanwhile = false;
    while (!this.stopping.aborted) {
      if (this.inFlight.size - this.slots.calls > MOST_UNSETTLED) await Promise.race(this.inFlight);
      else if (this.slots.mayLock === 0) await this.untilThereIsRoom();
      else if (!(await this.takeDue())) return;
      else if (!this.slots.worthAClaim) await this.untilThereIsRoom();
    }
  }

  /** Until so many calls have ended that another claim is worth its cost; not for long while slots are free. */
  private async untilThereIsRoom(): Promise<void> {
    await new Promise<void>((room) => {
      this.roomAgain = room;
      this.pauseNoLonger();
    });
    clearTimeout(this.pause);
    this.pause = undefined;
    this.roomAgain = undefined;
  }

  private pauseNoLonger(): void {
    if (this.roomAgain && this.slots.freeSlots > 0) this.pause ??= setTimeout(this.roomAgain, LONGEST_PAUSE_MS);
  }

  /**
   * Locks due jobs and starts to deliver as many of them concurrently as there are slots.
   * @returns whether more may be due that there is, or soon will be, a slot for
   */
  private async takeDue(): Promise<boolean> {
    await this.releaseUnanswered();
    const lockedAt = performance.now();
    const claim = this.slots.claim(lockedAt);
    const { limit, inHand, flowing } = claim;
    const locks = Array.from({ length: limit }, () => this.jobs.newLock());
    // until the answer is here, the statement may have locked jobs that nobody knows of
    const answered = this.unanswered.begin(locks);
    const byTurns = !flowing || lockedAt - this.lastTurnsAt > TURNS_EVERY_MS;
    if (byTurns) this.lastTurnsAt = lockedAt;
    const jobs = byTurns
      ? await this.jobs.lockDue({ locks, inHand, share: this.slots.share })
      : await this.jobs.lockOldest(locks);
    answered();
    this.lastProgressAt = performance.now();
    for (const job of jobs) this.slots.add({ job, lockedAt });
    this.heldBack = jobs.length < limit && byTurns && this.slots.hasHeldBack(claim, jobs);
    if (this.stopping.aborted) this.releaseWaiting();
    else this.beginCalls();
    // what was held back has room again if a call ended while the statement was under way
    return jobs.length === limit || (this.heldBack && this.slots.ended > 0);
  }

  private async releaseUnanswered(): Promise<void> {
    const released = await this.unanswered.release();
    if (released !== undefined)
      this.log.warn({ event: 'outbox.unanswered_lock', released }, 'a claim was not answered; its jobs are due again');
  }

  private beginCalls(): void {
    for (let held = this.slots.begin(); held; held = this.slots.begin()) this.follow(held, this.deliver(held));
    if (this.slots.waitingJobs > 0) this.waitTimer ??= setTimeout(() => this.releaseWaiting(), LONGEST_WAIT_MS).unref();
  }

  /** Releases what was locked ahead for too long; all of it when the process is stopping. */
  private releaseWaiting(): void {
    clearTimeout(this.waitTimer);
    this.waitTimer = undefined;
    const since = this.stopping.aborted ? Number.POSITIVE_INFINITY : performance.now() - LONGEST_WAIT_MS;
    for (const held of this.slots.takeWaitingSince(since)) this.follow(held, this.completer.release(held.job));
    if (!this.stopping.aborted) this.beginCalls();
  }

  /** Keeps account of a delivery until it has ended, in whatever way. */
  private follow({ job }: HeldJob, delivery: Promise<void>): void {
    const done = delivery
      .catch((error: Error) => {
        if (this.stopping.aborted) this.givenUp++;
        this.log.error({ event: 'outbox.delivery_failed', job: job.id, error: reasonOf(error) });
      })
      .finally(() => {
        this.inFlight.delete(done);
        this.lastProgressAt = performance.now();
      });
    this.inFlight.add(done);
  }

  private async deliver(held: HeldJob): Promise<void> {
    const { job, lockedAt } = held;
    const startedAt = performance.now();
    const leaseEnds = lockedAt + this.config.outbox.processingTtlMs;
    // a call begins only if its deadline ends before the lease (D4), so that no other worker sends the same job meanwhile
    const mayCall = () => !this.stopping.aborted && performance.now() + this.config.pos.timeoutMs < leaseEnds;
    const ended = await this.delivery.attempt(job, mayCall);
    this.callEnded(held);
    if (ended === 'release' || (typeof ended === 'string' && this.stopping.aborted)) return this.completer.release(job);
    await this.completer.settle(
      job,
      typeof ended === 'string' ? LEASE_TOO_SHORT[ended] : ended,
      Math.round(performance.now() - startedAt),
    );
  }

  /** Its slot is free: for a job that was locked ahead, or for another claim. */
  private callEnded(held: HeldJob): void {
    this.slots.end(held);
    if (!this.stopping.aborted) this.beginCalls();
    if (!this.slots.worthAClaim) this.pauseNoLonger();
    else if (this.roomAgain) this.roomAgain();
    else if (this.heldBack) this.wake();
  }

  private get eager(): boolean {
    return this.config.outbox.pace === 'eager';
  }
}
