/** An attempt that takes this time is slow, in ms (L166). */
const SLOW_MS = 1_000;
/** After a slow attempt, restaurants that are not known to be quick have a part of the slots for this time, in ms (L167). */
const REMEMBERED_MS = 60_000;
const OTHERS_PART = 1 / 2;
/** The most of these slots that one of them has. */
const ONE_OF_OTHERS = 1 / 2;
/** The most restaurants that are known to be quick. */
const MOST_QUICK = 1_000;

/**
 * Which restaurants answer quickly (O43). A POS that hangs keeps each slot for POS_TIMEOUT_MS: a few orders of many such restaurants would
 * keep all slots, although each restaurant is below its cap.
 */
export class SlowCalls {
  private slowAt = Number.NEGATIVE_INFINITY;
  /** restaurants whose last attempt was quick; the latest last */
  private readonly quick = new Set<string>();
  /** the most slots of all restaurants that are not known to be quick, while attempts are slow */
  readonly mostOthers: number;
  /** the most slots of one of them, meanwhile: a POS that hangs leaves some to those that were not heard yet */
  readonly mostOfOne: number;

  /** @param size the number of slots */
  constructor(size: number) {
    this.mostOthers = Math.max(1, Math.floor(size * OTHERS_PART));
    this.mostOfOne = Math.max(1, Math.floor(this.mostOthers * ONE_OF_OTHERS));
  }

  /** Notes how long an attempt took, in ms. */
  note(restaurantId: string, tookMs: number): void {
    this.quick.delete(restaurantId);
    if (tookMs >= SLOW_MS) {
      this.slowAt = performance.now();
      return;
    }
    this.quick.add(restaurantId);
    const [oldest] = this.quick;
    if (this.quick.size > MOST_QUICK) this.quick.delete(oldest as string);
  }

  /** The restaurants that are known to be quick; undefined while no attempt is slow, or none is quick: then all are alike. */
  get known(): ReadonlySet<string> | undefined {
    const areSlow = performance.now() - this.slowAt < REMEMBERED_MS;
    return areSlow && this.quick.size > 0 ? this.quick : undefined;
  }
}
