import { HttpStatus, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthService } from '../../auth/auth.service.js';
import { staticTokenCheck } from '../../auth/bearer-token.js';
import { Config } from '../../config/config.js';
import { isJwtShaped } from '../../domain/text.js';
import { type Credentials, credentialsIn } from '../../domain/transaction.js';
import { type BodyLimits, readBody } from '../../http/body.js';
import { clientGone } from '../../http/client-gone.js';
import { problem } from '../../http/problem.js';
import { byBearerJwt } from './bearer-jwt.js';
import { type Owner, Owners } from './owners.js';
import { byCredentials, decodeBasic } from './password.js';
import type { Sender } from './sender.js';

const TERMINAL: Sender = { kind: 'terminal' };

/** Limits of a transaction (L5, W12). Fields that the relay does not know are kept (W16). */
const LIMITS: Omit<BodyLimits, 'bytes'> = {
  depth: 32,
  keys: 20_000,
  values: 50_000,
  keepsUnknown: true,
  code: 'INVALID_TRANSACTION',
};

/** Authenticates who sends to the webhook by its four methods, in the order of W2. */
@Injectable()
export class TerminalAuthentication {
  /** what a body of an authenticated sender may have at most */
  readonly bodyLimits: BodyLimits;
  private readonly isTerminalToken: (token: string) => boolean;

  constructor(
    private readonly auth: AuthService,
    private readonly owners: Owners,
    config: Config,
  ) {
    this.isTerminalToken = staticTokenCheck(config.terminalBearerToken, config.terminalBearerTokenPrevious);
    this.bodyLimits = { ...LIMITS, bytes: config.bodyLimitBytes };
  }

  /**
   * @param fromMemory whether what is remembered of a user will do
   * @throws 401 UNAUTHENTICATED when no method succeeds; 429 TOO_MANY_REQUESTS (A9); 503 TOO_MANY_PASSWORD_CHECKS (A7);
   * ClientGoneError
   */
  async authenticate(request: FastifyRequest, reply: FastifyReply, fromMemory = true): Promise<Sender> {
    const { scheme, value } = readAuthorization(request.headers.authorization);
    if (scheme === 'bearer' && !isJwtShaped(value)) {
      if (this.isTerminalToken(value)) return TERMINAL;
      throw unauthenticated('the terminal token is wrong');
    }
    const owner =
      scheme === 'bearer'
        ? await this.byBearer(value, fromMemory)
        : await this.byPassword(request, reply, scheme === 'basic' ? decodeBasic(value) : undefined, fromMemory);
    const renew = fromMemory ? () => this.authenticate(request, reply, false) : undefined;
    return { kind: 'user', owner, renew };
  }

  /** A Bearer token that fails is final: other credentials are not tried, and the body is not read (W3). */
  private async byBearer(token: string, fromMemory: boolean): Promise<Owner> {
    const owner = await byBearerJwt(this.auth, this.owners, token, fromMemory);
    if (owner) return owner;
    throw unauthenticated('the access token is wrong or has ended; sign in again');
  }

  private async byPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    inHeader: Credentials | undefined,
    fromMemory: boolean,
  ): Promise<Owner> {
    const sender = { address: request.ip, gone: clientGone(reply) };
    const byHeader = inHeader && (await byCredentials(this.auth, this.owners, inHeader, sender, fromMemory));
    if (byHeader) return byHeader;
    const inBody = credentialsIn((await readBody(request)).value);
    // one comparison is enough for credentials that were sent twice
    const isSame = inBody?.email === inHeader?.email && inBody?.password === inHeader?.password;
    const byBody = inBody && !isSame && (await byCredentials(this.auth, this.owners, inBody, sender, fromMemory));
    if (byBody) return byBody;
    // the same for an unknown email and a wrong password (A6)
    if (inHeader || inBody) throw unauthenticated('email or password is wrong');
    throw unauthenticated('send a Bearer token, Basic credentials, or email and password in the body');
  }
}

function unauthenticated(message: string) {
  return problem(HttpStatus.UNAUTHORIZED, 'UNAUTHENTICATED', message);
}

/** `Bearer abc` -> `{ scheme: 'bearer', value: 'abc' }`; both empty without the header. */
function readAuthorization(header = ''): { scheme: string; value: string } {
  const [, scheme = '', value = ''] = /^(\S+) *(.*)$/.exec(header) ?? [];
  return { scheme: scheme.toLowerCase(), value };
}
