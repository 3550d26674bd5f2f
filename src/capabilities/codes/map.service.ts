import { Injectable } from '@nestjs/common';
import { withoutFields } from '../../domain/hidden-fields.js';
import { namesCode } from '../../domain/named-items.js';
import { itemCodesOf } from '../../domain/pos-codes.js';
import { refusalOf } from '../../orders/staff-resend.js';
import { JobStore } from '../../outbox/job-store.js';
import { RestaurantCodes } from '../../outbox/restaurant-codes.js';
import { Worker } from '../../outbox/worker.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Config } from '../../platform/config/config.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import { underLock } from '../../user-links/links.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import { CODES_CODES } from './error-codes.js';
import { MAX_LINES, type MapOrderDto, type MappableOrderAnswerView, type OrderMappedView } from './map.dto.js';
import { linesOf } from './rules/sale-lines.js';
import { saveCodes } from './saved-codes.js';

/** Codes were set for a refused order, which was sent again. */
const ORDER_MAPPED = auditAction('order.mapped', { mostInADay: 2_000 });

/** The most codes that an audit entry names. */
const MOST_AUDITED = 10;

interface RefusedOrder {
  readonly status: string;
  readonly cause: string | null;
  readonly withdrawn: boolean;
  readonly lastError: string | null;
  readonly items: unknown;
  readonly codesVersion: number;
}

/** Sets the codes of an order that the POS refused, and sends it again, in one call (I8). */
@Injectable()
export class MapService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly jobs: JobStore,
    private readonly codes: RestaurantCodes,
    private readonly worker: Worker,
    private readonly audit: AuditTrail,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Sets the codes and resets the order, both or neither.
   * @param transactionKey as stored: in test mode with its suffix
   * @throws 400 when a code is none of the order; 404 when the restaurant has no such order; 409 ORDER_NOT_REFUSED, TOO_MANY_CODES, and as a
   *   resend of the order (R35)
   */
  async map(
    caller: Link,
    transactionKey: string,
    { items, entered = false }: MapOrderDto,
  ): Promise<OrderMappedView['data']> {
    const { restaurantId, userId } = caller;
    const terminalCodes = items.map(({ terminalCode }) => terminalCode);
    const parked = await this.jobs.parkedWithItems(restaurantId, terminalCodes);
    const { jobId, saved } = await underLock(this.prisma, caller, async (tx) => {
      const before = await readOrder(tx, restaurantId, transactionKey, Prisma.sql`FOR UPDATE OF job`);
      const order = await this.jobs.resetOrder(tx, restaurantId, transactionKey, { entered });
      if (!before || !order) throw noSuchOrder();
      const refusal = refusalOf(order, { entered });
      if (refusal) throw problem(...refusal);
      if (before.cause !== 'refused' || before.status !== 'DLQ')
        throw problem(
          CODES_CODES.ORDER_NOT_REFUSED,
          'the POS has not refused this order: set codes in the settings, and send it again if it is parked',
        );
      refuseOthers(terminalCodes, before.items);
      const codes = items.map(({ terminalCode, posCode, name = null }) => ({
        ...{ kind: 'ITEM', terminalCode, posCode, name },
      })) as Parameters<typeof saveCodes>[2];
      const saved = await saveCodes(tx, caller, codes);
      const details = {
        codes: items.slice(0, MOST_AUDITED).map(({ terminalCode, posCode }) => ({ terminalCode, posCode })),
        count: items.length,
      };
      await this.audit.record(tx, caller, { action: ORDER_MAPPED, restaurantId, target: transactionKey, details });
      return { jobId: order.jobId, saved: saved.length };
    });
    this.log.info({ event: 'order.mapped', job: jobId, eventKey: transactionKey, restaurantId, user: userId, saved });
    this.worker.wake();
    return { jobId, saved, others: parked.filter((id) => id !== jobId).length };
  }

  /**
   * The products of an order, and what the POS calls them. Who is no OWNER does not see the fields of PAYLOAD_HIDE (S23), such as options.
   * @throws 404 when the restaurant has no such order
   */
  async read({ restaurantId, role }: Link, transactionKey: string): Promise<MappableOrderAnswerView['data']> {
    const order = await readOrder(this.prisma, restaurantId, transactionKey);
    if (!order) throw noSuchOrder();
    const { status, cause, withdrawn, lastError, codesVersion } = order;
    const { items: known } = await this.codes.of({ restaurantId, codesVersion }, { items: order.items });
    const isRefused = status === 'DLQ' && cause === 'refused' && !withdrawn;
    const shown = withoutFields({ items: order.items }, role === 'OWNER' ? [] : this.config.payloadHide);
    const { lines, withoutCode } = linesOf(shown.payload.items);
    const items = lines.map(({ code, name }) => {
      const pos = known.get(code);
      const refused = isRefused && lastError !== null && namesCode(lastError, pos?.code ?? code);
      return { terminalCode: code, name, posCode: pos?.code ?? null, posName: pos?.name ?? null, refused };
    });
    return {
      mayMap: isRefused && this.config.resend === 'restaurants',
      lastError,
      items: items.toSorted((a, b) => Number(b.refused) - Number(a.refused)).slice(0, MAX_LINES),
      withoutCode,
    };
  }
}

/** The CREATE job of an order, and the items of its sale. @param lock SQL: the lock that it takes */
async function readOrder(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  transactionKey: string,
  lock = Prisma.empty,
): Promise<RefusedOrder | undefined> {
  const [order] = await tx.$queryRaw<RefusedOrder[]>`
    SELECT job.status::text, job.cause, job.withdrawn, job.last_error AS "lastError", event.payload -> 'items' AS items,
           restaurant.codes_version AS "codesVersion"
    FROM outbox_jobs job
    JOIN terminal_events event ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
    JOIN restaurants restaurant ON restaurant.id = job.restaurant_id
    WHERE job.event_key = ${transactionKey} AND job.restaurant_id = ${restaurantId}::uuid AND job.action = 'CREATE'
    ${lock}`;
  return order;
}

/** @throws 400 for a code that is none of the order, or that stands twice */
function refuseOthers(terminalCodes: readonly string[], items: unknown): void {
  const own = itemCodesOf(items);
  const wrong = terminalCodes.flatMap((code, i) => {
    if (!own.has(code)) return `items.${i}.terminalCode must be an itemCode of this order`;
    return terminalCodes.indexOf(code) < i ? `items.${i}.terminalCode must stand once` : [];
  });
  if (wrong.length > 0) throw problem('VALIDATION_FAILED', wrong);
}

function noSuchOrder() {
  return problem('NOT_FOUND', 'this restaurant has no such order');
}
