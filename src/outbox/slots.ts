import type { InHand, LockedJob } from './store/lock.js';

/** Jobs are locked ahead of their slots for so long, in ms, at the pace at which calls end now: none at a POS that is slow. */
const AHEAD_MS = 20;

/** A locked job, and until when it is held. */
export interface HeldJob {
  readonly job: LockedJob;
  /** when its lock was asked for, by performance.now(), ms */
  readonly lockedAt: number;
}

/** What a claim may ask for. */
export interface SlotsToFill {
  readonly limit: number;
  readonly inHand: ReadonlyMap<string, InHand>;
  /** calls end apace, and no restaurant has its share in hand */
  readonly flowing: boolean;
}

/**
 * The jobs that this instance has in hand: under way in a slot each, or locked ahead and waiting for one. Of the slots one
 * restaurant holds its share at most, even if no other waits (O11).
 */
export class Slots {
  private readonly waiting: HeldJob[] = [];
  private readonly waitingOf = new Counts();
  private readonly callsOf = new Counts();
  /** calls that ended since the last claim */
  private readonly endedOf = new Counts();
  private claimedAt = Number.NEGATIVE_INFINITY;
  /** how many jobs may be locked ahead, since the last claim */
  private ahead = 0;

  /**
   * @param size calls at once
   * @param share calls of one restaurant at once
   */
  constructor(
    private readonly size: number,
    readonly share: number,
    /** jobs that are locked ahead at most */
    private readonly mostAhead: number,
  ) {}

  /** Calls under way. */
  get calls(): number {
    return this.callsOf.total;
  }

  /** Calls that ended since the last claim. */
  get ended(): number {
    return this.endedOf.total;
  }

  /** Jobs that wait for a slot. */
  get waitingJobs(): number {
    return this.waiting.length;
  }

  get freeSlots(): number {
    return this.size - this.calls;
  }

  /** Whether so many calls have ended since the last claim that another one is worth its cost. */
  get worthAClaim(): boolean {
    const enough = this.waiting.length === 0 ? 1 : Math.max(1, this.ahead / 2);
    return this.endedOf.total >= enough && this.mayLock > 0;
  }

  /** How many jobs may be locked. */
  get mayLock(): number {
    return Math.max(this.freeSlots, this.size + this.ahead - this.calls - this.waiting.length);
  }

  /**
   * How many jobs to lock now: one for each free slot, and so many ahead as calls will end soon, by the pace since the last claim.
   * @param now by performance.now(), ms
   */
  claim(now: number): SlotsToFill {
    const paceToAhead = AHEAD_MS / Math.max(1, now - this.claimedAt);
    this.ahead = Math.min(this.mostAhead, Math.floor(this.endedOf.total * paceToAhead));
    const inHand = new Map<string, InHand>();
    for (const [restaurantId, jobs] of this.inHand()) {
      const ahead = Math.min(this.ahead, Math.floor(this.endedOf.get(restaurantId) * paceToAhead));
      inHand.set(restaurantId, { jobs, room: Math.max(0, this.share + ahead - jobs) });
    }
    this.claimedAt = now;
    this.endedOf.clear();
    const flowing = this.ahead > 0 && [...inHand.values()].every(({ room }) => room > 0);
    return { limit: this.mayLock, inHand, flowing };
  }

  /** Whether a claim took as many jobs of a restaurant as it may have: further ones may be due. */
  hasHeldBack({ inHand }: SlotsToFill, jobs: readonly LockedJob[]): boolean {
    const taken = new Counts();
    for (const { restaurantId } of jobs) taken.add(restaurantId, 1);
    const roomOf = (restaurantId: string) => inHand.get(restaurantId)?.room ?? this.share;
    return [...inHand.keys(), ...taken.keys()].some((id) => taken.get(id) >= roomOf(id));
  }

  add(held: HeldJob): void {
    this.waiting.push(held);
    this.waitingOf.add(held.job.restaurantId, 1);
  }

  /** The next job to call the POS for, which takes a slot; undefined when there is no slot or no job for one. */
  begin(): HeldJob | undefined {
    if (this.callsOf.total >= this.size) return undefined;
    const held = this.take(({ job }) => this.callsOf.get(job.restaurantId) < this.share);
    if (held) this.callsOf.add(held.job.restaurantId, 1);
    return held;
  }

  /** The calls of a job have ended: its slot is free. */
  end({ job }: HeldJob): void {
    this.callsOf.add(job.restaurantId, -1);
    this.endedOf.add(job.restaurantId, 1);
  }

  /** Takes away the jobs that have waited for a slot since before this time. */
  takeWaitingSince(time: number): HeldJob[] {
    const taken: HeldJob[] = [];
    for (;;) {
      const held = this.take(({ lockedAt }) => lockedAt <= time);
      if (!held) return taken;
      taken.push(held);
    }
  }

  /** Jobs in hand, by restaurant. */
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

/** Counts by restaurant; one without any has no entry. */
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
