import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from './errors.js';
import { type BatchedRow, type Bound, type Entry, RowQueue } from './row-queue.js';

/** Pause after a failed statement before its rows are written again, in ms. */
export const RETRY_MS = 250;
/** Time between two calls of `onHeld`, in ms. */
const HELD_EVERY_MS = 1_000;

/** Rows that wait for a database that does not take them. */
export interface Held<Row> {
  /** the row that has waited longest */
  readonly row: Row;
  readonly waitedMs: number;
  /** number of rows */
  readonly rows: number;
}

export interface BatcherOptions<Row> {
  /** statements under way at once; rows that are written apart have one more */
  readonly parallel: number;
  /** rows of one statement */
  readonly most: number;
  /** how much may wait and be written at once; beyond it NotWrittenError. Absent: no limit */
  readonly bound?: Bound;
  /** whether a row that failed is written again, after an outage and after a refusal; false: its caller gets the error */
  readonly retry: false | Retry<Row>;
}

export interface Retry<Row> {
  /** how long a row is written again, in ms since it was added; asked after each failure */
  readonly limitMs: () => number;
  /** called after a failure, at most once a second */
  readonly onHeld: (held: Held<Row>, error: unknown) => void;
}

/** The outcome of a failed statement. */
interface Failure<Row, Result> {
  readonly isOutage: boolean;
  /** rows that are still to be written */
  readonly left: readonly Entry<Row, Result>[];
}

/**
 * Gathers the writes of concurrent callers: rows that arrive while `parallel` statements are under way go together in the next
 * one, and each caller gets its result after the commit of its statement. A row that finds a free statement is written at once.
 *
 * The database refuses a row when its statement fails for a reason other than an outage. The rows of that statement are then
 * written apart, in halves, until the refused row is alone: about 2 log2(n) statements, one at a time, beside the `parallel` ones.
 * With `retry`, a row that another session has locked is found the same way: its statement times out while others succeed.
 */
export class Batcher<Row extends BatchedRow, Result> {
  private readonly queue: RowQueue<Row, Result>;
  private underWay = 0;
  private isWritingApart = false;
  private isStarting = false;
  private pause: NodeJS.Timeout | undefined;
  /** rows of the next statement: fewer after an outage, until a statement succeeds */
  private size: number;
  private successes = 0;
  private heldAt = Number.NEGATIVE_INFINITY;

  /** @param write writes rows of which no two have a key in common; all or none. Returns the results in their order. */
  constructor(
    private readonly write: (rows: readonly Row[]) => Promise<readonly Result[]>,
    private readonly options: BatcherOptions<Row>,
  ) {
    this.queue = new RowQueue(options.bound);
    this.size = options.most;
  }

  /**
   * @param unwanted aborts when nobody waits for the result any more: a row that no statement has taken is dropped
   * @throws NotWrittenError; what the statement of the row threw: after an outage it is not known whether the row was written
   */
  add(row: Row, unwanted?: AbortSignal): Promise<Result> {
    const result = this.queue.add(row, unwanted);
    this.start();
    return result;
  }

  /** Starts statements, after everything that this turn of the event loop brings has been added. */
  private start(): void {
    if (this.isStarting || this.queue.isEmpty) return;
    this.isStarting = true;
    setImmediate(() => {
      this.isStarting = false;
      while (!this.pause && this.underWay < this.options.parallel) {
        const group = this.queue.take(this.size);
        if (group.length === 0) break;
        void this.writeTogether(group);
      }
      void this.writeApart();
    });
  }

  private async writeTogether(group: readonly Entry<Row, Result>[]): Promise<void> {
    this.underWay++;
    const { successes } = this;
    const failure = await this.attempt(group);
    this.underWay--;
    // a database that answers others meanwhile is there: another session has locked a row of this group
    if (failure && (!failure.isOutage || this.successes > successes)) this.separate(failure.left);
    else if (failure) this.putBack(failure.left);
    this.start();
  }

  /** After an outage. Two halves are tried at once: when one succeeds, the other is known to be at fault. */
  private putBack(group: readonly Entry<Row, Result>[]): void {
    this.queue.putBack(group);
    this.size = Math.ceil(group.length / 2);
    this.pause ??= setTimeout(() => {
      this.pause = undefined;
      this.start();
    }, RETRY_MS);
  }

  private async writeApart(): Promise<void> {
    if (this.isWritingApart) return;
    this.isWritingApart = true;
    for (let group = this.queue.takeApart(); group.length > 0; group = this.queue.takeApart()) {
      const failure = await this.attempt(group);
      if (failure) this.separate(failure.left);
      if (failure?.isOutage) await delay(RETRY_MS);
    }
    this.isWritingApart = false;
  }

  /** At least one of these rows made their statement fail. Rows of one source stay together: mostly, one source is at fault. */
  private separate(rows: readonly Entry<Row, Result>[]): void {
    if (rows.length === 1) {
      setTimeout(() => {
        this.queue.setApart(rows);
        this.start();
      }, RETRY_MS);
      return;
    }
    const bySource = rows.toSorted((a, b) => a.row.source.localeCompare(b.row.source));
    const half = Math.ceil(rows.length / 2);
    this.queue.setApart(bySource.slice(0, half));
    this.queue.setApart(bySource.slice(half));
  }

  /** @returns how it failed; undefined when each row has its result or its error */
  private async attempt(group: readonly Entry<Row, Result>[]): Promise<Failure<Row, Result> | undefined> {
    try {
      const results = await this.write(group.map(({ row }) => row));
      this.successes++;
      this.size = this.options.most;
      for (const [i, entry] of group.entries()) this.queue.end(entry, () => entry.resolve(results[i] as Result));
      return undefined;
    } catch (error) {
      return this.failed(group, error, isDatabaseAway(error));
    }
  }

  private failed(
    group: readonly Entry<Row, Result>[],
    error: unknown,
    isOutage: boolean,
  ): Failure<Row, Result> | undefined {
    const { retry } = this.options;
    if (!isOutage && group.length > 1) return { isOutage, left: group };
    if (!isOutage) for (const { row } of group) this.queue.suspect(row.source);
    const earliest = performance.now() - (retry ? retry.limitMs() : 0);
    const left = retry ? group.filter(({ since }) => since >= earliest) : [];
    for (const entry of group) {
      if (left.includes(entry)) entry.isHeld = true;
      else this.queue.end(entry, () => entry.reject(error));
    }
    if (retry) this.reportHeld(retry, error);
    return left.length > 0 ? { isOutage, left } : undefined;
  }

  private reportHeld({ onHeld }: Retry<Row>, error: unknown): void {
    const now = performance.now();
    if (now - this.heldAt < HELD_EVERY_MS) return;
    const held = this.queue.held();
    const [longest] = held;
    if (!longest) return;
    this.heldAt = now;
    onHeld({ row: longest.row, waitedMs: Math.round(now - longest.since), rows: held.length }, error);
  }
}
