import { Injectable } from '@nestjs/common';
import type { RestaurantRole } from '../domain/role.js';
import { auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { DatabaseClock } from '../platform/database/clock.js';
import type { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { invitationPage } from '../platform/http/console-paths.js';
import { problem } from '../platform/http/problem.js';
import { digestOf, newToken } from '../platform/secrets/token.js';
import { LINK_CODES } from './error-codes.js';
import { inviterOf, mayStillInvite, type StandingInvitation, WITH_INVITER } from './invitation.js';
import type { InvitationView, InvitedView } from './invitations.dto.js';
import { type Client, toView as toLinkView, underLock, WITH_USER } from './links.js';
import { alreadyLinked, refuseRoleAbove } from './refusals.js';
import type { Link } from './restaurant.guard.js';

const USER_INVITED = auditAction('user.invited', { mostInADay: 500 });
const USER_INVITATION_REVOKED = auditAction('user.invitation_revoked');

const VALID_MS = 7 * 86_400_000;
/** The most pending invitations of a restaurant. */
const MAX_PENDING = 100;

/** Creates, lists and revokes invitations (A28). */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Creates an invitation. It replaces a pending invitation of the same email.
   * @returns the invitation with its token; only the digest of the token is stored
   * @throws 400 ALREADY_LINKED, 403 ROLE_ABOVE_OWN (A14), 409 TOO_MANY_INVITATIONS
   */
  async invite(caller: Link, email: string, role: RestaurantRole): Promise<InvitedView['data']> {
    const token = newToken('inv_');
    const { restaurantId, userId } = caller;
    const invitation = await underLock(this.prisma, caller, async (tx, callerRole) => {
      refuseRoleAbove(callerRole, role);
      await refuseLinked(tx, restaurantId, email);
      await makeRoom(tx, restaurantId, email, callerRole, this.clock.condition);
      const inviter = await tx.userRestaurant.findUniqueOrThrow({
        where: { userId_restaurantId: { userId, restaurantId } },
        select: { id: true },
      });
      const expiresAt = new Date(Date.now() + VALID_MS);
      const tokenHash = digestOf(token);
      const made = await tx.invitation.create({
        data: { restaurantId, email, role, tokenHash, inviterId: inviter.id, expiresAt },
        include: WITH_INVITER,
      });
      await this.audit.record(tx, caller, { action: USER_INVITED, restaurantId, target: email, details: { role } });
      return made;
    });
    return { ...toView(invitation), token, link: invitationPage(token) };
  }

  /** Lists the invitations that can still be accepted, the newest first. */
  async list(restaurantId: string): Promise<InvitationView[]> {
    const invitations = await this.prisma.invitation.findMany({
      where: { restaurantId, expiresAt: { gt: new Date() } },
      include: WITH_INVITER,
      orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    });
    return invitations.filter(mayStillInvite).map(toView);
  }

  /** Ends an invitation. @throws 403 ROLE_ABOVE_OWN (A14), 404 when the restaurant has no such invitation */
  async revoke(caller: Link, id: string): Promise<void> {
    const { restaurantId } = caller;
    await underLock(this.prisma, caller, async (tx, callerRole) => {
      const found = await tx.invitation.findFirst({ where: { id, restaurantId } });
      if (!found) throw problem('NOT_FOUND', 'there is no such invitation');
      const { email, role } = found;
      refuseRoleAbove(callerRole, role);
      await tx.invitation.delete({ where: { id } });
      const act = { action: USER_INVITATION_REVOKED, restaurantId, target: email, details: { role } } as const;
      await this.audit.record(tx, caller, act);
    });
  }
}

/**
 * Refuses the email of a linked user, unless the email is hidden (the user was linked by id and has not accepted): a refusal would
 * reveal the email (A30).
 */
async function refuseLinked(tx: Client, restaurantId: string, email: string): Promise<void> {
  const link = await tx.userRestaurant.findFirst({ where: { restaurantId, user: { email } }, include: WITH_USER });
  if (link && toLinkView(link).email !== null) throw alreadyLinked();
}

/** Removes expired invitations, unless the clocks differ (S36), and the pending invitation of this email. @throws 409 TOO_MANY_INVITATIONS */
async function makeRoom(
  tx: Client,
  restaurantId: string,
  email: string,
  callerRole: RestaurantRole,
  clocksAgree: Prisma.Sql,
): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM invitations WHERE restaurant_id = ${restaurantId}::uuid AND expires_at <= now() AND ${clocksAgree}`;
  const before = await tx.invitation.findFirst({ where: { restaurantId, email } });
  if (before) {
    refuseRoleAbove(callerRole, before.role);
    await tx.invitation.delete({ where: { id: before.id } });
  }
  if ((await tx.invitation.count({ where: { restaurantId } })) < MAX_PENDING) return;
  throw problem(LINK_CODES.TOO_MANY_INVITATIONS, `${MAX_PENDING} invitations are pending; revoke some of them first`);
}

function toView(invitation: StandingInvitation): InvitationView {
  const { id, email, role, createdAt, expiresAt } = invitation;
  return { id, email, role, invitedBy: inviterOf(invitation), createdAt, expiresAt };
}
