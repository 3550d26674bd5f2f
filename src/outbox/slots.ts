import type { ClaimedJob, InHand } from './store/claim.js';

/** Prefetch window, in ms: a claim prefetches one job for each call that will end within this time, at the present rate of ended calls. */
const AHEAD_MS = 20;

/** A claimed job, and when it was claimed. */
export interface HeldJob {
  readonly job: ClaimedJob;
  /** start of the claim statement, by performance.now(), ms: the lease of the job ends PROCESSING_TTL_MS later at the earliest */
  readonly claimedAt: number;
}

/** The jobs that the next claim may take. */
export interface SlotsToFill {
  readonly limit: number;
  readonly inHand: ReadonlyMap<string, InHand>;
  /** true when jobs are prefetched and no restaurant is at its cap: the claim may then take the oldest due jobs */
  readonly flowing: boolean;
}

/**
 * The claimed jobs of this instance: each job is under way in a slot, or prefetched and waiting for a slot. One restaurant may use slots
 * up to its cap, even if no other restaurant waits (O11).
 */
export class Slots {
  private readonly waiting: HeldJob[] = [];
  private readonly waitingOf = new Counts();
  private readonly callsOf = new Counts();
  /** ended calls since the last claim */
  private readonly endedOf = new Counts();
  private claimedAt = Number.NEGATIVE_INFINITY;
  /** how many jobs may be prefetched, computed at the last claim */
  private ahead = 0;

  /**
   * @param size the most calls at once
   * @param cap the cap: the most calls of one restaurant at once
   */
  constructor(
    private readonly size: number,
    readonly cap: number,
    /** the most jobs that are prefetched */
    private readonly mostAhead: number,
  ) {}

  /** Number of calls under way. */
  get calls(): number {
    return this.callsOf.total;
  }

  /** Number of calls that ended since the last claim. */
  get ended(): number {
    return this.endedOf.total;
  }

  /** Number of prefetched jobs. */
  get waitingJobs(): number {
    return this.waiting.length;
  }

  get freeSlots(): number {
    return this.size - this.calls;
  }

  /** Whether enough calls have ended since the last claim to make another claim. */
  get worthAClaim(): boolean {
    const enough = this.waiting.length === 0 ? 1 : Math.max(1, this.ahead / 2);
    return this.endedOf.total >= enough && this.mayClaim > 0;
  }

  /** How many jobs the next claim may take. */
  get mayClaim(): number {
    return Math.max(this.freeSlots, this.size + this.ahead - this.calls - this.waiting.length);
  }

  /**
   * Begins a claim. The claim takes one job for each free slot, and prefetches one job for each call that will end within the prefetch
   * window, at the rate since the last claim.
   * @param now by performance.now(), ms
   */
  claim(now: number): SlotsToFill {
    const paceToAhead = AHEAD_MS / Math.max(1, now - this.claimedAt);
    this.ahead = Math.min(this.mostAhead, Math.floor(this.endedOf.total * paceToAhead));
    const inHand = new Map<string, InHand>();
    for (const [restaurantId, jobs] of this.inHand()) {
      const ahead = Math.min(this.ahead, Math.floor(this.endedOf.get(restaurantId) * paceToAhead));
      inHand.set(restaurantId, { jobs, room: Math.max(0, this.cap + ahead - jobs) });
    }
    this.claimedAt = now;
    this.endedOf.clear();
    const flowing = this.ahead > 0 && [...inHand.values()].every(({ room }) => room > 0);
    return { limit: this.mayClaim, inHand, flowing };
  }

  /** Whether a restaurant is at its cap after this claim, so that more jobs of this restaurant may be due. */
  hasHeldBack({ inHand }: SlotsToFill, jobs: readonly ClaimedJob[]): boolean {
    const taken = new Counts();
    for (const { restaurantId } of jobs) taken.add(restaurantId, 1);
    const roomOf = (restaurantId: string) => inHand.get(restaurantId)?.room ?? this.cap;
    return [...inHand.keys(), ...taken.keys()].some((id) => taken.get(id) >= roomOf(id));
  }

  add(held: HeldJob): void {
    this.waiting.push(held);
    this.waitingOf.add(held.job.restaurantId, 1);
  }

  /**
   * Gives a free slot to the oldest prefetched job whose restaurant is below its cap.
   * @returns the job; undefined when no slot is free, or the restaurants of all prefetched jobs are at their cap
   */
  begin(): HeldJob | undefined {
    if (this.callsOf.total >= this.size) return undefined;
    const held = this.take(({ job }) => this.callsOf.get(job.restaurantId) < this.cap);
    if (held) this.callsOf.add(held.job.restaurantId, 1);
    return held;
  }

  /** Frees the slot of a job. */
  end({ job }: HeldJob): void {
    this.callsOf.add(job.restaurantId, -1);
    this.endedOf.add(job.restaurantId, 1);
  }

  /** Removes and returns the prefetched jobs that were claimed before this time and have no slot yet. */
  takeWaitingSince(time: number): HeldJob[] {
    const taken: HeldJob[] = [];
    for (;;) {
      const held = this.take(({ claimedAt }) => claimedAt <= time);
      if (!held) return taken;
      taken.push(held);
    }
  }

  /** Number of claimed jobs by restaurant. */
  private inHand(): [string, number][] {
    const restaurantIds = new Set([...this.callsOf.keys(), ...this.waitingOf.keys()]);
    return [...restaurantIds].map((id) => [id, this.callsOf.get(id) + this.waitingOf.get(id)]);
  }

  private take(fits: (held: HeldJob) => boolean): HeldJob | undefined {
    const place = this.waiting.findIndex(fits);
    const held = this.waiting[place];
    if (!held) return undefined;
    this.waiting.splice(place, 1);
    this.waitingOf.add(held.job.restaurantId, -1);
    return held;
  }
}

/** Counts by restaurant; a restaurant with 0 has no entry. */
class Counts {
  private readonly counts = new Map<string, number>();
  total = 0;

  get(restaurantId: string): number {
    return this.counts.get(restaurantId) ?? 0;
  }

  add(restaurantId: string, change: 1 | -1): void {
    const count = this.get(restaurantId) + change;
    if (count === 0) this.counts.delete(restaurantId);
    else this.counts.set(restaurantId, count);
    this.total += change;
  }

  keys(): IterableIterator<string> {
    return this.counts.keys();
  }

  clear(): void {
    this.counts.clear();
    this.total = 0;
  }
}
