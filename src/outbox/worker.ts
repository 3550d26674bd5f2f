import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { reasonOf } from '../platform/database/errors.js';
import { Log } from '../platform/telemetry/log.js';
import { withLimit } from '../platform/time-limit.js';
import { Completer } from './completer.js';
import { Deliveries } from './deliveries.js';
import { Delivery } from './delivery.js';
import { JobStore } from './job-store.js';
import { Outages } from './outages.js';
import { Slots } from './slots.js';
import { SlowCalls } from './slow-calls.js';
import type { ClaimOffer, Enqueued } from './store/enqueue.js';
import { UnansweredClaims } from './unanswered-claims.js';

/** OUTBOX_PACE=eager: the cap of a restaurant, as a part of the slots (O11). The cap applies even if no other restaurant waits. */
const EAGER_CAP = 3 / 4;
/** OUTBOX_PACE=eager: the most jobs that are prefetched. */
const MOST_AHEAD = 200;
/** While a POS comes back (O34), due jobs are claimed at least this often, in ms. */
const PACED_CLAIM_MS = 50;
/** Cooldown: the shortest time between two claims, in ms. */
const COOLDOWN_MS = 10;
/** Backpressure: nothing is claimed while more attempts than this wait to be settled. */
const MOST_SETTLING = 1_000;
/** A stopping instance waits for deliveries in flight for POS_TIMEOUT_MS and this time, in ms (O20). */
const STOP_MARGIN_MS = 6_000;
/** The worker is stalled after this many ticks, and the longest time of an attempt, without progress. */
const STALLED_TICKS = 3;
/** The most calls of one attempt, by POS_AFTER_UNKNOWN: sign-in and order, both again after a refused token (D16), and look-ups. */
const CALLS_OF_AN_ATTEMPT = { resend: 4, ask: 7 } as const;

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
  private readonly deliveries: Deliveries;
  private readonly unanswered: UnansweredClaims;
  private readonly isEager: boolean;
  /** number of due jobs that the next claim may find; Infinity: not known. They come before sales that are being stored */
  private backlog = Number.POSITIVE_INFINITY;
  /** whether a claim brought a restaurant to its cap: more jobs of this restaurant may be due */
  private heldBack = false;
  /** whether a call has ended since the last claim began */
  private endedMeanwhile = false;
  private lastClaimAt = Number.NEGATIVE_INFINITY;
  private lastAnsweredAt = performance.now();
  private runningTick: Promise<void> | undefined;
  private wokenMeanwhile = false;
  private pacedClaim: NodeJS.Timeout | undefined;

  constructor(
    private readonly jobs: JobStore,
    delivery: Delivery,
    completer: Completer,
    private readonly outages: Outages,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly log: Log,
  ) {
    const { batchSize, pace } = config.outbox;
    this.isEager = pace === 'eager';
    const slow = new SlowCalls(batchSize);
    // with OUTBOX_PACE=tick a batch ends before the next one begins, so one restaurant may have the whole batch
    this.slots = this.isEager
      ? new Slots(batchSize, Math.ceil(batchSize * EAGER_CAP), MOST_AHEAD, slow)
      : new Slots(batchSize, batchSize, 0, slow);
    const onCallEnded = () => {
      this.endedMeanwhile = true;
      if (this.heldBack) this.wake();
    };
    this.deliveries = new Deliveries(this.slots, delivery, completer, stopping, config, log, onCallEnded);
    this.unanswered = new UnansweredClaims((claimIds) => jobs.releaseClaims(claimIds), config.databaseTimeoutMs);
  }

  /** Call it when a job became due. With OUTBOX_PACE=eager the worker claims due jobs at once, else at its next tick (O9). */
  wake(): void {
    if (this.config.outbox.workerEnabled && this.isEager) void this.tick();
  }

  /**
   * Delivers due jobs: one batch, or with OUTBOX_PACE=eager until none is due (O9). Ticks of one instance never overlap (O6). Never
   * rejects: an error is logged, and the next tick tries again.
   */
  async tick(): Promise<void> {
    if (this.stopping.aborted) return;
    if (this.runningTick) {
      this.wokenMeanwhile = this.isEager;
      return;
    }
    this.runningTick = (this.isEager ? this.takeUntilNothingIsDue() : this.takeOneBatch()).catch((error: Error) =>
      this.log.error({ event: 'outbox.tick_failed', error: reasonOf(error) }),
    );
    await this.runningTick;
    this.runningTick = undefined;
    // `wake` was called after the last claim of this tick
    if (this.wokenMeanwhile) await this.tick();
  }

  /**
   * Runs a statement that stores sales, and offers it claims (O32): with OUTBOX_PACE=eager, for the room that known due jobs leave, not while
   * too many attempts wait to be settled, and not while the process stops. The calls of the jobs that it claimed begin after
   * the sales were answered.
   * @param store the statement
   * @returns its results
   * @throws its error; if it may have been executed, the jobs that it may have claimed are released at the next tick
   */
  async storeAndClaim(sales: number, store: (offer: ClaimOffer) => Promise<Enqueued[]>): Promise<Enqueued[]> {
    const { workerEnabled } = this.config.outbox;
    // while others have a part of the slots, the statement that stores cannot tell them from quick ones
    const offers = this.isEager && workerEnabled && this.mayClaim && !this.slots.others && !this.stopping.aborted;
    const reserved = offers ? this.slots.reserve(Math.min(sales, this.slots.room - this.backlog)) : 0;
    const claimedAt = performance.now();
    const claimIds = this.newClaimIds(reserved);
    try {
      // a party whose restaurants turn slow gets its slots by claims alone, which count them
      const atCap = reserved > 0 ? [...this.slots.atCap, ...this.slots.roomOfTurned.keys()] : [];
      const results = await store({ claimIds, atCap });
      const stored = results.filter((each) => each.result === 'stored');
      const claimed = stored.flatMap((each) => each.claimed ?? []);
      this.backlog += stored.filter((each) => !each.pulls).length - claimed.length;
      this.deliveries.add(claimed, claimedAt);
      this.heldBack ||= this.slots.atCap.length > 0;
      setImmediate(() => this.deliveries.begin());
      return results;
    } catch (error) {
      this.unanswered.add(claimIds, error);
      throw error;
    } finally {
      this.slots.unreserve(reserved);
      this.deliveries.signal();
    }
  }

  /**
   * Waits for the deliveries in flight (O20): calls under way end within POS_TIMEOUT_MS, claimed jobs without a call are released. No
   * new claim or call begins after the stopping signal. The wait has a limit, since POS and database may not answer; the reaper
   * returns the jobs that are not settled by then.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.deliveries.signal();
    this.deliveries.begin();
    const ended = Promise.resolve(this.runningTick).then(() => this.deliveries.ended());
    await withLimit(this.config.pos.timeoutMs + STOP_MARGIN_MS, ended, () => undefined);
    if (this.unsettled > 0) this.log.error({ event: 'outbox.stopped_unsettled', jobs: this.unsettled });
  }

  /** Number of jobs that this instance has claimed and not settled or released. */
  get unsettled(): number {
    return this.deliveries.unsettled;
  }

  /**
   * Whether the worker is enabled and makes no progress: for several ticks and the longest time of an attempt, no claim was answered and
   * no delivery ended.
   */
  get stalled(): boolean {
    const { outbox, pos, databaseTimeoutMs } = this.config;
    const calls = CALLS_OF_AN_ATTEMPT[pos.afterUnknown];
    const limitMs = STALLED_TICKS * outbox.tickMs + calls * (pos.timeoutMs + databaseTimeoutMs);
    const lastProgressAt = Math.max(this.lastAnsweredAt, this.deliveries.lastEndedAt);
    return outbox.workerEnabled && performance.now() - lastProgressAt > limitMs;
  }

  /** OUTBOX_PACE=tick (O9): claims one batch and waits until all its jobs are settled. */
  private async takeOneBatch(): Promise<void> {
    await this.takeDue();
    await this.deliveries.ended();
  }

  /** OUTBOX_PACE=eager (O9): fills free slots until no job is due. A slow call occupies only its own slot. */
  private async takeUntilNothingIsDue(): Promise<void> {
    this.wokenMeanwhile = false;
    do {
      const cooldownMs = this.lastClaimAt + COOLDOWN_MS - performance.now();
      if (cooldownMs > 0) await delay(cooldownMs);
      while (!this.mayClaim && !this.stopping.aborted) await this.deliveries.change();
    } while (!this.stopping.aborted && (await this.takeDue()));
  }

  private get mayClaim(): boolean {
    return this.slots.room > 0 && this.deliveries.settling <= MOST_SETTLING;
  }

  /**
   * Claims due jobs and begins the delivery of each job that gets a slot.
   * @returns whether more jobs may be due that could have a slot now
   */
  private async takeDue(): Promise<boolean> {
    await this.releaseUnanswered();
    const claimedAt = performance.now();
    this.lastClaimAt = claimedAt;
    const { room, cap } = this.slots;
    const inHand = this.slots.inHand();
    const inHandOf = this.slots.inHandOfParties();
    const claimIds = this.newClaimIds(room);
    const { paces } = this.outages;
    const caps = new Map([...this.slots.mostInHand, ...paces.caps(inHand, cap)]);
    this.slots.claimed();
    this.endedMeanwhile = false;
    const { others, roomOfTurned: roomOf } = this.slots;
    const jobs = await this.jobs.claimDue({ claimIds, inHand, cap, caps, others, inHandOf, roomOf }).catch((error) => {
      this.unanswered.add(claimIds, error);
      throw error;
    });
    this.lastAnsweredAt = performance.now();
    paces.spend(jobs.map(({ restaurantId }) => restaurantId));
    if (paces.holding) this.claimSoon();
    for (const { restaurantId } of jobs) inHand.set(restaurantId, (inHand.get(restaurantId) ?? 0) + 1);
    const isWhole = jobs.length < room;
    this.backlog = isWhole ? 0 : Number.POSITIVE_INFINITY;
    const isFull = ([party, most]: [string, number]) => jobs.filter((job) => job.party === party).length >= most;
    this.heldBack =
      others !== undefined ||
      [...inHand].some(([id, count]) => count >= (caps.get(id) ?? cap)) ||
      [...roomOf].some(isFull);
    this.deliveries.add(jobs, claimedAt);
    this.deliveries.begin();
    // a restaurant at its cap has room again if one of its calls ended during the statement
    return !isWhole || (this.heldBack && this.endedMeanwhile);
  }

  /** Jobs that the pace of their restaurant held back are due, and no event announces that the pace allows them. */
  private claimSoon(): void {
    this.pacedClaim ??= setTimeout(() => {
      this.pacedClaim = undefined;
      this.wake();
    }, PACED_CLAIM_MS).unref();
  }

  private newClaimIds(count: number): string[] {
    return Array.from({ length: count }, () => this.jobs.newClaimId());
  }

  private async releaseUnanswered(): Promise<void> {
    const released = await this.unanswered.release();
    if (released !== undefined)
      this.log.warn(
        { event: 'outbox.unanswered_lock', released },
        'a claim statement was not answered; jobs that it may have claimed were released',
      );
  }
}
