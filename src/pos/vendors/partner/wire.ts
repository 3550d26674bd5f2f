import { fromCents } from '../../../domain/money.js';
import type { Evidence, Order, OrderPayment, OrderReference } from '../../../domain/order.js';
import type { PosCredentials, PosWireSettings, TenderPayment } from '../../../platform/config/pos-config.js';
import type { PaymentFields } from '../../../platform/config/pos-fields.js';
import type { WireHeaders, WireRequest } from '../../vendor.js';
import { balanced, linesOf, type PosOrderItem } from './lines.js';
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
 * The request that creates an order: `POST /order` (D1, M12, M19). The fields of POS_ORDER_EXTRA are added to the
 * body, except a field that the relay writes.
 * @throws Error when a payment has a tender type without a code; such an order is unmappable and is never computed
 */
export function orderRequest(
  order: Order,
  tenders: TenderRules,
  settings: PosWireSettings,
): WireRequest & { readonly body: PosOrder } {
  const { orderExtra, orderNotesField, paymentFields } = settings;
  const { items, difference } = linesOf(order.items, settings);
  const { discount, increase } = balanced(order, difference);
  const body: PosOrder = {
    ...orderExtra,
    order_id: order.id,
    cod_store: order.store,
    created_at: order.createdAt.toISOString(),
    total_amount: fromCents(order.total),
    total_discount: fromCents(discount),
    total_increase: fromCents(increase),
    items,
    payment_types: order.payments.map((payment) => paymentOf(payment, tenders, paymentFields)),
  };
  const hasNotes = orderNotesField !== undefined && order.notes !== undefined;
  return { path: '/order', body: hasNotes ? { ...body, [orderNotesField]: order.notes } : body };
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

function paymentOf(
  { tenderType, amount, evidence, code }: OrderPayment,
  tenders: TenderRules,
  fields: PaymentFields | undefined,
): PosOrderPayment {
  // further fields of POS_TENDER_TYPES belong to its own code
  const payment = code === undefined ? posPayment(tenderType, tenders) : { code };
  if (!payment) throw new Error(`tender type ${JSON.stringify(tenderType)} has no code`);
  const written = { ...payment, amount: fromCents(amount) };
  return fields && evidence ? { ...written, ...evidenceAs(fields, evidence) } : written;
}

/** The evidence under the POS's names, without what the payment does not have (M22). */
function evidenceAs(fields: PaymentFields, evidence: Evidence): Readonly<Record<string, unknown>> {
  const named = Object.entries(fields).map(([field, name]) => [name, evidence[field as keyof Evidence]] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
