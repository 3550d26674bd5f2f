import { PacedPages, type Pacing } from '../../platform/database/paced-pages.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { partsOfSale } from '../named-items.sql.js';
import { PARKED } from '../parked.sql.js';

/** The newest refused orders of a restaurant whose items are looked through, until their payloads have this size, in bytes as stored (L233). */
const EXAMINED = 1_000;
const EXAMINED_BYTES = 4_194_304;
/** No piece begins after this time, ms. */
const EXAMINED_MS = 5_000;
/** Sizes of a piece, in bytes of payloads as stored. Stored payloads are compressed, and their unpacked size is not known (I21), so the first piece is small. */
const PACING: Pacing = {
  ...{ first: 8_192, most: 1_048_576, quickMs: 20, slowMs: 40 },
  rest: { fromMs: 20, times: 4, mostMs: 500 },
};

interface Piece {
  readonly read: number;
  readonly bytes: number;
  readonly isLast: boolean | null;
  /** of its oldest job: when it was parked, as a text of Postgres */
  readonly at: string | null;
  readonly id: string | null;
  readonly found: readonly string[];
}

/**
 * Codes stand in items, and in the options within them. The sizes decide before any payload is read; OFFSET 0 keeps that order. $3: bytes; $4: how many jobs; $5
 * and $6: where the piece before ended, or null.
 */
const PIECE = `WITH page AS MATERIALIZED (
    SELECT * FROM (
      SELECT job.id, job.updated_at, event.payload, event.size, sum(event.size) OVER newest - event.size AS before,
             row_number() OVER newest = count(*) OVER () AS is_last
      FROM (
        SELECT id, event_key, updated_at FROM outbox_jobs
        WHERE restaurant_id = $1::uuid AND ${PARKED.sql} AND action = 'CREATE' AND cause = 'refused' AND coalesce(subject, 'other') IN ('product', 'other')
          AND ($5::timestamptz IS NULL OR updated_at < $5::timestamptz OR (updated_at = $5::timestamptz AND id > $6::uuid))
        ORDER BY updated_at DESC, id LIMIT $4::int
      ) AS job, LATERAL (
        SELECT payload, pg_column_size(payload) AS size FROM terminal_events
        WHERE transaction_key = job.event_key AND restaurant_id = $1::uuid AND erased_at IS NULL OFFSET 0) AS event
      WINDOW newest AS (ORDER BY job.updated_at DESC, job.id)
    ) AS sized WHERE before < $3::int OFFSET 0
  )
  SELECT count(*)::int AS read, coalesce(sum(size), 0)::int AS bytes, bool_or(is_last) AS "isLast",
         (array_agg(updated_at::text ORDER BY updated_at, id DESC))[1] AS at, (array_agg(id::text ORDER BY updated_at, id DESC))[1] AS id,
         coalesce(array_agg(id::text ORDER BY updated_at DESC, id) FILTER (WHERE EXISTS (
           SELECT FROM ${partsOfSale('items')} WHERE jsonb_typeof(each) = 'object' AND (each ->> 'itemCode') = ANY ($2::text[]))), '{}') AS found
  FROM page, LATERAL (SELECT payload -> 'items' AS items OFFSET 0) AS of_sale`;

/**
 * The parked orders of a restaurant that the POS refused for a product, or for a reason that nobody knows, and that have an item with one of these codes.
 * The newest are looked through in pieces, up to a bound (L233, I21).
 * @param itemCodes as the terminal sent them
 * @returns the ids of their jobs
 * @throws the database's error
 */
export async function parkedWithItems(
  prisma: PrismaService,
  restaurantId: string,
  itemCodes: readonly string[],
): Promise<string[]> {
  const pages = new PacedPages(prisma, PACING);
  const endsAt = performance.now() + EXAMINED_MS;
  const found: string[] = [];
  let [read, bytes] = [0, 0];
  let last: Piece | undefined;
  while (read < EXAMINED && bytes < EXAMINED_BYTES && performance.now() < endsAt) {
    const after = [last?.at ?? null, last?.id ?? null];
    const most = EXAMINED - read;
    const readPiece = (size: number) =>
      prisma.report<Piece>(PIECE, [restaurantId, itemCodes, Math.min(size, EXAMINED_BYTES - bytes), most, ...after]);
    const [piece]: Piece[] = await pages.read(readPiece);
    found.push(...(piece?.found ?? []));
    if (!piece?.at || piece.isLast) break;
    read += piece.read;
    bytes += piece.bytes;
    last = piece;
  }
  return found;
}
