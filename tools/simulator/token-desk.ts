import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ERROR, type Reply, refusal } from './wire.js';

/** Who may order: partners, their secrets and the tokens they signed in for. */
export class TokenDesk {
  private readonly tokens = new Map<string, { partner: string; endsAt: number }>();

  constructor(
    private readonly rules: {
      /** partner id -> secret */
      readonly partners: Readonly<Record<string, string>>;
      readonly tokenPrefix: string;
      readonly ttlSeconds: number;
      /** true: a new token ends the partner's earlier ones */
      readonly singleSession: boolean;
      readonly requireToken: boolean;
      readonly now: () => Date;
    },
  ) {}

  /** `POST /auth` */
  signIn(headers: IncomingHttpHeaders): Reply {
    const refused = this.checkCredentials(headers);
    if (refused) return refused;
    const partner = String(headers['id-partner']);
    const now = this.rules.now().getTime();
    for (const [token, { partner: owner, endsAt }] of this.tokens)
      if (endsAt <= now || (this.rules.singleSession && owner === partner)) this.tokens.delete(token);
    const token = `${this.rules.tokenPrefix}${randomUUID()}`;
    this.tokens.set(token, { partner, endsAt: now + this.rules.ttlSeconds * 1_000 });
    return { status: 200, body: { token, expires_in: this.rules.ttlSeconds } };
  }

  /** The refusal of a call that is not signed in; undefined when it is. */
  check(headers: IncomingHttpHeaders): Reply | undefined {
    return this.checkCredentials(headers) ?? (this.rules.requireToken ? this.checkToken(headers) : undefined);
  }

  /** Every token issued so far is refused from now on. */
  revoke(): void {
    this.tokens.clear();
  }

  private checkCredentials(headers: IncomingHttpHeaders): Reply | undefined {
    const partner = String(headers['id-partner']);
    const known = Object.hasOwn(this.rules.partners, partner) && this.rules.partners[partner] === headers.secret;
    return known ? undefined : refusal(401, ERROR.CREDENTIALS, 'id-partner or secret is wrong');
  }

  private checkToken(headers: IncomingHttpHeaders): Reply | undefined {
    const token = this.tokens.get(/^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '');
    if (!token || token.partner !== headers['id-partner']) return refusal(401, ERROR.TOKEN, 'token missing or unknown');
    return token.endsAt > this.rules.now().getTime() ? undefined : refusal(401, ERROR.TOKEN, 'token expired');
  }
}
