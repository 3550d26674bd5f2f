/** What a row of a statement counts for beside its characters: about an ordinary sale. */
const ROW = 1_000;
/** A statement beside reads takes too long when it takes this many times the usual time without reads, and so much longer, in ms (L219). */
const TIMES = 1.25;
const MARGIN_MS = 1;
/** Statements beside reads that are judged together, and the shortest time between two judgements, in ms. */
const JUDGED = 11;
const JUDGED_FOR_MS = 100;
/** The least part of their turns that reads have (L219). */
const LEAST = 1 / 24;
/** The part by which the reads grow in each such time that nothing takes it from them. */
const GROWS = 1 / 200;
/** The longest pause after a read, in ms. */
const MOST_PAUSE_MS = 1_000;
/** Number of statements without reads whose median is the usual time of a size. */
const KEPT = 15;
/** Age at which the usual time is measured again, and how long reads wait while it is measured, in ms (L219). */
const UNKNOWN_AFTER_MS = 5_000;
const LOOK_MS = 200;

/**
 * The part of their turns that the reads of all accounts have just now (H27): it halves while the statements that store sales take
 * longer beside reads than without them, and grows again while they do not. What makes all statements slow, such as a disk or big sales, takes
 * nothing from reads. An account alone is bounded by its share; this bounds many accounts together.
 */
export class SalesFirst {
  /** called when reads may begin that had to wait */
  onMore: () => void = () => undefined;

  private part = 1;
  private judgedAt: number;
  /** whether each statement beside reads since the last judgement took too long */
  private slow: boolean[] = [];
  /** the times of the last statements without reads, ms, by their size: rows and characters as a power of two */
  private readonly usual = new Map<number, number[]>();
  private reads = 0;
  /** reads that have begun since the start: tells whether one ran during a statement */
  private begun = 0;
  private quietAt = Number.NEGATIVE_INFINITY;
  private lookEndsAt = Number.NEGATIVE_INFINITY;

  /** @param now the monotonic clock, ms */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.judgedAt = now();
  }

  /** Notes a read that begins. @returns to be called when it ends */
  read(): () => void {
    this.reads++;
    this.begun++;
    return () => {
      this.reads--;
    };
  }

  /**
   * Notes a statement that stores sales.
   * @param rows at least 1
   * @param length characters of all rows
   * @returns to be called when it has succeeded
   */
  store(rows: number, length: number): () => void {
    const since = this.now();
    const { reads, begun } = this;
    const size = Math.ceil(Math.log2(rows * ROW + length));
    return () => {
      const tookMs = this.now() - since;
      if (reads === 0 && begun === this.begun) this.quiet(size, tookMs);
      else this.beside(size, tookMs);
    };
  }

  /** @returns how many of `most` turns may be under way; 0 for a moment, while the time without reads is measured */
  turns(most: number): number {
    return this.now() < this.lookEndsAt ? 0 : Math.max(1, Math.floor(most * this.partNow()));
  }

  /** @returns for how long a turn is not given again after it took so long, when less than one of `most` is left, ms */
  pauseAfter(most: number, tookMs: number): number {
    const turns = most * this.partNow();
    return turns >= 1 ? 0 : Math.min(MOST_PAUSE_MS, tookMs * (1 / turns - 1));
  }

  private quiet(size: number, tookMs: number): void {
    this.quietAt = this.now();
    const times = this.usual.get(size) ?? [];
    times.push(tookMs);
    if (times.length > KEPT) times.shift();
    this.usual.set(size, times);
  }

  private beside(size: number, tookMs: number): void {
    const now = this.now();
    if (now - this.quietAt > UNKNOWN_AFTER_MS && now - this.lookEndsAt > UNKNOWN_AFTER_MS) this.look(now);
    this.slow.push(tookMs > TIMES * this.usualOf(size) + MARGIN_MS);
    if (this.slow.length < JUDGED || now - this.judgedAt < JUDGED_FOR_MS) return;
    const isSlow = this.slow.filter(Boolean).length > this.slow.length / 2;
    this.part = isSlow ? Math.max(LEAST, this.partNow() / 2) : this.partNow();
    this.judgedAt = now;
    this.slow = [];
  }

  /** Lets no read begin for a moment: without a statement that runs alone nobody knows what its time would be. */
  private look(now: number): void {
    this.lookEndsAt = now + LOOK_MS;
    setTimeout(() => {
      // a timer may fire early by this clock; nothing else would wake the reads that wait
      this.lookEndsAt = Math.min(this.lookEndsAt, this.now());
      this.onMore();
    }, LOOK_MS).unref();
  }

  /**
   * A size that has not been seen without reads is judged by the others: a larger statement takes longer, and twice the size takes twice the
   * time at most.
   * @returns ms; infinite when no size is known
   */
  private usualOf(size: number): number {
    const own = this.usual.get(size);
    if (own) return median(own);
    const others = [...this.usual].map(([other, times]) => median(times) * Math.max(1, 2 ** (size - other)));
    return Math.min(...others);
  }

  private partNow(): number {
    return Math.min(1, this.part + (GROWS * (this.now() - this.judgedAt)) / JUDGED_FOR_MS);
  }
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}
