/** What a row of a statement counts for beside its characters: about an ordinary sale. */
const ROW = 1_000;
/** A statement that stores sales takes too long when it takes this many times its usual time, and so much longer, in ms (L219). */
const TIMES = 2;
const MARGIN_MS = 3;
/** Statements that are judged together, by their median, and the shortest time between two judgements, in ms. */
const JUDGED = 5;
const JUDGED_FOR_MS = 100;
/** The least part of their turns that reads have (L219). */
const LEAST = 1 / 24;
/** The part by which the reads grow with each judgement that finds the usual time, and in each such time without sales. */
const GROWS = 1 / 100;
/** The longest pause after a read, in ms. */
const MOST_PAUSE_MS = 1_000;
/** The usual time is forgotten over this time, in ms: a database that has become slow for good is the usual one after a few minutes. */
const FORGOTTEN_AFTER_MS = 60_000;

/**
 * The part of their turns that the reads of all accounts have just now (H27): it halves while the statements that store sales take
 * longer than usual, and grows again while they do not. An account alone is bounded by its share; this bounds many accounts together.
 */
export class SalesFirst {
  private part = 1;
  /** the shortest time of late of a statement, ms, by the size of the statement: its rows and characters as a power of two */
  private readonly usual = new Map<number, { readonly ms: number; readonly at: number }>();
  /** whether each statement since the last judgement took too long */
  private slow: boolean[] = [];
  private judgedAt: number;

  /** @param now the monotonic clock, ms */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.judgedAt = now();
  }

  /**
   * Notes a statement that stored sales.
   * @param rows at least 1
   * @param length characters of all rows
   * @param tookMs from the call until its result was read, ms
   */
  stored(rows: number, length: number, tookMs: number): void {
    const now = this.now();
    const size = Math.ceil(Math.log2(rows * ROW + length));
    const usual = Math.min(tookMs, this.usualOf(size, now));
    this.usual.set(size, { ms: usual, at: now });
    this.slow.push(tookMs > TIMES * usual + MARGIN_MS);
    if (this.slow.length < JUDGED || now - this.judgedAt < JUDGED_FOR_MS) return;
    const isSlow = this.slow.filter(Boolean).length > this.slow.length / 3;
    if (isSlow) this.part = Math.max(LEAST, this.partNow() / 2);
    else this.part = this.partNow();
    this.judgedAt = now;
    this.slow = [];
  }

  /** @returns how many of `most` turns may be under way, at least 1 */
  turns(most: number): number {
    return Math.max(1, Math.floor(most * this.partNow()));
  }

  /** @returns for how long a turn is not given again after it took so long, when less than one of `most` is left, ms */
  pauseAfter(most: number, tookMs: number): number {
    const turns = most * this.partNow();
    return turns >= 1 ? 0 : Math.min(MOST_PAUSE_MS, tookMs * (1 / turns - 1));
  }

  /** Twice the size takes twice the time at most, and not less: one size tells about the others. @returns ms */
  private usualOf(size: number, now: number): number {
    const times = [...this.usual].map(
      ([other, { ms, at }]) => ms * (1 + (now - at) / FORGOTTEN_AFTER_MS) * Math.max(1, 2 ** (size - other)),
    );
    return Math.min(...times);
  }

  private partNow(): number {
    return Math.min(1, this.part + (GROWS * (this.now() - this.judgedAt)) / JUDGED_FOR_MS);
  }
}
