import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ERROR, type Reply, refusal } from './wire.js';

/** Partners, their secrets and their tokens. */
export class TokenDesk {
  private readonly tokens = new Map<string, { partner: string; endsAt: number }>();

  constructor(
    private readonly rules: {
      /** partner id -> secret */
      readonly partners: Readonly<Record<string, string>>;
      readonly tokenPrefix: string;
      readonly ttlSeconds: number;
      /** true: a new token makes the partner's earlier ones invalid */
      readonly singleSession: boolean;
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

  /** @returns the refusal of a call without valid credentials and token; else undefined */
  check(headers: IncomingHttpHeaders): Reply | undefined {
    return this.checkCredentials(headers) ?? this.checkToken(headers);
  }

  /** Makes all tokens invalid. */
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
