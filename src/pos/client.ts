import type { Sighting } from '../domain/lookup.js';
import type { OrderReference } from '../domain/order.js';
import { type Answer, isAuthenticationFailure } from '../domain/outcome.js';
import { readAnswer, sightingOf } from './answer.js';
import type { HttpExchange, PosTransport } from './http-exchange.js';
import type { PosTarget } from './target.js';
import type { PosToken, PosTokens } from './tokens.js';
import type { SentRequest, WireHeaders, WireRequest } from './vendor.js';

/** A call that was not made: the sign-in failed, or no time was left for it. */
export type NoCall = { readonly step: 'sign-in'; readonly answer: Answer } | { readonly step: 'not-begun' };

/** How far a call came. `request`: the request was made; `sentBody` is the JSON that was sent. */
export type CallResult = NoCall | { readonly step: 'request'; readonly answer: Answer; readonly sentBody?: string };

/** How far a look-up came. `request`: the request was made; `sighting` is the meaning of its answer. */
export type LookupResult = NoCall | { readonly step: 'request'; readonly answer: Answer; readonly sighting: Sighting };

/** A request that may be repeated. The body is JSON text, which is stored as sent (O19). */
interface Serialised extends SentRequest {
  readonly trace: CallTrace | undefined;
}

/** The token of a vendor that has no sign-in. */
const WITHOUT_SIGN_IN: PosToken = { token: '', generation: 0 };

/** A call that was made, and its token. */
interface Made {
  readonly step: 'request';
  readonly answer: Answer;
  readonly exchange: HttpExchange;
  readonly token: PosToken;
}

/** The trace of an attempt (X4, X5). */
export interface CallTrace {
  /** of each request, beside the vendor's */
  readonly headers: WireHeaders;
  /** told of each call. @param startedAt by performance.now(), ms */
  ended(method: string, answer: Answer, startedAt: number): void;
}

/** Checked before a sign-in and before each request: false while the process stops, or when POS_TIMEOUT_MS would end after the lease (D4). */
export type MayCall = () => boolean;

/** Sends requests to the POS with credentials and token (D1, C4, T5). POS and network failures are values, never thrown. */
export class PosClient {
  constructor(
    private readonly transport: PosTransport,
    private readonly tokens: Pick<PosTokens, 'get'>,
  ) {}

  /**
   * Sends a request, after a sign-in when no token is cached. After an authentication failure it signs in again and repeats
   * the request once (D16).
   * @param mayCall checked before each call to the POS
   * @throws the database's error when the token cannot be read or stored
   */
  async send(target: PosTarget, request: WireRequest, mayCall: MayCall, trace?: CallTrace): Promise<CallResult> {
    const body = request.body && JSON.stringify(request.body);
    const { method = 'POST', path } = request;
    const call = await this.withRenewal(target, { method, path, body, trace }, mayCall);
    return call.step === 'request' ? { step: 'request', answer: call.answer, sentBody: body } : call;
  }

  /**
   * Looks up an order (D20). Signs in as {@link send} does.
   * @throws Error when the vendor has no look-up; the database's error when the token cannot be read or stored
   */
  async lookUp(target: PosTarget, order: OrderReference, mayCall: MayCall, trace?: CallTrace): Promise<LookupResult> {
    const { lookup } = target.vendor;
    if (!lookup) throw new Error('the POS cannot be asked for orders: POS_ORDER_LOOKUP_PATH is not set');
    const request = { method: 'GET', path: lookup.path(order), body: undefined, trace } as const;
    const call = await this.withRenewal(target, request, mayCall);
    if (call.step !== 'request') return call;
    const { answer, exchange } = call;
    return { step: 'request', answer, sighting: sightingOf(exchange, answer, lookup, order) };
  }

  private async withRenewal(target: PosTarget, request: Serialised, mayCall: MayCall): Promise<NoCall | Made> {
    const first = await this.attempt(target, request, mayCall);
    if (first.step !== 'request' || !isAuthenticationFailure(first.answer) || !target.vendor.signIn) return first;
    return this.attempt(target, request, mayCall, first.token);
  }

  private async attempt(
    target: PosTarget,
    request: Serialised,
    mayCall: MayCall,
    failed?: PosToken,
  ): Promise<NoCall | Made> {
    if (!mayCall()) return { step: 'not-begun' };
    const token = target.vendor.signIn ? await this.tokens.get(target, failed) : WITHOUT_SIGN_IN;
    if ('refused' in token) return { step: 'sign-in', answer: token.refused };
    if (!mayCall()) return { step: 'not-begun' };
    return { step: 'request', ...(await this.call(target, request, token, failed)), token };
  }

  private async call(
    { vendor, baseUrl, credentials }: PosTarget,
    request: Serialised,
    { token }: PosToken,
    failed?: PosToken,
  ): Promise<Pick<Made, 'answer' | 'exchange'>> {
    const { method, path, body, trace } = request;
    const own = vendor.headers(credentials, token, request);
    const headers = trace ? { ...trace.headers, ...own } : own;
    const startedAt = performance.now();
    const exchange = await this.transport.request(method, baseUrl, path, headers, body);
    const answer = readAnswer(exchange, vendor, Date.now(), [credentials.secret, token, failed?.token ?? '']);
    trace?.ended(method, answer, startedAt);
    return { answer, exchange };
  }
}
