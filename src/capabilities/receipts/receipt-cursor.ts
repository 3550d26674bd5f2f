const DATABASE = /^\d{1,20}\.[0-9A-F]{8}$/;
/** µs since 1970, up to the year 5138. */
const MICROSECONDS = /^\d{1,17}$/;

/** The most characters of a cursor: the ids of all transactions that run at once are in it. */
export const MAX_CURSOR = 8_000;

/** A transaction that a snapshot does not see, and that began long before it. */
export interface OpenTransaction {
  /** of its session; null: known by its id alone */
  readonly pid: number | null;
  /** its id; null: the session names it, which may not have an id yet */
  readonly xid: string | null;
  /** when it began, or a time before; µs since 1970, by the database's clock */
  readonly begin: string;
}

/** All that a snapshot sees, and what to look for later. */
export interface Seen {
  /** `pg_snapshot`, as a text */
  readonly snapshot: string;
  /** shortly before it was taken; µs since 1970, by the database's clock */
  readonly at: string;
  /** the same moment by the steady clock of the instance, in ms; null: not known */
  readonly clock: number | null;
  /** what began long before `at` and was open then */
  readonly open: readonly OpenTransaction[];
}

/** What a sender has read: all that `snapshot` sees. */
export interface Read extends Seen {
  /** the database whose transactions the snapshot names: another one has other transactions of these ids */
  readonly database: string;
}

/** The place of a sender in the list of its receipts (V22). */
export interface Cursor {
  readonly read: Read;
  /** between two pages: the receipts that this snapshot sees are read first, and then `until` becomes `read` */
  readonly rest?: { readonly until: Seen; readonly after: Position } | undefined;
}

/** A receipt in the order of the list. */
export interface Position {
  /** µs since 1970 */
  readonly at: string;
  readonly isSettled: boolean;
  /** of a sale that was stored: its key, else empty */
  readonly key: string;
  /** the id of the job that was settled, or of the restaurant of a sale that was stored */
  readonly id: string;
}

/** The database of a cursor that no snapshot belongs to: the list begins at its time. */
export const NO_DATABASE = { database: '0.00000000', snapshot: '1:1:' } as const;

/** @returns a cursor that is a time alone: what the list has from then on may have come before. @param at µs since 1970 */
export const cursorAt = (at: string): Cursor => ({ read: { ...NO_DATABASE, at, clock: null, open: [] } });

/** A list without a cursor begins this long ago (L66), in µs. */
const FIRST = 24n * 3_600_000_000n;

/** @returns where a list without a cursor begins. @param now µs since 1970, by the database's clock: so are the times of receipts */
export const firstCursor = (now: string): Cursor => cursorAt(String(BigInt(now) - FIRST));

/** @returns the cursor as columns of the statement. @param clock now, by the steady clock of the process, in ms */
export function columnsOf({ read, rest }: Cursor, clock: number) {
  const { database, snapshot: seen, at: since, open } = read;
  const { at: afterAt, isSettled: afterSettled, key: afterKey, id: afterId } = rest?.after ?? {};
  // below 0 the clock of another process was ahead: since when, the marks say (V29)
  const elapsedMs = read.clock === null ? 0 : Math.max(0, clock - read.clock);
  const until = rest?.until.snapshot;
  return { database, seen, since, elapsedMs, open, until, afterAt, afterSettled, afterKey, afterId };
}

/**
 * @returns the cursor as one text, without its authentication. The part before `=` is a whole cursor of the version before, which reads no
 * further: while both versions run, each reads the cursors of the other
 */
export function writeCursor({ read, rest }: Cursor): string {
  const parts: unknown[] = [read.database, read.snapshot, read.at];
  if (rest) {
    const { until, after } = rest;
    parts.push(until.snapshot, until.at, after.at, after.isSettled, after.key, after.id);
  }
  return [parts, [read, rest?.until].map((seen) => seen && moreOf(seen))].map(packed).join('=');
}

/** Reads what {@link writeCursor} wrote. A text of a client is read by ReceiptCursors, which authenticates it. */
export function readCursor(text: string): Cursor | undefined {
  const [known = '', more = ''] = text.split(/[=.]/);
  const [database, snapshot, at, untilSnapshot, untilAt, afterAt, isSettled, key, id] = unpacked(known) as string[];
  const [moreRead, moreUntil] = unpacked(more) as (ReturnType<typeof moreOf> | null)[];
  if (database === undefined || snapshot === undefined || at === undefined || !moreRead) return undefined;
  const read = { database, ...seenOf(snapshot, at, moreRead) };
  if (untilSnapshot === undefined || untilAt === undefined || !moreUntil) return { read };
  const after = { at: afterAt ?? '0', isSettled: Boolean(isSettled), key: key ?? '', id: id ?? '' };
  return { read, rest: { until: seenOf(untilSnapshot, untilAt, moreUntil), after } };
}

/** @returns the time of a cursor whose rest nobody vouches for; undefined when the text is no cursor */
export function timeOf(text: string): string | undefined {
  const parts = unpacked(text.split('=')[0] ?? '');
  const [database, snapshot, at, , , after] = parts;
  if (!isText(database, DATABASE) || typeof snapshot !== 'string' || !isText(at, MICROSECONDS)) return undefined;
  if (parts.length === 3) return at;
  // the pages of before are read: a list that began again with each page would have no end
  return parts.length === 9 && isText(after, MICROSECONDS) ? after : undefined;
}

const moreOf = ({ clock, open }: Seen) => [clock, open.map(({ pid, xid, begin }) => [pid, xid, begin])] as const;

function seenOf(snapshot: string, at: string, [clock, open]: ReturnType<typeof moreOf>): Seen {
  return { snapshot, at, clock, open: open.map(([pid, xid, begin]) => ({ pid, xid, begin }) as OpenTransaction) };
}

const packed = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');

function unpacked(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

const isText = (part: unknown, shape: RegExp): part is string => typeof part === 'string' && shape.test(part);
