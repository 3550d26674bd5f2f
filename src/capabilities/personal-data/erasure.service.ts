import { Injectable } from '@nestjs/common';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Config } from '../../platform/config/config.js';
import { seenUser } from '../../platform/database/anonymous.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import type { OrderErasedView, OrdersErasedView } from './erasure.dto.js';

/** The content of one sale was erased. */
const ORDER_ERASED = auditAction('order.erased');
/** The content of old parked and cancelled sales was erased. */
const ORDERS_ERASED = auditAction('orders.erased');

/** The orders that one transaction erases, and the most that one call erases (L86). */
const BATCH = 500;
export const MAX_ERASED = 10_000;

/** The age of old orders in days, where OUTBOX_RETENTION_DAYS is 0 (L87). */
const DAYS_WITHOUT_RETENTION = 365;

interface Erasure {
  readonly at: Date | null;
  readonly by: string | null;
}

/** Erases the content of sales, and keeps their keys, times and amounts (W40, W41). */
@Injectable()
export class ErasureService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: AuditTrail,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Erases the content of one sale (W40). A repeated request returns the first erasure.
   * @param transactionKey as stored: in test mode with its suffix
   * @throws 404 when the restaurant has no such order; 409 while it, or its cancel, waits or is being sent
   */
  async eraseOrder(caller: Link, transactionKey: string): Promise<OrderErasedView> {
    const { restaurantId, userId } = caller;
    const { erased, found } = await this.prisma.$transaction(async (tx) => {
      const erased = await erase(tx, restaurantId, [transactionKey], await whoIs(tx, caller));
      const act = { action: ORDER_ERASED, restaurantId, target: transactionKey } as const;
      if (erased.length > 0) await this.audit.record(tx, caller, act);
      const [found] = await tx.$queryRaw<Erasure[]>`
        SELECT erased_at AS at, erased_by AS by FROM terminal_events
        WHERE transaction_key = ${transactionKey} AND restaurant_id = ${restaurantId}::uuid`;
      return { erased: erased.length > 0, found };
    });
    if (!found) throw problem('NOT_FOUND', 'this restaurant has no such order');
    const { at, by } = found;
    if (at === null)
      throw problem(
        'ORDER_UNDER_WAY',
        'the order, or its cancel, is on its way to the POS: wait for the result or cancel the order, then erase it',
      );
    if (erased) this.log.info({ event: 'order.erased', eventKey: transactionKey, restaurantId, user: userId });
    const message = erased ? 'the content of the sale is erased' : 'the content of the sale was erased before';
    return { message, data: { at, by: by ?? '' } };
  }

  /**
   * Counts the parked and withdrawn orders that are older than the retention; without `dryRun` it erases their content in batches (W41).
   * One transaction writes a batch and its audit entry.
   */
  async eraseOld(caller: Link, dryRun: boolean): Promise<OrdersErasedView> {
    const days = this.config.outbox.retentionDays || DAYS_WITHOUT_RETENTION;
    const { restaurantId, userId } = caller;
    const [counted] = await this.prisma.reports.$queryRaw<{ matched: number }[]>`
      SELECT count(*)::int AS matched FROM (${oldOrders(restaurantId, days, MAX_ERASED)}) AS old`;
    const matched = counted?.matched ?? 0;
    if (dryRun) return { message: `${matched} orders would be erased`, data: { days, matched, erased: 0 } };
    let erased = 0;
    while (erased < MAX_ERASED) {
      const size = Math.min(BATCH, MAX_ERASED - erased);
      const done = await this.eraseBatch(caller, days, size);
      erased += done;
      if (done < size) break;
    }
    if (erased > 0) this.log.info({ event: 'orders.erased', user: userId, restaurantId, matched, erased });
    return { message: `${erased} of ${matched} orders erased`, data: { days, matched, erased } };
  }

  private eraseBatch(caller: Link, days: number, size: number): Promise<number> {
    const { restaurantId } = caller;
    return this.prisma.$transaction(async (tx) => {
      const old = await tx.$queryRaw<{ key: string }[]>(oldOrders(restaurantId, days, size));
      const erased = await erase(
        tx,
        restaurantId,
        old.map(({ key }) => key),
        await whoIs(tx, caller),
      );
      const details = { erased: erased.length, days };
      if (erased.length > 0) await this.audit.record(tx, caller, { action: ORDERS_ERASED, restaurantId, details });
      return erased.length;
    });
  }
}

/** The email of a user, or the id of one whom the restaurant does not see (A30). */
async function whoIs(tx: Prisma.TransactionClient, caller: Link): Promise<string> {
  return (await seenUser(tx, caller))?.email ?? caller.userId;
}

/** @returns the keys that were erased now */
async function erase(tx: Prisma.TransactionClient, restaurantId: string, keys: readonly string[], who: string) {
  return tx.$queryRaw<{ key: string }[]>`
    SELECT key FROM erase_orders(${restaurantId}::uuid, ${[...keys]}::text[], ${who}) AS key`;
}

/**
 * The keys of orders that retention keeps and nobody sends: parked, settled by hand, or withdrawn, all of them for longer than the given
 * days. Each selection reads one partial index; event and jobs are looked up by key (decisions/032).
 */
function oldOrders(restaurantId: string, days: number, limit: number): Prisma.Sql {
  const job = (withdrawn: Prisma.Sql) => Prisma.sql`
    SELECT event_key FROM outbox_jobs
    WHERE restaurant_id = ${restaurantId}::uuid AND status = 'DLQ' AND ${withdrawn}
      AND updated_at < now() - ${days}::int * interval '1 day'`;
  return Prisma.sql`
    SELECT event_key AS key FROM (${job(Prisma.sql`NOT withdrawn`)} UNION ${job(Prisma.sql`withdrawn`)}) AS job
    WHERE (SELECT erased_at IS NULL AND received_at < now() - ${days}::int * interval '1 day' FROM terminal_events
           WHERE transaction_key = job.event_key AND restaurant_id = ${restaurantId}::uuid)
      AND (SELECT count(*) FROM outbox_jobs other
           WHERE other.event_key = job.event_key AND other.restaurant_id = ${restaurantId}::uuid
             AND other.status IN ('PENDING', 'FAILED', 'PROCESSING')) = 0
    LIMIT ${limit}::int`;
}
