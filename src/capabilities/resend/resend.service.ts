import { Injectable } from '@nestjs/common';
import { rolesWith } from '../../domain/role.js';
import { storableText } from '../../domain/text.js';
import { RESEND_PERMISSIONS, refusalOf } from '../../orders/staff-resend.js';
import { JobStore } from '../../outbox/job-store.js';
import { Worker } from '../../outbox/worker.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import type { MayResendAnswerView } from './resend.dto.js';

/** Each makes an entry and an attempt, although its object stays one. */
const ORDER_RESENT = auditAction('order.resent', { mostInADay: 2_000 });

/** The most people in an answer. */
const MAX_PEOPLE = 20;

/** Sends orders of a restaurant again for its staff (R35), and says who may (R36). */
@Injectable()
export class ResendService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly jobs: JobStore,
    private readonly worker: Worker,
    private readonly audit: AuditTrail,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Resets the CREATE job of an order (R11): it is due now, with 0 attempts. With `OUTBOX_PACE=eager` the worker is woken.
   * @param transactionKey as stored: in test mode with its suffix
   * @param although whether it is sent although somebody has entered it in the till (R65)
   * @returns the id of the job
   * @throws 404 when the restaurant has no such order; 409 when it is delivered, cancelled, erased, entered in the till, or under way already
   */
  async resendOrder(caller: Link, transactionKey: string, although: { readonly entered: boolean }): Promise<string> {
    const { restaurantId, userId } = caller;
    const order = await this.prisma.$transaction(async (tx) => {
      const before = await this.jobs.resetOrder(tx, restaurantId, transactionKey, although);
      if (before && !refusalOf(before, although))
        await this.audit.record(tx, caller, { action: ORDER_RESENT, restaurantId, target: transactionKey });
      return before;
    });
    if (!order) throw problem('NOT_FOUND', 'this restaurant has no such order');
    const refusal = refusalOf(order, although);
    if (refusal) throw problem(...refusal);
    const { jobId, traceId } = order;
    this.log.info({
      event: 'order.resent',
      job: jobId,
      eventKey: transactionKey,
      restaurantId,
      traceId: traceId ?? undefined,
      user: userId,
    });
    this.worker.wake();
    return jobId;
  }

  /** The jobs of the parked orders that the POS refused, and that have an item with one of these codes (I9). @param itemCodes of the terminal */
  refusedWith(restaurantId: string, itemCodes: readonly string[]): Promise<string[]> {
    return this.jobs.parkedWithItems(restaurantId, itemCodes.map(storableText));
  }

  /** Who of the restaurant may send its orders again, the highest roles first. */
  async mayResend({ restaurantId, role }: Link): Promise<MayResendAnswerView['data']> {
    const { resend, operatorContact = null } = this.config;
    const roles = rolesWith(...RESEND_PERMISSIONS);
    const links =
      resend !== 'restaurants'
        ? []
        : await this.prisma.userRestaurant.findMany({
            where: { restaurantId, role: { in: roles } },
            select: { role: true, byId: true, acceptedAt: true, user: { select: { name: true } } },
            orderBy: [{ role: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
            take: MAX_PEOPLE,
          });
    return {
      allowed: resend === 'restaurants' && roles.includes(role),
      resend,
      // who was linked by id and has not accepted stays hidden (A30)
      people: links.map(({ user, byId, acceptedAt, role: of }) => ({
        name: byId && !acceptedAt ? null : user.name,
        role: of,
      })),
      operatorContact,
    };
  }
}
