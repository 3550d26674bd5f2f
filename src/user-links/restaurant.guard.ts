import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiForbiddenResponse, ApiParam } from '@nestjs/swagger';
import { Authenticated, type AuthenticatedRequest, actorOf } from '../auth/principal.js';
import { type Permission, RESTAURANT_ROLES, type RestaurantRole, rolesWith } from '../domain/role.js';
import type { Actor } from '../platform/audit/actions.js';
import type { Prisma } from '../platform/database/generated/client.js';
import { preparedStatement } from '../platform/database/prepared.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { readUuid } from '../platform/http/fields/uuid.pipe.js';
import { problem } from '../platform/http/problem.js';
import { LINK_CODES } from './error-codes.js';

const ROLES = 'restaurant-roles';
const PERMISSIONS = 'restaurant-permissions';
/**
 * Reads the role of user $1 in restaurant $2, and who founded it (O44): null without a link; no row when the restaurant does not exist. The condition does not
 * contain `deleted_at`, because Postgres would then scan a whole partial index (decisions/032).
 */
const READ_ROLE = preparedStatement(
  'role',
  `SELECT deleted_at IS NOT NULL AS deleted, role::text, founded_by::text AS "foundedBy" FROM restaurants
   LEFT JOIN user_restaurants link ON link.restaurant_id = restaurants.id AND link.user_id = $1::uuid
   WHERE restaurants.id = $2::uuid`,
);
interface LinkRow {
  readonly deleted: boolean;
  readonly role: RestaurantRole | null;
  readonly foundedBy: string | null;
}

const NOT_LINKED = 'you are not linked to this restaurant';
const requiredRolesText = (roles: readonly RestaurantRole[]) => `this needs one of the roles ${roles.join(', ')}`;
const requiredPermissionsText = (permissions: readonly Permission[]) =>
  `this needs the permission ${permissions.join(' or ')}, which these roles have: ${rolesWith(...permissions).join(', ')}`;

/** Allows a route with `:restaurantId` in its path to these restaurant roles, and documents the roles in OpenAPI. */
export const ForRoles = (...roles: RestaurantRole[]) =>
  forRoles(roles, `INSUFFICIENT_ROLE: ${requiredRolesText(roles)}`);

/** Allows a route with `:restaurantId` in its path to every linked user, and documents the rule in OpenAPI. */
export const ForAnyRole = () => forRoles(RESTAURANT_ROLES, 'any role in the restaurant will do');

/**
 * Allows a route with `:restaurantId` in its path to the roles that have one of these permissions (A13, A27), and documents the
 * permissions in OpenAPI.
 */
export function ForPermission(...permissions: Permission[]) {
  const roles = rolesWith(...permissions);
  const needed = requiredPermissionsText(permissions);
  return applyDecorators(
    SetMetadata(PERMISSIONS, permissions),
    forRoles(roles, roles.length === RESTAURANT_ROLES.length ? needed : `INSUFFICIENT_ROLE: ${needed}`),
  );
}

function forRoles(roles: readonly RestaurantRole[], rolesText: string) {
  return applyDecorators(
    SetMetadata(ROLES, roles),
    Authenticated(),
    ApiParam({ name: 'restaurantId', type: String, format: 'uuid' }),
    ApiForbiddenResponse({ description: `NO_ACCESS: ${NOT_LINKED}; ${rolesText}` }),
  );
}

/** The caller, and the caller's link to the restaurant in the path. The link is read from the database for this request. */
export interface Link extends Actor {
  readonly restaurantId: string;
  readonly role: RestaurantRole;
  /** the account whose restaurants take turns as one (O44, H20); null: this restaurant counts for itself */
  readonly foundedBy: string | null;
  /** @returns the role that the caller has now; a change may take it away, so a transaction confirms it once */
  readonly confirm: (client: Prisma.TransactionClient) => Promise<RestaurantRole>;
}

/** A request after {@link RestaurantGuard}. */
export type LinkedRequest = AuthenticatedRequest & { params: { restaurantId?: string }; link?: Link };

/** Parameter decorator: the caller's {@link Link}, set by RestaurantGuard. */
export const CallerLink = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<LinkedRequest>().link,
);

/**
 * Guards every route with `:restaurantId` in its path. The restaurant must exist, the caller must be linked to the restaurant, and the
 * route must allow the role of the link by @ForRoles, @ForAnyRole or @ForPermission. A route without such a decorator refuses every
 * caller. Roles are read from the database, never from the token; the platform role does not count (A12, A16, A17).
 */
@Injectable()
export class RestaurantGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly prisma: PrismaService,
  ) {}

  /** @throws 400 INVALID_ID, 403 NO_ACCESS or INSUFFICIENT_ROLE, 404 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<LinkedRequest>();
    const { restaurantId } = request.params;
    if (restaurantId === undefined) return true;
    const targets = [context.getHandler(), context.getClass()];
    const roles = this.reflector.getAllAndOverride<RestaurantRole[] | undefined>(ROLES, targets);
    if (!roles || !request.user) throw noAccess();
    const id = readUuid('restaurantId', restaurantId);
    const refuseOther = (role: RestaurantRole) => {
      if (roles.includes(role)) return role;
      const permissions = this.reflector.getAllAndOverride<Permission[] | undefined>(PERMISSIONS, targets);
      throw problem('INSUFFICIENT_ROLE', permissions ? requiredPermissionsText(permissions) : requiredRolesText(roles));
    };
    const { role: linked, foundedBy } = await this.roleOf(this.prisma, request.user.id, id);
    const role = refuseOther(linked);
    const actor = actorOf(request);
    const confirmed = new WeakMap<object, RestaurantRole>();
    const confirm = async (client: Prisma.TransactionClient) => {
      const known = confirmed.get(client);
      if (known) return known;
      await actor.confirm?.(client);
      const now = refuseOther((await this.roleOf(client, actor.userId, id)).role);
      if (client !== this.prisma) confirmed.set(client, now);
      return now;
    };
    request.link = { ...actor, restaurantId: id, role, foundedBy, confirm };
    return true;
  }

  /** @param client of a transaction, or `prisma` */
  private async roleOf(
    client: Prisma.TransactionClient,
    userId: string,
    restaurantId: string,
  ): Promise<{ readonly role: RestaurantRole; readonly foundedBy: string | null }> {
    const values = [userId, restaurantId];
    const [found] = await (client === this.prisma
      ? this.prisma.prepared<LinkRow>(READ_ROLE, values)
      : client.$queryRawUnsafe<LinkRow[]>(READ_ROLE.text, ...values));
    if (!found || found.deleted) throw problem('NOT_FOUND', 'there is no such restaurant');
    if (!found.role) throw noAccess();
    return { role: found.role, foundedBy: found.foundedBy };
  }
}

function noAccess() {
  return problem(LINK_CODES.NO_ACCESS, NOT_LINKED);
}
