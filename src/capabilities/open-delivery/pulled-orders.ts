import { Injectable } from '@nestjs/common';
import {
  cancelElsewhere,
  cancelStep,
  cannotBeMapped,
  nothingToCancel,
  notSent,
  type Outcome,
} from '../../domain/outcome.js';
import { Completer } from '../../outbox/completer.js';
import { JobStore } from '../../outbox/job-store.js';
import type { MappedOrder } from '../../outbox/order-mapper.js';
import {
  MAPPED_OTHERWISE,
  type Offer,
  type OfferedJob,
  type OpenJob,
  POS_HOLDER,
  type Poll,
} from '../../outbox/store/offer.js';
import { Config } from '../../platform/config/config.js';
import { Batcher } from '../../platform/database/batch/batcher.js';
import type { BatchedRow } from '../../platform/database/batch/row-queue.js';
import { orderPath } from '../../pos/vendors/open-delivery/open-delivery.js';
import {
  type Acknowledged,
  EVENT_OF,
  EVENT_OF_STATE,
  type EventType,
  MOST_EVENTS,
  type WantedEvents,
} from './events.js';
import { unauthenticated } from './pos.guard.js';
import { PosOrders, type Sale } from './pos-orders.js';
import type { PosPrincipal } from './pos-tokens.js';
import { PosTurns } from './pos-turns.js';

/** Orders that are read, or settled, at the same time for one request (L262). */
const AT_ONCE = 5;
/** Polls of a statement (L262); fewer on the embedded database, where sales wait for it. */
const POLLS = { server: 20, embedded: 5 };
/** Polls that wait for a statement are bounded by their turns (Q11). */
const NO_BOUND = { parallel: 1, retry: false } as const;

/** An event as a poll returns it (Q4). */
export interface PosEvent {
  /** the same whenever the event is offered again */
  readonly eventId: string;
  readonly eventType: EventType;
  readonly orderId: string;
  readonly orderURL: string;
  readonly createdAt: Date;
}

/**
 * The orders of a POS that pulls (Q): it is a worker of its restaurant. Its poll claims, its acknowledgement settles; the reaper, late orders, parking
 * and cancels work as for the others.
 */
@Injectable()
export class PulledOrders {
  /** polls of different restaurants that arrive while a statement runs share the next one */
  private readonly polls: Batcher<Poll & BatchedRow, Offer | undefined>;

  constructor(
    private readonly jobs: JobStore,
    private readonly orders: PosOrders,
    private readonly completer: Completer,
    private readonly turns: PosTurns,
    private readonly config: Config,
  ) {
    const most = POLLS[config.databaseUrl === undefined ? 'embedded' : 'server'];
    this.polls = new Batcher((polls) => jobs.offer(polls), { ...NO_BOUND, most });
  }

  /**
   * What waits for the acknowledgement of this POS, the oldest first; what is due is claimed (Q4).
   * @param gone aborts when the client has gone
   * @throws 401 UNAUTHENTICATED when the credentials have ended; 503 TOO_MANY_AT_ONCE; ClientGoneError; the database's error
   */
  async poll(pos: PosPrincipal, wanted: WantedEvents, gone: AbortSignal): Promise<PosEvent[]> {
    const offer = await this.turns.poll(pos, gone, () => this.polls.add(rowOf(pos, wanted), gone));
    if (!offer) throw unauthenticated();
    const { jobs, said } = offer;
    const refused = new Set<OfferedJob>();
    const fresh = jobs.filter(({ isNew }) => isNew);
    const check = () =>
      inGroups(fresh, async (group) => {
        const sales = await this.salesOf(pos, group);
        for (const job of group) if (!(await this.canBeOffered(job, sales.get(job.id)))) refused.add(job);
      });
    if (fresh.length > 0) await this.turns.run(pos, gone, check);
    const ofJobs = jobs.filter((job) => !refused.has(job)).map((job) => this.eventOf(job));
    const ofSaid = said.map(({ id: eventId, orderId, state, createdAt }) => ({
      ...{ eventId, eventType: EVENT_OF_STATE[state], orderId, orderURL: this.urlOf(orderId) },
      createdAt: new Date(createdAt),
    }));
    return [...ofJobs, ...ofSaid].slice(0, MOST_EVENTS);
  }

  /**
   * Settles the jobs of acknowledged events: SENT (Q5). An event that was acknowledged before, is not of this restaurant, or was withdrawn
   * meanwhile, is left as it is.
   * @throws 401 UNAUTHENTICATED when the credentials have ended; the database's error
   */
  async acknowledge(pos: PosPrincipal, events: readonly Acknowledged[]): Promise<void> {
    // the id of a job is that of its event, or of its order
    const ids = [
      ...new Set(events.map(({ id, orderId, eventType }) => (eventType === EVENT_OF.CREATE ? orderId : id))),
    ];
    // which also checks the credentials
    if (ids.length === 0) await this.openOf(pos, ids);
    await inGroups(ids, async (group) => {
      const open = await this.openOf(pos, group);
      const waiting = open.filter((job) => isOfPoll(job) && isNamedRightly(job, events));
      await Promise.all(waiting.map((job) => this.settleAcknowledged(job)));
    });
    const others = events.filter(({ eventType }) => eventType !== EVENT_OF.CREATE).map(({ id }) => id);
    if (others.length > 0) await this.jobs.acknowledgeSaid(pos.restaurantId, others);
  }

  /**
   * Settles the job of an order that its POS speaks of: it has read the event, acknowledged or not (Q15). Of an order that was refused before it may
   * be an earlier event, unless it is named (Q23).
   * @param event id of the event; absent: the first of the order
   * @throws 401 UNAUTHENTICATED when the credentials have ended; the database's error
   */
  async acknowledgeOrder(pos: PosPrincipal, jobId: string, event = jobId): Promise<void> {
    const open = await this.openOf(pos, [jobId]);
    // a poll has offered it, or a worker sends its event at this moment (Q21)
    const spokenOf = open.filter(({ lockedBy, eventId }) => lockedBy && eventId === event);
    await Promise.all(spokenOf.map((job) => this.settleAcknowledged(job)));
  }

  /** Whether a job that was just claimed becomes an event. One without an order is settled as an attempt of a worker would be. */
  private async canBeOffered(job: OfferedJob, sale: Sale | undefined): Promise<boolean> {
    const outcome = job.action === 'CREATE' ? await this.whyNoOrder(job, sale) : await this.whyNoCancel(job);
    if (outcome === 'release') await this.completer.release(job);
    else if (outcome) await this.completer.settle(job, outcome, 0);
    return outcome === undefined;
  }

  /** The sales of new orders: the statement of the poll has read the first ones. */
  private async salesOf(pos: PosPrincipal, jobs: readonly OfferedJob[]): Promise<ReadonlyMap<string, Sale>> {
    const creates = jobs.filter(({ action }) => action === 'CREATE');
    const unread = creates.filter(({ payload }) => payload === null).map(({ id }) => id);
    const read = unread.length > 0 ? await this.openOf(pos, unread) : [];
    return new Map([...creates, ...read].flatMap((job) => (hasPayload(job) ? [[job.id, job]] : [])));
  }

  /** @throws 401 UNAUTHENTICATED when the credentials have ended */
  private async openOf({ credentialId }: PosPrincipal, ids: readonly string[]): Promise<readonly OpenJob[]> {
    const open = await this.jobs.openOf(credentialId, ids);
    if (!open) throw unauthenticated();
    return open;
  }

  private async whyNoOrder(job: OfferedJob, sale: Sale | undefined): Promise<Outcome | undefined> {
    if (job.attempt > this.config.outbox.maxAttempts)
      return notSent(
        'park',
        'lost',
        `gave up after ${job.attempt - 1} offers: the POS fetched the event and did not acknowledge it`,
      );
    // another poll has offered it since, or its lease has ended
    if (!sale) return undefined;
    const mapped = await this.orders.map(sale);
    if ('missing' in mapped) return notSent('retry', mapped.cause, mapped.missing);
    return 'unmappable' in mapped ? cannotBeMapped(mapped) : undefined;
  }

  /** As a worker's cancel (C3 to C6, Q30): an order that no poll has returned needs no event. */
  private async whyNoCancel(job: OfferedJob): Promise<Outcome | 'release' | undefined> {
    const step = cancelStep(await this.jobs.withdrawCreate(job));
    if (step === 'wait') return 'release';
    if (step === 'elsewhere') return cancelElsewhere();
    return step === 'end' ? nothingToCancel() : undefined;
  }

  private async settleAcknowledged(job: OpenJob): Promise<void> {
    const mapped = job.action === 'CREATE' ? await this.orders.map(job) : undefined;
    await this.completer.settle(
      job,
      acknowledged(mapped, job.isMappedOtherwise),
      Math.max(0, Date.now() - Date.parse(job.claimedAt)),
    );
  }

  private eventOf({ eventId, action, orderId, createdAt }: OfferedJob): PosEvent {
    return { eventId, eventType: EVENT_OF[action], orderId, orderURL: this.urlOf(orderId), createdAt };
  }

  private urlOf(orderId: string): string {
    return this.config.publicUrl + orderPath(orderId);
  }
}

/**
 * The outcome of an acknowledged job. An order that could not be read, because the set-up has changed or it cannot be mapped, is parked: nobody
 * knows whether the POS has it.
 * @param mapped undefined: a cancel
 * @param isMappedOtherwise whether the POS may have read the order as it was mapped before (Q5)
 */
function acknowledged(mapped: MappedOrder | undefined, isMappedOtherwise: boolean): Outcome {
  const nothing = { httpStatus: null, errorCode: null, retryAfterMs: null };
  if (mapped === undefined || 'request' in mapped) {
    const sentBody = mapped && JSON.stringify(mapped.request.body);
    return {
      settling: 'deliver',
      reach: 'ANSWERED',
      ...nothing,
      cause: null,
      error: mapped && isMappedOtherwise ? MAPPED_OTHERWISE : null,
      ...(sentBody && { sentBody, isUnheard: true }),
    };
  }
  const why = 'missing' in mapped ? mapped.missing : mapped.unmappable;
  const error = `the POS acknowledged the event of an order that cannot be read: ${why}`;
  return { settling: 'park', reach: 'UNKNOWN', ...nothing, cause: 'unconfirmed', error };
}

function rowOf({ credentialId, restaurantId, foundedBy }: PosPrincipal, wanted: WantedEvents): Poll & BatchedRow {
  const row = { length: 200, keys: [restaurantId], source: restaurantId, party: foundedBy };
  return { ...row, ...wanted, credentialId, restaurantId, limit: MOST_EVENTS };
}

function hasPayload(job: OfferedJob): job is Sale {
  return job.payload !== null;
}

/** Does the work of a few entries at a time: each may be a sale of a megabyte, and takes a connection. */
async function inGroups<T>(entries: readonly T[], work: (group: readonly T[]) => Promise<void>): Promise<void> {
  for (let i = 0; i < entries.length; i += AT_ONCE) await work(entries.slice(i, i + AT_ONCE));
}

/** Whether the claim of the job, or the last one, which the lease has ended, is that of a poll. */
function isOfPoll({ lockedBy }: OpenJob): boolean {
  return (lockedBy ?? '').startsWith(POS_HOLDER);
}

function isNamedRightly(job: OpenJob, events: readonly Acknowledged[]): boolean {
  return events.some(
    ({ id, orderId, eventType }) => id === job.eventId && orderId === job.orderId && eventType === EVENT_OF[job.action],
  );
}
