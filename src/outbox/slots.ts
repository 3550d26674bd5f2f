import type { ClaimedJob } from './store/claim.js';

/** A claimed job, and when it was claimed. */
export interface HeldJob {
  readonly job: ClaimedJob;
  /** start of the claim statement, by performance.now(), ms: the lease of the job ends PROCESSING_TTL_MS later at the earliest */
  readonly claimedAt: number;
}

/**
 * The claimed jobs of this instance: each job is under way in a slot, or waits for a slot. One restaurant may use slots up to its cap, even
 * if no other restaurant waits (O11).
 */
export class Slots {
  /** number of calls under way, by restaurant; no entry for 0 */
  private readonly callsOf = new Map<string, number>();
  private waiting: HeldJob[] = [];
  private reserved = 0;
  /** number of calls under way */
  calls = 0;
  /** number of calls that ended since the last claim */
  ended = 0;

  /**
   * @param size the most calls at once
   * @param cap the most calls of one restaurant at once
   * @param mostAhead the most jobs that a claim prefetches
   */
  constructor(
    private readonly size: number,
    readonly cap: number,
    private readonly mostAhead: number,
  ) {}

  /** Number of jobs that wait for a slot, and of sales that room is reserved for. */
  get notBegun(): number {
    return this.waiting.length + this.reserved;
  }

  /** How many jobs may be claimed: one for each free slot, and twice as many ahead as calls have ended since the last claim. */
  get room(): number {
    const free = this.size - this.calls - this.reserved;
    const ahead = Math.min(this.mostAhead, 2 * this.ended) - this.waiting.length;
    return Math.max(0, free + Math.max(0, ahead));
  }

  /** Number of jobs in hand by restaurant: calls under way, and jobs that wait for a slot. */
  inHand(): Map<string, number> {
    const jobs = new Map(this.callsOf);
    for (const { job } of this.waiting) jobs.set(job.restaurantId, (jobs.get(job.restaurantId) ?? 0) + 1);
    return jobs;
  }

  /** The restaurants that are at their cap. */
  get atCap(): string[] {
    return [...this.inHand()].filter(([, jobs]) => jobs >= this.cap).map(([id]) => id);
  }

  /** Reserves room for sales that are being stored (O32). @returns for how many, at most `most`; {@link unreserve} frees it */
  reserve(most: number): number {
    const count = Math.max(0, Math.min(most, this.room));
    this.reserved += count;
    this.ended = 0;
    return count;
  }

  unreserve(count: number): void {
    this.reserved -= count;
  }

  add(held: HeldJob): void {
    this.waiting.push(held);
  }

  /**
   * Gives a free slot to the oldest waiting job whose restaurant is below its cap.
   * @returns the job; undefined when no slot is free, or the restaurants of all waiting jobs are at their cap
   */
  begin(): HeldJob | undefined {
    if (this.calls >= this.size) return undefined;
    const place = this.waiting.findIndex(({ job }) => (this.callsOf.get(job.restaurantId) ?? 0) < this.cap);
    const [held] = place < 0 ? [] : this.waiting.splice(place, 1);
    if (held) this.count(held, 1);
    return held;
  }

  /** Frees the slot of a job. */
  end(held: HeldJob): void {
    this.count(held, -1);
    this.ended++;
  }

  /** Removes and returns the waiting jobs that were claimed before this time. */
  takeWaitingSince(time: number): HeldJob[] {
    const taken = this.waiting.filter(({ claimedAt }) => claimedAt <= time);
    this.waiting = this.waiting.filter(({ claimedAt }) => claimedAt > time);
    return taken;
  }

  private count({ job: { restaurantId } }: HeldJob, change: 1 | -1): void {
    const calls = (this.callsOf.get(restaurantId) ?? 0) + change;
    if (calls === 0) this.callsOf.delete(restaurantId);
    else this.callsOf.set(restaurantId, calls);
    this.calls += change;
  }
}
