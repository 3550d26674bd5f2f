import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTooLong } from '../../auth/auth.dto.js';
import { AuthService } from '../../auth/auth.service.js';
import { staticTokenCheck } from '../../auth/bearer-token.js';
import type { PasswordSender } from '../../auth/password-queue.js';
import { CONFIRMED_FOR_MS } from '../../auth/principal.js';
import { isTokenShaped } from '../../auth/sender-keys/token.js';
import { normalizeEmail } from '../../domain/account.js';
import { isJwtShaped } from '../../domain/text.js';
import { type Credentials, credentialsIn } from '../../domain/transaction.js';
import { Config } from '../../platform/config/config.js';
import { forgetBody, peekBody } from '../../platform/http/body/body.js';
import type { BodyLimits } from '../../platform/http/body/parsed-body.js';
import { clientGone } from '../../platform/http/client-gone.js';
import { isBySession } from '../../platform/http/console-request.js';
import { problem } from '../../platform/http/problem.js';
import { SALE_CODES } from '../error-codes.js';
import { KeyAuthentication } from './key.authentication.js';
import { type Owner, Owners } from './owners.js';
import type { Sender } from './sender.js';

const TERMINAL: Sender = { kind: 'terminal' };
// one exception for all requests (decisions/064)
const WRONG_TOKEN = unauthenticated('the terminal token is wrong');

/** The longest body in which credentials are looked for, in bytes (W44). */
const CREDENTIALS_LIMIT = 65_536;

/** Limits of a transaction (L5, W12). Unknown fields are kept (W16). */
const LIMITS: Omit<BodyLimits, 'bytes'> = {
  depth: 32,
  keys: 20_000,
  values: 50_000,
  keepsUnknown: true,
  code: SALE_CODES.INVALID_TRANSACTION,
};

/** Authenticates the sender of a webhook by one of five methods, in the order of W2. */
@Injectable()
export class TerminalAuthentication {
  /** limits of the body of an authenticated sender */
  readonly bodyLimits: BodyLimits;
  private readonly isTerminalToken: (token: string) => boolean;

  constructor(
    private readonly auth: AuthService,
    private readonly owners: Owners,
    private readonly keys: KeyAuthentication,
    config: Config,
  ) {
    this.isTerminalToken = staticTokenCheck(config.terminalBearerToken, config.terminalBearerTokenPrevious);
    this.bodyLimits = { ...LIMITS, bytes: config.bodyLimitBytes };
  }

  /**
   * @throws 401 UNAUTHENTICATED when no method succeeds; 429 TOO_MANY_REQUESTS (A9); 503 TOO_MANY_PASSWORD_CHECKS (A7)
   * or TOO_MANY_BODIES (W43); ClientGoneError
   */
  async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Sender> {
    const { scheme, value } = readAuthorization(request.headers.authorization);
    if (scheme === 'bearer' && !isJwtShaped(value)) {
      if (isTokenShaped(value)) return this.keys.byToken(value);
      if (this.isTerminalToken(value)) return TERMINAL;
      throw WRONG_TOKEN;
    }
    if (scheme === 'bearer') return { kind: 'user', owner: await this.byJwt(value, isBySession(request)), by: 'token' };
    const owner = await this.byPassword(request, reply, scheme === 'basic' ? decodeBasic(value) : undefined);
    return { kind: 'user', owner, by: 'password' };
  }

  /**
   * The sender as it is now: what allows its sale may have ended while the body arrived (A40). The key of a sale is checked when the sale is
   * stored (V5).
   * @param at when it was authenticated, by performance.now(), ms; absent: long ago
   * @throws 401 UNAUTHENTICATED
   */
  async current(sender: Sender, request: FastifyRequest, at = 0): Promise<Sender> {
    if (sender.kind !== 'user' || performance.now() - at < CONFIRMED_FOR_MS) return sender;
    if (sender.by === 'token') {
      const { value } = readAuthorization(request.headers.authorization);
      return { ...sender, owner: await this.byJwt(value, isBySession(request)) };
    }
    const owner = await this.owners.ofId(sender.owner.id);
    if (owner?.passwordHash !== sender.owner.passwordHash) throw unauthenticated('email or password is wrong');
    return { ...sender, owner };
  }

  /** The user of a JWT (A3). When the JWT is refused, other credentials are not tried and the body is not read (W3). */
  private async byJwt(token: string, bySession: boolean): Promise<Owner> {
    const claims = await this.auth.claimsOf(token);
    // a token of the console is valid only in its cookie, while its session lasts (A37, N10); of others the sender is read below
    if (claims && ((!bySession && claims.sid === undefined) || (await this.auth.userOfClaims(claims, bySession)))) {
      const owner = await this.owners.ofId(claims.sub);
      if (owner?.tokenVersion === claims.ver) return owner;
    }
    throw unauthenticated('the access token is wrong or has ended; sign in again');
  }

  private async byPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    inHeader: Credentials | undefined,
  ): Promise<Owner> {
    const sender = { address: request.ip, gone: clientGone(reply) };
    const byHeader = inHeader && (await this.byCredentials(inHeader, sender));
    if (byHeader) return byHeader;
    const inBody = credentialsIn(await peekBody(request, CREDENTIALS_LIMIT));
    // the same credentials in header and body are compared once
    const isSame = inBody?.email === inHeader?.email && inBody?.password === inHeader?.password;
    const byBody = inBody && !isSame && (await this.byCredentials(inBody, sender));
    if (byBody) return byBody;
    forgetBody(request);
    // one message for both an unknown email and a wrong password (A6)
    if (inHeader || inBody) throw unauthenticated('email or password is wrong');
    throw unauthenticated(
      `send a Bearer token, Basic credentials, or email and password in a body of at most ${CREDENTIALS_LIMIT} bytes`,
    );
  }

  /** @returns undefined when email or password is wrong */
  private async byCredentials(credentials: Credentials, sender: PasswordSender): Promise<Owner | undefined> {
    if (isTooLong(credentials)) return undefined;
    const { password } = credentials;
    const account = normalizeEmail(credentials.email);
    const owner = await this.owners.ofEmail(account);
    return (await this.auth.isRight({ account, password, stored: owner?.passwordHash }, sender)) ? owner : undefined;
  }
}

function unauthenticated(message: string) {
  return problem('UNAUTHENTICATED', message);
}

/** `Bearer abc` -> `{ scheme: 'bearer', value: 'abc' }`; both empty without the header. */
function readAuthorization(header = ''): { scheme: string; value: string } {
  const [, scheme = '', value = ''] = /^(\S+) *(.*)$/.exec(header) ?? [];
  return { scheme: scheme.toLowerCase(), value };
}

/**
 * Decodes HTTP Basic credentials, base64 of `email:password`; undefined when they are malformed. The first colon separates:
 * a password may contain colons, an email does not.
 */
function decodeBasic(encoded: string): Credentials | undefined {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon > 0 ? { email: text.slice(0, colon), password: text.slice(colon + 1) } : undefined;
}
