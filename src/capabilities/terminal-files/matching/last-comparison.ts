import type { Prisma } from '../../../platform/database/generated/client.js';

/** The last comparison of a restaurant: another text after each. */
export async function lastComparison(db: Prisma.TransactionClient, restaurantId: string): Promise<string> {
  const [row] = await db.$queryRaw<{ last: string }[]>`
    SELECT count(*) || '/' || coalesce(max(matched_at)::text, '') AS last FROM terminal_files
    WHERE restaurant_id = ${restaurantId}::uuid AND matched_at IS NOT NULL`;
  return row?.last ?? '';
}
