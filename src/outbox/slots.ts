import { SLOW_MS, type SlowCalls } from './slow-calls.js';
import type { ClaimedJob, OtherRestaurants } from './store/claim.js';

/** A claimed job, and when it was claimed. */
export interface HeldJob {
  readonly job: ClaimedJob;
  /** start of the claim statement, by performance.now(), ms: the lease of the job ends PROCESSING_TTL_MS later at the earliest */
  readonly claimedAt: number;
}

/**
 * The claimed jobs of this instance: each job is under way in a slot, or waits for a slot. One restaurant may use slots up to its cap, even
 * if no other restaurant waits (O11): a POS that stops answering would keep
 * the other slots until POS_TIMEOUT_MS.
 */
export class Slots {
  /** number of calls under way, by restaurant */
  private readonly callsOf = new Map<string, number>();
  /** the same, by party (O44) */
  private readonly callsOfParty = new Map<string, number>();
  /** when each call began that is not known to be slow, by performance.now(), ms; the oldest first */
  private readonly notSlow = new Map<HeldJob, number>();
  /** calls of restaurants that were not known to be quick when they began. Calls that turn slow later do not count in the others' part (O43) */
  private readonly begunAsOther = new Set<HeldJob>();
  private waiting: HeldJob[] = [];
  private reserved = 0;
  /** number of orders that the POS of a restaurant took since the last claim, by restaurant */
  private readonly taken = new Map<string, number>();
  /** the same, by party */
  private readonly takenOfParty = new Map<string, number>();
  /** number of calls under way */
  calls = 0;

  /**
   * @param size the most calls at once
   * @param cap the most calls of one restaurant at once
   * @param mostAhead the most jobs that a claim prefetches
   * @param slow restaurants that are not known to be quick have a part of the slots while attempts are slow, and so have parties whose restaurants turn slow (O43)
   */
  constructor(
    private readonly size: number,
    readonly cap: number,
    private readonly mostAhead: number,
    private readonly slow: SlowCalls,
  ) {}

  /** Number of jobs that wait for a slot, and of sales that room is reserved for. */
  get notBegun(): number {
    return this.waiting.length + this.reserved;
  }

  /** How many jobs may be claimed: one for each free slot, and twice as many ahead as POSs have taken orders since the last claim. */
  get room(): number {
    const free = this.size - this.calls - this.reserved;
    let taken = 0;
    for (const count of this.taken.values()) taken += count;
    return Math.max(0, free + Math.max(0, this.ahead(taken) - this.waiting.length));
  }

  /** The most jobs in hand of the restaurants that may have more than the cap: what their POS takes until the next claim waits for it here. */
  get mostInHand(): Map<string, number> {
    return new Map([...this.taken].map(([id, count]) => [id, this.cap + this.ahead(count)]));
  }

  /** A claim begins: what POSs take from now on counts for the next one. */
  claimed(): void {
    this.taken.clear();
    this.takenOfParty.clear();
  }

  /** @param taken number of orders that POSs took since the last claim */
  private ahead(taken: number): number {
    return Math.min(this.mostAhead, 2 * taken);
  }

  /** Number of jobs in hand by restaurant: calls under way, and jobs that wait for a slot. */
  inHand(): Map<string, number> {
    const jobs = new Map(this.callsOf);
    for (const { job } of this.waiting) add(jobs, job.restaurantId, 1);
    return jobs;
  }

  /** Number of jobs in hand by party (O44). */
  inHandOfParties(): Map<string, number> {
    const jobs = new Map(this.callsOfParty);
    for (const { job } of this.waiting) add(jobs, job.party, 1);
    return jobs;
  }

  /** How many jobs a claim may take of each party whose restaurants turn slow (O43). */
  get roomOfTurned(): Map<string, number> {
    this.noteSlow();
    const { mostOfTurned, turned } = this.slow;
    const inHand = this.inHandOfParties();
    const most = (party: string) => mostOfTurned + this.ahead(this.takenOfParty.get(party) ?? 0);
    return new Map([...turned].map((party) => [party, Math.max(0, most(party) - (inHand.get(party) ?? 0))]));
  }

  /** What a claim may take of restaurants that are not known to be quick (O43); undefined: there is no such limit. */
  get others(): OtherRestaurants | undefined {
    this.noteSlow();
    const quick = this.slow.known;
    if (!quick) return undefined;
    const waiting = this.waiting.filter(({ job }) => !quick.has(job.restaurantId)).length;
    const room = Math.max(0, this.slow.mostOthers - this.begunAsOther.size - waiting);
    return { quick: [...quick.keys()], room, cap: this.slow.mostOfOne };
  }

  /** The restaurants that are at their cap. */
  get atCap(): string[] {
    return [...this.inHand()].filter(([, jobs]) => jobs >= this.cap).map(([id]) => id);
  }

  /** Reserves room for sales that are being stored (O32). @returns for how many, at most `most`; {@link unreserve} frees it */
  reserve(most: number): number {
    const count = Math.max(0, Math.min(most, this.room));
    this.reserved += count;
    this.claimed();
    return count;
  }

  unreserve(count: number): void {
    this.reserved -= count;
  }

  add(held: HeldJob): void {
    this.waiting.push(held);
  }

  /**
   * Gives a free slot to the oldest waiting job whose restaurant is below its cap. Skips jobs of the others while these have their part, and of a party that has its part (O43).
   * @returns the job; undefined when no slot is free, or none of the waiting jobs may have one
   */
  begin(): HeldJob | undefined {
    if (this.calls >= this.size || this.waiting.length === 0) return undefined;
    this.noteSlow();
    const quick = this.slow.known;
    const areFull = this.begunAsOther.size >= this.slow.mostOthers;
    const mostOfOther = areFull ? 0 : Math.min(this.cap, this.slow.mostOfOne);
    const place = this.waiting.findIndex(({ job: { restaurantId: id, party } }) => {
      const most = quick === undefined || quick.has(id) ? this.cap : mostOfOther;
      return (this.callsOf.get(id) ?? 0) < most && !this.isFull(party);
    });
    const [held] = place < 0 ? [] : this.waiting.splice(place, 1);
    if (!held) return undefined;
    this.count(held, 1);
    this.notSlow.set(held, performance.now());
    if (!this.slow.isQuick(held.job.restaurantId)) this.begunAsOther.add(held);
    return held;
  }

  private isFull(party: string): boolean {
    return (this.callsOfParty.get(party) ?? 0) >= this.slow.mostOfTurned && this.slow.hasTurned(party);
  }

  /** Notes the calls under way that have become slow: they have a slot for POS_TIMEOUT_MS, perhaps. */
  private noteSlow(): void {
    const now = performance.now();
    for (const [held, beganAt] of this.notSlow) {
      if (now - beganAt < SLOW_MS) return;
      this.notSlow.delete(held);
      this.slow.note(held.job.restaurantId, now - beganAt, held.job.party);
    }
  }

  /** Frees the slot of a job. @param tookMs how long its attempt took @param isTaken whether the POS took the order */
  end(held: HeldJob, tookMs: number, isTaken: boolean): void {
    const { restaurantId, party } = held.job;
    this.notSlow.delete(held);
    this.begunAsOther.delete(held);
    this.slow.note(restaurantId, tookMs, party);
    this.count(held, -1);
    if (!isTaken) return;
    add(this.taken, restaurantId, 1);
    add(this.takenOfParty, party, 1);
  }

  /** Removes and returns the waiting jobs that were claimed before this time. */
  takeWaitingSince(time: number): HeldJob[] {
    const taken = this.waiting.filter(({ claimedAt }) => claimedAt <= time);
    this.waiting = this.waiting.filter(({ claimedAt }) => claimedAt > time);
    return taken;
  }

  private count({ job: { restaurantId, party } }: HeldJob, change: 1 | -1): void {
    add(this.callsOf, restaurantId, change);
    add(this.callsOfParty, party, change);
    this.calls += change;
  }
}

/** Changes a number; one that is 0 has no entry. */
function add(numbers: Map<string, number>, name: string, change: 1 | -1): void {
  const sum = (numbers.get(name) ?? 0) + change;
  if (sum === 0) numbers.delete(name);
  else numbers.set(name, sum);
}
