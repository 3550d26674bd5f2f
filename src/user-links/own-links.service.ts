import { Injectable } from '@nestjs/common';
import type { Actor } from '../platform/audit/actions.js';
import { auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import { lockRestaurant } from './links.js';
import type { LinkAcceptedView } from './user-links.views.js';

const USER_LINK_ACCEPTED = auditAction('user.link_accepted');

/** Accepts links that were made by other users. */
@Injectable()
export class OwnLinksService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Accepts the caller's link (A26). An accepted link stays unchanged.
   * @throws 404 NOT_FOUND when the caller is not linked to the restaurant
   */
  accept(caller: Actor, restaurantId: string): Promise<LinkAcceptedView['data']> {
    return this.prisma.$transaction(async (tx) => {
      await lockRestaurant(tx, restaurantId);
      const link = await tx.userRestaurant.findFirst({
        where: { userId: caller.userId, restaurantId, restaurant: { deletedAt: null } },
        select: { id: true, role: true, acceptedAt: true },
      });
      if (!link) throw problem('NOT_FOUND', 'you are not linked to this restaurant, or it does not exist');
      const { id, role, acceptedAt } = link;
      if (!acceptedAt) {
        await tx.userRestaurant.update({ where: { id }, data: { acceptedAt: new Date() } });
        const target = caller.email;
        await this.audit.record(tx, caller, { action: USER_LINK_ACCEPTED, restaurantId, target, details: { role } });
      }
      return { restaurantId, role, accepted: true };
    });
  }
}
