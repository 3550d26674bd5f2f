import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  HttpStatus,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedRequest } from '../auth/principal.js';
import { Prisma } from '../database/prisma.js';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { problem } from '../problem.js';

const ROLES = 'restaurant-roles';

/** Marks a route of one restaurant (`:restaurantId` in its path) with the roles that may call it. */
export const ForRoles = (...roles: RestaurantRole[]) => SetMetadata(ROLES, roles);

/** Marks a route of one restaurant that everybody linked to it may call. */
export const ForAnyRole = () => ForRoles(...RESTAURANT_ROLES);

/** The caller's link to the restaurant in the path, as the database has it now. */
export interface Link {
  readonly userId: string;
  readonly restaurantId: string;
  readonly role: RestaurantRole;
}

type LinkedRequest = AuthenticatedRequest & { params: { restaurantId?: string }; link?: Link };

/** The caller's link, put there by the guard. */
export const CallerLink = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<LinkedRequest>().link,
);

/**
 * Checks the restaurant in the path of every route that has one: it exists, the caller is linked to it, and the link's role
 * may do this. A route without a mark lets nobody in. Roles are read from the database, never from the token; the platform
 * role opens nothing here.
 */
@Injectable()
export class RestaurantGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly prisma: Prisma,
  ) {}

  /** @throws 400 INVALID_ID, 403 NO_ACCESS or INSUFFICIENT_ROLE, 404 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<LinkedRequest>();
    const { restaurantId } = request.params;
    if (restaurantId === undefined) return true;
    const roles = this.reflector.getAllAndOverride<RestaurantRole[] | undefined>(ROLES, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (!roles || !request.user) throw noAccess();
    const id = validId('restaurantId', restaurantId);
    const role = await this.roleOf(request.user.id, id);
    if (!roles.includes(role))
      throw problem(HttpStatus.FORBIDDEN, 'INSUFFICIENT_ROLE', `this needs one of the roles ${roles.join(', ')}`);
    request.link = { userId: request.user.id, restaurantId: id, role };
    return true;
  }

  private async roleOf(userId: string, restaurantId: string): Promise<RestaurantRole> {
    const restaurant = await this.prisma.restaurant.findFirst({
      where: { id: restaurantId, deletedAt: null },
      select: { users: { where: { userId }, select: { role: true } } },
    });
    if (!restaurant) throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'there is no such restaurant');
    const [link] = restaurant.users;
    if (!link) throw noAccess();
    return link.role;
  }
}

function noAccess() {
  return problem(HttpStatus.FORBIDDEN, 'NO_ACCESS', 'you are not linked to this restaurant');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id from a path, in lower case. @throws 400 INVALID_ID */
export function validId(field: string, value: string): string {
  if (UUID.test(value)) return value.toLowerCase();
  throw problem(HttpStatus.BAD_REQUEST, 'INVALID_ID', `${field} must be a UUID`);
}
