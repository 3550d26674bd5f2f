import { Injectable } from '@nestjs/common';
import type { PosCodes } from '../../domain/pos-codes.js';
import { JobStore } from '../../outbox/job-store.js';
import { type MappedOrder, OrderMappers } from '../../outbox/order-mapper.js';
import { RestaurantCodes } from '../../outbox/restaurant-codes.js';
import type { OfferedJob, OpenJob, ReadableOrder } from '../../outbox/store/offer.js';
import { problem } from '../../platform/http/problem.js';
import { EVENT_OF } from './events.js';
import { unauthenticated } from './pos.guard.js';
import type { PosPrincipal } from './pos-tokens.js';
import { PosTurns } from './pos-turns.js';

/** A job with the payload of its sale. */
export type Sale = OfferedJob & Pick<OpenJob, 'payload'>;

/** The orders as their POSs read them (Q7, Q9). */
@Injectable()
export class PosOrders {
  constructor(
    private readonly jobs: JobStore,
    private readonly mappers: OrderMappers,
    private readonly codes: RestaurantCodes,
    private readonly turns: PosTurns,
  ) {}

  /**
   * The order as its POS reads it (Q7).
   * @throws 401 UNAUTHENTICATED when the credentials have ended; 404 NOT_FOUND; 503 TOO_MANY_AT_ONCE; ClientGoneError
   */
  async read(pos: PosPrincipal, orderId: string, gone: AbortSignal): Promise<object> {
    const order = await this.turns.run(pos, gone, () => this.find(pos, orderId));
    return this.document(pos, order, gone);
  }

  /** An order that its POS may read. @throws 401 UNAUTHENTICATED when the credentials have ended; 404 NOT_FOUND */
  async find({ credentialId }: PosPrincipal, orderId: string): Promise<ReadableOrder> {
    const order = await this.jobs.readable(credentialId, orderId);
    if (order === undefined) throw unauthenticated();
    return order ?? notReadable();
  }

  /** An order of {@link find} as its POS reads it. A large one waits for its turn (H29). @throws 404 NOT_FOUND; 503 TOO_MANY_AT_ONCE; ClientGoneError */
  async document(pos: PosPrincipal, order: ReadableOrder, gone: AbortSignal): Promise<object> {
    const { sentBody, payload, cancelled } = order;
    const lastEvent = EVENT_OF[cancelled ? 'CANCEL' : 'CREATE'];
    const turn = () => this.turns.bySize((sentBody ?? payload).length, pos, gone);
    await turn();
    // what was delivered does not change with the set-up
    if (sentBody) return { ...JSON.parse(sentBody), lastEvent };
    const sale = { ...order, payload: JSON.parse(payload) };
    const codes = sale.codesVersion > 0 ? await this.codes.of(sale, sale.payload) : undefined;
    // codes that were looked up have ended the turn
    if (codes) await turn();
    const mapped = this.mapWith(sale, codes);
    return 'request' in mapped ? { ...mapped.request.body, lastEvent } : notReadable();
  }

  /** The order of a sale for its POS, with the codes of its restaurant as they are now. */
  async map(job: Sale): Promise<MappedOrder> {
    return this.mapWith(job, job.codesVersion > 0 ? await this.codes.of(job, job.payload) : undefined);
  }

  private mapWith(job: Sale, codes: PosCodes | undefined): MappedOrder {
    const { orderId: jobId, restaurantId, restaurantName, currency, testMode } = job;
    const origin = { jobId, restaurantId, restaurantName, currency, testMode };
    return this.mappers.of('open-delivery').mapCreate({ ...job, origin }, codes);
  }
}

function notReadable(): never {
  throw problem('NOT_FOUND', 'there is no such order, or it may not be read any more');
}
