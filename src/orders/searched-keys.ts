import { FEW } from '../outbox/state-filter.js';
import { within } from '../platform/database/deadline.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PacedPages, type Pacing } from '../platform/database/paced-pages.js';
import type { PrismaService } from '../platform/database/prisma.service.js';
import { isFoundIn, type Search } from './order-search.js';

/** A search reads at most this number of orders, the newest, and begins no piece after this time in ms (L51). */
const EXAMINED = 5_000;
const SEARCH_MS = 1_000;
/** A piece without an answer ends the search with a 503; ms. */
const PIECE_LIMIT_MS = 2_000;

/** What one statement of a search reads (L129). */
interface PieceSize {
  readonly orders: number;
  /** a piece ends with the sale whose payload passes this sum, in bytes as stored */
  readonly bytes: number;
}
/** The most of a piece, and the longest time without effect on the size of the next one, in ms. */
const ON_SERVER = { orders: 1_000, bytes: 524_288, longMs: 200 };
const EMBEDDED = { orders: 250, bytes: 65_536, longMs: 40 };
const REST: Pacing['rest'] = { fromMs: 0, times: 2, mostMs: 100 };

/** The collations that compare cases of all letters, the fastest first, and one that every database has. */
const COLLATIONS = ['pg_c_utf8', 'C.utf8', 'und-x-icu', 'C'];
const collations = new WeakMap<PrismaService, Promise<string>>();

/** The keys that a search finds. */
export interface SearchedKeys {
  readonly keys: readonly string[];
  /** the receipt of the oldest order that was read; null: all orders of the seven days were read */
  readonly from: Date | null;
}

interface Piece {
  readonly read: number;
  readonly isLast: boolean;
  readonly keys: readonly string[];
  /** of its oldest order */
  readonly at: Date;
  readonly key: string;
}

/**
 * The keys of the orders of the last seven days that a text finds (R43), read in pieces, the newest first, until L51. Between two pieces
 * others have their turn at the connection, and on the embedded database at the only thread.
 * @throws the database's error; DeadlineError
 */
export async function keysFound(prisma: PrismaService, search: Search): Promise<SearchedKeys> {
  const { orders: most, bytes, longMs } = prisma.embeddedStatements === undefined ? ON_SERVER : EMBEDDED;
  const pieces = new PacedPages(prisma, { first: bytes, most: bytes, quickMs: longMs, slowMs: longMs, rest: REST });
  const isFound = isFoundIn(search, await collationOf(prisma));
  const endsAt = performance.now() + SEARCH_MS;
  const keys: string[] = [];
  let last: Piece | undefined;
  for (let read = 0; read < EXAMINED && keys.length < FEW && performance.now() < endsAt; ) {
    const orders = Math.min(most, EXAMINED - read);
    const piece = await pieces.read((bytes) =>
      within(PIECE_LIMIT_MS, readPiece(prisma, search, isFound, { orders, bytes }, last)),
    );
    if (!piece) return { keys, from: null };
    keys.push(...piece.keys);
    if (piece.isLast) return { keys, from: null };
    last = piece;
    read += piece.read;
  }
  return { keys: keys.slice(0, FEW), from: last?.at ?? null };
}

/** @param after the piece before @returns undefined when there are no further orders */
async function readPiece(
  prisma: PrismaService,
  { restaurantId }: Search,
  isFound: Prisma.Sql,
  { orders, bytes }: PieceSize,
  after: Piece | undefined,
): Promise<Piece | undefined> {
  const beyond = after
    ? Prisma.sql`AND received_at <= ${after.at}::timestamptz AND (received_at, transaction_key) < (${after.at}::timestamptz, ${after.key}::text)`
    : Prisma.empty;
  // the bytes of the sales before each one decide before any payload is read; OFFSET 0 keeps that order
  const { text, values } = Prisma.sql`
    SELECT count(*)::int AS read, bool_or(is_last) AS "isLast", min(received_at) AS at,
           (array_agg(transaction_key ORDER BY received_at, transaction_key))[1] AS key,
           coalesce(array_agg(transaction_key ORDER BY received_at DESC, transaction_key DESC) FILTER (WHERE ${isFound}), '{}') AS keys
    FROM (
      SELECT * FROM (
        SELECT *, sum(size) OVER newest - size AS before,
               count(*) OVER () < ${orders}::int AND row_number() OVER newest = count(*) OVER () AS is_last
        FROM (
          SELECT transaction_key, transaction_number, paid_cents, payload, received_at, pg_column_size(payload) AS size FROM terminal_events
          WHERE restaurant_id = ${restaurantId}::uuid AND received_at >= now() - interval '168 hours' ${beyond}
          ORDER BY received_at DESC, transaction_key DESC LIMIT ${orders}::int
        ) AS newest WINDOW newest AS (ORDER BY received_at DESC, transaction_key DESC)
      ) AS page WHERE before < ${bytes}::int OFFSET 0
    ) AS examined, LATERAL (SELECT payload -> 'items' AS items OFFSET 0) AS of_sale`;
  const [piece] = await prisma.report<Piece>(text, values);
  return piece && piece.read > 0 ? piece : undefined;
}

/** A collation for comparisons of text, which depend on the database's else. */
function collationOf(prisma: PrismaService): Promise<string> {
  const known = collations.get(prisma) ?? readCollation(prisma);
  collations.set(prisma, known);
  known.catch(() => collations.delete(prisma));
  return known;
}

async function readCollation(prisma: PrismaService): Promise<string> {
  const rows = await prisma.report<{ name: string }>(
    `SELECT collname AS name FROM pg_collation WHERE collname = ANY ($1) AND collnamespace = 'pg_catalog'::regnamespace
       AND collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()))
     ORDER BY array_position($1::text[], collname::text) LIMIT 1`,
    [COLLATIONS],
  );
  return rows[0]?.name ?? 'C';
}
