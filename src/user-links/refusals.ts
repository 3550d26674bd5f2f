import { mayGrant, type RestaurantRole } from '../domain/role.js';
import type { Prisma } from '../platform/database/generated/client.js';
import { problem } from '../platform/http/problem.js';
import { LINK_CODES } from './error-codes.js';

/** 400 ALREADY_LINKED */
export function alreadyLinked() {
  return problem(LINK_CODES.ALREADY_LINKED, 'this user is linked to the restaurant already');
}

/** @throws 403 ROLE_ABOVE_OWN: nobody grants, changes or removes a role above their own (A14) */
export function refuseRoleAbove(callerRole: RestaurantRole, role: RestaurantRole): void {
  if (!mayGrant(callerRole, role))
    throw problem(LINK_CODES.ROLE_ABOVE_OWN, `role: ${role} is above your own role ${callerRole}`);
}

/** @throws 422 LAST_OWNER when the restaurant has only one OWNER (A15) */
export async function refuseLastOwner(tx: Prisma.TransactionClient, restaurantId: string): Promise<void> {
  if ((await tx.userRestaurant.count({ where: { restaurantId, role: 'OWNER' } })) > 1) return;
  throw problem(LINK_CODES.LAST_OWNER, 'a restaurant must have an OWNER; make another user OWNER first');
}

/** 403 INSUFFICIENT_ROLE for a caller who has lost the role after the guard */
export function insufficientRole() {
  return problem('INSUFFICIENT_ROLE', 'your role in this restaurant does not allow this any more');
}
