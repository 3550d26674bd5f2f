import { FairSlots } from './fair-slots.js';

/** Bounds of {@link HeavyWork}. */
export interface WorkBounds {
  /** the rest after work, as a multiple of its time */
  readonly rest: number;
}

/** Rests shorter than this are added up; the longest rest; ms. */
const LEAST_REST_MS = 20;
const MOST_REST_MS = 2_000;
/** All work together has no more than a fifth of the time. */
const A_FIFTH: WorkBounds = { rest: 4 };

/** The time that a sender has used is halved over this period, ms; it is kept for this number of senders. */
const HALVED_AFTER_MS = 30_000;
const MOST_SENDERS = 1_000;

/**
 * Turns of senders for work that holds up every other request of the process (L162, L195): one at a time, and after long work, or much short
 * work, nobody has a turn for a while, so that many senders together have no more than a part of the time. The sender that has used the least
 * time lately is next, so that a sender of little work does not wait behind senders of much. Each instance has turns of its own.
 */
export class HeavyWork {
  private readonly slots = new FairSlots({
    total: 1,
    ofKey: 1,
    waitMs: 4_000,
    rankOf: (sender) => this.spentBy(sender),
  });
  /** how long the work of each sender took lately, and when it was noted; the latest last */
  private readonly spent = new Map<string, { readonly ms: number; readonly at: number }>();
  /** when the rests after all work so far have ended, by performance.now(), ms */
  private restedAt = 0;

  constructor(private readonly bounds: WorkBounds = A_FIFTH) {}

  /**
   * Waits for a turn. It ends when the work that the caller does at once, without waiting for anything, is done: other requests that the process
   * works on meanwhile are not counted.
   * @param sender who takes turns with others: the id of a restaurant or user, or a name
   * @param gone as that of {@link FairSlots.take}
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError
   */
  async turn(sender: string, gone: () => AbortSignal): Promise<void> {
    process.nextTick(await this.take(sender, gone));
  }

  /** Does work in a turn. Otherwise as {@link turn}. */
  async run<T>(sender: string, gone: () => AbortSignal, work: () => Promise<T>): Promise<T> {
    const end = await this.take(sender, gone);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /**
   * Does work for several senders in a turn of one of them. Otherwise as {@link turn}.
   * @param work gives the part that each sender has in the time of the work
   * @throws also the error of `work`
   */
  async share(
    sender: string,
    gone: () => AbortSignal,
    work: () => Promise<ReadonlyMap<string, number>>,
  ): Promise<void> {
    const end = await this.take(sender, gone);
    let parts: ReadonlyMap<string, number> | undefined;
    try {
      parts = await work();
    } finally {
      end(parts);
    }
  }

  /** How much time the work of a sender took lately, ms: the less, the sooner is its next turn. */
  spentBy(sender: string): number {
    const { ms, at } = this.spent.get(sender) ?? { ms: 0, at: 0 };
    return ms * 0.5 ** ((performance.now() - at) / HALVED_AFTER_MS);
  }

  private async take(sender: string, gone: () => AbortSignal): Promise<(parts?: ReadonlyMap<string, number>) => void> {
    const free = await this.slots.take(sender, gone);
    const startedAt = performance.now();
    return (parts = new Map([[sender, 1]])) => {
      const tookMs = performance.now() - startedAt;
      for (const [each, part] of parts) this.note(each, part * tookMs);
      const restMs = this.restAfter(tookMs);
      if (restMs > 0) setTimeout(free, restMs).unref();
      else free();
    };
  }

  /** Adds the rest after this work to those that are put off. @returns how long all of them take now, ms; 0: they are put off again */
  private restAfter(tookMs: number): number {
    const now = performance.now();
    this.restedAt = Math.max(now, this.restedAt) + Math.min(MOST_REST_MS, this.bounds.rest * tookMs);
    const restMs = this.restedAt - now;
    return restMs < LEAST_REST_MS ? 0 : restMs;
  }

  private note(sender: string, tookMs: number): void {
    const ms = this.spentBy(sender) + tookMs;
    this.spent.delete(sender);
    this.spent.set(sender, { ms, at: performance.now() });
    const [oldest] = this.spent.keys();
    if (this.spent.size > MOST_SENDERS && oldest !== undefined) this.spent.delete(oldest);
  }
}
