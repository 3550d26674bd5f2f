import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  HttpStatus,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiBasicAuth } from '@nestjs/swagger';
import { AuthService } from '../../auth/auth.service.js';
import type { PasswordSender } from '../../auth/password-queue.js';
import { Authenticated, type AuthenticatedRequest, type Principal, Public } from '../../auth/principal.js';
import { Config } from '../../config/config.js';
import { isJwtShaped } from '../../domain/text.js';
import { credentialsIn } from '../../domain/transaction.js';
import { limitBody, readBody } from '../../http/body.js';
import { clientGone } from '../../http/client-gone.js';
import { problem } from '../../http/problem.js';
import { byBearerJwt } from './bearer-jwt.js';
import { byCredentials, decodeBasic } from './password.js';
import { byTerminalToken } from './terminal-token.js';

/** Marks a route for terminals: TerminalGuard authenticates it in place of the JWT guard. */
export const ForTerminals = () => applyDecorators(Public(), UseGuards(TerminalGuard), Authenticated(), ApiBasicAuth());

/** Injects the principal that TerminalGuard authenticated. */
export const Sender = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().principal,
);

/** Limits of a transaction (L5, W12). Fields that the relay does not know are kept (W16). */
const LIMITS = { depth: 32, keys: 20_000, values: 50_000, keepsUnknown: true, code: 'INVALID_TRANSACTION' };

/** Tries the four authentication methods of the webhook in the order of W2. */
@Injectable()
export class TerminalGuard implements CanActivate {
  constructor(
    private readonly auth: AuthService,
    private readonly config: Config,
  ) {}

  /**
   * @throws 401 UNAUTHENTICATED when no method succeeds; 429 TOO_MANY_REQUESTS (A9); 503 TOO_MANY_PASSWORD_CHECKS (A7);
   * ClientGoneError
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    limitBody(request, { ...LIMITS, bytes: this.config.bodyLimitBytes });
    const sender = { address: request.ip, gone: clientGone(context) };
    const { scheme, value } = readAuthorization(request.headers.authorization);
    request.principal =
      scheme === 'bearer' ? await this.byBearer(value) : await this.byPassword(request, scheme, value, sender);
    if (request.principal) return true;
    throw problem(
      HttpStatus.UNAUTHORIZED,
      'UNAUTHENTICATED',
      'send a Bearer token, Basic credentials, or email and password in the body',
    );
  }

  /** A Bearer token that fails is final: other credentials are not tried, and the body is not read (W3). */
  private async byBearer(token: string): Promise<Principal> {
    const isJwt = isJwtShaped(token);
    const principal = isJwt
      ? await byBearerJwt(this.auth, token)
      : byTerminalToken(this.config.terminalBearerToken, token);
    if (principal) return principal;
    throw problem(
      HttpStatus.UNAUTHORIZED,
      'UNAUTHENTICATED',
      isJwt ? 'the access token is wrong or has ended; sign in again' : 'the terminal token is wrong',
    );
  }

  private async byPassword(
    request: AuthenticatedRequest,
    scheme: string,
    value: string,
    sender: PasswordSender,
  ): Promise<Principal | undefined> {
    const inHeader = scheme === 'basic' ? decodeBasic(value) : undefined;
    const principal = inHeader && (await byCredentials(this.auth, inHeader, sender));
    if (principal) return principal;
    const inBody = credentialsIn((await readBody(request)).value);
    // one comparison is enough for credentials that were sent twice
    if (!inBody || (inBody.email === inHeader?.email && inBody.password === inHeader.password)) return undefined;
    return byCredentials(this.auth, inBody, sender);
  }
}

/** `Bearer abc` -> `{ scheme: 'bearer', value: 'abc' }`; both empty without the header. */
function readAuthorization(header = ''): { scheme: string; value: string } {
  const [, scheme = '', value = ''] = /^(\S+) *(.*)$/.exec(header) ?? [];
  return { scheme: scheme.toLowerCase(), value };
}
