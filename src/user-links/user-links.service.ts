import { Injectable } from '@nestjs/common';
import { AuthService } from '../auth/auth.service.js';
import type { PasswordSender } from '../auth/password-queue.js';
import { Passwords } from '../auth/passwords.js';
import { Revocations } from '../auth/revocations.js';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import type { AuditedAct } from '../platform/audit/actions.js';
import { auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import { LINK_CODES } from './error-codes.js';
import { type Client, countAcquaintances, findLink, nameOf, toView, underLock, WITH_USER } from './links.js';
import { alreadyLinked, insufficientRole, refuseLastOwner, refuseRoleAbove } from './refusals.js';
import type { Link } from './restaurant.guard.js';
import type { CreateUserAndLinkDto } from './user-links.dto.js';
import type { LinkedUserView, UserStatsView } from './user-links.views.js';
import { MAX_LISTED } from './user-links.views.js';

export const USER_LINKED = auditAction('user.linked', { mostInADay: 500 });
const USER_ROLE_CHANGED = auditAction('user.role_changed', { mostInADay: 2_000 });
const USER_UNLINKED = auditAction('user.unlinked');
const OWNERSHIP_TRANSFERRED = auditAction('ownership.transferred', { mostInADay: 200 });

export const ACCOUNT_EXISTS_TEXT =
  'email: an account with this email exists, and the password is not its password. Ask its user for the id in GET /auth/me, ' +
  'and link it by POST /restaurants/:restaurantId/users';

/** A link to create. */
interface NewLink {
  readonly userId: string;
  readonly role: RestaurantRole;
  readonly origin: 'ADDED' | 'ACCOUNT';
  /** true: the caller has only the id of the account, and email and name stay hidden until the user accepts (A30) */
  readonly byId: boolean;
}

/**
 * Manages the links between users and restaurants. Every change runs in a transaction that locks the restaurant's row and
 * reads the caller's role again, so that concurrent changes cannot leave a restaurant without an OWNER (A15).
 */
@Injectable()
export class UserLinksService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly passwords: Passwords,
    private readonly auth: AuthService,
    private readonly audit: AuditTrail,
    private readonly revocations: Revocations,
  ) {}

  /** Lists the linked users, highest role first. */
  async list(restaurantId: string): Promise<LinkedUserView[]> {
    const links = await this.prisma.userRestaurant.findMany({
      where: { restaurantId },
      include: WITH_USER,
      orderBy: [{ role: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
      take: MAX_LISTED,
    });
    return links.map(toView);
  }

  /** Returns one linked user. @throws 404 NOT_FOUND when the user is not linked to this restaurant */
  async get(restaurantId: string, userId: string): Promise<LinkedUserView> {
    return toView(await findLink(this.prisma, restaurantId, userId));
  }

  /** Counts the linked users by role. */
  async stats(restaurantId: string): Promise<UserStatsView> {
    const groups = await this.prisma.userRestaurant.groupBy({ by: ['role'], where: { restaurantId }, _count: true });
    const counted = new Map(groups.map(({ role, _count }) => [role, _count]));
    const countsByRole = Object.fromEntries(RESTAURANT_ROLES.map((role) => [role, counted.get(role) ?? 0]));
    const total = groups.reduce((sum, { _count }) => sum + _count, 0);
    return { restaurantId, countsByRole: countsByRole as unknown as UserStatsView['countsByRole'], total };
  }

  /** Links an existing user by id. @throws 400 ALREADY_LINKED, 403 ROLE_ABOVE_OWN (A14), 404 when there is no such user */
  async link(caller: Link, userId: string, role: RestaurantRole): Promise<LinkedUserView> {
    const byId = (await countAcquaintances(this.prisma, caller.userId, userId)) === 0;
    return this.add(caller, { userId, role, origin: 'ADDED', byId });
  }

  /**
   * Creates and links a user, or links the existing user with this email (A23).
   * @param client the caller's, for the login limit (A9) and the queue of password checks (A7), in which the caller has places of its own
   * @returns `created`: whether the user is new
   * @throws 400 ALREADY_LINKED, 403 ROLE_ABOVE_OWN, 409 ACCOUNT_EXISTS, 422 GUESSABLE_PASSWORD, 429 TOO_MANY_REQUESTS or QUOTA_REACHED, 503
   *   TOO_MANY_PASSWORD_CHECKS; ClientGoneError
   */
  async createAndLink(
    caller: Link,
    person: CreateUserAndLinkDto,
    client: PasswordSender,
  ): Promise<{ created: boolean; user: LinkedUserView }> {
    // checked before the password is hashed or compared; underLock reads the role again
    refuseRoleAbove(caller.role, person.role);
    await this.audit.refuseBeyondQuota(caller, USER_LINKED);
    const sender = { ...client, account: caller.userId };
    const account = await this.prisma.user.findUnique({ where: { email: person.email }, select: { id: true } });
    const user = account ? undefined : await this.create(caller, person, sender);
    return user ? { created: true, user } : { created: false, user: await this.linkAccount(caller, person, sender) };
  }

  /** @returns undefined when a concurrent request has created an account with this email */
  private async create(
    caller: Link,
    { email, password, name, role }: CreateUserAndLinkDto,
    sender: PasswordSender,
  ): Promise<LinkedUserView | undefined> {
    const passwordHash = await this.passwords.hashNew({ email, password }, sender);
    return underLock(this.prisma, caller, async (tx, callerRole) => {
      refuseRoleAbove(callerRole, role);
      const { count } = await tx.user.createMany({
        data: [{ email, passwordHash, name, createdBy: caller.userId }],
        skipDuplicates: true,
      });
      if (count === 0) return undefined;
      const { id } = await tx.user.findUniqueOrThrow({ where: { email }, select: { id: true } });
      return this.insert(tx, caller, { userId: id, role, origin: 'ACCOUNT', byId: false });
    });
  }

  /**
   * Links an existing account. The caller must know the password of the account, or own a restaurant to which the account is linked.
   * Without this condition the caller could link an account that a stranger has created for this email (A23).
   */
  private async linkAccount(
    caller: Link,
    { email, password, role }: CreateUserAndLinkDto,
    sender: PasswordSender,
  ): Promise<LinkedUserView> {
    const { id } = await this.prisma.user.findUniqueOrThrow({ where: { email }, select: { id: true } });
    const { restaurantId, userId } = caller;
    const link = await this.prisma.userRestaurant.findUnique({
      where: { userId_restaurantId: { userId: id, restaurantId } },
      include: WITH_USER,
    });
    // not for a user whose email is hidden: this answer would reveal the email (A30)
    if (link && toView(link).email !== null) throw alreadyLinked();
    const isKnown = (await countAcquaintances(this.prisma, userId, id)) > 0;
    if (!isKnown && !(await this.auth.userOfCredentials({ email, password }, sender)))
      throw problem(LINK_CODES.ACCOUNT_EXISTS, ACCOUNT_EXISTS_TEXT);
    return this.add(caller, { userId: id, role, origin: 'ADDED', byId: false });
  }

  /** Changes a linked user's role. @throws 403 ROLE_ABOVE_OWN (A14), 404 when not linked, 422 LAST_OWNER (A15) */
  changeRole(caller: Link, userId: string, role: RestaurantRole): Promise<LinkedUserView> {
    return underLock(this.prisma, caller, async (tx, callerRole) => {
      refuseRoleAbove(callerRole, role);
      const link = await findLink(tx, caller.restaurantId, userId);
      refuseRoleAbove(callerRole, link.role);
      if (link.role === 'OWNER' && role !== 'OWNER') await refuseLastOwner(tx, caller.restaurantId);
      const before = link.role;
      const changed = await tx.userRestaurant.update({ where: { id: link.id }, data: { role }, include: WITH_USER });
      if (role !== before)
        await this.record(tx, caller, { action: USER_ROLE_CHANGED, target: nameOf(link), details: { role, before } });
      return toView(changed);
    });
  }

  /** Removes a link; the account stays. @throws 403 ROLE_ABOVE_OWN (A14), 404 when not linked, 422 LAST_OWNER (A15) */
  async unlink(caller: Link, userId: string): Promise<void> {
    await underLock(this.prisma, caller, async (tx, callerRole) => {
      const link = await findLink(tx, caller.restaurantId, userId);
      refuseRoleAbove(callerRole, link.role);
      if (link.role === 'OWNER') await refuseLastOwner(tx, caller.restaurantId);
      await tx.userRestaurant.delete({ where: { id: link.id } });
      await this.record(tx, caller, { action: USER_UNLINKED, target: nameOf(link), details: { role: link.role } });
    });
    this.revocations.announce();
  }

  /**
   * Makes a linked user OWNER and the caller ADMIN (A24).
   * @returns the new owner's link, then the caller's
   * @throws 403 INSUFFICIENT_ROLE when the caller is no longer OWNER, 422 NOT_LINKED or SAME_USER
   */
  transferOwnership(caller: Link, newOwnerId: string): Promise<LinkedUserView[]> {
    return underLock(this.prisma, caller, async (tx, callerRole) => {
      if (callerRole !== 'OWNER') throw insufficientRole();
      if (newOwnerId === caller.userId)
        throw problem(LINK_CODES.SAME_USER, 'newOwnerId: you own this restaurant already');
      const { restaurantId } = caller;
      const { count } = await tx.userRestaurant.updateMany({
        where: { restaurantId, userId: newOwnerId },
        data: { role: 'OWNER', origin: 'TRANSFERRED' },
      });
      if (count === 0) throw problem(LINK_CODES.NOT_LINKED, 'newOwnerId: link this user to the restaurant first');
      await tx.userRestaurant.updateMany({ where: { restaurantId, userId: caller.userId }, data: { role: 'ADMIN' } });
      const newOwner = await findLink(tx, restaurantId, newOwnerId);
      await this.record(tx, caller, { action: OWNERSHIP_TRANSFERRED, target: nameOf(newOwner) });
      return [toView(newOwner), toView(await findLink(tx, restaurantId, caller.userId))];
    });
  }

  private add(caller: Link, link: NewLink): Promise<LinkedUserView> {
    return underLock(this.prisma, caller, async (tx, callerRole) => {
      refuseRoleAbove(callerRole, link.role);
      if (!(await tx.user.findUnique({ where: { id: link.userId }, select: { id: true } })))
        throw problem('NOT_FOUND', 'there is no such user');
      return this.insert(tx, caller, link);
    });
  }

  private async insert(tx: Client, caller: Link, link: NewLink): Promise<LinkedUserView> {
    const { restaurantId } = caller;
    const { count } = await tx.userRestaurant.createMany({ data: [{ restaurantId, ...link }], skipDuplicates: true });
    if (count === 0) throw alreadyLinked();
    const made = await findLink(tx, restaurantId, link.userId);
    const details = { role: link.role, newAccount: link.origin === 'ACCOUNT' };
    await this.record(tx, caller, { action: USER_LINKED, target: nameOf(made), details });
    return toView(made);
  }

  private record(tx: Client, caller: Link, act: Omit<AuditedAct, 'restaurantId'>): Promise<void> {
    return this.audit.record(tx, caller, { ...act, restaurantId: caller.restaurantId });
  }
}
