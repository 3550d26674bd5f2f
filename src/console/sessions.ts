import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LoginView, UserView } from '../auth/auth.dto.js';
import { AuthService, type Claims } from '../auth/auth.service.js';
import { ConsoleSessions } from '../auth/console-sessions.js';
import { Config } from '../config/config.js';
import { VERSION } from '../http/openapi.js';
import type { SessionView, SignedInListView } from './session.dto.js';
import { endedCookie, sessionCookie, tokenInCookie } from './session-cookie.js';

/** Hosts that browsers reach without TLS and still trust; any other is reached by https (N3, N5). */
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/i;

/** Sessions of the console as its pages see them: a JWT in a cookie (N3) that names its row (N10). */
@Injectable()
export class Sessions {
  constructor(
    private readonly auth: AuthService,
    private readonly rows: ConsoleSessions,
    private readonly config: Config,
  ) {}

  /** Sets the cookie. The token is in no body: scripts never see it. */
  begin({ access_token, expires_in, user }: LoginView, reply: FastifyReply): SessionView {
    reply.header('Set-Cookie', sessionCookie(access_token, expires_in, isSecure(reply.request)));
    return this.view(user, new Date(Date.now() + expires_in * 1_000));
  }

  async describe(user: UserView, request: FastifyRequest): Promise<SessionView> {
    const claims = await this.claimsOf(request);
    return this.view(user, new Date((claims?.exp ?? 0) * 1_000));
  }

  /** Ends the session of the cookie on every instance, if there is one, and takes the cookie back. */
  async end(reply: FastifyReply): Promise<void> {
    const id = await this.idOf(reply.request);
    // first the row: whoever has to try again still has the cookie
    if (id !== undefined) await this.rows.end(id);
    reply.header('Set-Cookie', endedCookie(isSecure(reply.request)));
  }

  async list(user: UserView, request: FastifyRequest): Promise<SignedInListView> {
    const [own, sessions] = await Promise.all([this.idOf(request), this.rows.list(user.id)]);
    return { sessions: sessions.map((session) => ({ ...session, current: session.id === own })) };
  }

  /** @returns how many ended */
  async endOthers(user: UserView, request: FastifyRequest): Promise<number> {
    return this.rows.endOthers(user.id, await this.idOf(request));
  }

  /** The session of the cookie. @returns undefined when there is none, or its token is not valid */
  async idOf(request: FastifyRequest): Promise<string | undefined> {
    return (await this.claimsOf(request))?.sid;
  }

  private claimsOf({ headers }: FastifyRequest): Promise<Claims | undefined> {
    return this.auth.claimsOf(tokenInCookie(headers.cookie) ?? '');
  }

  private view(user: UserView, expiresAt: Date): SessionView {
    const { onboarding, operatorActions } = this.config;
    return { user, expiresAt, version: VERSION, onboarding, operatorActions };
  }
}

/**
 * Whether the browser came by https: the proxy says so as far as TRUST_PROXY lets it, the page's origin says so, or the host is
 * not this machine. Proxies that end TLS are known by their origin also when they set the host of the upstream.
 */
function isSecure({ protocol, hostname, headers }: FastifyRequest): boolean {
  return protocol === 'https' || headers.origin?.startsWith('https:') === true || !LOCAL_HOST.test(hostname);
}
