import type { RestaurantRole } from '../domain/role.js';
import type { Prisma } from '../platform/database/generated/client.js';
import type { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import type { Link } from './restaurant.guard.js';
import type { LinkedUserView } from './user-links.views.js';

/** Prisma `include` of a link. */
export const WITH_USER = { user: { select: { email: true, name: true } } } as const;
export type LinkRow = Prisma.UserRestaurantGetPayload<{ include: typeof WITH_USER }>;
export type Client = Prisma.TransactionClient;

/** @returns the link of this user. @throws 404 NOT_FOUND when the user is not linked to the restaurant */
export async function findLink(client: Client, restaurantId: string, userId: string): Promise<LinkRow> {
  const link = await client.userRestaurant.findUnique({
    where: { userId_restaurantId: { userId, restaurantId } },
    include: WITH_USER,
  });
  if (!link) throw problem('NOT_FOUND', 'this user is not linked to the restaurant');
  return link;
}

/** A link as the API shows it. Email and name of a user who was linked by id are null until the user accepts (A30). */
export function toView({ userId, user, role, createdAt, acceptedAt, byId }: LinkRow): LinkedUserView {
  const accepted = acceptedAt !== null;
  const { email, name } = byId && !accepted ? { email: null, name: null } : user;
  return { userId, email, name, role, accepted, linkedAt: createdAt };
}

/** The name of a link's user in the audit: the email, or the user's id while the email is hidden. */
export function nameOf(link: LinkRow): string {
  return toView(link).email ?? link.userId;
}

/** The number of restaurants that `owner` owns by an accepted link (W32) and in which the email of `userId` is visible (A23, A30). */
export function countAcquaintances(client: Client, owner: string, userId: string): Promise<number> {
  return client.userRestaurant.count({
    where: {
      userId,
      OR: [{ byId: false }, { acceptedAt: { not: null } }],
      restaurant: { deletedAt: null, users: { some: { userId: owner, role: 'OWNER', acceptedAt: { not: null } } } },
    },
  });
}

/** Locks a restaurant's row against other changes of its links, until the transaction ends. */
export async function lockRestaurant(tx: Client, restaurantId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
}

/**
 * Runs a change in a transaction that holds the row lock of the restaurant. `change` gets the caller's role as read under the lock.
 * @throws 401, 403 or 404 when the caller may not change it any more (A40)
 */
export function underLock<T>(
  prisma: PrismaService,
  caller: Link,
  change: (tx: Client, callerRole: RestaurantRole) => Promise<T>,
): Promise<T> {
  return prisma.$transaction(async (tx) => {
    await lockRestaurant(tx, caller.restaurantId);
    return change(tx, await caller.confirm(tx));
  });
}
