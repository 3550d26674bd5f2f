import { type Answer, isAuthenticationFailure } from '../domain/outcome.js';
import { readAnswer } from './answer.js';
import type { PosTransport } from './http-exchange.js';
import type { PosTarget } from './target.js';
import type { PosToken, PosTokens } from './tokens.js';
import type { PosVendor, WireRequest } from './vendor.js';

/**
 * How far a call came: `sign-in`: the sign-in failed; `request`: the request was made, with its answer and the JSON that was
 * its body; `not-begun`: no time was left for it.
 */
export type CallResult =
  | { readonly step: 'sign-in'; readonly answer: Answer }
  | { readonly step: 'request'; readonly answer: Answer; readonly token: PosToken; readonly sentBody?: string }
  | { readonly step: 'not-begun' };

/** A request whose body is JSON already, since it may be sent twice and is kept as it was sent (O19). */
interface Serialised {
  readonly path: string;
  readonly body: string | undefined;
}

/** Checked before each HTTP call: whether the lease leaves time for the call and its answer (D4). */
export type MayCall = () => boolean;

/** Sends requests to the POS with credentials and token (D1, C4, T5). POS and network failures are values, never thrown. */
export class PosClient {
  constructor(
    /** formats the requests */
    readonly vendor: PosVendor,
    private readonly transport: PosTransport,
    private readonly tokens: Pick<PosTokens, 'get'>,
  ) {}

  /**
   * Sends a request, after a sign-in when no token is cached. After an authentication failure it signs in again and repeats
   * the request once (D16).
   * @param mayCall checked before each call to the POS
   * @throws the database's error when the token cannot be read or stored
   */
  async send(target: PosTarget, request: WireRequest, mayCall: MayCall): Promise<CallResult> {
    const call = { path: request.path, body: request.body && JSON.stringify(request.body) };
    const first = await this.attempt(target, call, mayCall);
    if (first.step !== 'request' || !isAuthenticationFailure(first.answer)) return first;
    return this.attempt(target, call, mayCall, first.token);
  }

  private async attempt(
    target: PosTarget,
    request: Serialised,
    mayCall: MayCall,
    failed?: PosToken,
  ): Promise<CallResult> {
    if (!mayCall()) return { step: 'not-begun' };
    const token = await this.tokens.get(target, failed);
    if ('refused' in token) return { step: 'sign-in', answer: token.refused };
    if (!mayCall()) return { step: 'not-begun' };
    return { step: 'request', answer: await this.call(target, request, token, failed), token, sentBody: request.body };
  }

  private async call(
    { baseUrl, credentials }: PosTarget,
    { path, body }: Serialised,
    { token }: PosToken,
    failed?: PosToken,
  ): Promise<Answer> {
    const headers = this.vendor.headers(credentials, token);
    const exchange = await this.transport.post(baseUrl, path, headers, body);
    return readAnswer(exchange, this.vendor, Date.now(), [credentials.secret, token, failed?.token ?? '']);
  }
}
