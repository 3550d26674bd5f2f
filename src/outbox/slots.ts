import type { ClaimedJob, InHand } from './store/claim.js';

/** A claimed job, and when it was claimed. */
export interface HeldJob {
  readonly job: ClaimedJob;
  /** start of the claim statement, by performance.now(), ms: the lease of the job ends PROCESSING_TTL_MS later at the earliest */
  readonly claimedAt: number;
}

/** The jobs that the next claim may take. */
export interface Room {
  readonly limit: number;
  readonly inHand: ReadonlyMap<string, InHand>;
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
  private reserved = 0;

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

  /** Number of calls under way. */
  get calls(): number {
    return this.callsOf.total;
  }

  /** Number of calls that ended since the last claim. */
  get ended(): number {
    return this.endedOf.total;
  }

  /** Number of jobs that are claimed or may be claimed, and whose calls have not begun. */
  get notBegun(): number {
    return this.waiting.length + this.reserved;
  }

  /** How many jobs the next claim may take: one for each free slot, and as many ahead as calls have ended since the last claim. */
  get room(): number {
    const free = this.size - this.calls - this.reserved;
    const ahead = Math.min(this.mostAhead, this.ended);
    return Math.max(0, free, free + ahead - this.waiting.length);
  }

  /** Begins a claim. @returns what it may take, for each restaurant up to its cap */
  claim(): Room {
    const limit = this.room;
    const inHand = new Map<string, InHand>();
    for (const id of new Set([...this.callsOf.keys(), ...this.waitingOf.keys()])) {
      const jobs = this.inHandOf(id);
      const ahead = Math.min(this.mostAhead, this.endedOf.get(id));
      inHand.set(id, { jobs, room: Math.max(0, this.cap + ahead - jobs) });
    }
    this.endedOf.clear();
    return { limit, inHand };
  }

  /** Whether a restaurant is at its cap after this claim, so that more jobs of this restaurant may be due. */
  hasHeldBack({ inHand }: Room, jobs: readonly ClaimedJob[]): boolean {
    const taken = new Counts();
    for (const { restaurantId } of jobs) taken.add(restaurantId, 1);
    const roomOf = (id: string) => inHand.get(id)?.room ?? this.cap;
    return [...inHand.keys(), ...taken.keys()].some((id) => taken.get(id) >= roomOf(id));
  }

  /** Reserves free slots for sales that are being stored (O32). @returns how many, at most `most`; {@link free} frees them */
  reserve(most: number): number {
    const count = Math.max(0, Math.min(most, this.size - this.calls - this.notBegun));
    this.reserved += count;
    return count;
  }

  free(reserved: number): void {
    this.reserved -= reserved;
  }

  /** The restaurants that are at their cap. */
  atCap(): string[] {
    return [...this.callsOf.keys()].filter((id) => this.inHandOf(id) >= this.cap);
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
    if (this.calls >= this.size) return undefined;
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

  private inHandOf(restaurantId: string): number {
    return this.callsOf.get(restaurantId) + this.waitingOf.get(restaurantId);
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
