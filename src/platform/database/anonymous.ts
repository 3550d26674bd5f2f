import { Prisma } from './generated/client.js';

/**
 * SQL: whether a user is anonymous in a restaurant (A30): linked by id, and the link is not accepted. Neither email nor name is shown then.
 * @param user an expression for the id of the user
 * @param restaurant an expression for the id of the restaurant
 */
export const isAnonymous = (user: string, restaurant: string) =>
  Prisma.raw(
    `EXISTS (SELECT FROM user_restaurants by_id_link WHERE by_id_link.user_id = ${user} AND by_id_link.restaurant_id = ${restaurant}
       AND by_id_link.by_id AND by_id_link.accepted_at IS NULL)`,
  );

/** A user as the people of a restaurant see them (A30); undefined: they see neither name nor email. */
export async function seenUser(
  tx: Prisma.TransactionClient,
  { userId, restaurantId }: { readonly userId: string; readonly restaurantId: string },
): Promise<{ readonly name: string | null; readonly email: string } | undefined> {
  const [user] = await tx.$queryRaw<{ name: string | null; email: string }[]>`
    SELECT name, email FROM users WHERE id = ${userId}::uuid AND NOT ${isAnonymous('users.id', `'${restaurantId}'::uuid`)}`;
  return user;
}
