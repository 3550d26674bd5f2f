import { Injectable } from '@nestjs/common';
import { RESEND_CODES } from '../../orders/error-codes.js';
import { JobStore } from '../../outbox/job-store.js';
import type { OrderBeforeEntering } from '../../outbox/store/enter.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { seenUser } from '../../platform/database/anonymous.js';
import type { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import type { ErrorCode } from '../../platform/http/error-codes.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import type { Link } from '../../user-links/restaurant.guard.js';

/** An order, or a refund, was entered in the till by hand. */
const ORDER_ENTERED = auditAction('order.entered', { mostInADay: 2_000 });

/** The most characters of a name that are kept with an order. */
const MAX_NAME = 200;

/** Records that somebody entered an order in the till by hand, for the staff of a restaurant (R65). */
@Injectable()
export class EnteredService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly jobs: JobStore,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /**
   * The order is not sent any more, and is settled; a refund is ticked. A second call changes nothing.
   * @param transactionKey as stored: in test mode with its suffix
   * @returns the id of the CREATE job
   * @throws 404 when the restaurant has no such order; 409 when it is delivered, cancelled, or being sent at this moment
   */
  async enter(caller: Link, transactionKey: string, note: string | null): Promise<string> {
    const { restaurantId, userId } = caller;
    const order = await this.prisma.$transaction(async (tx) => {
      const by = await nameOf(tx, caller);
      const before = await this.jobs.enterOrder(tx, restaurantId, transactionKey, { by, note });
      if (before && !before.entered && !refusalOf(before)) {
        const details = note === null ? {} : { note };
        await this.audit.record(tx, caller, { action: ORDER_ENTERED, restaurantId, target: transactionKey, details });
      }
      return before;
    });
    if (!order) throw problem('NOT_FOUND', 'this restaurant has no such order');
    const refusal = refusalOf(order);
    if (refusal) throw problem(...refusal);
    const { jobId, entered } = order;
    if (!entered)
      this.log.info({ event: 'order.entered', job: jobId, eventKey: transactionKey, restaurantId, user: userId });
    return jobId;
  }
}

/** @returns null for a user whom the restaurant does not see (A30) */
async function nameOf(tx: Prisma.TransactionClient, caller: Link): Promise<string | null> {
  const user = await seenUser(tx, caller);
  return user ? (user.name || user.email).slice(0, MAX_NAME).toWellFormed() : null;
}

/** Why the order cannot be entered by hand; undefined: it was. */
function refusalOf({
  status,
  underWay,
  cancelled,
  refund,
  entered,
}: OrderBeforeEntering): [ErrorCode, string] | undefined {
  if (refund) return undefined;
  if (cancelled) return [RESEND_CODES.ORDER_CANCELLED, 'the order was cancelled: there is nothing to enter'];
  if (entered) return undefined;
  if (status === 'SENT')
    return [RESEND_CODES.ORDER_DELIVERED, 'the POS has this order: entered too, it is cooked twice'];
  if (underWay) return ['ORDER_UNDER_WAY', 'the order is being sent at this moment: wait for the result'];
  return undefined;
}
