import { type Answer, isAuthenticationFailure, NO_TOKEN } from '../domain/outcome.js';
import { readAnswer } from './answer.js';
import type { PosHttp } from './http-transport.js';
import type { PosTarget } from './target.js';
import type { GrantedToken } from './vendor.js';

/** The token that was granted, or the answer that refused it. */
export type SignIn = { readonly granted: GrantedToken } | { readonly refused: Answer };

/** The error code when the sign-in of another instance did not end while this instance waited for it. */
export const ANOTHER_SIGNS_IN = 'ANOTHER_SIGNS_IN';

/** Matches a token that can be sent as an HTTP header. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/** Signs in at the POS (T1, T2). Each call sends a request; PosTokens caches and shares the tokens. */
export class PosSignIn {
  constructor(
    private readonly http: PosHttp,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Signs in once. A failure is a value, without credentials in its message.
   * @throws Error when the vendor has no sign-in
   * @param former tokens that the POS has granted before: it may name them
   */
  async signIn({ vendor, baseUrl, credentials }: PosTarget, former: readonly string[]): Promise<SignIn> {
    if (!vendor.signIn) throw new Error('the vendor has no sign-in');
    const { path, headers, body } = vendor.signIn.request(credentials);
    const exchange = await this.http.post(`${baseUrl}${path}`, headers, body, this.timeoutMs);
    const answer = readAnswer(exchange, vendor, Date.now(), [credentials.secret, ...former]);
    if (exchange.kind === 'unanswered' || exchange.status < 200 || exchange.status >= 300) return { refused: answer };
    if (isAuthenticationFailure(answer)) return { refused: answer };
    if (answer.kind === 'answered' && answer.unreadable !== undefined) return { refused: answer };
    const granted = vendor.signIn.readToken(exchange.body, Date.now());
    if (granted && TOKEN.test(granted.token)) return { granted };
    return { refused: noToken(NO_TOKEN, `the answer to ${path} carries no token`) };
  }
}

/** The answer that stands for a sign-in without a token when no request failed. */
export function noToken(code: string, message: string): Answer {
  return { kind: 'unanswered', reach: 'NOT_SENT', code, message };
}
