/** What a snapshot of Postgres and the name of its database look like. */
const SNAPSHOT = /^\d{1,19}:\d{1,19}:(\d{1,19}(,\d{1,19})*)?$/;
const DATABASE = /^\d{1,20}\.[0-9A-F]{8}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A stored key, in test mode with its suffix. */
const KEY = /^[^\0]{0,300}$/;
/** µs since 1970, up to the year 5138. */
const MICROSECONDS = /^\d{1,17}$/;
/** The largest id of a transaction. No id ends in 32 zero bits. */
const MOST = 2n ** 63n - 1n;
const EPOCH = 2n ** 32n;

/** The most characters of a cursor: the ids of all transactions that run at once are in it. */
export const MAX_CURSOR = 8_000;

/** What a sender has read: all that `snapshot` sees. */
export interface Read {
  /** the database whose transactions the snapshot names: another one has other transactions of these ids */
  readonly database: string;
  /** `pg_snapshot`, as a text */
  readonly snapshot: string;
  /** when it was taken; µs since 1970, by the database's clock */
  readonly at: string;
}

/** The place of a sender in the list of its receipts (V22). */
export interface Cursor {
  readonly read: Read;
  /** between two pages: the receipts that this snapshot sees are read first, and then `until` becomes `read` */
  readonly rest?: { readonly until: Omit<Read, 'database'>; readonly after: Position } | undefined;
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

/** @returns the cursor as one opaque text, safe in a URL */
export function writeCursor({ read, rest }: Cursor): string {
  const parts: unknown[] = [read.database, read.snapshot, read.at];
  if (rest) {
    const { until, after } = rest;
    parts.push(until.snapshot, until.at, after.at, after.isSettled, after.key, after.id);
  }
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Reads a cursor. It may be forged: what Postgres would refuse is refused here, because a page shares its statement with the pages of
 * other senders.
 * @returns undefined when the text is no cursor
 */
export function readCursor(text: string): Cursor | undefined {
  const parts = partsOf(text);
  const [database, snapshot, at, untilSnapshot, untilAt, afterAt, isSettled, key, id] = parts;
  if (!isText(database, DATABASE) || !isSnapshot(snapshot) || !isText(at, MICROSECONDS)) return undefined;
  const read = { database, snapshot, at };
  if (parts.length === 3) return { read };
  if (parts.length !== 9 || !isSnapshot(untilSnapshot) || !isText(untilAt, MICROSECONDS)) return undefined;
  if (!isText(afterAt, MICROSECONDS) || typeof isSettled !== 'boolean' || !isText(key, KEY) || !isText(id, UUID))
    return undefined;
  return {
    read,
    rest: { until: { snapshot: untilSnapshot, at: untilAt }, after: { at: afterAt, isSettled, key, id } },
  };
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

const isText = (part: unknown, shape: RegExp): part is string =>
  typeof part === 'string' && part.isWellFormed() && shape.test(part);

/** Whether Postgres takes the text as a `pg_snapshot`: xmin, xmax, and the transactions between them in ascending order. */
function isSnapshot(text: unknown): text is string {
  if (!isText(text, SNAPSHOT)) return false;
  const [xmin = '', xmax = '', running = ''] = text.split(':');
  const ids = [xmin, ...(running === '' ? [] : running.split(',')), xmax].map(BigInt);
  if (ids.some((id) => id < 1n || id > MOST || id % EPOCH === 0n)) return false;
  // xmin may be the first of the running ones; none is xmax or above
  return ids.every((id, i) => i === 0 || id > (ids[i - 1] as bigint) || (i === 1 && id === ids[0]));
}
