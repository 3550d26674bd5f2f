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
