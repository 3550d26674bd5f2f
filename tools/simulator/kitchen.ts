import { add, centsOf, lineCents, money } from './amounts.js';
import { cancelProblem, orderProblem } from './order-form.js';
import { ERROR, isRecord, type PosCancel, type PosOrder, type Reply, refusal } from './wire.js';

/** An accepted order. */
export interface KitchenOrder {
  readonly order: PosOrder;
  /** how many times it was accepted; more than once is a duplicate meal */
  cooked: number;
  /** number of requests with its id, refused and misbehaved ones included */
  requests: number;
  cancelled: boolean;
  readonly acceptedAt: Date;
}

export interface KitchenRules {
  /** known `cod_store`; undefined: every store is known */
  readonly stores?: readonly string[];
  /** known `integration_code`; undefined: every product is known */
  readonly products?: readonly string[];
  /** false: a duplicate `order_id` is accepted, and cooked again */
  readonly refuseDuplicates: boolean;
}

/** Accepts and cancels orders by the rules of a POS, in memory. Each store has its own orders. */
export class Kitchen {
  /** accepted orders by `order_id`; the first one where several stores have the same id */
  readonly orders = new Map<string, KitchenOrder>();
  private readonly ordersOfStores = new Map<string, KitchenOrder>();
  private readonly requests = new Map<string, number>();
  private readonly added = new Set<string>();

  constructor(
    private readonly rules: KitchenRules,
    private readonly now: () => Date,
  ) {}

  /** Enters a product, so that orders with it are accepted. */
  addProduct(code: string): void {
    this.added.add(code);
  }

  /** Counts a request for an order. */
  count(body: unknown): void {
    if (!isRecord(body) || typeof body.order_id !== 'string') return;
    const key = keyOf(String(body.cod_store), body.order_id);
    const requests = (this.requests.get(key) ?? 0) + 1;
    this.requests.set(key, requests);
    const known = this.ordersOfStores.get(key);
    if (known) known.requests = requests;
  }

  /** `POST /order`: 200 `{orderId, status}`, or the refusal. */
  accept(body: unknown): Reply {
    const wrong = orderProblem(body);
    if (wrong) return refusal(400, ERROR.FIELD, wrong);
    const order = body as PosOrder;
    const refused = this.checkCatalogue(order) ?? checkSums(order) ?? this.checkDuplicate(order);
    if (refused) return refused;
    this.cook(order);
    return { status: 200, body: { orderId: order.order_id, status: 'ACCEPTED' } };
  }

  /** `POST /cancel-order` `{order_id, cod_store}`: 200 `{orderId, status}`, or the refusal. */
  cancel(body: unknown): Reply {
    const wrong = cancelProblem(body);
    if (wrong) return refusal(400, ERROR.FIELD, wrong);
    const { order_id, cod_store } = body as PosCancel;
    const known = this.find(cod_store, order_id);
    if (!known) return refusal(404, ERROR.UNKNOWN_ORDER, `order_id: ${order_id} is unknown in store ${cod_store}`);
    if (known.cancelled) return refusal(400, ERROR.ALREADY_CANCELLED, `order_id: ${order_id} is already cancelled`);
    known.cancelled = true;
    return { status: 200, body: { orderId: order_id, status: 'CANCELLED' } };
  }

  /**
   * `GET /order/{order_id}`: 200 `{order_id, cod_store, status}`, or 404. Without a store: the first order with this id, of any
   * store.
   */
  lookUp({ order_id = '', cod_store }: Partial<PosCancel>): Reply {
    const known = cod_store === undefined ? this.orders.get(order_id) : this.find(cod_store, order_id);
    if (!known) return refusal(404, ERROR.UNKNOWN_ORDER, `order_id: ${order_id} is unknown`);
    const { order, cancelled } = known;
    const status = cancelled ? 'CANCELLED' : 'ACCEPTED';
    return { status: 200, body: { order_id, cod_store: order.cod_store, status } };
  }

  /** @returns the accepted order of this store; undefined when there is none */
  find(store: string, orderId: string): KitchenOrder | undefined {
    return this.ordersOfStores.get(keyOf(store, orderId));
  }

  private checkCatalogue({ cod_store, items }: PosOrder): Reply | undefined {
    const { stores, products } = this.rules;
    if (stores && !stores.includes(cod_store))
      return refusal(400, ERROR.UNKNOWN_STORE, `cod_store: ${cod_store} is unknown`);
    const unknown = items
      .flatMap((item) => [item, ...(item.options ?? [])])
      .find(({ integration_code: code }) => products && !products.includes(code) && !this.added.has(code));
    return unknown && refusal(422, ERROR.UNKNOWN_PRODUCT, `unknown product ${unknown.integration_code}`);
  }

  private checkDuplicate({ cod_store, order_id }: PosOrder): Reply | undefined {
    if (!this.rules.refuseDuplicates || !this.find(cod_store, order_id)) return undefined;
    return refusal(400, ERROR.DUPLICATE, `order_id: ${order_id} was already accepted`);
  }

  private cook(order: PosOrder): void {
    const key = keyOf(order.cod_store, order.order_id);
    const known = this.ordersOfStores.get(key);
    if (known) {
      known.cooked += 1;
      return;
    }
    const requests = this.requests.get(key) ?? 1;
    const accepted = { order, cooked: 1, requests, cancelled: false, acceptedAt: this.now() };
    this.ordersOfStores.set(key, accepted);
    if (!this.orders.has(order.order_id)) this.orders.set(order.order_id, accepted);
  }
}

function keyOf(store: string, orderId: string): string {
  return `${store}\n${orderId}`;
}

function checkSums(order: PosOrder): Reply | undefined {
  const total = centsOf(order.total_amount);
  const paid = add(order.payment_types.map(({ amount }) => centsOf(amount)));
  if (paid !== total)
    return refusal(400, ERROR.SUMS, `payment_types: add up to ${money(paid)}, total_amount is ${money(total)}`);
  const owed = add(order.items.map(lineCents)) + centsOf(order.total_increase) - centsOf(order.total_discount);
  if (owed === total) return undefined;
  const sums = `items + total_increase - total_discount is ${money(owed)}, total_amount is ${money(total)}`;
  return refusal(400, ERROR.SUMS, `items: ${sums}`);
}
