import { SetsBySize } from '../platform/sets-by-size.js';

/** An attempt that takes this time is slow, in ms (L166). */
export const SLOW_MS = 1_000;
/** After a slow attempt, restaurants that are not known to be quick have a part of the slots for this time, in ms (L167). */
const REMEMBERED_MS = 60_000;
const OTHERS_PART = 1 / 2;
/** The most of these slots that one of them has. */
const ONE_OF_OTHERS = 1 / 2;
/** The most restaurants that are known to be quick, and the most parties that are known to have turned slow. */
const MOST_KNOWN = 1_000;
/** After a quick restaurant turned slow, its party has at most this part of the slots for this time, in ms (L251, L252). */
const TURNED_PART = 0.85;
const TURNED_FOR_MS = 600_000;

/**
 * Which restaurants answer quickly (O43). A POS that hangs keeps each slot for POS_TIMEOUT_MS: a few orders of many such restaurants would
 * keep all slots, although each restaurant is below its cap.
 */
export class SlowCalls {
  private slowAt = Number.NEGATIVE_INFINITY;
  /** restaurants whose last attempt was quick, and the party of each */
  private readonly quick = new Map<string, string>();
  /** the same, by party; the latest of each last */
  private readonly quickOf = new SetsBySize<string, string>();
  /** the most slots of all restaurants that are not known to be quick, while attempts are slow */
  readonly mostOthers: number;
  /** the most slots of one of them, meanwhile: a POS that hangs leaves some to those that were not heard yet */
  readonly mostOfOne: number;
  /** party -> when its last quick restaurant turned slow, by performance.now(), ms; the latest last */
  private readonly turnedAt = new Map<string, number>();
  /** the most slots of a party whose restaurants turn slow */
  readonly mostOfTurned: number;

  /** @param size the number of slots */
  constructor(size: number) {
    this.mostOthers = Math.max(1, Math.floor(size * OTHERS_PART));
    this.mostOfOne = Math.max(1, Math.floor(this.mostOthers * ONE_OF_OTHERS));
    this.mostOfTurned = Math.max(1, Math.floor(size * TURNED_PART));
  }

  /**
   * Notes how long an attempt took, or has taken so far, in ms.
   * @param party of the restaurant: those of one account take turns as one (O44)
   */
  note(restaurantId: string, tookMs: number, party: string): void {
    const wasQuick = this.forget(restaurantId);
    if (tookMs >= SLOW_MS) {
      this.slowAt = performance.now();
      if (wasQuick) this.noteTurned(party);
      return;
    }
    this.quick.set(restaurantId, party);
    this.quickOf.add(party, restaurantId);
    if (this.quick.size <= MOST_KNOWN) return;
    // of the party that has the most: one with many restaurants does not displace those of others
    const [oldest] = this.quickOf.largest() ?? [];
    if (oldest !== undefined) this.forget(oldest);
  }

  /** @returns whether it was known to be quick */
  private forget(restaurantId: string): boolean {
    const party = this.quick.get(restaurantId);
    if (party === undefined) return false;
    this.quickOf.delete(party, restaurantId);
    return this.quick.delete(restaurantId);
  }

  isQuick(restaurantId: string): boolean {
    return this.quick.has(restaurantId);
  }

  private noteTurned(party: string): void {
    this.turnedAt.delete(party);
    this.turnedAt.set(party, performance.now());
    const [oldest] = this.turnedAt.keys();
    if (this.turnedAt.size > MOST_KNOWN) this.turnedAt.delete(oldest as string);
  }

  /** The parties with a restaurant that was quick and has turned slow in the last ten minutes (L252). */
  get turned(): ReadonlySet<string> {
    for (const [party, at] of this.turnedAt) {
      if (performance.now() - at < TURNED_FOR_MS) break;
      this.turnedAt.delete(party);
    }
    return new Set(this.turnedAt.keys());
  }

  /** Whether {@link turned} has this party. */
  hasTurned(party: string): boolean {
    const at = this.turnedAt.get(party);
    return at !== undefined && performance.now() - at < TURNED_FOR_MS;
  }

  /** The restaurants that are known to be quick, with their parties; undefined while no attempt is slow, or none is quick: then all are alike. */
  get known(): ReadonlyMap<string, string> | undefined {
    const areSlow = performance.now() - this.slowAt < REMEMBERED_MS;
    return areSlow && this.quick.size > 0 ? this.quick : undefined;
  }
}
