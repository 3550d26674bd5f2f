import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { NewRow } from './new-row.js';

const WAIT = preparedStatement(
  'wait_for_restaurants',
  `SELECT 1 FROM restaurants WHERE deleted_at IS NULL AND (id = ANY ($1::uuid[]) OR code_store_terminal = ANY ($2::text[])) ORDER BY id FOR KEY SHARE`,
);

/**
 * Waits until no other session has locked the rows of the restaurants of these events, for example a removal of the restaurant. It stores
 * nothing: what allows the sales may have ended meanwhile, and a statement does not see what was committed since it began.
 */
export async function waitForRestaurants(prisma: PrismaService, rows: readonly NewRow[]): Promise<undefined[]> {
  const places = rows.map(({ event }) => event.place);
  const ids = places.flatMap(({ restaurantId }) => restaurantId ?? []);
  const codes = places.flatMap(
    (place) => (place.sender === 'terminal' && !place.restaurantId && place.storeCode) || [],
  );
  await prisma.prepared(WAIT, [ids, codes]);
  return rows.map(() => undefined);
}
