import { Injectable } from '@nestjs/common';
import { cancelStep, cannotBeMapped, nothingToCancel, notSent, type Outcome } from '../../domain/outcome.js';
import { Completer } from '../../outbox/completer.js';
import { JobStore } from '../../outbox/job-store.js';
import { type MappedOrder, OrderMappers } from '../../outbox/order-mapper.js';
import { RestaurantCodes } from '../../outbox/restaurant-codes.js';
import { type OfferedJob, type OpenJob, POS_HOLDER } from '../../outbox/store/offer.js';
import { Config } from '../../platform/config/config.js';
import { problem } from '../../platform/http/problem.js';
import { orderPath } from '../../pos/vendors/open-delivery/open-delivery.js';
import { type Acknowledged, EVENT_OF, type EventType, MOST_EVENTS, type WantedEvents } from './events.js';
import { unauthenticated } from './pos.guard.js';
import type { PosPrincipal } from './pos-tokens.js';

/** Orders that are read, or settled, at the same time for one request (L262). */
const AT_ONCE = 5;

/** An event as a poll returns it (Q4). */
export interface PosEvent {
  /** id of the job: the same whenever the event is offered again */
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
  constructor(
    private readonly jobs: JobStore,
    private readonly mappers: OrderMappers,
    private readonly codes: RestaurantCodes,
    private readonly completer: Completer,
    private readonly config: Config,
  ) {}

  /**
   * What waits for the acknowledgement of this POS, the oldest first; what is due is claimed (Q4).
   * @throws 401 UNAUTHENTICATED when the credentials have ended; the database's error
   */
  async poll({ credentialId }: PosPrincipal, wanted: WantedEvents): Promise<PosEvent[]> {
    const jobs = await this.jobs.offer({ credentialId, ...wanted, limit: MOST_EVENTS });
    if (!jobs) throw unauthenticated();
    const refused = new Set<OfferedJob>();
    const fresh = jobs.filter(({ isNew }) => isNew);
    await inGroups(fresh, async (group) => {
      const sales = await this.salesOf(group);
      for (const job of group) if (!(await this.canBeOffered(job, sales.get(job.id)))) refused.add(job);
    });
    return jobs.filter((job) => !refused.has(job)).map((job) => this.eventOf(job));
  }

  /**
   * Settles the jobs of acknowledged events: SENT (Q5). An event that was acknowledged before, is not of this restaurant, or was withdrawn
   * meanwhile, is left as it is.
   * @throws the database's error
   */
  async acknowledge({ restaurantId }: PosPrincipal, events: readonly Acknowledged[]): Promise<void> {
    const ids = [...new Set(events.map(({ id }) => id.toLowerCase()))];
    await inGroups(ids, async (group) => {
      const open = await this.jobs.openOf(restaurantId, group);
      const waiting = open.filter((job) => isOfPoll(job) && isNamedRightly(job, events));
      await Promise.all(waiting.map((job) => this.settleAcknowledged(job)));
    });
  }

  /** The order as its POS reads it (Q7). @throws 404 NOT_FOUND */
  async read({ credentialId }: PosPrincipal, orderId: string): Promise<object> {
    const order = await this.jobs.readable(credentialId, orderId);
    const lastEvent = EVENT_OF[order?.cancelled ? 'CANCEL' : 'CREATE'];
    // what was delivered does not change with the set-up
    if (order?.sentBody) return { ...JSON.parse(order.sentBody), lastEvent };
    const mapped = order && (await this.map(order));
    if (!mapped || !('request' in mapped))
      throw problem('NOT_FOUND', 'there is no such order, or it may not be read any more');
    return { ...mapped.request.body, lastEvent };
  }

  /** Whether a job that was just claimed becomes an event. One without an order is settled as an attempt of a worker would be. */
  private async canBeOffered(job: OfferedJob, sale: OpenJob | undefined): Promise<boolean> {
    const outcome = job.action === 'CREATE' ? await this.whyNoOrder(job, sale) : await this.whyNoCancel(job);
    if (outcome === 'release') await this.completer.release(job);
    else if (outcome) await this.completer.settle(job, outcome, 0);
    return outcome === undefined;
  }

  /** The sales of new orders. */
  private async salesOf(jobs: readonly OfferedJob[]): Promise<ReadonlyMap<string, OpenJob>> {
    const creates = jobs.filter(({ action }) => action === 'CREATE');
    const [first] = creates;
    const open = first
      ? await this.jobs.openOf(
          first.restaurantId,
          creates.map(({ id }) => id),
        )
      : [];
    return new Map(open.map((job) => [job.id, job]));
  }

  private async whyNoOrder(job: OfferedJob, sale: OpenJob | undefined): Promise<Outcome | undefined> {
    if (job.attempt > this.config.outbox.maxAttempts)
      return notSent(
        'park',
        'lost',
        `gave up after ${job.attempt - 1} offers: the POS fetched the event and did not acknowledge it`,
      );
    // another poll has offered it since, or its lease has ended
    if (!sale) return undefined;
    const mapped = await this.map(sale);
    if ('missing' in mapped) return notSent('retry', mapped.cause, mapped.missing);
    return 'unmappable' in mapped ? cannotBeMapped(mapped) : undefined;
  }

  /** As a worker's cancel (C3 to C6): an order that no poll has returned needs no event. */
  private async whyNoCancel(job: OfferedJob): Promise<Outcome | 'release' | undefined> {
    const step = cancelStep(await this.jobs.withdrawCreate(job));
    if (step === 'wait') return 'release';
    return step === 'end' ? nothingToCancel() : undefined;
  }

  private async settleAcknowledged(job: OpenJob): Promise<void> {
    const mapped = job.action === 'CREATE' ? await this.map(job) : undefined;
    await this.completer.settle(job, acknowledged(mapped), Math.max(0, Date.now() - Date.parse(job.claimedAt)));
  }

  private async map(job: OpenJob): Promise<MappedOrder> {
    const { orderId: jobId, restaurantId, restaurantName, currency, testMode } = job;
    const codes = job.codesVersion > 0 ? await this.codes.of(job, job.payload) : undefined;
    const origin = { jobId, restaurantId, restaurantName, currency, testMode };
    return this.mappers.of('open-delivery').mapCreate({ ...job, origin }, codes);
  }

  private eventOf({ id, action, orderId, createdAt }: OfferedJob): PosEvent {
    const orderURL = this.config.publicUrl + orderPath(orderId);
    return { eventId: id, eventType: EVENT_OF[action], orderId, orderURL, createdAt };
  }
}

/**
 * The outcome of an acknowledged job. An order that could not be read, because the set-up has changed or it cannot be mapped, is parked: nobody
 * knows whether the POS has it.
 * @param mapped undefined: a cancel
 */
function acknowledged(mapped: MappedOrder | undefined): Outcome {
  const nothing = { httpStatus: null, errorCode: null, retryAfterMs: null };
  if (mapped === undefined || 'request' in mapped) {
    const sentBody = mapped && JSON.stringify(mapped.request.body);
    return {
      settling: 'deliver',
      reach: 'ANSWERED',
      ...nothing,
      cause: null,
      error: null,
      ...(sentBody && { sentBody }),
    };
  }
  const why = 'missing' in mapped ? mapped.missing : mapped.unmappable;
  const error = `the POS acknowledged the event of an order that cannot be read: ${why}`;
  return { settling: 'park', reach: 'UNKNOWN', ...nothing, cause: 'unconfirmed', error };
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
    ({ id, orderId, eventType }) =>
      id.toLowerCase() === job.id && orderId.toLowerCase() === job.orderId && eventType === EVENT_OF[job.action],
  );
}
