import { Injectable } from '@nestjs/common';
import { isUuid } from '../domain/text.js';
import { OrdersService } from '../orders/orders.service.js';
import { IS_REFUND } from '../outbox/sale-kind.sql.js';
import type { Actor } from '../platform/audit/actions.js';
import { auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import type { FoundOrdersView, OperatorOrderView } from './order-search.dto.js';

/** A platform administrator opened an order of the restaurant. */
const ORDER_READ_BY_OPERATOR = auditAction('order.read_by_operator');

/** The most orders in an answer. */
const SHOWN = 50;

/** Looks for orders in all restaurants, for platform administrators (R37). It reads only. */
@Injectable()
export class OrderSearchService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly orders: OrdersService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * The orders with this key or number, or that a job or an audited request with this id belongs to; the newest first. A number is
   * looked up in each restaurant, because the index of the numbers begins with the restaurant.
   */
  async search(q: string): Promise<FoundOrdersView> {
    const jobId = isUuid(q) ? q : null;
    const rows = await this.prisma.reports.$queryRaw<FoundOrdersView['data']>`
      WITH found AS (
        (SELECT transaction_key, restaurant_id FROM terminal_events WHERE transaction_key = ${q} LIMIT ${SHOWN + 1}::int)
        UNION
        SELECT of_number.* FROM (SELECT id FROM restaurants WHERE deleted_at IS NULL) AS restaurant CROSS JOIN LATERAL (
          SELECT transaction_key, restaurant_id FROM terminal_events
          WHERE restaurant_id = restaurant.id AND transaction_number = ${q}
          ORDER BY received_at DESC LIMIT ${SHOWN + 1}::int) AS of_number
        UNION
        SELECT of_test.* FROM (SELECT id FROM restaurants WHERE deleted_at IS NULL) AS restaurant CROSS JOIN LATERAL (
          SELECT transaction_key, restaurant_id FROM terminal_events
          WHERE restaurant_id = restaurant.id AND source_key = ${q} AND test_mode) AS of_test
        UNION
        SELECT event_key, restaurant_id FROM outbox_jobs WHERE id = ${jobId}::uuid
        UNION
        (SELECT target, restaurant_id FROM audit_entries
         WHERE request_id = ${q} AND restaurant_id IS NOT NULL AND action LIKE 'order.%' LIMIT ${SHOWN}::int)
      )
      SELECT found.restaurant_id::text AS "restaurantId", restaurants.name AS "restaurantName", event."transactionKey", event."transactionNumber",
             event.test, event."receivedAt", event."paidCents",
             order_state(job.status, job.withdrawn, cancel.status, of_refund, coalesce(job.resolved_at, cancel.resolved_at) IS NOT NULL) AS state
      FROM found
      JOIN restaurants ON restaurants.id = found.restaurant_id
      CROSS JOIN LATERAL (
        SELECT transaction_key AS "transactionKey", left(transaction_number, 255) AS "transactionNumber", test_mode AS test,
               received_at AS "receivedAt", paid_cents::float8 AS "paidCents", ${IS_REFUND} AS of_refund
        FROM terminal_events WHERE transaction_key = found.transaction_key AND restaurant_id = found.restaurant_id OFFSET 0) AS event
      CROSS JOIN LATERAL (
        SELECT status, withdrawn, resolved_at FROM outbox_jobs
        WHERE event_key = found.transaction_key AND restaurant_id = found.restaurant_id AND action = 'CREATE' OFFSET 0) AS job
      LEFT JOIN LATERAL (
        SELECT status, resolved_at FROM outbox_jobs
        WHERE event_key = found.transaction_key AND restaurant_id = found.restaurant_id AND action = 'CANCEL' OFFSET 0) AS cancel ON true
      ORDER BY event."receivedAt" DESC, event."transactionKey" LIMIT ${SHOWN + 1}::int`;
    return { data: rows.slice(0, SHOWN), meta: { more: rows.length > SHOWN } };
  }

  /**
   * One order of any restaurant, as its OWNERs see it (S23), with the name of the restaurant. The reading is audited in the restaurant, for its OWNERs.
   * @throws 404 when the restaurant has no such order
   */
  async read(actor: Actor, restaurantId: string, transactionKey: string): Promise<OperatorOrderView> {
    const order = await this.orders.get(restaurantId, transactionKey, true);
    await this.audit.record(this.prisma, actor, {
      action: ORDER_READ_BY_OPERATOR,
      restaurantId,
      target: transactionKey,
    });
    const { name } = await this.prisma.restaurant.findUniqueOrThrow({
      where: { id: restaurantId },
      select: { name: true },
    });
    return { ...order, restaurantName: name };
  }
}
