import type { Subject } from '../domain/cause.js';
import type { Sighting } from '../domain/lookup.js';
import type { Order, OrderReference, SaleRules } from '../domain/order.js';
import type { ErrorMeaning } from '../domain/outcome.js';
import type { PosCredentials } from '../platform/config/pos-config.js';

/**
 * How a kind of POS wants its orders. An implementation is pure: it sends nothing, waits for nothing and stores nothing. Each vendor has a
 * folder below `vendors/` and a line in `vendors.ts`.
 */
export interface OrderFormat extends SaleRules {
  /** the setting of a restaurant without which it has no orders for this POS (M13, Q8) */
  readonly needs: 'codeStorePos' | 'currency';
  /** The order as the POS gets it. @param origin needed where `needs` is the currency */
  createOrder(order: Order, origin?: OrderOrigin): WireRequest & { readonly body: object };
}

/** What an order says of its restaurant beside the store code; a vendor takes what it needs. */
export interface OrderOrigin {
  /** id of the CREATE job */
  readonly jobId: string;
  readonly restaurantId: string;
  readonly restaurantName: string;
  /** ISO 4217; null: not set */
  readonly currency: string | null;
  readonly testMode: boolean;
}

/** How a POS is called: how a request proves who sends it, and the meaning of the answers. */
export interface PosWire {
  /** How the relay signs in; absent: each request proves itself by its headers, with an empty token. */
  readonly signIn?: WireSignIn | undefined;
  /** The headers of every request except the sign-in. @param request as it is sent: a signature may depend on it */
  headers(credentials: PosCredentials, token: string, request: SentRequest): WireHeaders;
  /** How an order is looked up (D20); absent: the POS has no look-up. */
  readonly lookup?: WireLookup | undefined;
  /** Reads error code and message from the body of an answer, also of a 2xx. */
  readError(reply: WireReply): WireError;
}

/** A POS to which the relay sends orders: the format of its requests, and the meaning of its answers. */
export interface PosVendor extends OrderFormat, PosWire {
  /** The name of a tender type for staff (R18), such as `credit card`; null when unknown. */
  tenderName(tenderType: string): string | null;
  /** The code by which the POS knows a tender type; null when it has none. */
  tenderCode(tenderType: string): string | null;
  /** The request that cancels an order. */
  cancelOrder(order: OrderReference): WireRequest;
}

export type WireHeaders = Readonly<Record<string, string>>;

/** The sign-in: a POST request, whose answer carries a token. */
export interface WireSignIn {
  request(credentials: PosCredentials): WireRequest & { readonly headers: WireHeaders };
  /**
   * Reads the token from the body of a 2xx answer.
   * @param now epoch ms
   * @returns undefined when the body has no token
   */
  readToken(body: string, now: number): GrantedToken | undefined;
}

/** The method of a request. */
export type WireMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request as it is sent. */
export interface SentRequest {
  readonly method: WireMethod;
  readonly path: string;
  /** JSON; undefined: no body */
  readonly body: string | undefined;
}

/** A request with the headers of {@link PosWire.headers}; the sign-in request carries other headers. */
export interface WireRequest {
  /** absent: POST */
  readonly method?: Exclude<WireMethod, 'GET'> | undefined;
  /** appended to the POS's base URL; begins with a slash */
  readonly path: string;
  /** sent as JSON; undefined: no body */
  readonly body: object | undefined;
}

/** The look-up of an order: a GET request with the headers of {@link PosWire.headers}. */
export interface WireLookup {
  /** appended to the POS's base URL; begins with a slash */
  path(order: OrderReference): string;
  /**
   * The sighting that a 2xx or a 404 gives. An answer that is not about this order, such as a proxy's page, is `unclear`:
   * a false `found` loses the order, a false `not-found` may duplicate it.
   */
  read(reply: WireReply, order: OrderReference): Sighting;
}

/** The parts of an HTTP response that a vendor reads; `body` is at most 64 KiB (L11). */
export interface WireReply {
  /** HTTP status */
  readonly status: number;
  readonly body: string;
}

/** The error in the body of an answer. */
export interface WireError {
  /** null when the body carries none */
  readonly errorCode: string | null;
  /** as the POS wrote it; `readAnswer` removes credentials and shortens it */
  readonly message: string | null;
  /** the meaning of the error code; null leaves the decision to the HTTP status */
  readonly meaning: ErrorMeaning | null;
  /** what the error is about, by the error code or the message (O47); absent: it cannot be told */
  readonly subject?: Subject | undefined;
}

/** A token that the POS granted at a sign-in. */
export interface GrantedToken {
  readonly token: string;
  /** lifetime in ms; null when the answer does not state it (POS_TOKEN_TTL_MS applies) */
  readonly expiresInMs: number | null;
}
