/** The most characters of one statement; a longer row is written alone. */
const MAX_LENGTH = 1_048_576;
/** Time in ms for which the rows of a source are written separately after the database refused one of them. */
const SUSPECT_MS = 10_000;
/** The most suspect sources; the oldest one is removed first. */
const MAX_SUSPECTS = 1_000;

/** A row that shares its statement with rows of other callers. */
export interface BatchedRow {
  /** characters that the row adds to the statement */
  readonly length: number;
  /** two rows with a key in common never share a statement */
  readonly keys: readonly string[];
  /** the sender of the row: after a refused row, rows of the same source are written separately for a time */
  readonly source: string;
  /** by whom the row takes turns with those of others; absent: by its source */
  readonly party?: string | undefined;
}

/** The capacity of a queue, rows under way included. */
export interface Bound {
  readonly rows: number;
  /** characters */
  readonly length: number;
}

/** The row was not written and may be sent again: the queue is full, or the caller has gone. */
export class NotWrittenError extends Error {}

/** A row and the promise of its caller. */
export interface Entry<Row, Result> {
  readonly row: Row;
  /** when the row was added, by performance.now(), ms */
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** the set in which the row waits; undefined while the statement of the row runs */
  place: Set<Entry<Row, Result>> | undefined;
  /** the statement of the row failed, and the row is retried */
  isHeld: boolean;
}

/** The rows of a {@link Batcher}: rows to write together, and rows to write separately. */
export class RowQueue<Row extends BatchedRow, Result> {
  /** the rows that wait, oldest first, of each party; the party whose turn it is comes first */
  private readonly waiting = new Map<string, Set<Entry<Row, Result>>>();
  /** the members of a group share a statement */
  private readonly apart: Set<Entry<Row, Result>>[] = [];
  /** source -> end of the time in which its rows are written separately, by performance.now(), ms; oldest first */
  private readonly suspects = new Map<string, number>();
  /** all rows that have no result or error yet */
  private readonly entries = new Set<Entry<Row, Result>>();
  private length = 0;

  constructor(private readonly bound: Bound | undefined) {}

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** @param unwanted see {@link Batcher.add} */
  add(row: Row, unwanted: AbortSignal | undefined): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (unwanted?.aborted) return reject(new NotWrittenError('the caller of this row has gone'));
      if (this.isFull(row)) return reject(new NotWrittenError('too many rows wait for the database'));
      const since = performance.now();
      const entry: Entry<Row, Result> = { row, since, resolve, reject, place: undefined, isHeld: false };
      this.entries.add(entry);
      this.length += row.length;
      this.wait(entry);
      unwanted?.addEventListener('abort', () => this.drop(entry), { once: true });
    });
  }

  private isFull({ length }: Row): boolean {
    if (!this.bound || this.isEmpty) return false;
    return this.entries.size >= this.bound.rows || this.length + length > this.bound.length;
  }

  private wait(entry: Entry<Row, Result>): void {
    const party = partyOf(entry.row);
    const rows = this.waiting.get(party) ?? new Set();
    this.waiting.set(party, rows);
    rows.add(entry);
    entry.place = rows;
  }

  private drop(entry: Entry<Row, Result>): void {
    if (entry.place?.delete(entry))
      this.end(entry, () => entry.reject(new NotWrittenError('the caller of this row has gone')));
  }

  /** Removes a row, with its result or error. */
  end(entry: Entry<Row, Result>, answer: () => void): void {
    this.entries.delete(entry);
    this.length -= entry.row.length;
    answer();
  }

  /**
   * Takes the rows of the next statement: the parties take turns, each with its oldest row, so that many rows of one do not delay those of
   * another. No two rows have a key in common.
   */
  take(most: number): Entry<Row, Result>[] {
    const group: Entry<Row, Result>[] = [];
    const keys = new Set<string>();
    let length = 0;
    const takes = ({ row }: Entry<Row, Result>) => {
      const fits = length === 0 || length + row.length <= MAX_LENGTH;
      if (!fits || row.keys.some((key) => keys.has(key))) return false;
      length += row.length;
      for (const key of row.keys) keys.add(key);
      return true;
    };
    let turns = [...this.waiting].map(([party, rows]) => ({ party, rows, left: rows.values() }));
    while (turns.length > 0 && group.length < most)
      turns = turns.filter(({ party, rows, left }) => {
        if (group.length === most) return false;
        const entry = this.nextOf(left, takes);
        if (entry) {
          rows.delete(entry);
          entry.place = undefined;
          group.push(entry);
          // behind the others
          this.waiting.delete(party);
          this.waiting.set(party, rows);
        }
        if (rows.size === 0) this.waiting.delete(party);
        return entry !== undefined;
      });
    return group;
  }

  /** The next row that a statement takes; rows of suspect sources are set apart. */
  private nextOf(
    rows: Iterator<Entry<Row, Result>>,
    takes: (entry: Entry<Row, Result>) => boolean,
  ): Entry<Row, Result> | undefined {
    for (let next = rows.next(); !next.done; next = rows.next()) {
      const entry = next.value;
      if (this.isSuspect(entry.row)) {
        entry.place?.delete(entry);
        this.setApart([entry]);
      } else if (takes(entry)) return entry;
    }
    return undefined;
  }

  /** Puts rows of a failed statement before newer ones. */
  putBack(entries: readonly Entry<Row, Result>[]): void {
    const later = [...this.waiting.values()];
    this.waiting.clear();
    for (const entry of entries) this.wait(entry);
    for (const rows of later) for (const entry of rows) this.wait(entry);
  }

  /** Queues rows as one separate statement. */
  setApart(entries: readonly Entry<Row, Result>[]): void {
    const group = new Set(entries);
    for (const entry of entries) entry.place = group;
    this.apart.push(group);
  }

  /** @returns the rows of the next separate statement; empty when there is none */
  takeApart(): Entry<Row, Result>[] {
    // all rows of a group may have been dropped
    for (let group = this.apart.shift(); group; group = this.apart.shift()) {
      if (group.size === 0) continue;
      for (const entry of group) entry.place = undefined;
      return [...group];
    }
    return [];
  }

  /** Marks a source as suspect: its rows are written separately. */
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

  /** @returns the rows that are retried, oldest first */
  held(): Entry<Row, Result>[] {
    return [...this.entries].filter(({ isHeld }) => isHeld);
  }
}

function partyOf({ party, source }: BatchedRow): string {
  return party ?? source;
}
