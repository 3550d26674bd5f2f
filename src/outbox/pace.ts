/** Calls a second with which the pace after an outage begins, and the least. */
const FIRST_RATE = 10;
const LEAST_RATE = 1;
/** From this rate on, in calls a second, the POS is as healthy as any, and nothing is held back. */
const HEALTHY_RATE = 300;
/** Calls a second that each order taken by the POS adds: below the ceiling, and above it (5 % a second). */
const GROWTH = 2;
const GROWTH_ABOVE = 0.05;
/** What the POS has taken is counted over this time, in ms. */
const COUNTED_MS = 2_000;
/** The most that are counted: more than a pace can hold back in that time. */
const MOST_COUNTED = 4 * HEALTHY_RATE;
/** One step down in this time, in ms: calls that were under way together are one piece of news. */
const STEP_MS = 200;
/** After this time without a refusal, in ms, the ceiling is forgotten. */
const CALM_MS = 3_000;
/** Refusals in a row after which the POS counts as one that takes nothing. */
const REFUSED_IN_A_ROW = 5;
/** Calls that were not made are kept for this time, in ms: they are no burst for later. */
const KEPT_MS = 200;
/** A pace ends when so long nothing was called, or nothing was refused and nothing held back; ms. */
const OVER_MS = 60_000;

/**
 * The calls a second to a POS that comes back from an outage (O34): more for each order that it takes, and back to what it took when it
 * refuses, or to the half of the pace. Times are ms of one clock.
 */
export class Pace {
  private rate = FIRST_RATE;
  /** the rate at which the POS refused last; growth is slow above it */
  private ceiling = Number.POSITIVE_INFINITY;
  private calls = 1;
  private refilledAt: number;
  private taken: number[] = [];
  private refusedInARow = 0;
  private refusedAt = Number.NEGATIVE_INFINITY;
  private steppedAt = Number.NEGATIVE_INFINITY;
  private notedAt: number;

  constructor(private readonly beganAt: number) {
    this.refilledAt = beganAt;
    this.notedAt = beganAt;
  }

  /** Whether the POS needs no pace any more. */
  isOver(now: number): boolean {
    const calmSince = Math.max(this.refusedAt, this.beganAt);
    return now - this.notedAt > OVER_MS || (this.rate >= HEALTHY_RATE && now - calmSince > OVER_MS);
  }

  /** How many calls may begin now. */
  allowed(now: number): number {
    if (this.rate >= HEALTHY_RATE) return Number.POSITIVE_INFINITY;
    const earned = ((now - this.refilledAt) / 1_000) * this.rate;
    this.calls = Math.min(this.calls + earned, Math.max(1, (this.rate * KEPT_MS) / 1_000));
    this.refilledAt = now;
    return Math.max(0, Math.floor(this.calls));
  }

  /** A call was given away. */
  spend(): void {
    if (this.rate < HEALTHY_RATE) this.calls--;
  }

  /** The POS took an order. */
  took(now: number): void {
    this.notedAt = now;
    const wasDown = this.refusedInARow >= REFUSED_IN_A_ROW;
    this.refusedInARow = 0;
    if (this.taken.push(now) > MOST_COUNTED) this.taken = this.taken.slice(-MOST_COUNTED / 2);
    if (now - this.refusedAt > CALM_MS) this.ceiling = Number.POSITIVE_INFINITY;
    // it is up again
    if (wasDown && Number.isFinite(this.ceiling)) this.rate = Math.max(this.rate, this.ceiling / 2);
    const faster = this.rate + (this.rate < this.ceiling ? GROWTH : GROWTH_ABOVE);
    this.rate = Math.min(faster, HEALTHY_RATE);
  }

  /** The POS refused a call for now, or did not answer it. */
  refused(now: number): void {
    this.notedAt = now;
    this.refusedAt = now;
    this.refusedInARow++;
    if (now - this.steppedAt < STEP_MS) return;
    this.steppedAt = now;
    const took = this.takenPerSecond(now);
    const isDown = this.refusedInARow >= REFUSED_IN_A_ROW;
    // while nothing is taken at all, nothing is learned of what the POS can take
    if (!isDown) this.ceiling = Math.max(LEAST_RATE, took);
    this.rate = Math.max(LEAST_RATE, isDown ? this.rate / 4 : Math.min(0.9 * this.rate, Math.max(took, this.rate / 2)));
    this.calls = Math.min(this.calls, 0);
  }

  private takenPerSecond(now: number): number {
    this.taken = this.taken.filter((at) => now - at < COUNTED_MS);
    return (this.taken.length * 1_000) / Math.max(STEP_MS, Math.min(COUNTED_MS, now - this.beganAt));
  }
}

/** The paces of the restaurants whose POS is coming back, as this instance sees them. */
export class Paces {
  private readonly paces = new Map<string, Pace>();
  /** whether the last caps held a restaurant back: claims must then not wait for the next event */
  holding = false;

  /** The outage of the restaurant has ended. */
  begin(restaurantId: string): void {
    if (!this.paces.has(restaurantId)) this.paces.set(restaurantId, new Pace(performance.now()));
  }

  /** Notes the result of a call. */
  note(restaurantId: string, result: 'taken' | 'refused'): void {
    const pace = this.paces.get(restaurantId);
    if (!pace) return;
    if (result === 'taken') pace.took(performance.now());
    else pace.refused(performance.now());
  }

  /**
   * The most jobs of each paced restaurant that may be in hand.
   * @param inHand the jobs in hand now
   * @param cap the most of any restaurant
   */
  caps(inHand: ReadonlyMap<string, number>, cap: number): Map<string, number> {
    const caps = new Map<string, number>();
    if (this.paces.size === 0 && !this.holding) return caps;
    const now = performance.now();
    for (const [id, pace] of this.paces) {
      const allowed = pace.allowed(now);
      if (pace.isOver(now)) this.paces.delete(id);
      else if (Number.isFinite(allowed)) caps.set(id, Math.min(cap, (inHand.get(id) ?? 0) + allowed));
    }
    this.holding = caps.size > 0;
    return caps;
  }

  /** Jobs of these restaurants were claimed. */
  spend(restaurantIds: Iterable<string>): void {
    for (const id of restaurantIds) this.paces.get(id)?.spend();
  }
}
