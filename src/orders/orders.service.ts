import { HttpStatus, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import type { JobAction, JobStatus } from '../domain/job.js';
import { afterCursor, pageOf } from '../http/cursor-page.js';
import { problem } from '../http/problem.js';
import { JobStore } from '../outbox/job-store.js';
import { type MappedOrder, OrderMapper } from '../outbox/order-mapper.js';
import { inOrderState, inState } from '../outbox/state-filter.js';
import { Worker } from '../outbox/worker.js';
import { Log } from '../telemetry/log.js';
import type { Link } from '../user-links/restaurant.guard.js';
import type { OrderDetailView, OrderPageView, OrderView, QueryOrdersDto } from './orders.dto.js';

/** Before every order. */
const EPOCH = new Date(0);

const EVENT = {
  event: {
    select: {
      transactionKey: true,
      transactionNumber: true,
      testMode: true,
      receivedAt: true,
      paidCents: true,
      warnings: true,
      jobs: { where: { action: 'CANCEL' }, select: { action: true, status: true } },
    },
  },
} as const;
type JobWithEvent = Prisma.OutboxJobGetPayload<{ include: typeof EVENT }>;

const JOBS_WITH_ATTEMPTS = {
  restaurant: { select: { codeStorePos: true } },
  jobs: {
    omit: { eventKey: true, restaurantId: true, processingAt: true, lockedBy: true },
    orderBy: { createdAt: 'asc' },
    include: { history: { omit: { id: true, jobId: true }, orderBy: { startedAt: 'asc' } } },
  },
} as const;

interface JobWithBodies {
  readonly action: string;
  readonly history: readonly { readonly sentBody: unknown }[];
}

/** Lists orders, shows one with its jobs and attempts, and requests its cancel, each within one restaurant. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly jobs: JobStore,
    private readonly worker: Worker,
    private readonly mapper: OrderMapper,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /**
   * One page of a restaurant's orders, or of their cancels (R3).
   * @throws 400 when `after` is not a cursor
   */
  async list(restaurantId: string, query: QueryOrdersDto): Promise<OrderPageView> {
    const { limit, after, sort, status, state, action, from, to } = query;
    const direction = sort === 'receivedAt' ? 'asc' : 'desc';
    const jobs = await this.prisma.outboxJob.findMany({
      where: {
        restaurantId,
        action,
        // always a span: the index of the list has this condition
        createdAt: { gte: from ?? EPOCH, lt: to },
        event: eventFilter(restaurantId, query),
        ...(await inState(this.prisma, status, restaurantId)),
        AND: [await inOrderState(this.prisma, state, restaurantId), after ? afterCursor(after, direction) : {}],
      },
      include: EVENT,
      orderBy: [{ createdAt: direction }, { id: direction }],
      take: limit + 1,
    });
    const page = pageOf(jobs, limit);
    return { ...page, data: page.data.map(view) };
  }

  /**
   * One order with its event, jobs and attempts (R4).
   * @param transactionKey as stored: in test mode with its suffix
   * @throws 404 when the restaurant has no such order
   */
  async get(restaurantId: string, transactionKey: string): Promise<OrderDetailView> {
    const event = await this.prisma.terminalEvent.findFirst({
      where: { restaurantId, transactionKey },
      include: JOBS_WITH_ATTEMPTS,
    });
    if (!event) throw noSuchOrder();
    const mapped = this.mapper.mapCreate({
      eventKey: event.transactionKey,
      payload: event.payload as Record<string, unknown>,
      receivedAt: event.receivedAt,
      codeStorePos: event.restaurant.codeStorePos,
    });
    const sent = lastSentOrder(event.jobs);
    return {
      transactionKey: event.transactionKey,
      sourceKey: event.sourceKey,
      test: event.testMode,
      receivedAt: event.receivedAt,
      amountMismatchCents: event.amountMismatchCents === null ? null : Number(event.amountMismatchCents),
      event: event.payload as Record<string, unknown>,
      warnings: event.warnings,
      order: sent ?? ('request' in mapped ? { ...mapped.request.body } : null),
      sent: sent !== undefined,
      unmappable: sent ? null : unmappableReason(mapped),
      cancellation: cancellationOf(event.jobs),
      jobs: event.jobs.map((job) => ({ ...job, history: job.history.map(({ sentBody: _, ...attempt }) => attempt) })),
    };
  }

  /**
   * Requests the cancel of an order (C1): an event has one CANCEL job, and a repeated request returns it (C2), or runs it again
   * when it is parked (C12).
   * @param transactionKey as stored: in test mode with its suffix
   * @returns the CANCEL job's id, and whether it waits because of this request
   * @throws 404 when the restaurant has no such order
   */
  async cancel(caller: Link, transactionKey: string): Promise<{ jobId: string; accepted: boolean }> {
    const { restaurantId, userId } = caller;
    const cancel = await this.prisma.$transaction(async (tx) => {
      const asked = await this.jobs.enqueueCancel(restaurantId, transactionKey, tx);
      const act = { action: 'order.cancel_requested', restaurantId, target: transactionKey } as const;
      if (asked?.accepted) await this.audit.record(tx, caller, act);
      return asked;
    });
    if (!cancel) throw noSuchOrder();
    if (cancel.accepted) {
      this.log.info({
        event: 'order.cancel_requested',
        job: cancel.jobId,
        eventKey: transactionKey,
        restaurantId,
        user: userId,
      });
      this.worker.wake();
    }
    return cancel;
  }
}

/** The status of an order's CANCEL job among its jobs (C9); null when no cancel was requested. */
function cancellationOf(jobs: readonly { action: JobAction; status: JobStatus }[]): JobStatus | null {
  return jobs.find(({ action }) => action === 'CANCEL')?.status ?? null;
}

/** Why the event has no order; null when it has one. */
function unmappableReason(mapped: MappedOrder): string | null {
  if ('request' in mapped) return null;
  return 'missing' in mapped ? mapped.missing : mapped.unmappable;
}

/** The body of the last request that created the order, as it was sent (O19); undefined when none is known to have left. */
function lastSentOrder(jobs: readonly JobWithBodies[]): Record<string, unknown> | undefined {
  const create = jobs.find(({ action }) => action === 'CREATE');
  const attempt = create?.history.findLast(({ sentBody }) => sentBody !== null);
  return attempt?.sentBody as Record<string, unknown> | undefined;
}

function eventFilter(restaurantId: string, query: QueryOrdersDto): Prisma.TerminalEventWhereInput | undefined {
  const { test, cancelled, search = '' } = query;
  if (search === '' && test === undefined && cancelled === undefined) return undefined;
  // each alternative has its index; outside test mode the stored key is the key as sent, so transactionKey finds it
  const found = [{ transactionKey: search }, { sourceKey: search, testMode: true }, { transactionNumber: search }];
  // its restaurant stands with the cancel too, so that the index finds it
  const cancel = { restaurantId, action: 'CANCEL' } as const;
  return {
    restaurantId,
    testMode: test,
    ...(cancelled === undefined ? {} : { jobs: cancelled ? { some: cancel } : { none: cancel } }),
    ...(search === '' ? {} : { OR: found }),
  };
}

function view({ event, ...job }: JobWithEvent): OrderView {
  const { action, status, withdrawn, attempts, nextRunAt, lastError } = job;
  const { transactionKey, transactionNumber, testMode, receivedAt, paidCents, warnings } = event;
  const order = {
    transactionKey,
    transactionNumber,
    test: testMode,
    receivedAt,
    paidCents: Number(paidCents),
    warnings,
  };
  const cancellation = cancellationOf(event.jobs);
  return { ...order, action, status, withdrawn, cancellation, attempts, nextRunAt, lastError };
}

function noSuchOrder() {
  return problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'this restaurant has no such order');
}
