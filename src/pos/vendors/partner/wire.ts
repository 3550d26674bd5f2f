import { fromCents } from '../../../domain/money.js';
import type { Order, OrderPayment, OrderReference } from '../../../domain/order.js';
import type { PosCredentials, PosWireSettings, TenderPayment } from '../../../platform/config/pos-config.js';
import type { WireHeaders, WireRequest } from '../../vendor.js';
import { posPayment, type TenderRules } from './tenders.js';

/** The body of `POST /order` (M12); amounts in currency units. */
export interface PosOrder {
  readonly order_id: string;
  readonly cod_store: string;
  /** ISO 8601 */
  readonly created_at: string;
  readonly total_amount: number;
  readonly total_discount: number;
  readonly total_increase: number;
  readonly items: readonly PosOrderItem[];
  readonly payment_types: readonly PosOrderPayment[];
}

export interface PosOrderItem {
  readonly integration_code: string;
  readonly desc_item: string;
  readonly quantity: number;
  readonly unit_price: number;
}

export interface PosOrderPayment extends TenderPayment {
  readonly amount: number;
}

/** The body of a cancel (C4). */
export type PosCancel = Pick<PosOrder, 'order_id' | 'cod_store'>;

/** The sign-in request: `POST /auth` with the credential headers and no body (T1). */
export function signInRequest(credentials: PosCredentials): WireRequest & { readonly headers: WireHeaders } {
  return { path: '/auth', headers: credentialHeaders(credentials), body: undefined };
}

/** The credential headers, and `Authorization` with the token after POS_TOKEN_SCHEME (T5). */
export function headers(credentials: PosCredentials, token: string, settings: PosWireSettings): WireHeaders {
  const { tokenScheme = 'Bearer' } = settings;
  return { ...credentialHeaders(credentials), Authorization: `${tokenScheme} ${token}`.trimStart() };
}

/**
 * The request that creates an order: `POST /order` (D1, M12). The fields of POS_ORDER_EXTRA are added to the
 * body, except a field that the relay writes.
 * @throws Error when a payment has a tender type without a code; such an order is unmappable and is never computed
 */
export function orderRequest(
  order: Order,
  tenders: TenderRules,
  { orderExtra }: PosWireSettings,
): WireRequest & { readonly body: PosOrder } {
  const body: PosOrder = {
    ...orderExtra,
    order_id: order.id,
    cod_store: order.store,
    created_at: order.createdAt.toISOString(),
    total_amount: fromCents(order.total),
    total_discount: fromCents(order.discount),
    total_increase: fromCents(order.surcharge),
    items: order.items.map(({ code, name, quantity, unitPrice }) => ({
      integration_code: code,
      desc_item: name,
      quantity,
      unit_price: unitPrice,
    })),
    payment_types: order.payments.map((payment) => paymentOf(payment, tenders)),
  };
  return { path: '/order', body };
}

/** The request that cancels an order: `POST {POS_CANCEL_PATH}` (C4). */
export function cancelRequest(
  { id, store }: OrderReference,
  { cancelPath = '/cancel-order' }: PosWireSettings,
): WireRequest & { readonly body: PosCancel } {
  return { path: cancelPath, body: { order_id: id, cod_store: store } };
}

/**
 * The path of a look-up: POS_ORDER_LOOKUP_PATH with its placeholders replaced (D20).
 * @param template contains `{order_id}`; it may contain `{cod_store}`
 */
export function lookupPath({ id, store }: OrderReference, template: string): string {
  return template.replace(/\{(order_id|cod_store)\}/g, (_, name) => pathSegment(name === 'order_id' ? id : store));
}

/** The text percent-encoded. `.` and `..` are encoded too, since a proxy would resolve them to another path (D22). */
function pathSegment(text: string): string {
  return /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%2E') : encodeURIComponent(text);
}

function credentialHeaders({ partnerId, secret }: PosCredentials): WireHeaders {
  return { 'id-partner': partnerId, secret };
}

function paymentOf({ tenderType, amount }: OrderPayment, tenders: TenderRules): PosOrderPayment {
  const payment = posPayment(tenderType, tenders);
  if (!payment) throw new Error(`tender type ${JSON.stringify(tenderType)} has no code`);
  return { ...payment, amount: fromCents(amount) };
}
