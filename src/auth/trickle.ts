import { BoundedMap } from '../platform/bounded-map.js';

/** The most accounts, and the most pairs of account and address, in memory; the oldest is removed first. */
const MAX_TRACKED = 50_000;
/** The most accounts for which addresses wait, and the most addresses that wait for one (L151). */
const MAX_LINES = 1_000;
const MAX_PLACES = 200;
/** An address that has not asked for this time loses its place. `Retry-After` is at most half of it: a client that follows it keeps its place. */
const PLACE_MS = 120_000;
/** Sums of fractions of a period are inexact. */
const ROUNDING_MS = 1;

/** An address that was refused, and asks again. */
interface Place {
  /** counts the places: a greater number was first refused later */
  readonly number: number;
  /** when the address had its last attempt at the account, in ms of performance.now(); -Infinity: none within the period */
  readonly turnAt: number;
  /** when it last asked, in ms of performance.now() */
  askedAt: number;
}

/**
 * Counters that are never full for long: beyond the limit of a period, attempts pass evenly, `limit` in each period (A34).
 *
 * These attempts are shared by address: the number of requests of an address gives it no advantage. No request waits. An attempt that is too
 * early is refused at once, and its address keeps a place in the account's line while it tries again within {@link PLACE_MS}. The next attempt
 * is for the first address in the line: addresses without an attempt within the period, by the time of their first refusal, then the others,
 * by the time of their last attempt. With n attempts free, the first n addresses may take one. An attacker delays a new address by one
 * attempt for each of its addresses that has had none yet. Places that are not used expire.
 */
export class Trickle {
  /** account -> when all its attempts would have passed evenly, in ms of performance.now() */
  private readonly ends = new BoundedMap<number>(MAX_TRACKED);
  /** address -> when its last attempt passed, in ms of performance.now() */
  private readonly turns = new BoundedMap<number>(MAX_TRACKED);
  /** account -> address -> its place */
  private readonly lines = new BoundedMap<Map<string, Place>>(MAX_LINES);
  private refused = 0;

  constructor(private readonly periodMs: number) {}

  /**
   * Takes an attempt, if it is the turn of the address.
   * @param address key of the pair of account and address
   * @returns ms after which to ask again; 0: taken
   */
  take(account: string, address: string, limit: number, now: number): number {
    const line = this.lineOf(account, now);
    const place = line.get(address) ?? { number: ++this.refused, turnAt: this.turnOf(address, now), askedAt: now };
    const ahead = [...line.values()].filter((other) => isBefore(other, place)).length;
    const end = Math.max(this.ends.get(account) ?? now, now);
    const eachMs = this.periodMs / limit;
    const waitMs = end - now - this.periodMs + eachMs * (ahead + 1);
    if (waitMs > ROUNDING_MS) {
      place.askedAt = now;
      line.set(address, place);
      this.keep(account, line);
      return Math.min(waitMs, PLACE_MS / 2);
    }
    line.delete(address);
    this.ends.set(account, end + eachMs);
    this.turns.set(address, now);
    return 0;
  }

  /** Gives an attempt back that was taken. */
  giveBack(account: string, limit: number): void {
    const end = this.ends.get(account);
    if (end !== undefined) this.ends.set(account, end - this.periodMs / limit);
  }

  /** @returns the places that have not lapsed */
  private lineOf(account: string, now: number): Map<string, Place> {
    const line = this.lines.get(account) ?? new Map<string, Place>();
    for (const [address, { askedAt }] of line) if (now - askedAt >= PLACE_MS) line.delete(address);
    return line;
  }

  private turnOf(address: string, now: number): number {
    const turnAt = this.turns.get(address) ?? Number.NEGATIVE_INFINITY;
    return now - turnAt < this.periodMs ? turnAt : Number.NEGATIVE_INFINITY;
  }

  /** Of too many places the last is removed. */
  private keep(account: string, line: Map<string, Place>): void {
    if (line.size > MAX_PLACES) {
      const [last] = [...line].reduce((latest, each) => (isBefore(latest[1], each[1]) ? each : latest));
      line.delete(last);
    }
    this.lines.set(account, line);
  }
}

function isBefore(a: Place, b: Place): boolean {
  return a.turnAt < b.turnAt || (a.turnAt === b.turnAt && a.number < b.number);
}
