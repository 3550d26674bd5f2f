/** Characters of one statement; a row that is longer goes alone. */
const MAX_LENGTH = 1_048_576;
/** Rows of a source are written apart for this long after the database refused one of them, in ms. */
const SUSPECT_MS = 10_000;
/** Sources that are remembered; the one whose refusal is oldest is forgotten first. */
const MAX_SUSPECTS = 1_000;

/** A row that shares its statement with rows of other callers. */
export interface BatchedRow {
  /** characters it adds to the statement */
  readonly length: number;
  /** two rows with a key in common never share a statement */
  readonly keys: readonly string[];
  /** who it comes from: after a refused row, further rows of its source do not share a statement with others */
  readonly source: string;
}

/** How much may wait and be written at once. */
export interface Bound {
  readonly rows: number;
  /** characters */
  readonly length: number;
}

/** The row was not written, and may be sent again: the queue is full, or nobody waits for it any more. */
export class NotWrittenError extends Error {}

/** A row, and who waits for it. */
export interface Entry<Row, Result> {
  readonly row: Row;
  /** when it was added, by performance.now(), ms */
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** where it waits; undefined while a statement has it */
  place: Set<Entry<Row, Result>> | undefined;
  /** an outage, or its own refusal, keeps it from being written */
  isHeld: boolean;
}

/** The rows of a {@link Batcher}: those to be written together, and those to be written apart. */
export class RowQueue<Row extends BatchedRow, Result> {
  private readonly waiting = new Set<Entry<Row, Result>>();
  /** the members of a group share a statement */
  private readonly apart: Set<Entry<Row, Result>>[] = [];
  /** source -> until when its rows are written apart, by performance.now(), ms; the oldest first */
  private readonly suspects = new Map<string, number>();
  /** all that was added and has not ended */
  private readonly entries = new Set<Entry<Row, Result>>();
  private length = 0;

  constructor(private readonly bound: Bound | undefined) {}

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** @param unwanted see {@link Batcher.add} */
  add(row: Row, unwanted: AbortSignal | undefined): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (unwanted?.aborted) return reject(new NotWrittenError('nobody waits for this row any more'));
      if (this.isFull(row)) return reject(new NotWrittenError('too many rows wait for the database'));
      const since = performance.now();
      const entry: Entry<Row, Result> = { row, since, resolve, reject, place: this.waiting, isHeld: false };
      this.entries.add(entry);
      this.length += row.length;
      this.waiting.add(entry);
      unwanted?.addEventListener('abort', () => this.drop(entry), { once: true });
    });
  }

  private isFull({ length }: Row): boolean {
    if (!this.bound || this.isEmpty) return false;
    return this.entries.size >= this.bound.rows || this.length + length > this.bound.length;
  }

  private drop(entry: Entry<Row, Result>): void {
    if (entry.place?.delete(entry))
      this.end(entry, () => entry.reject(new NotWrittenError('nobody waits for this row any more')));
  }

  /** The row has its result or its error. */
  end(entry: Entry<Row, Result>, answer: () => void): void {
    this.entries.delete(entry);
    this.length -= entry.row.length;
    answer();
  }

  /** @returns the rows of the next statement: the oldest, without those that another row of it excludes */
  take(most: number): Entry<Row, Result>[] {
    const group: Entry<Row, Result>[] = [];
    const keys = new Set<string>();
    let length = 0;
    for (const entry of this.waiting) {
      if (group.length >= most) break;
      const { row } = entry;
      if (this.isSuspect(row)) {
        this.waiting.delete(entry);
        this.setApart([entry]);
        continue;
      }
      const fits = length === 0 || length + row.length <= MAX_LENGTH;
      if (!fits || row.keys.some((key) => keys.has(key))) continue;
      this.waiting.delete(entry);
      entry.place = undefined;
      group.push(entry);
      length += row.length;
      for (const key of row.keys) keys.add(key);
    }
    return group;
  }

  /** Puts rows of a failed statement before those that have come since. */
  putBack(entries: readonly Entry<Row, Result>[]): void {
    const later = [...this.waiting];
    this.waiting.clear();
    for (const entry of [...entries, ...later]) this.waiting.add(entry);
    for (const entry of entries) entry.place = this.waiting;
  }

  /** Makes rows the next statement but those that are apart already. */
  setApart(entries: readonly Entry<Row, Result>[]): void {
    const group = new Set(entries);
    for (const entry of entries) entry.place = group;
    this.apart.push(group);
  }

  /** @returns the rows of the next statement apart from others; none when there is none */
  takeApart(): Entry<Row, Result>[] {
    // all rows of a group may have been dropped
    for (let group = this.apart.shift(); group; group = this.apart.shift()) {
      if (group.size === 0) continue;
      for (const entry of group) entry.place = undefined;
      return [...group];
    }
    return [];
  }

  /** From now on, rows of this source are written apart. */
  suspect(source: string): void {
    this.suspects.delete(source);
    this.suspects.set(source, performance.now() + SUSPECT_MS);
    if (this.suspects.size > MAX_SUSPECTS) this.suspects.delete(this.suspects.keys().next().value as string);
  }

  private isSuspect({ source }: Row): boolean {
    const until = this.suspects.get(source);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.suspects.delete(source);
    return false;
  }

  /** @returns the rows that are held, the oldest first */
  held(): Entry<Row, Result>[] {
    return [...this.entries].filter(({ isHeld }) => isHeld);
  }
}
