import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LoginView, UserView } from '../auth/auth.dto.js';
import { AuthService, type Claims } from '../auth/auth.service.js';
import { ConsoleSessions } from '../auth/console-sessions.js';
import { Revocations } from '../auth/revocations.js';
import { Config } from '../config/config.js';
import { VERSION } from '../http/openapi.js';
import type { SessionView, SignedInListView } from './session.dto.js';
import { endedCookie, sessionCookie, tokenInCookie } from './session-cookie.js';

/** Hosts that browsers trust without TLS; all other hosts need https (N3, N5). */
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/i;

/** Sessions of the console. A session is a JWT in a cookie (N3); the JWT names a row in the database (N10). */
@Injectable()
export class Sessions {
  constructor(
    private readonly auth: AuthService,
    private readonly rows: ConsoleSessions,
    private readonly revocations: Revocations,
    private readonly config: Config,
  ) {}

  /** Sets the cookie. No body contains the token, so that scripts cannot read it. */
  begin({ access_token, expires_in, user }: LoginView, reply: FastifyReply): SessionView {
    reply.header('Set-Cookie', sessionCookie(access_token, expires_in, isSecure(reply.request)));
    return this.view(user, new Date(Date.now() + expires_in * 1_000));
  }

  async describe(user: UserView, request: FastifyRequest): Promise<SessionView> {
    const claims = await this.claimsOf(request);
    return this.view(user, new Date((claims?.exp ?? 0) * 1_000));
  }

  /** Ends the session of the cookie, if there is one, and clears the cookie. */
  async end(reply: FastifyReply): Promise<void> {
    const id = await this.idOf(reply.request);
    // the row is removed first: if that fails, the client still has the cookie
    if (id !== undefined) await this.rows.end(id);
    this.revocations.announce();
    reply.header('Set-Cookie', endedCookie(isSecure(reply.request)));
  }

  async list(user: UserView, request: FastifyRequest): Promise<SignedInListView> {
    const [own, sessions] = await Promise.all([this.idOf(request), this.rows.list(user.id)]);
    return { sessions: sessions.map((session) => ({ ...session, current: session.id === own })) };
  }

  /** @returns the number of ended sessions */
  async endOthers(user: UserView, request: FastifyRequest): Promise<number> {
    const ended = await this.rows.endOthers(user.id, await this.idOf(request));
    this.revocations.announce();
    return ended;
  }

  /** @returns the session id of the cookie; undefined without a valid token */
  async idOf(request: FastifyRequest): Promise<string | undefined> {
    return (await this.claimsOf(request))?.sid;
  }

  private claimsOf({ headers }: FastifyRequest): Promise<Claims | undefined> {
    return this.auth.claimsOf(tokenInCookie(headers.cookie) ?? '');
  }

  private view(user: UserView, expiresAt: Date): SessionView {
    const { onboarding, resend, operatorContact = null } = this.config;
    const operatorActions = resend !== 'off';
    return { user, expiresAt, version: VERSION, onboarding, operatorActions, resend, operatorContact };
  }
}

/**
 * Whether the browser uses https: X-Forwarded-Proto says so (if TRUST_PROXY allows it), the Origin of the page says so, or the host is
 * not local. Behind a proxy that sets the host of the upstream, Origin still shows https.
 */
function isSecure({ protocol, hostname, headers }: FastifyRequest): boolean {
  return protocol === 'https' || headers.origin?.startsWith('https:') === true || !LOCAL_HOST.test(hostname);
}
