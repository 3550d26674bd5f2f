import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, createParamDecorator, type ExecutionContext, HttpStatus, Injectable } from '@nestjs/common';
import { AuthService } from '../auth/auth.service.js';
import type { AuthenticatedRequest, Principal } from '../auth/principal.js';
import { Config } from '../config.js';
import { isJwtShaped } from '../domain/text.js';
import { problem } from '../problem.js';

/** The authenticated principal, attached to the request by the terminal guard. */
export const Sender = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().principal,
);

/**
 * The webhook guard (seed, Authentication): a Bearer token, then Basic, then email and password in the body. A Bearer token
 * that fails ends it, whatever else the request carries.
 */
@Injectable()
export class TerminalGuard implements CanActivate {
  constructor(
    private readonly auth: AuthService,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    request.principal = await this.authenticate(request);
    if (!request.principal)
      throw problem(
        HttpStatus.UNAUTHORIZED,
        'UNAUTHENTICATED',
        'send a Bearer token, Basic credentials, or email and password in the body',
      );
    return true;
  }

  private async authenticate({ headers, body, ip }: AuthenticatedRequest): Promise<Principal | undefined> {
    const [, scheme = '', value = ''] = /^(\S+) *(.*)$/.exec(headers.authorization ?? '') ?? [];
    if (scheme.toLowerCase() === 'bearer') return this.byBearer(value);
    const basic = scheme.toLowerCase() === 'basic' ? basicCredentials(value) : undefined;
    return (await this.byPassword(basic, ip)) ?? (await this.byPassword(bodyCredentials(body), ip));
  }

  private async byBearer(token: string): Promise<Principal | undefined> {
    if (!isJwtShaped(token)) return this.isTerminalToken(token) ? { kind: 'terminal' } : undefined;
    const user = await this.auth.userOfToken(token);
    return user && { kind: 'user', user };
  }

  private async byPassword(given: Credentials | undefined, address: string): Promise<Principal | undefined> {
    if (!given) return undefined;
    const user = await this.auth.userOfCredentials(given.email, given.password, address);
    return user && { kind: 'user', user };
  }

  /** In constant time: digests have one length, whatever was sent. */
  private isTerminalToken(token: string): boolean {
    const { terminalBearerToken } = this.config;
    return terminalBearerToken !== undefined && timingSafeEqual(digest(token), digest(terminalBearerToken));
  }
}

interface Credentials {
  readonly email: string;
  readonly password: string;
}

function basicCredentials(value: string): Credentials | undefined {
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon > 0 ? { email: text.slice(0, colon), password: text.slice(colon + 1) } : undefined;
}

function bodyCredentials(body: unknown): Credentials | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { email, password } = body as Record<string, unknown>;
  return typeof email === 'string' && typeof password === 'string' && email && password
    ? { email, password }
    : undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
