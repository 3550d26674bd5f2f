import { setTimeout as delay } from 'node:timers/promises';
import { LogThrottle } from '../../telemetry/log-throttle.js';
import { isDatabaseAway } from '../errors.js';
import { type BatchedRow, type Bound, type Entry, RowQueue } from './row-queue.js';

/** Pause after a failed statement before its rows are written again, in ms. */
export const RETRY_MS = 250;

/** Rows that failed and are retried. */
export interface Held<Row> {
  /** the oldest of these rows */
  readonly row: Row;
  readonly waitedMs: number;
  /** number of rows */
  readonly rows: number;
}

export interface BatcherOptions<Row> {
  /** the most statements at once; rows that are written separately use one more statement */
  readonly parallel: number;
  /** the most rows of one statement */
  readonly most: number;
  /** capacity of the queue; a row beyond it gets a NotWrittenError. Absent: no limit */
  readonly bound?: Bound;
  /** whether failed rows are retried, after an outage and after a refusal; false: the caller gets the error */
  readonly retry: false | Retry<Row>;
}

export interface Retry<Row> {
  /** limit of the retries, in ms since the row was added; read after each failure */
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
 * Group commit: rows that arrive while `parallel` statements run are written together by the next statement, and each caller gets
 * its result after the commit. A row is written at once when fewer statements run.
 *
 * The database refuses a row when its statement fails for a reason other than an outage. The rows of that statement are then
 * written separately, in halves, until the refused row is alone: about 2 log2(n) statements, one at a time, beside the `parallel` ones.
 * With `retry`, a row that another session has locked is found the same way: its statement times out while others succeed. The refused
 * row is then written again until it is written or `limitMs` is over; without `retry` its caller gets the error.
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
  private readonly heldLines = new LogThrottle();

  /** @param write writes all of the rows or none, and returns the results in the order of the rows; no two rows have a key in common */
  constructor(
    private readonly write: (rows: readonly Row[]) => Promise<readonly Result[]>,
    private readonly options: BatcherOptions<Row>,
  ) {
    this.queue = new RowQueue(options.bound);
    this.size = options.most;
  }

  /**
   * @param unwanted aborts when the caller has gone: the row is dropped unless its statement has begun
   * @throws NotWrittenError; the error of the statement: after an outage the row may have been written
   */
  add(row: Row, unwanted?: AbortSignal): Promise<Result> {
    const result = this.queue.add(row, unwanted);
    this.start();
    return result;
  }

  /** Starts statements at the end of this turn of the event loop, after further calls of `add`. */
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
    // other statements succeeded meanwhile, so there is no outage: another session has locked a row of this group
    if (failure && (!failure.isOutage || this.successes > successes)) this.separate(failure.left);
    else if (failure) this.putBack(failure.left);
    this.start();
  }

  /**
   * Puts the rows back after an outage. The next statements write two halves of the rows at the same time: when only one half succeeds, the
   * other half has a locked row.
   */
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

  /** Splits the rows of a failed statement; rows of one source stay together, since most refusals come from one source. */
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

  /** @returns how the statement failed; undefined when each row has its result or its error */
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
    const held = this.queue.held();
    const [longest] = held;
    if (!longest || !this.heldLines.admits()) return;
    onHeld({ row: longest.row, waitedMs: Math.round(performance.now() - longest.since), rows: held.length }, error);
  }
}
