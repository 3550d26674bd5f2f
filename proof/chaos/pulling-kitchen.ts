import { centsOf } from '../../tools/simulator/amounts.js';
import { type PosEvent, type PulledOrder, wrongSum } from '../../tools/simulator/open-delivery/wire.js';
import { type BystanderCall, contentOf, type Offer, type PosCall, PULLED } from './history.js';
import type { Statement } from './statements.js';

/** What the POSs that pull have seen, and what was answered to them. */
export interface PullingRecord {
  readonly calls: PosCall[];
  readonly offers: Offer[];
  readonly statements: Statement[];
  readonly answers: BystanderCall[];
}

/** What a restaurant has cooked; it discards events that it has handled. */
export class PullingKitchen {
  /** it acknowledges nothing until then, by performance.now() */
  awayUntil = 0;
  private readonly handled = new Set<string>();
  private readonly cancelled = new Set<string>();
  private readonly keys = new Map<string, string>();
  /** order id -> event id of its last cooking */
  private readonly events = new Map<string, string>();
  /** event ids of refused orders */
  private readonly refused = new Set<string>();

  constructor(
    readonly store: string,
    private readonly record: PullingRecord,
    readonly namesEvents: boolean,
  ) {}

  offered(events: readonly PosEvent[], at: number): void {
    for (const { eventId, orderId, eventType } of events)
      this.record.offers.push({ at, store: this.store, eventId, orderId, eventType });
  }

  has({ eventId }: PosEvent): boolean {
    return this.handled.has(eventId);
  }

  /** Another till may have cooked it while this one has read it; a cancel may have come before it. */
  cook(event: PosEvent, order: PulledOrder): void {
    if (this.has(event)) return;
    this.handled.add(event.eventId);
    this.keys.set(event.orderId, order.displayId);
    this.events.set(event.orderId, event.eventId);
    this.write(
      'order',
      order.displayId,
      this.cancelled.has(event.orderId) ? 'refused' : 'cooked',
      contentIn(this.store, order),
    );
  }

  /** The order is thrown away: until it is offered again, by another event, there is nothing of it. */
  refuse({ eventId }: PosEvent): void {
    this.refused.add(eventId);
  }

  /** Whether this event of the order was refused. */
  hasRefused({ eventId }: PosEvent): boolean {
    return this.refused.has(eventId);
  }

  /** Whether the order was refused, and not cooked since: an event CANCELLED may be the answer to that (Q17). */
  isRefused({ orderId }: PosEvent): boolean {
    return this.refused.has(this.events.get(orderId) ?? '');
  }

  /** Whether no later event has offered the order again. */
  isLatest({ orderId, eventId }: PosEvent): boolean {
    return this.events.get(orderId) === eventId;
  }

  /** What the POS has said itself comes back as an event (Q17). */
  note({ eventId }: PosEvent): void {
    this.handled.add(eventId);
  }

  cancel(event: PosEvent): void {
    if (this.has(event)) return;
    this.handled.add(event.eventId);
    this.cancelled.add(event.orderId);
    const key = this.keys.get(event.orderId);
    // of an order that it never had nothing is known but its id
    if (key !== undefined) this.write('cancel', key, 'cancelled', null);
  }

  private write(kind: PosCall['kind'], orderId: string, effect: PosCall['effect'], content: string | null): void {
    const at = Date.now();
    const answered = { doneAt: at, status: 200, answeredAt: at };
    this.record.calls.push({
      at,
      kind,
      orderId,
      store: this.store,
      pid: PULLED,
      treatment: 'pulled',
      effect,
      content,
      ...answered,
    });
  }
}

/** What the POS got, as a text to compare with what the terminal sent. */
function contentIn(store: string, order: PulledOrder): string {
  const wrong = wrongSum(order);
  if (wrong !== undefined) return wrong;
  const lines = order.items.flatMap(({ externalCode: code, quantity, unitPrice, options = [] }) => [
    { code, quantity, price: unitPrice.value },
    ...options.map((option) => ({
      code: option.externalCode,
      quantity: option.quantity * quantity,
      price: option.unitPrice.value,
    })),
  ]);
  return contentOf(store, Number(centsOf(order.total.orderAmount.value)), lines);
}
