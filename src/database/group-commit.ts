import { isDatabaseAway } from './errors.js';

/** Statements under way at once: while one waits for the disk, the next is written. */
const STATEMENTS = 2;
const MAX_ROWS = 100;
/** Characters of one statement; a row that is longer goes alone. */
const MAX_LENGTH = 1_048_576;

/** A row that several callers' writes may share a statement with. */
export interface GroupedRow {
  /** characters it adds to the statement */
  readonly length: number;
  /** two rows with a key in common never share a statement */
  readonly keys: readonly string[];
}

interface Waiting<Row, Result> {
  readonly row: Row;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the writes of concurrent callers: rows that arrive while statements are under way go together in the next one, and
 * each caller hears of its row after that statement's commit. Nothing is delayed: a row that finds no statement under way is
 * written at once.
 *
 * A row that a statement fails of fails alone: after an error that is no outage, each row of the statement is written by itself.
 */
export class GroupCommit<Row extends GroupedRow, Result> {
  private waiting: Waiting<Row, Result>[] = [];
  private underWay = 0;
  private isStarting = false;

  /** @param write writes rows of which no two have a key in common; all or none. Returns the results in their order. */
  constructor(private readonly write: (rows: readonly Row[]) => Promise<readonly Result[]>) {}

  /** @throws what the statement of this row threw; of an outage it is not known whether the row was written */
  add(row: Row): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, resolve, reject });
      this.start();
    });
  }

  /** Starts statements, after everything that this turn of the event loop brings has been added. */
  private start(): void {
    if (this.isStarting || this.underWay >= STATEMENTS || this.waiting.length === 0) return;
    this.isStarting = true;
    setImmediate(() => {
      this.isStarting = false;
      const group = this.take();
      this.underWay++;
      this.commit(group).finally(() => {
        this.underWay--;
        this.start();
      });
      this.start();
    });
  }

  /** The rows of the next statement: the oldest, without those that another row of it excludes. */
  private take(): Waiting<Row, Result>[] {
    const group: Waiting<Row, Result>[] = [];
    const later: Waiting<Row, Result>[] = [];
    const keys = new Set<string>();
    let length = 0;
    for (const each of this.waiting) {
      const { row } = each;
      const fits = group.length < MAX_ROWS && (length === 0 || length + row.length <= MAX_LENGTH);
      if (!fits || row.keys.some((key) => keys.has(key))) {
        later.push(each);
        continue;
      }
      group.push(each);
      length += row.length;
      for (const key of row.keys) keys.add(key);
    }
    this.waiting = later;
    return group;
  }

  private async commit(group: readonly Waiting<Row, Result>[]): Promise<void> {
    try {
      const results = await this.write(group.map(({ row }) => row));
      for (const [i, { resolve }] of group.entries()) resolve(results[i] as Result);
    } catch (error) {
      if (group.length > 1 && !isDatabaseAway(error)) for (const each of group) await this.commit([each]);
      else for (const { reject } of group) reject(error);
    }
  }
}
