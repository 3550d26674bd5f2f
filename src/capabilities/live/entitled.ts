import type { SignIn } from '../../auth/principal.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';

/** Who views what, and by which token. */
export interface Entitlement {
  readonly userId: string;
  readonly restaurantId: string;
  readonly signIn: SignIn;
}

/** The numbers of the viewers, from 1, whose link, restaurant, session or token has ended. A session of the console outlives a new password (N10). */
const NOT_ENTITLED = preparedStatement(
  'live_not_entitled',
  `SELECT viewer.number::int FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[]) WITH ORDINALITY
     AS viewer(user_id, restaurant_id, session, version, number)
   WHERE NOT EXISTS (
     SELECT FROM user_restaurants link WHERE link.user_id = viewer.user_id AND link.restaurant_id = viewer.restaurant_id)
     OR (SELECT deleted_at IS NOT NULL FROM restaurants WHERE id = viewer.restaurant_id)
     OR CASE WHEN viewer.session IS NULL
       THEN NOT EXISTS (SELECT FROM users WHERE id = viewer.user_id AND token_version = viewer.version)
       ELSE NOT EXISTS (SELECT FROM console_sessions WHERE id = viewer.session AND expires_at > now()) END`,
);

/** @returns the viewers who may not view any more (N31). @throws the database's error */
export async function notEntitled<Viewer extends Entitlement>(
  prisma: PrismaService,
  viewers: readonly Viewer[],
): Promise<Viewer[]> {
  const rows = await prisma.prepared<{ number: number }>(NOT_ENTITLED, [
    viewers.map(({ userId }) => userId),
    viewers.map(({ restaurantId }) => restaurantId),
    viewers.map(({ signIn: { session } }) => session ?? null),
    viewers.map(({ signIn: { version } }) => version),
  ]);
  return rows.map(({ number }) => viewers[number - 1] as Viewer);
}
