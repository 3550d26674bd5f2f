/**
 * The wire format of this POS. It shares no code with the relay, so that the simulator checks independently what the relay sends.
 */

/** The body of `POST /order`; amounts in currency units, at most two decimals. */
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
  /** for the kitchen (POS_ORDER_NOTES_FIELD=notes) */
  readonly notes?: string;
}

export interface PosOrderItem {
  readonly integration_code: string;
  readonly desc_item: string;
  readonly quantity: number;
  /** currency units; prices by weight may have more than two decimals */
  readonly unit_price: number;
  /** for the kitchen (POS_ITEM_NOTES_FIELD=notes) */
  readonly notes?: string;
  /** for one unit of the item (POS_OPTIONS_FIELD=options) */
  readonly options?: readonly PosOrderItem[];
}

export interface PosOrderPayment {
  readonly code: string;
  /** currency units */
  readonly amount: number;
  /** POS_PAYMENT_FIELDS={"authorizationCode":"authorization_code","brand":"brand"} */
  readonly authorization_code?: string;
  readonly brand?: string;
}

/** The body of `POST /cancel-order`. */
export type PosCancel = Pick<PosOrder, 'order_id' | 'cod_store'>;

/** The path of a look-up: a GET, `{order_id}` percent-encoded, optionally with `?cod_store=`. */
export const LOOKUP = '/order/{order_id}';

export type PosPath = '/auth' | '/order' | '/cancel-order' | typeof LOOKUP;

export const PATHS: readonly PosPath[] = ['/auth', '/order', '/cancel-order', LOOKUP];

/** True for the paths of the POS. */
export function isPosPath(path: string): path is PosPath {
  return (PATHS as readonly string[]).includes(path);
}

/** @returns the POS path that a request's path matches; else undefined */
export function posPathOf(path: string): PosPath | undefined {
  if (path.startsWith('/order/')) return LOOKUP;
  return isPosPath(path) ? path : undefined;
}

/** The order that a look-up names; `cod_store` is absent when the request names no store. */
export function lookedUpOrder(url: string): Partial<PosCancel> {
  const { pathname, searchParams } = new URL(url, 'http://pos');
  const store = searchParams.get('cod_store');
  return {
    order_id: decodeURIComponent(pathname.slice('/order/'.length)),
    ...(store === null ? {} : { cod_store: store }),
  };
}

/** An answer of the POS. */
export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The `errorCode` of the POS's refusals. */
export const ERROR = {
  FIELD: 100,
  SUMS: 200,
  UNKNOWN_STORE: 300,
  UNKNOWN_PRODUCT: 310,
  UNKNOWN_ORDER: 404,
  ALREADY_CANCELLED: 409,
  TOO_LARGE: 413,
  CREDENTIALS: 901,
  TOKEN: 902,
  DUPLICATE: 904,
} as const;

/** The POS's error body, `{errorCode, message}`. */
export function refusal(status: number, errorCode: number, message: string): Reply {
  return { status, body: { errorCode, message } };
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
