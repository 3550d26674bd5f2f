import { Injectable } from '@nestjs/common';
import type { PosState } from '../domain/acceptance.js';
import { isSent, withoutFields } from '../domain/hidden-fields.js';
import type { JobAction, JobStatus } from '../domain/job.js';
import type { VendorName } from '../domain/vendor.js';
import { MAX_ATTEMPTS } from '../outbox/job.views.js';
import { JobStore } from '../outbox/job-store.js';
import { type MappedOrder, OrderMappers } from '../outbox/order-mapper.js';
import { RestaurantCodes } from '../outbox/restaurant-codes.js';
import { IS_REFUND, SALE_KIND, SIGNED_CENTS } from '../outbox/sale-kind.sql.js';
import type { Cancel } from '../outbox/store/cancel.js';
import { Worker } from '../outbox/worker.js';
import { auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { Config } from '../platform/config/config.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import { Log } from '../platform/telemetry/log.js';
import type { Link } from '../user-links/restaurant.guard.js';
import { RECEIVED_ON_ANOTHER_DAY } from './another-day.sql.js';
import { listOrders } from './order-list.js';
import type { OrderPageView } from './order-page.dto.js';
import { labelOf } from './order-search.js';
import { MAX_ACCEPTANCES, type OrderDetailView, type QueryOrdersDto } from './orders.dto.js';

const ORDER_CANCEL_REQUESTED = auditAction('order.cancel_requested');

const WITH_JOBS = {
  restaurant: { select: { codeStorePos: true, codesVersion: true, posVendor: true, currency: true, name: true } },
  jobs: {
    omit: {
      eventKey: true,
      restaurantId: true,
      processingAt: true,
      lockedBy: true,
      recoveredAt: true,
    },
    orderBy: { createdAt: 'asc' },
  },
} as const;

/** The trace id stands at the head of the stored trace (X2). */
const TRACE_ID_BYTES = 16;

interface EventKey {
  readonly restaurantId: string;
  readonly transactionKey: string;
}

interface JobState {
  readonly action: JobAction;
  readonly status: JobStatus;
  readonly withdrawn: boolean;
  readonly resolvedAt: Date | null;
}

/** Lists the orders of a restaurant, returns one order with its jobs and attempts, and requests the cancel of an order. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly jobs: JobStore,
    private readonly worker: Worker,
    private readonly mappers: OrderMappers,
    private readonly codes: RestaurantCodes,
    private readonly audit: AuditTrail,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * One page of a restaurant's orders, or of their cancels (R3).
   * @throws 400 when `after` is not a cursor
   */
  async list(restaurantId: string, query: QueryOrdersDto): Promise<OrderPageView> {
    const { data, meta } = await listOrders(this.prisma, restaurantId, query, this.config.saleLabelField);
    return { data: data.map(({ id: _, createdAt: __, ...order }) => order), meta };
  }

  /**
   * One order with its event, jobs and attempts (R4).
   * @param transactionKey as stored: in test mode with its suffix
   * @param seesAll whether the reader sees the fields of PAYLOAD_HIDE (S23)
   * @throws 404 when the restaurant has no such order
   */
  async get(restaurantId: string, transactionKey: string, seesAll: boolean): Promise<OrderDetailView> {
    const event = await this.prisma.terminalEvent.findFirst({
      where: { restaurantId, transactionKey },
      include: WITH_JOBS,
    });
    if (!event) throw noSuchOrder();
    const shown = withoutFields(event.payload as Record<string, unknown>, seesAll ? [] : this.config.payloadHide);
    // what was sent has the hidden fields too: the order is then that of the fields that are shown
    const hasHidden = shown.hidden.some(isSent);
    const { codeStorePos, codesVersion, posVendor, currency, name } = event.restaurant;
    const [create, cancel] = [jobOf(event.jobs, 'CREATE'), jobOf(event.jobs, 'CANCEL')];
    const origin = { jobId: create?.id ?? '', restaurantId, restaurantName: name, currency, testMode: event.testMode };
    const mapped = this.mappers.of(posVendor as VendorName | null).mapCreate(
      {
        eventKey: event.transactionKey,
        payload: hasHidden ? shown.payload : (event.payload as Record<string, unknown>),
        receivedAt: event.receivedAt,
        codeStorePos,
        origin,
      },
      await this.codes.of({ restaurantId, codesVersion }, event.payload as Record<string, unknown>),
    );
    const sent = await this.lastSentOrder(create?.id);
    const order = 'request' in mapped ? { ...mapped.request.body } : null;
    const computed = await this.computed(event, create, cancel);
    // retention removed the event after the first read
    if (!computed) throw noSuchOrder();
    return {
      transactionKey: event.transactionKey,
      sourceKey: event.sourceKey,
      test: event.testMode,
      traceId: event.trace && Buffer.from(event.trace).toString('hex', 0, TRACE_ID_BYTES),
      receivedAt: event.receivedAt,
      transactionDate: event.transactionDate,
      ...computed,
      amountMismatchCents: event.amountMismatchCents === null ? null : Number(event.amountMismatchCents),
      enteredAt: event.enteredAt,
      enteredBy: event.enteredBy,
      enteredNote: event.enteredNote,
      erased: event.erasedAt && { at: event.erasedAt, by: event.erasedBy ?? '' },
      event: shown.payload,
      hidden: [...shown.hidden],
      warnings: event.warnings,
      order: hasHidden ? order : (sent ?? order),
      sent: sent !== undefined,
      unmappable: sent ? null : unmappableReason(mapped),
      cancellation: cancel?.status ?? null,
      ticket: await this.ticketOf(create?.id),
      acceptances: create ? await this.acceptancesOf(create.id) : [],
      jobs: await Promise.all(
        event.jobs.map(async ({ resolvedAt: _, ...job }) => ({ ...job, history: await this.historyOf(job.id) })),
      ),
    };
  }

  /** The newest attempts of a job, the oldest first. Each attempt may have a body of the size of its sale: bodies are not read. */
  private async historyOf(jobId: string) {
    const newest = await this.prisma.deliveryAttempt.findMany({
      where: { jobId },
      omit: { id: true, jobId: true, sentBody: true },
      orderBy: { startedAt: 'desc' },
      take: MAX_ATTEMPTS,
    });
    return newest.reverse();
  }

  /** The body of the last order request, as it was sent (O19); undefined when no request is known to have been sent. */
  private async lastSentOrder(jobId: string | undefined): Promise<Record<string, unknown> | undefined> {
    if (jobId === undefined) return undefined;
    const attempt = await this.prisma.deliveryAttempt.findFirst({
      where: { jobId, sentBody: { not: Prisma.DbNull } },
      orderBy: { startedAt: 'desc' },
      select: { sentBody: true },
    });
    return attempt?.sentBody as Record<string, unknown> | undefined;
  }

  /** The newest of what the POS said of an order, the oldest first (Q15). */
  private async acceptancesOf(jobId: string): Promise<OrderDetailView['acceptances']> {
    const newest = await this.prisma.posAcceptance.findMany({
      where: { jobId },
      select: { state: true, createdAt: true, number: true, reason: true, code: true, preparationMinutes: true },
      orderBy: [{ offer: 'desc' }, { createdAt: 'desc' }],
      take: MAX_ACCEPTANCES,
    });
    return newest.reverse().map(({ state, createdAt: at, ...said }) => ({ ...said, state: state as PosState, at }));
  }

  /** The newest ticket of the order (K8); null: it needed none. */
  private async ticketOf(jobId: string | undefined): Promise<OrderDetailView['ticket']> {
    if (jobId === undefined) return null;
    const ticket = await this.prisma.ticket.findFirst({
      where: { jobId },
      orderBy: { copy: 'desc' },
      select: { state: true, failure: true, printedAt: true, printer: { select: { name: true } } },
    });
    return ticket && { ...ticket, printer: ticket.printer?.name ?? null };
  }

  /**
   * Lets the database compute the state of the order from these jobs (R33), and whether the business day of its receipt differs from
   * the business day of its date (R28).
   * @returns undefined when the event was removed
   */
  private async computed({ restaurantId, transactionKey }: EventKey, create?: JobState, cancel?: JobState) {
    const { status = null, withdrawn = false } = create ?? {};
    const [row] = await this.prisma.$queryRaw<
      Pick<
        OrderDetailView,
        'state' | 'receivedOnAnotherDay' | 'kind' | 'netCents' | 'currency' | 'resolvedAt' | 'label'
      >[]
    >`
      SELECT order_state(${status}::job_status, ${withdrawn}, ${cancel?.status ?? null}::job_status, ${IS_REFUND},
               ${isResolved(create, cancel)}) AS state,
             ${RECEIVED_ON_ANOTHER_DAY} AS "receivedOnAnotherDay",
             ${SALE_KIND} AS kind, (${SIGNED_CENTS})::float8 AS "netCents", restaurant.currency,
             ${labelOf(this.config.saleLabelField)} AS label,
             (SELECT max(resolved_at) FROM outbox_jobs WHERE event_key = ${transactionKey} AND restaurant_id = ${restaurantId}::uuid)
               AS "resolvedAt"
      FROM (SELECT timezone, day_closes_at, currency FROM restaurants WHERE id = ${restaurantId}::uuid) AS restaurant, terminal_events
      WHERE transaction_key = ${transactionKey} AND restaurant_id = ${restaurantId}::uuid`;
    return row;
  }

  /**
   * Requests the cancel of an order (C1). An event has at most one CANCEL job: a repeated request returns this job (C2). If the job is
   * parked, the request makes it due again (C12).
   * @param transactionKey as stored: in test mode with its suffix
   * @returns the id of the CANCEL job; `accepted`: whether the job waits because of this request
   * @param although `entered`: also if somebody has entered the order in the till by hand
   * @throws 404 when the restaurant has no such order; 409 when somebody has entered it in the till by hand (R65)
   */
  async cancel(caller: Link, transactionKey: string, although: { readonly entered: boolean }): Promise<Cancel> {
    const { restaurantId, userId } = caller;
    const cancel = await this.prisma.$transaction(async (tx) => {
      const asked = await this.jobs.enqueueCancel(restaurantId, transactionKey, although, tx);
      const act = { action: ORDER_CANCEL_REQUESTED, restaurantId, target: transactionKey } as const;
      if (asked && asked !== 'ENTERED' && asked.accepted) await this.audit.record(tx, caller, act);
      return asked;
    });
    if (!cancel) throw noSuchOrder();
    if (cancel === 'ENTERED')
      throw problem(
        'ORDER_ENTERED',
        'somebody has entered it in the till, where no cancel reaches it: void it in the till by hand, then repeat with {"entered": true}',
      );
    if (cancel.accepted) {
      this.log.info({
        event: 'order.cancel_requested',
        job: cancel.jobId,
        eventKey: transactionKey,
        restaurantId,
        traceId: cancel.traceId,
        user: userId,
      });
      this.worker.wake();
    }
    return cancel;
  }
}

function jobOf<Job extends JobState>(jobs: readonly Job[], wanted: JobAction): Job | undefined {
  return jobs.find(({ action }) => action === wanted);
}

/** Whether somebody settled the parked job by hand (R41): the CREATE job if it is parked, else its cancel. */
function isResolved(create?: JobState, cancel?: JobState): boolean {
  const parked = create?.status === 'DLQ' ? create : cancel;
  return parked?.status === 'DLQ' && parked.resolvedAt !== null;
}

/** Why the event cannot be mapped; null when it can. */
function unmappableReason(mapped: MappedOrder): string | null {
  if ('request' in mapped) return null;
  return 'missing' in mapped ? mapped.missing : mapped.unmappable;
}

function noSuchOrder() {
  return problem('NOT_FOUND', 'this restaurant has no such order');
}
