import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LoginView, UserView } from '../../auth/auth.dto.js';
import { AuthService, type Claims } from '../../auth/auth.service.js';
import { ConsoleSessions } from '../../auth/console-sessions.js';
import { Revocations } from '../../auth/revocations.js';
import { Capabilities } from '../../platform/config/capabilities.js';
import { Config } from '../../platform/config/config.js';
import { VERSION } from '../../platform/version.js';
import type { SessionView, SignedInListView } from './session.dto.js';
import { endedCookies, sessionCookies, tokenInCookie, tokensInCookies } from './session-cookie.js';

/** Sessions of the console. A session is a JWT in a cookie (N3); the JWT names a row in the database (N10). */
@Injectable()
export class Sessions {
  constructor(
    private readonly auth: AuthService,
    private readonly rows: ConsoleSessions,
    private readonly revocations: Revocations,
    private readonly config: Config,
    private readonly capabilities: Capabilities,
  ) {}

  /** Sets the cookie. No body contains the token, so that scripts cannot read it. */
  begin({ access_token, expires_in, user }: LoginView, reply: FastifyReply): SessionView {
    reply.header('Set-Cookie', sessionCookies(access_token, expires_in, reply.request));
    return this.view(user, new Date(Date.now() + expires_in * 1_000));
  }

  async describe(user: UserView, request: FastifyRequest): Promise<SessionView> {
    const claims = await this.claimsOf(request);
    return this.view(user, new Date((claims?.exp ?? 0) * 1_000));
  }

  /** Ends the session of each cookie, also of one that the version before has set, and clears the cookies. */
  async end(reply: FastifyReply): Promise<void> {
    const { request } = reply;
    const all = await Promise.all(tokensInCookies(request).map((token) => this.auth.claimsOf(token)));
    // the rows are removed first: if that fails, the client still has the cookies
    let ended = 0;
    for (const claims of all) if (claims?.sid !== undefined) ended += await this.rows.end(claims.sid);
    // anybody may ask to end nothing, and each announcement is a read of all open pages
    if (ended > 0) this.revocations.announce();
    reply.header('Set-Cookie', endedCookies(request));
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

  private claimsOf(request: FastifyRequest): Promise<Claims | undefined> {
    return this.auth.claimsOf(tokenInCookie(request) ?? '');
  }

  private view(user: UserView, expiresAt: Date): SessionView {
    const { onboarding, operatorContact = null } = this.config;
    const { loaded: capabilities } = this.capabilities;
    const resend = capabilities.includes('resend') ? this.config.resend : 'off';
    const operatorActions = resend !== 'off';
    return { user, expiresAt, version: VERSION, onboarding, operatorActions, resend, operatorContact, capabilities };
  }
}
