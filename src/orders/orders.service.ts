import { HttpStatus, Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import type { Prisma as Sql } from '../database/generated/client.js';
import { Prisma } from '../database/prisma.js';
import { type Mapped, mapOrder } from '../domain/pos-order.js';
import { readTransaction } from '../domain/transaction.js';
import { Log } from '../log.js';
import { beyond, inState, pageOf } from '../outbox/job-pages.js';
import { JobStore } from '../outbox/job-store.js';
import { OutboxSchedule } from '../outbox/schedule.js';
import { problem } from '../problem.js';
import type { OrderDetailView, OrderPage, OrderView, QueryOrdersDto } from './orders.dto.js';

const EVENT = {
  event: {
    select: { transactionKey: true, transactionNumber: true, testMode: true, receivedAt: true, paidCents: true },
  },
} as const;
type JobWithEvent = Sql.OutboxJobGetPayload<{ include: typeof EVENT }>;

const JOURNEY = {
  restaurant: { select: { codeStorePos: true } },
  jobs: {
    omit: { eventKey: true, restaurantId: true, processingAt: true, lockedBy: true },
    orderBy: { createdAt: 'asc' },
    include: { history: { omit: { id: true, jobId: true }, orderBy: { startedAt: 'asc' } } },
  },
} as const;
type EventWithJourney = Sql.TerminalEventGetPayload<{ include: typeof JOURNEY }>;

/** Staff's view of an order's journey, and the one thing they can do about it: cancel. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly prisma: Prisma,
    private readonly jobs: JobStore,
    private readonly schedule: OutboxSchedule,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async list(restaurantId: string, query: QueryOrdersDto): Promise<OrderPage> {
    const { limit, after, sort, status, action, from, to } = query;
    const direction = sort === 'receivedAt' ? 'asc' : 'desc';
    const jobs = await this.prisma.outboxJob.findMany({
      where: {
        restaurantId,
        action,
        createdAt: { gte: from, lt: to },
        event: eventFilter(restaurantId, query),
        ...(await inState(this.prisma, status, restaurantId)),
        ...(after ? beyond(after, direction) : {}),
      },
      include: EVENT,
      orderBy: [{ createdAt: direction }, { id: direction }],
      take: limit + 1,
    });
    const page = pageOf(jobs, limit);
    return { ...page, data: page.data.map(view) };
  }

  /** @throws 404 */
  async get(restaurantId: string, transactionKey: string): Promise<OrderDetailView> {
    const event = await this.prisma.terminalEvent.findFirst({
      where: { restaurantId, transactionKey },
      include: JOURNEY,
    });
    if (!event) throw noSuchOrder();
    const mapped = this.map(event);
    return {
      transactionKey: event.transactionKey,
      sourceKey: event.sourceKey,
      test: event.testMode,
      receivedAt: event.receivedAt,
      amountMismatchCents: event.amountMismatchCents === null ? null : Number(event.amountMismatchCents),
      event: event.payload as Record<string, unknown>,
      order: 'order' in mapped ? { ...mapped.order } : null,
      unmappable: 'order' in mapped ? null : mapped.unmappable,
      jobs: event.jobs,
    };
  }

  /**
   * Cancels an order (DECISIONS 4): one CANCEL job for an event; asked again, it is the same.
   * @throws 404
   */
  async cancel(
    restaurantId: string,
    transactionKey: string,
    userId: string,
  ): Promise<{ jobId: string; created: boolean }> {
    const cancel = await this.jobs.enqueueCancel(restaurantId, transactionKey);
    if (!cancel) throw noSuchOrder();
    if (cancel.created) {
      this.log.info({
        event: 'order.cancel_requested',
        job: cancel.jobId,
        eventKey: transactionKey,
        restaurantId,
        user: userId,
      });
      this.schedule.wake();
    }
    return cancel;
  }

  private map(event: EventWithJourney): Mapped {
    const { codeStorePos } = event.restaurant;
    if (!codeStorePos) return { unmappable: 'restaurant has no codeStorePos' };
    return mapOrder(readTransaction(event.payload as Record<string, unknown>), {
      orderId: event.transactionKey,
      codStore: codeStorePos,
      receivedAt: event.receivedAt,
      tenders: this.config.pos.tenders,
      extra: this.config.pos.orderExtra,
    });
  }
}

function eventFilter(restaurantId: string, query: QueryOrdersDto): Sql.TerminalEventWhereInput | undefined {
  const { test, search = '' } = query;
  if (search === '' && test === undefined) return undefined;
  // each of the three has its index; a real transaction is stored under the key it was sent with
  const found = [{ transactionKey: search }, { sourceKey: search, testMode: true }, { transactionNumber: search }];
  return { restaurantId, testMode: test, ...(search === '' ? {} : { OR: found }) };
}

function view({ event, ...job }: JobWithEvent): OrderView {
  const { action, status, withdrawn, attempts, nextRunAt, lastError } = job;
  const { transactionKey, transactionNumber, testMode, receivedAt, paidCents } = event;
  const order = { transactionKey, transactionNumber, test: testMode, receivedAt, paidCents: Number(paidCents) };
  return { ...order, action, status, withdrawn, attempts, nextRunAt, lastError };
}

function noSuchOrder() {
  return problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'this restaurant has no such order');
}
