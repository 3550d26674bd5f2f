import { add, centsOf, sumCents } from '../amounts.js';
import type { PosOrder } from '../wire.js';

/**
 * Open Delivery 1.7 as a POS speaks it. It shares no code with the relay, so that the simulator checks independently what the relay serves.
 */

/** An event of a poll. */
export interface PosEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly orderId: string;
}

/** An amount in currency units. */
interface Price {
  readonly value: number;
  readonly currency: string;
}

interface Item {
  readonly id: string;
  readonly name: string;
  readonly externalCode: string;
  readonly quantity: number;
  readonly unitPrice: Price;
  readonly totalPrice: Price;
  readonly specialInstructions?: string;
  readonly options?: readonly Omit<Item, 'options'>[];
}

/** What the simulator reads of an order. */
export interface PulledOrder {
  readonly id: string;
  readonly displayId: string;
  readonly createdAt: string;
  readonly merchant: { readonly id: string; readonly name: string };
  readonly items: readonly Item[];
  readonly total: {
    readonly itemsPrice: Price;
    readonly otherFees: Price;
    readonly discount: Price;
    readonly orderAmount: Price;
  };
  readonly payments: {
    readonly prepaid: number;
    readonly methods: readonly { readonly method: string; readonly methodInfo?: string; readonly value: number }[];
  };
  readonly extraInfo?: string;
}

/** An answer of the relay; the body is undefined when it has none. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The sign-in was refused: the credentials are wrong, or have ended. */
export class SignInRefused extends Error {}

export interface Access {
  /** base URL of the relay */
  readonly relay: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const TIMEOUT_MS = 15_000;

/** The calls of a POS that pulls. It signs in when it has no token, or the relay refuses the one that it has. */
export class OpenDeliveryClient {
  private token: string | undefined;

  constructor(private readonly access: Access) {}

  /** @throws the error of the transport; SignInRefused */
  async call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    this.token ??= await this.signIn();
    const first = await this.send(method, path, body);
    if (first.status !== 401) return first;
    this.token = await this.signIn();
    return this.send(method, path, body);
  }

  poll(): Promise<Answer> {
    return this.call('GET', '/v1/events:polling');
  }

  acknowledge(events: readonly PosEvent[]): Promise<Answer> {
    const list = events.map(({ eventId: id, orderId, eventType }) => ({ id, orderId, eventType }));
    return this.call('POST', '/v1/events/acknowledgment', list);
  }

  read(orderId: string): Promise<Answer> {
    return this.call('GET', `/v1/orders/${orderId}`);
  }

  /** @param code what the POS calls the order */
  confirm(orderId: string, code: string): Promise<Answer> {
    const body = { createdAt: new Date().toISOString(), orderExternalCode: code };
    return this.call('POST', `/v1/orders/${orderId}/confirm`, body);
  }

  /** Refuses the order: the POS does not know the codes of these items. */
  refuse({ id, items }: PulledOrder): Promise<Answer> {
    const reason = 'the POS does not know these products';
    const invalidItems = items.map((item) => item.id);
    const body = { reason, code: 'OUTDATED_MENU', mode: 'AUTO', invalidItems };
    return this.call('POST', `/v1/orders/${id}/requestCancellation`, body);
  }

  private async signIn(): Promise<string> {
    const { relay, clientId: client_id, clientSecret: client_secret } = this.access;
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    const response = await fetch(`${relay}/oauth/token`, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.status === 401) throw new SignInRefused(text);
    if (response.status !== 200) throw new Error(`sign-in: ${response.status} ${text}`);
    return (JSON.parse(text) as { access_token: string }).access_token;
  }

  private async send(method: string, path: string, body: unknown): Promise<Answer> {
    const response = await fetch(`${this.access.relay}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : parsed(text) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @returns what of the sums of an order does not agree to the cent; undefined: they agree */
export function wrongSum({ items, total, payments }: PulledOrder): string | undefined {
  const [itemsPrice, fees, discount, amount] = [
    total.itemsPrice,
    total.otherFees,
    total.discount,
    total.orderAmount,
  ].map(({ value }) => centsOf(value)) as [bigint, bigint, bigint, bigint];
  if (sumCents(items.map(({ totalPrice }) => totalPrice.value)) !== itemsPrice) return 'items are not itemsPrice';
  if (itemsPrice + fees - discount !== amount) return 'itemsPrice + otherFees - discount is not orderAmount';
  if (centsOf(payments.prepaid) !== amount) return 'prepaid is not orderAmount';
  const paid = add(payments.methods.map(({ value }) => centsOf(value)));
  return paid === amount ? undefined : 'the means of payment are not orderAmount';
}

/** The order in the form of the other simulator, for its ticket. */
export function ticketOrder(order: PulledOrder): PosOrder {
  const line = ({ externalCode, name, quantity, unitPrice, specialInstructions }: Omit<Item, 'options'>) => ({
    integration_code: externalCode,
    desc_item: name,
    quantity,
    unit_price: unitPrice.value,
    ...(specialInstructions !== undefined && { notes: specialInstructions }),
  });
  const { total, payments, extraInfo } = order;
  return {
    order_id: order.displayId,
    cod_store: order.merchant.name,
    created_at: order.createdAt,
    total_amount: total.orderAmount.value,
    total_discount: total.discount.value,
    total_increase: total.otherFees.value,
    items: order.items.map((item) => ({ ...line(item), ...(item.options && { options: item.options.map(line) }) })),
    payment_types: payments.methods.map(({ method, methodInfo, value }) => ({
      code: methodInfo ?? method,
      amount: value,
    })),
    ...(extraInfo !== undefined && { notes: extraInfo }),
  };
}
