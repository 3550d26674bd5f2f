import type { Prisma } from '../database/generated/client.js';
import { ADMINISTERING_ROLES, mayGrant, type RestaurantRole } from '../domain/role.js';

/** What an invitation is read with. */
export const WITH_INVITER = { inviter: { select: { role: true, user: { select: { email: true } } } } } as const;
export type StandingInvitation = Prisma.InvitationGetPayload<{ include: typeof WITH_INVITER }>;

/** Whether who sent an invitation could still send it: it ends when they lose the role (A29). */
export function mayStillInvite({ role, inviter }: StandingInvitation): boolean {
  return (ADMINISTERING_ROLES as readonly RestaurantRole[]).includes(inviter.role) && mayGrant(inviter.role, role);
}
