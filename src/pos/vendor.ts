import type { PosCredentials } from '../config/pos-config.js';
import type { Sighting } from '../domain/lookup.js';
import type { Order, OrderReference } from '../domain/order.js';
import type { ErrorMeaning } from '../domain/outcome.js';

/**
 * What differs between POS vendors: the format of requests, and the meaning of answers. An implementation is pure: it
 * sends, waits for and stores nothing. Each vendor has a folder below `vendors/` and a line in `vendors.ts`.
 */
export interface PosVendor {
  /** Whether the vendor has a payment code for this tender type; a payment without one makes the order unmappable (M10). */
  acceptsTender(tenderType: unknown): boolean;
  /** What a tender type is, in words for staff (R18), as `credit card`; null when the vendor does not say. */
  tenderName(tenderType: string): string | null;
  /** Whether the vendor's table has this tender type, so that its payment code is not the default one. */
  knowsTender(tenderType: unknown): boolean;
  /** Whether the POS refuses lines below or of nothing, so that they are folded into discount and surcharge (M14); absent: false. */
  readonly foldsOddLines?: boolean | undefined;
  /** The request that is answered with a token. */
  signIn(credentials: PosCredentials): WireRequest & { readonly headers: WireHeaders };
  /** The headers of every request but the sign-in. */
  headers(credentials: PosCredentials, token: string): WireHeaders;
  /** The request that creates an order. */
  createOrder(order: Order): WireRequest & { readonly body: object };
  /** The request that cancels an order. */
  cancelOrder(order: OrderReference): WireRequest;
  /**
   * Reads the token from the body of a 2xx answer to the sign-in.
   * @param now epoch ms
   * @returns undefined when there is none
   */
  readToken(body: string, now: number): GrantedToken | undefined;
  /** How the POS is asked for an order (D20); absent: it cannot be asked. */
  readonly lookup?: WireLookup | undefined;
  /** Reads error code and message from the body of an answer. Called for a 2xx too, whose fields may then be anything. */
  readError(reply: WireReply): WireError;
}

export type WireHeaders = Readonly<Record<string, string>>;

/** A POST request; its headers come from {@link PosVendor.headers} unless it carries its own. */
export interface WireRequest {
  /** appended to the POS's base URL; begins with a slash */
  readonly path: string;
  /** sent as JSON; undefined: no body */
  readonly body: object | undefined;
}

/** The question for an order: a GET request with the headers of {@link PosVendor.headers}. */
export interface WireLookup {
  /** appended to the POS's base URL; begins with a slash */
  path(order: OrderReference): string;
  /**
   * What a 2xx or a 404 says of the order. Whatever does not speak of this very order is `unclear`, for example a proxy's page:
   * a false `found` loses the order, a false `not-found` may double it.
   */
  read(reply: WireReply, order: OrderReference): Sighting;
}

/** The parts of an HTTP response that a vendor reads; `body` is at most 64 KiB (L11). */
export interface WireReply {
  /** HTTP status */
  readonly status: number;
  readonly body: string;
}

/** What the body of an answer says about an error. */
export interface WireError {
  /** null when the body carries none */
  readonly errorCode: string | null;
  /** as the POS wrote it; `readAnswer` removes credentials and shortens it */
  readonly message: string | null;
  /** the meaning of the error code; null leaves the decision to the HTTP status */
  readonly meaning: ErrorMeaning | null;
}

/** A token that the POS granted at a sign-in. */
export interface GrantedToken {
  readonly token: string;
  /** lifetime in ms; null when the answer does not state it (POS_TOKEN_TTL_MS applies) */
  readonly expiresInMs: number | null;
}
