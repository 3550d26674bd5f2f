import { HttpStatus, Injectable } from '@nestjs/common';
import { Passwords } from '../auth/passwords.js';
import type { Prisma as Sql } from '../database/generated/client.js';
import { Prisma } from '../database/prisma.js';
import { mayGrant, RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { problem } from '../problem.js';
import type { Link } from './restaurant.guard.js';
import type { CreateUserAndLinkDto, LinkedUserView, UserStatsView } from './user-links.dto.js';

/** The rows a view is made of. */
const WITH_USER = { user: { select: { email: true, name: true } } } as const;
type LinkRow = Sql.UserRestaurantGetPayload<{ include: typeof WITH_USER }>;
type Transaction = Sql.TransactionClient;

/**
 * WHO MAY: links between users and restaurants. Every change runs in one transaction that holds the restaurant's row and
 * reads the caller's role again under it, so that two changes at one moment cannot leave a restaurant without an OWNER.
 */
@Injectable()
export class UserLinksService {
  constructor(
    private readonly prisma: Prisma,
    private readonly passwords: Passwords,
  ) {}

  async list(restaurantId: string): Promise<LinkedUserView[]> {
    const links = await this.prisma.userRestaurant.findMany({
      where: { restaurantId },
      include: WITH_USER,
      orderBy: [{ role: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
    });
    return links.map(view);
  }

  /** @throws 404 when the user is not linked to this restaurant */
  async get(restaurantId: string, userId: string): Promise<LinkedUserView> {
    return view(await find(this.prisma, restaurantId, userId));
  }

  async stats(restaurantId: string): Promise<UserStatsView> {
    const groups = await this.prisma.userRestaurant.groupBy({ by: ['role'], where: { restaurantId }, _count: true });
    const counted = new Map(groups.map(({ role, _count }) => [role, _count]));
    const countsByRole = Object.fromEntries(RESTAURANT_ROLES.map((role) => [role, counted.get(role) ?? 0]));
    const total = groups.reduce((sum, { _count }) => sum + _count, 0);
    return { restaurantId, countsByRole: countsByRole as unknown as UserStatsView['countsByRole'], total };
  }

  /** @throws 400 ALREADY_LINKED, 403 ROLE_ABOVE_OWN, 404 when there is no such user */
  link(caller: Link, userId: string, role: RestaurantRole): Promise<LinkedUserView> {
    return this.changing(caller, async (tx, own) => {
      refuseRoleAbove(own, role);
      if (!(await tx.user.findUnique({ where: { id: userId }, select: { id: true } })))
        throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'there is no such user');
      return insert(tx, caller.restaurantId, userId, role);
    });
  }

  /**
   * Links the user of this email, whom it creates when there is none.
   * @throws 400 ALREADY_LINKED, 403 ROLE_ABOVE_OWN
   */
  async createAndLink(
    caller: Link,
    { email, password, name, role }: CreateUserAndLinkDto,
  ): Promise<{ created: boolean; user: LinkedUserView }> {
    const passwordHash = await this.passwords.hash(password);
    return this.changing(caller, async (tx, own) => {
      refuseRoleAbove(own, role);
      const { count } = await tx.user.createMany({ data: [{ email, passwordHash, name }], skipDuplicates: true });
      const { id } = await tx.user.findUniqueOrThrow({ where: { email }, select: { id: true } });
      return { created: count > 0, user: await insert(tx, caller.restaurantId, id, role) };
    });
  }

  /** @throws 403, 404, 422 LAST_OWNER */
  changeRole(caller: Link, userId: string, role: RestaurantRole): Promise<LinkedUserView> {
    return this.changing(caller, async (tx, own) => {
      refuseRoleAbove(own, role);
      const link = await find(tx, caller.restaurantId, userId);
      refuseRoleAbove(own, link.role);
      if (link.role === 'OWNER' && role !== 'OWNER') await refuseLastOwner(tx, caller.restaurantId);
      return view(await tx.userRestaurant.update({ where: { id: link.id }, data: { role }, include: WITH_USER }));
    });
  }

  /** @throws 403, 404, 422 LAST_OWNER */
  async unlink(caller: Link, userId: string): Promise<void> {
    await this.changing(caller, async (tx, own) => {
      const link = await find(tx, caller.restaurantId, userId);
      refuseRoleAbove(own, link.role);
      if (link.role === 'OWNER') await refuseLastOwner(tx, caller.restaurantId);
      await tx.userRestaurant.delete({ where: { id: link.id } });
    });
  }

  /**
   * Makes a linked user OWNER and the caller ADMIN.
   * @throws 403 when the caller is no OWNER any more, 422 NOT_LINKED or SAME_USER
   */
  transferOwnership(caller: Link, newOwnerId: string): Promise<LinkedUserView[]> {
    return this.changing(caller, async (tx, own) => {
      if (own !== 'OWNER') throw insufficientRole();
      if (newOwnerId === caller.userId)
        throw problem(HttpStatus.UNPROCESSABLE_ENTITY, 'SAME_USER', 'newOwnerId: you own this restaurant already');
      const { restaurantId } = caller;
      const { count } = await tx.userRestaurant.updateMany({
        where: { restaurantId, userId: newOwnerId },
        data: { role: 'OWNER' },
      });
      if (count === 0)
        throw problem(
          HttpStatus.UNPROCESSABLE_ENTITY,
          'NOT_LINKED',
          'newOwnerId: link this user to the restaurant first',
        );
      await tx.userRestaurant.updateMany({ where: { restaurantId, userId: caller.userId }, data: { role: 'ADMIN' } });
      return [view(await find(tx, restaurantId, newOwnerId)), view(await find(tx, restaurantId, caller.userId))];
    });
  }

  private changing<T>(caller: Link, change: (tx: Transaction, own: RestaurantRole) => Promise<T>): Promise<T> {
    return this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM restaurants WHERE id = ${caller.restaurantId}::uuid FOR NO KEY UPDATE`;
      const { restaurantId, userId } = caller;
      const link = await tx.userRestaurant.findUnique({ where: { userId_restaurantId: { userId, restaurantId } } });
      // the guard has looked before the lock: meanwhile the caller may have lost the role
      if (!link || (link.role !== caller.role && !mayGrant(link.role, caller.role))) throw insufficientRole();
      return change(tx, link.role);
    });
  }
}

async function insert(tx: Transaction, restaurantId: string, userId: string, role: RestaurantRole) {
  const { count } = await tx.userRestaurant.createMany({
    data: [{ restaurantId, userId, role }],
    skipDuplicates: true,
  });
  if (count === 0)
    throw problem(HttpStatus.BAD_REQUEST, 'ALREADY_LINKED', 'this user is linked to the restaurant already');
  return view(await find(tx, restaurantId, userId));
}

async function find(client: Transaction, restaurantId: string, userId: string): Promise<LinkRow> {
  const link = await client.userRestaurant.findUnique({
    where: { userId_restaurantId: { userId, restaurantId } },
    include: WITH_USER,
  });
  if (!link) throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'this user is not linked to the restaurant');
  return link;
}

/** Nobody grants, changes or removes a role above their own. */
function refuseRoleAbove(own: RestaurantRole, role: RestaurantRole): void {
  if (!mayGrant(own, role))
    throw problem(HttpStatus.FORBIDDEN, 'ROLE_ABOVE_OWN', `role: ${role} is above your own role ${own}`);
}

async function refuseLastOwner(tx: Transaction, restaurantId: string): Promise<void> {
  if ((await tx.userRestaurant.count({ where: { restaurantId, role: 'OWNER' } })) > 1) return;
  throw problem(
    HttpStatus.UNPROCESSABLE_ENTITY,
    'LAST_OWNER',
    'a restaurant never loses its last OWNER; make another one first',
  );
}

function insufficientRole() {
  return problem(
    HttpStatus.FORBIDDEN,
    'INSUFFICIENT_ROLE',
    'your role in this restaurant does not allow this any more',
  );
}

function view({ userId, user, role, createdAt }: LinkRow): LinkedUserView {
  return { userId, email: user.email, name: user.name, role, linkedAt: createdAt };
}
