import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { reasonOf } from '../database/errors.js';
import { Log } from '../telemetry/log.js';
import { Completer } from './completer.js';
import { Delivery, LEASE_TOO_SHORT } from './delivery.js';
import { JobStore } from './job-store.js';
import { type HeldJob, Slots } from './slots.js';
import type { ClaimOffer, Enqueued } from './store/enqueue.js';
import { UnansweredClaims } from './unanswered-claims.js';

/** OUTBOX_PACE=eager: the cap of a restaurant, as a part of the slots (O11). The cap applies even if no other restaurant waits. */
const EAGER_CAP = 3 / 4;
/** A prefetched job that has no slot after this time, in ms, is released, so that another instance can claim it. */
const LONGEST_WAIT_MS = 1_000;
/** OUTBOX_PACE=eager: the most jobs that are prefetched. */
const MOST_AHEAD = 200;
/** Cooldown: the shortest time between two claims, in ms. */
const COOLDOWN_MS = 10;
/** Backpressure: the worker stops claiming while more attempts than this wait to be settled. */
const MOST_UNSETTLED = 1_000;
/** A stopping instance waits for deliveries in flight for POS_TIMEOUT_MS and this time, in ms (O20). */
const STOP_MARGIN_MS = 6_000;
/** The worker is stalled after this many ticks, and the longest time of an attempt, without progress. */
const STALLED_TICKS = 3;
/** The most calls of one attempt, by POS_AFTER_UNKNOWN: sign-in and order, both again after a refused token (D16), and look-ups. */
const CALLS_OF_AN_ATTEMPT = { resend: 4, ask: 7 } as const;

/** No job may be claimed by the statement that stores it. */
export const NO_OFFER: ClaimOffer = { claimIds: [], atCap: [] };

/**
 * The background worker (P5, O2). It claims due jobs, maps each transaction to a POS order, sends it and settles the job: SENT
 * on success, FAILED with a backoff on a temporary failure, DLQ on a permanent one.
 *
 * The worker has OUTBOX_BATCH_SIZE slots; each call under way takes one slot. With OUTBOX_PACE=eager the statement that stores a sale
 * claims its job for a free slot (O32). What finds no slot is claimed by turns, for free slots and a few jobs ahead. A call begins only if
 * it can end within the lease of its job (O8).
 */
@Injectable()
export class Worker implements BeforeApplicationShutdown {
  private readonly slots: Slots;
  /** the deliveries whose jobs are not settled or released yet */
  private readonly inFlight = new Set<Promise<void>>();
  private readonly unanswered: UnansweredClaims;
  /** whether the last claim found every due job that it might take: a sale that is claimed when it is stored overtakes none */
  private caughtUp = false;
  /** whether the last claim left out a restaurant at its cap: more jobs of this restaurant may be due */
  private heldBack = false;
  private lastClaimAt = Number.NEGATIVE_INFINITY;
  private lastProgressAt = performance.now();
  private givenUp = 0;
  private runningTick: Promise<void> | undefined;
  private wokenMeanwhile = false;
  /** resolves what waits for the next change of slots or deliveries */
  private changed: (() => void) | undefined;
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
    // with OUTBOX_PACE=tick a batch ends before the next one begins, so one restaurant may have the whole batch
    this.slots = this.eager
      ? new Slots(batchSize, Math.ceil(batchSize * EAGER_CAP), MOST_AHEAD)
      : new Slots(batchSize, batchSize, 0);
    this.unanswered = new UnansweredClaims((claimIds) => jobs.releaseClaims(claimIds), config.databaseTimeoutMs);
  }

  /** Call it when a job became due. With OUTBOX_PACE=eager the worker claims due jobs at once, else at its next tick (O9). */
  wake(): void {
    if (this.config.outbox.workerEnabled && this.eager) void this.tick();
  }

  /**
   * Runs a statement that stores sales, and offers it a claim for each free slot (O32). The calls of the jobs that it claimed begin after
   * the sales were answered.
   * @param store the statement
   * @returns its results
   * @throws its error; if it may have been executed, the jobs that it may have claimed are released at the next tick
   */
  async storeAndClaim(sales: number, store: (offer: ClaimOffer) => Promise<Enqueued[]>): Promise<Enqueued[]> {
    const { workerEnabled } = this.config.outbox;
    const offers = this.eager && workerEnabled && this.caughtUp && this.mayClaim && !this.stopping.aborted;
    const reserved = offers ? this.slots.reserve(sales) : 0;
    this.caughtUp &&= reserved === sales;
    if (reserved === 0) return store(NO_OFFER);
    const claimedAt = performance.now();
    const claimIds = Array.from({ length: reserved }, () => this.jobs.newClaimId());
    try {
      const results = await store({ claimIds, atCap: this.slots.atCap() });
      for (const each of results)
        if (each.result === 'stored' && each.claimed) this.slots.add({ job: each.claimed, claimedAt });
      setImmediate(() => this.beginCalls());
      return results;
    } catch (error) {
      this.unanswered.add(claimIds, error);
      throw error;
    } finally {
      this.slots.free(reserved);
      this.changed?.();
    }
  }

  /**
   * Delivers due jobs: one batch, or with OUTBOX_PACE=eager until none is due (O9). Ticks of one instance never overlap (O6). Never
   * rejects: an error is logged, and the next tick tries again.
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
    // `wake` was called after the last claim of this tick
    if (this.wokenMeanwhile) await this.tick();
  }

  /**
   * Waits for the deliveries in flight (O20): calls under way end within POS_TIMEOUT_MS, claimed jobs without a call are released. No
   * new claim or call begins after the stopping signal. The wait has a limit, since POS and database may not answer; the reaper
   * returns the jobs that are not settled by then.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const limitMs = this.config.pos.timeoutMs + STOP_MARGIN_MS;
    this.changed?.();
    this.beginCalls();
    await Promise.race([this.idle(), delay(limitMs, undefined, { ref: false })]);
    if (this.unsettled > 0) this.log.error({ event: 'outbox.stopped_unsettled', jobs: this.unsettled });
  }

  /** Number of jobs that this instance has claimed and not settled or released: in flight, prefetched, or given up when stopping. */
  get unsettled(): number {
    return this.inFlight.size + this.slots.notBegun + this.givenUp;
  }

  /**
   * Whether the worker is enabled and makes no progress: for several ticks and the longest time of an attempt, no claim was answered and
   * no delivery ended.
   */
  get stalled(): boolean {
    const { outbox, pos, databaseTimeoutMs } = this.config;
    const calls = CALLS_OF_AN_ATTEMPT[pos.afterUnknown];
    const limitMs = STALLED_TICKS * outbox.tickMs + calls * (pos.timeoutMs + databaseTimeoutMs);
    return outbox.workerEnabled && performance.now() - this.lastProgressAt > limitMs;
  }

  /** OUTBOX_PACE=tick (O9): claims one batch and waits until all its jobs are settled. */
  private async takeOneBatch(): Promise<void> {
    await this.takeDue();
    await Promise.all(this.inFlight);
  }

  /** OUTBOX_PACE=eager (O9): fills free slots until no job is due. A slow call occupies only its own slot. */
  private async takeUntilNothingIsDue(): Promise<void> {
    this.wokenMeanwhile = false;
    do {
      const cooldownMs = this.lastClaimAt + COOLDOWN_MS - performance.now();
      if (cooldownMs > 0) await delay(cooldownMs);
      while (!this.mayClaim && !this.stopping.aborted) await this.change();
    } while (!this.stopping.aborted && (await this.takeDue()));
  }

  private get mayClaim(): boolean {
    return this.slots.room > 0 && this.inFlight.size - this.slots.calls <= MOST_UNSETTLED;
  }

  /** Waits until a call has ended, or a job was settled or released. */
  private change(): Promise<void> {
    return new Promise((resolve) => {
      const others = this.changed;
      this.changed = () => {
        this.changed = undefined;
        others?.();
        resolve();
      };
    });
  }

  /** Waits until every claimed job is settled or released, or given up. */
  private async idle(): Promise<void> {
    await this.runningTick;
    while (this.inFlight.size + this.slots.notBegun > 0) await this.change();
  }

  /**
   * Claims due jobs and begins the delivery of each job that gets a slot.
   * @returns whether more jobs may be due that could have a slot now
   */
  private async takeDue(): Promise<boolean> {
    await this.releaseUnanswered();
    const claimedAt = performance.now();
    this.lastClaimAt = claimedAt;
    const room = this.slots.claim();
    const claimIds = Array.from({ length: room.limit }, () => this.jobs.newClaimId());
    const jobs = await this.jobs.claimDue({ claimIds, inHand: room.inHand, cap: this.slots.cap }).catch((error) => {
      this.unanswered.add(claimIds, error);
      throw error;
    });
    this.lastProgressAt = performance.now();
    this.caughtUp = jobs.length < room.limit;
    this.heldBack = this.slots.hasHeldBack(room, jobs);
    for (const job of jobs) this.slots.add({ job, claimedAt });
    this.beginCalls();
    // a restaurant at its cap has room again if one of its calls ended during the statement
    return !this.caughtUp || (this.heldBack && this.slots.ended > 0);
  }

  private async releaseUnanswered(): Promise<void> {
    const released = await this.unanswered.release();
    if (released !== undefined)
      this.log.warn(
        { event: 'outbox.unanswered_lock', released },
        'a claim statement was not answered; jobs that it may have claimed were released',
      );
  }

  /** Gives free slots to jobs that wait for one; when the process stops, releases these jobs. */
  private beginCalls(): void {
    if (this.stopping.aborted) {
      this.releaseWaiting();
      return;
    }
    for (let held = this.slots.begin(); held; held = this.slots.begin()) this.follow(held, this.deliver(held));
    if (this.slots.notBegun > 0) this.waitTimer ??= setTimeout(() => this.releaseWaiting(), LONGEST_WAIT_MS).unref();
  }

  /** Releases jobs that have waited too long for a slot; when the process stops, all that wait. */
  private releaseWaiting(): void {
    clearTimeout(this.waitTimer);
    this.waitTimer = undefined;
    const since = this.stopping.aborted ? Number.POSITIVE_INFINITY : performance.now() - LONGEST_WAIT_MS;
    for (const held of this.slots.takeWaitingSince(since)) this.follow(held, this.completer.release(held.job));
    if (!this.stopping.aborted) this.beginCalls();
  }

  /** Tracks a delivery until it has ended or failed. */
  private follow({ job }: HeldJob, delivery: Promise<void>): void {
    const done = delivery
      .catch((error: Error) => {
        if (this.stopping.aborted) this.givenUp++;
        this.log.error({ event: 'outbox.delivery_failed', job: job.id, error: reasonOf(error) });
      })
      .finally(() => {
        this.inFlight.delete(done);
        this.lastProgressAt = performance.now();
        this.changed?.();
      });
    this.inFlight.add(done);
  }

  private async deliver(held: HeldJob): Promise<void> {
    const { job, claimedAt } = held;
    const startedAt = performance.now();
    const leaseEnds = claimedAt + this.config.outbox.processingTtlMs;
    // a call begins only if its deadline ends before the lease (D4): until then no other worker sends this job
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

  /** Frees the slot of the call that ended, for a job that waits for a slot or for another claim. */
  private callEnded(held: HeldJob): void {
    this.slots.end(held);
    this.beginCalls();
    this.changed?.();
    if (this.heldBack) this.wake();
  }

  private get eager(): boolean {
    return this.config.outbox.pace === 'eager';
  }
}
