import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LoginView, UserView } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { Config } from '../config/config.js';
import { VERSION } from '../http/openapi.js';
import type { SessionView } from './session.dto.js';
import { endedCookie, sessionCookie, tokenInCookie } from './session-cookie.js';

/** Sessions of the console: a JWT in a cookie, nothing else; they end as every JWT does (A3). */
@Injectable()
export class Sessions {
  constructor(
    private readonly auth: AuthService,
    private readonly config: Config,
  ) {}

  /** Sets the cookie. The token is in no body: scripts never see it. */
  begin({ access_token, expires_in, user }: LoginView, reply: FastifyReply): SessionView {
    reply.header('Set-Cookie', sessionCookie(access_token, expires_in, isSecure(reply.request)));
    return this.view(user, new Date(Date.now() + expires_in * 1_000));
  }

  async describe(user: UserView, { headers }: FastifyRequest): Promise<SessionView> {
    const claims = await this.auth.claimsOf(tokenInCookie(headers.cookie) ?? '');
    return this.view(user, new Date((claims?.exp ?? 0) * 1_000));
  }

  end(reply: FastifyReply): void {
    reply.header('Set-Cookie', endedCookie(isSecure(reply.request)));
  }

  private view(user: UserView, expiresAt: Date): SessionView {
    const { onboarding, operatorActions } = this.config;
    return { user, expiresAt, version: VERSION, onboarding, operatorActions };
  }
}

/** Whether the browser came by https, as far as TRUST_PROXY lets the proxy say so. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}
