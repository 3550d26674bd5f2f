import { ADMINISTERING_ROLES, mayGrant, type RestaurantRole } from '../domain/role.js';
import type { Prisma } from '../platform/database/generated/client.js';

/** Prisma `include` of an invitation. */
export const WITH_INVITER = {
  inviter: { select: { role: true, userId: true, byId: true, acceptedAt: true, user: { select: { email: true } } } },
} as const;
export type StandingInvitation = Prisma.InvitationGetPayload<{ include: typeof WITH_INVITER }>;

/** The email of the inviter, or the id while the email is hidden (A30). */
export function inviterOf({ inviter: { userId, byId, acceptedAt, user } }: StandingInvitation): string {
  return byId && !acceptedAt ? userId : user.email;
}

/** Whether the inviter's current role still allows this invitation; if not, the invitation has ended (A29). */
export function mayStillInvite({ role, inviter }: StandingInvitation): boolean {
  return (ADMINISTERING_ROLES as readonly RestaurantRole[]).includes(inviter.role) && mayGrant(inviter.role, role);
}
