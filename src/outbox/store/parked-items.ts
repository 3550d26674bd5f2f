import type { PrismaService } from '../../platform/database/prisma.service.js';
import { PARKED } from '../parked.sql.js';

/** The newest refused orders of a restaurant whose items are looked through, until their payloads have this size, in bytes as stored (L233). */
const EXAMINED = 1_000;
const EXAMINED_BYTES = 4_194_304;

/** Codes stand in items, and in the options within them. The sizes decide before any payload is read; OFFSET 0 keeps that order. */
const PARKED_WITH = `SELECT id::text FROM (
    SELECT * FROM (
      SELECT job.id, event.payload, sum(event.size) OVER (ORDER BY job.updated_at DESC, job.id) - event.size AS before
      FROM (
        SELECT id, event_key, updated_at FROM outbox_jobs
        WHERE restaurant_id = $1::uuid AND ${PARKED.sql} AND action = 'CREATE' AND cause = 'refused' AND coalesce(subject, 'other') IN ('product', 'other')
        ORDER BY updated_at DESC LIMIT ${EXAMINED}
      ) AS job, LATERAL (
        SELECT payload, pg_column_size(payload) AS size FROM terminal_events
        WHERE transaction_key = job.event_key AND restaurant_id = $1::uuid AND erased_at IS NULL OFFSET 0) AS event
    ) AS newest WHERE before < ${EXAMINED_BYTES} OFFSET 0
  ) AS examined
  WHERE EXISTS (SELECT FROM jsonb_path_query(payload -> 'items', 'lax $.**.itemCode') AS code WHERE (code #>> '{}') = ANY ($2::text[]))`;

/**
 * The parked orders of a restaurant that the POS refused for a product, or for a reason that nobody knows, and that have an item with one of these codes.
 * The newest are looked through, up to a bound (L233).
 * @param itemCodes as the terminal sent them
 * @returns the ids of their jobs
 */
export async function parkedWithItems(
  prisma: PrismaService,
  restaurantId: string,
  itemCodes: readonly string[],
): Promise<string[]> {
  const rows = await prisma.report<{ id: string }>(PARKED_WITH, [restaurantId, itemCodes]);
  return rows.map(({ id }) => id);
}
