import { Injectable } from '@nestjs/common';
import type { Said } from '../../domain/acceptance.js';
import { JobStore } from '../../outbox/job-store.js';
import { parkedAlarm } from '../../outbox/parked-alarm.js';
import type { HeardOrder, Hearing } from '../../outbox/store/say.js';
import { Config } from '../../platform/config/config.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import { namedItemCodes, namedItemNames } from '../../pos/vendors/open-delivery/document.js';
import { POS_CODES } from './error-codes.js';
import { PosOrders } from './pos-orders.js';
import type { PosPrincipal } from './pos-tokens.js';
import { PulledOrders } from './pulled-orders.js';
import type { Refusal } from './statements.js';

const WHY: Readonly<Record<Exclude<Hearing, 'new' | 'unclear'>, string>> = {
  same: 'you have said this of the order before',
  cancelled: 'the order was cancelled: acknowledge its event CANCELLED',
  refused: 'you have refused the order; when it is sent again, it has a new event CREATED',
  open: 'the order was not offered to you yet, or its offer has ended: poll for its event',
  not_cancelled: 'nobody has cancelled the order',
  earlier: 'eventId is not the last event CREATED of the order: you have refused that one',
};
const UNCLEAR = `you have refused this order, and it was sent again: acknowledge its new event CREATED, or name it as eventId`;
const AGAIN_AFTER_SECONDS = 1;

/** What a POS says of its orders (Q15, Q16): it accepts them, refuses them, or says how far they are. */
@Injectable()
export class OrderStates {
  constructor(
    private readonly orders: PulledOrders,
    private readonly posOrders: PosOrders,
    private readonly jobs: JobStore,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /**
   * Records what the POS says of an order. Who speaks of an order has its event, also if the acknowledgement has not arrived.
   * @throws 401 UNAUTHENTICATED; 404 NOT_FOUND; 422 ORDER_STATE; 503 ORDER_NOT_ACKNOWLEDGED, TOO_MANY_AT_ONCE; ClientGoneError; the database's error
   */
  async say(pos: PosPrincipal, orderId: string, said: Said | Refusal, gone: AbortSignal): Promise<void> {
    const arrivedAt = performance.now();
    await this.orders.acknowledgeOrder(pos, orderId, said.eventId);
    const named = 'itemIds' in said ? await this.namedItems(pos, orderId, said.itemIds, gone) : {};
    const record = () => this.jobs.say(pos.credentialId, orderId, { ...said, ...named }, performance.now() - arrivedAt);
    let order = await record();
    if (order?.hearing === 'open' && (await this.jobs.claimSpokenOf(pos.restaurantId, orderId))) {
      await this.orders.acknowledgeOrder(pos, orderId, said.eventId);
      order = await record();
    }
    if (!order) throw problem('NOT_FOUND', 'there is no such order, or it may not be read any more');
    const { hearing, eventKey, restaurantId } = order;
    if (hearing === 'unclear') throw problem(POS_CODES.ORDER_NOT_ACKNOWLEDGED, UNCLEAR, AGAIN_AFTER_SECONDS);
    if (hearing !== 'new') throw problem(POS_CODES.ORDER_STATE, WHY[hearing]);
    const { state, number } = said;
    this.log.info({ event: 'order.pos_says', job: orderId, eventKey, restaurantId, state, number });
    if (order.isParked) this.noteParked(orderId, order);
  }

  /** The POS codes of items of an order, by the ids that its POS has read; their names when it may have read other codes (Q16). */
  private async namedItems(pos: PosPrincipal, orderId: string, ids: readonly string[], gone: AbortSignal) {
    if (ids.length === 0) return {};
    const order = await this.posOrders.find(pos, orderId);
    const document = await this.posOrders.document(pos, order, gone);
    const byName = order.isMappedOtherwise;
    return { byName, items: byName ? namedItemNames(document, ids) : namedItemCodes(document, ids) };
  }

  private noteParked(id: string, { eventKey, restaurantId, restaurantName, error }: HeardOrder): void {
    this.metrics.parked.inc();
    const job = { id, eventKey, action: 'CREATE', restaurantId, restaurantName } as const;
    this.log.error(parkedAlarm(job, { cause: 'refused', error }, this.config));
  }
}
