import { ClientGoneError } from '../client-gone.js';
import { problem } from '../problem.js';

/** Bounds of {@link FairSlots}. */
export interface SlotBounds {
  /** requests under way at once, of all keys */
  readonly total: number;
  /** of one key; it may change with time */
  readonly ofKey: number | ((name: string) => number);
  /** a key rests when its requests have taken this time together beyond its part of the time, in ms (L128); absent: it never rests */
  readonly restsAfterMs?: number;
  /** a key rests only while others of its requests wait; absent: also when none does */
  readonly restsIfOthersWait?: boolean;
  /** for how long a slot of all is not given again after a request, ms; absent: at once */
  readonly pauseAfter?: (tookMs: number) => number;
  /** the most requests of a key that wait; absent: {@link MOST_WAITING} */
  readonly mostWaiting?: number;
  /** the longest wait, in ms (L126) */
  readonly waitMs?: number;
  /** of the keys that wait, the one with the smallest number is next; absent: they take turns */
  readonly rankOf?: (name: string) => number;
}

/** The most requests of a key that wait (L126). */
export const MOST_WAITING = 100;
const WAIT_MS = 30_000;
const RETRY_AFTER_SECONDS = 2;
/** The rest after a request, as a multiple of the time that the request took, and its bounds in ms (L128). */
const REST = 4;
/** The part of the time for which each slot of a key may be used without an end: what the rests leave (L128). */
const PART = 1 / (1 + REST);
const LEAST_REST_MS = 5;
const MOST_REST_MS = 4_000;

interface Waiter {
  readonly begin: () => void;
}

/** Keys that take turns as one. */
interface Group {
  /** the one with the smallest number is next */
  turn: number;
  keys: number;
}

/** The requests of one key. A key without requests has no entry. */
interface Key {
  readonly group: string;
  underWay: number;
  /** oldest first */
  readonly waiting: Set<Waiter>;
}

/**
 * Slots for requests, by key: a key has at most its number of them, even if nobody else waits, and requests beyond it wait. Keys that wait
 * take free slots by turns, as restaurants do for calls to the POS (O11). Keys of one group take turns as one key.
 */
export class FairSlots {
  /** the key whose turn is next comes first among those that wait */
  private readonly keys = new Map<string, Key>();
  private readonly groups = new Map<string, Group>();
  private turns = 0;
  private underWay = 0;
  private waiting = 0;
  /**
   * how long the requests of a key have taken beyond its part of the time, ms, and when that was noted; the latest last. A pause of a moment
   * must not undo it, so it outlives the requests, but no longer than it takes to work it off.
   */
  private readonly excess = new Map<string, { readonly ms: number; readonly at: number }>();

  constructor(private readonly bounds: SlotBounds) {}

  /** @returns how many requests of a key are under way, and how many wait */
  of(name: string): { underWay: number; waiting: number } {
    const { underWay = 0, waiting } = this.keys.get(name) ?? {};
    return { underWay, waiting: waiting?.size ?? 0 };
  }

  /**
   * Takes a slot, now or when it is the turn of the key.
   * @param gone gives a signal that aborts when the client has closed the connection; called if the request has to wait
   * @param group of the key; absent: it has none
   * @returns frees the slot, to be called once; `waitedMs`: for how long the request has waited elsewhere meanwhile, which is no work
   * @throws 503 TOO_MANY_AT_ONCE when too many requests of the key wait, or this one has waited too long; ClientGoneError
   */
  async take(name: string, gone: () => AbortSignal, group = name): Promise<(waitedMs?: number) => void> {
    const now = this.takeNow(name, group);
    if (now) return now;
    const key = this.keys.get(name) ?? this.add(name, group);
    await this.turn(name, key, gone());
    return this.held(name, key);
  }

  /** As {@link take}. @returns undefined when the request would have to wait: nothing was taken */
  takeNow(name: string, group = name): ((waitedMs?: number) => void) | undefined {
    const known = this.keys.get(name);
    if (known ? known.waiting.size > 0 || !this.isFree(name, known) : !this.isFree(name)) return undefined;
    const key = known ?? this.add(name, group);
    this.count(key);
    return this.held(name, key);
  }

  /** Gives slots to those that wait: there may be more of them by now than when the last one was freed. */
  wake(): void {
    this.next();
  }

  private add(name: string, group: string): Key {
    const key = { group, underWay: 0, waiting: new Set<Waiter>() };
    this.keys.set(name, key);
    const { turn, keys } = this.groups.get(group) ?? { turn: ++this.turns, keys: 0 };
    this.groups.set(group, { turn, keys: keys + 1 });
    return key;
  }

  private held(name: string, key: Key): (waitedMs?: number) => void {
    const since = performance.now();
    return (waitedMs = 0) => this.free(name, key, Math.max(0, performance.now() - since - waitedMs));
  }

  private isFree(name: string, { underWay } = { underWay: 0 }): boolean {
    return this.underWay < this.bounds.total && underWay < this.mostOf(name);
  }

  private mostOf(name: string): number {
    const { ofKey } = this.bounds;
    return typeof ofKey === 'number' ? ofKey : ofKey(name);
  }

  private count(key: Key): void {
    this.underWay++;
    key.underWay++;
  }

  private turn(name: string, key: Key, gone: AbortSignal): Promise<void> {
    if (key.waiting.size >= (this.bounds.mostWaiting ?? MOST_WAITING)) throw tooMany();
    return new Promise((resolve, reject) => {
      const leave = (error: Error) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', onGone);
        if (key.waiting.delete(waiter)) this.waiting--;
        this.forget(name, key);
        reject(error);
      };
      const onGone = () => leave(new ClientGoneError());
      const timer = setTimeout(() => leave(tooMany()), this.bounds.waitMs ?? WAIT_MS);
      const waiter = {
        begin: () => {
          clearTimeout(timer);
          gone.removeEventListener('abort', onGone);
          resolve();
        },
      };
      key.waiting.add(waiter);
      this.waiting++;
      if (gone.aborted) onGone();
      else gone.addEventListener('abort', onGone);
    });
  }

  private free(name: string, key: Key, tookMs: number): void {
    this.pauseAll(tookMs);
    const end = () => {
      key.underWay--;
      this.next();
      this.forget(name, key);
    };
    const restMs = this.restAfter(name, tookMs);
    if (restMs > 0 && (key.waiting.size > 0 || !this.bounds.restsIfOthersWait)) {
      setTimeout(end, restMs).unref();
      this.next();
    } else end();
  }

  private pauseAll(tookMs: number): void {
    const pauseMs = this.bounds.pauseAfter?.(tookMs) ?? 0;
    if (pauseMs <= 0) this.underWay--;
    else
      setTimeout(() => {
        this.underWay--;
        this.next();
      }, pauseMs).unref();
  }

  /**
   * Notes how long a request has taken.
   * @returns how long its slot rests, ms: in proportion to this time, but not longer than until the excess of the key is worked off
   */
  private restAfter(name: string, tookMs: number): number {
    const { restsAfterMs } = this.bounds;
    if (restsAfterMs === undefined) return 0;
    const part = PART * this.mostOf(name);
    const now = performance.now();
    const excessOf = (noted = { ms: 0, at: now }) => Math.max(0, noted.ms - part * Math.max(0, now - noted.at));
    // what is worked off in the longest rest: more would punish a key for one long request
    const ms = Math.min(excessOf(this.excess.get(name)) + tookMs, restsAfterMs + part * MOST_REST_MS);
    this.excess.delete(name);
    this.excess.set(name, { ms, at: now });
    for (const [other, noted] of this.excess) {
      if (excessOf(noted) > 0) break;
      this.excess.delete(other);
    }
    if (ms < restsAfterMs) return 0;
    return Math.max(LEAST_REST_MS, Math.min(REST * tookMs, (ms - restsAfterMs) / part));
  }

  /** Gives free slots to the keys that wait, one to each in turn. */
  private next(): void {
    while (this.waiting > 0 && this.underWay < this.bounds.total) {
      const found = this.nextKey();
      if (!found) return;
      const [name, key] = found;
      const [waiter] = key.waiting as unknown as [Waiter];
      key.waiting.delete(waiter);
      this.waiting--;
      this.count(key);
      // behind the others that wait
      this.keys.delete(name);
      this.keys.set(name, key);
      (this.groups.get(key.group) as Group).turn = ++this.turns;
      waiter.begin();
    }
  }

  private nextKey(): [string, Key] | undefined {
    const { rankOf = () => 0 } = this.bounds;
    let next: { readonly entry: [string, Key]; readonly rank: number; readonly turn: number } | undefined;
    for (const entry of this.keys) {
      const [name, key] = entry;
      if (key.waiting.size === 0 || !this.isFree(name, key)) continue;
      const [rank, { turn }] = [rankOf(name), this.groups.get(key.group) as Group];
      // of equal ones the first
      if (!next || rank < next.rank || (rank === next.rank && turn < next.turn)) next = { entry, rank, turn };
    }
    return next?.entry;
  }

  private forget(name: string, key: Key): void {
    // a key that was forgotten may have come back as another one
    if (key.underWay > 0 || key.waiting.size > 0 || this.keys.get(name) !== key) return;
    this.keys.delete(name);
    const group = this.groups.get(key.group) as Group;
    if (--group.keys === 0) this.groups.delete(key.group);
  }
}

function tooMany() {
  const text = 'too many requests are under way or wait: nothing was done; send it again later';
  return problem('TOO_MANY_AT_ONCE', text, RETRY_AFTER_SECONDS);
}
