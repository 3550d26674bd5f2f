import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Answer, answerLine, isAuthenticationFailure } from '../domain/outcome.js';
import { Config } from '../platform/config/config.js';
import { isDatabaseAway } from '../platform/database/errors.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { tokenContext } from '../platform/secrets/contexts.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { Log } from '../platform/telemetry/log.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { credentialUsers } from './credential-users.js';
import { ANOTHER_SIGNS_IN, noToken, PosSignIn } from './sign-in.js';
import { type StoredToken, StoredTokens } from './stored-tokens.js';
import type { PosTarget } from './target.js';

/** A POS token, and the sign-in that granted it. */
export interface PosToken {
  readonly token: string;
  /** number of the sign-in that granted the token; with this number, only a token that the POS refused is replaced (T4) */
  readonly generation: number;
}

/** A token, or the answer to the sign-in that failed. */
export type TokenResult = PosToken | { readonly refused: Answer };

/** Called when the POS refuses the credentials. */
type OnRefused = (refused: Answer) => Promise<void>;

/** How often an instance polls whether another one has finished signing in. */
const POLL_MS = 50;
/**
 * The lease of a renewal, in POS timeouts: one timeout for the call, one to store the token. When the renewing instance crashes, a waiting
 * instance takes over before the lease of its job ends, since the lease of a job is longer than three timeouts (D4).
 */
const RENEWAL_LEASE_TIMEOUTS = 2;

/**
 * The POS tokens: one token for each pair of address and credentials, encrypted in the database, shared by all instances, cached in memory
 * (T4). Concurrent callers that need a new token share one sign-in, also across instances, because a sign-in may invalidate the previous
 * token, and the POS may block a partner after too many sign-ins. The other callers wait for the token or the failure of this sign-in.
 */
@Injectable()
export class PosTokens {
  private readonly cache = new Map<string, PosToken & { usableUntil: number }>();
  private readonly signIns = new Map<string, Promise<TokenResult>>();
  /** claims of renewals that a database outage interrupted, by token id: the next renewal of this instance takes over the claim */
  private readonly interrupted = new Map<string, string>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly stored: StoredTokens,
    private readonly posSignIn: PosSignIn,
    private readonly box: SecretBox,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /**
   * The token for a POS address and credentials: cached, stored, or newly granted. A failed sign-in is a value.
   * @param failed the token that the POS has just refused; the relay signs in again, unless another caller has replaced this token already
   * @throws the database's error when the token cannot be read or stored
   */
  async get(target: PosTarget, failed?: PosToken): Promise<TokenResult> {
    return this.shared(target, failed, (refused) => this.alarm(target, refused));
  }

  /**
   * Whether the POS accepts these credentials (R8). `in use`: these credentials have a valid token, and no sign-in is made, since it might
   * end this token. Otherwise signs in and keeps the new token for orders. A refusal raises no alarm: the caller reports the refusal.
   * @throws the database's error
   */
  async check(target: PosTarget): Promise<'in use' | 'granted' | { readonly refused: Answer }> {
    const id = tokenId(this.box, target);
    const known = this.cache.get(id);
    if (known && performance.now() < known.usableUntil) return 'in use';
    if (!this.signIns.has(id) && (await this.stored.read(id)).token) return 'in use';
    const result = await this.shared(target, undefined, async () => {});
    return 'refused' in result ? result : 'granted';
  }

  /**
   * Drops each cached token whose row was deleted or has another token (T6). Called every few seconds, so that no order needs a
   * statement for this check. After a refused sign-in the row has no token; the cached token then stays until the POS refuses it. During a
   * database outage all cached tokens stay.
   */
  async forgetReplaced(): Promise<void> {
    const cached = [...this.cache];
    if (cached.length === 0) return;
    const ids = cached.map(([id]) => id);
    const rows = await this.prisma.$queryRaw<{ id: string; token: string | null }[]>`
      SELECT id, token FROM pos_tokens WHERE id = ANY(${ids}::text[])`.catch((error: unknown) =>
      isDatabaseAway(error) ? undefined : Promise.reject(error),
    );
    if (!rows) return;
    const stored = new Map(rows.map(({ id, token }) => [id, token]));
    for (const [id, known] of cached) {
      const token = stored.get(id);
      const isKept = token === null || (token !== undefined && this.box.open(token, tokenContext(id)) === known.token);
      // unless a sign-in has replaced the cached token since
      if (!isKept && this.cache.get(id) === known) this.cache.delete(id);
    }
  }

  /** Like {@link get}. Callers during a sign-in share the result of this sign-in. */
  private shared(target: PosTarget, failed: PosToken | undefined, onRefused: OnRefused): Promise<TokenResult> {
    const id = tokenId(this.box, target);
    const known = this.cache.get(id);
    if (known && known.generation !== failed?.generation && performance.now() < known.usableUntil)
      return Promise.resolve(known);
    const running = this.signIns.get(id);
    if (running) return running;
    const signIn = this.obtain(id, target, onRefused, failed).finally(() => this.signIns.delete(id));
    this.signIns.set(id, signIn);
    return signIn;
  }

  /** The stored token, or the one from the sign-in of this or another instance. */
  private async obtain(id: string, target: PosTarget, onRefused: OnRefused, failed?: PosToken): Promise<TokenResult> {
    const before = await this.stored.read(id);
    if (before.token && before.generation !== failed?.generation) return this.cacheToken(id, before, before.token);
    const holder = `${this.config.instance}/${randomUUID()}`;
    try {
      return await this.renew(id, target, before, holder, onRefused, failed);
    } catch (error) {
      this.interrupted.set(id, holder);
      throw error;
    }
  }

  private async renew(
    id: string,
    target: PosTarget,
    before: StoredToken,
    holder: string,
    onRefused: OnRefused,
    failed?: PosToken,
  ): Promise<TokenResult> {
    const giveUpAt = performance.now() + this.renewalLeaseMs + 2 * POLL_MS;
    while (
      !(await this.stored.claimRenewal(id, holder, before.generation, this.renewalLeaseMs, this.interrupted.get(id)))
    ) {
      if (performance.now() > giveUpAt)
        return { refused: noToken(ANOTHER_SIGNS_IN, 'another instance is still signing in') };
      await delay(POLL_MS);
      const now = await this.stored.read(id);
      if (now.token && now.generation !== before.generation) return this.cacheToken(id, now, now.token);
      if (now.failure && now.generation !== before.generation) return { refused: now.failure };
    }
    const former = [before.former, failed?.token].filter((token) => token != null);
    return this.signIn(id, holder, target, { former, generation: before.generation + 1 }, onRefused);
  }

  private async signIn(
    id: string,
    holder: string,
    target: PosTarget,
    { former, generation }: { readonly former: readonly string[]; readonly generation: number },
    onRefused: OnRefused,
  ): Promise<TokenResult> {
    const result = await this.posSignIn.signIn(target, former);
    await this.stored.store(id, holder, result);
    const granted = 'granted' in result;
    this.log.info({ event: 'pos.sign_in', pos: target.baseUrl, granted });
    if (granted) {
      this.metrics.signIns.inc({ result: 'granted' });
      return this.cacheToken(
        id,
        { generation, usableMs: this.stored.lifetimeMs(result.granted) },
        result.granted.token,
      );
    }
    const { refused } = result;
    this.metrics.signIns.inc({ result: isAuthenticationFailure(refused) ? 'refused' : 'unanswered' });
    if (isAuthenticationFailure(refused)) await onRefused(refused);
    return result;
  }

  /** Logs the alarm, with the restaurants whose orders wait until the credentials are corrected (R14). */
  private async alarm({ baseUrl, credentials }: PosTarget, refused: Answer): Promise<void> {
    // during a database outage the alarm is logged without the restaurants
    const users = await credentialUsers(this.prisma, this.box, this.config.pos, credentials).catch(() => undefined);
    const { partnerId } = credentials;
    this.log.error({
      event: 'alarm.credentials_refused',
      pos: baseUrl,
      partnerId,
      error: answerLine(refused),
      ...users,
    });
  }

  private get renewalLeaseMs(): number {
    return this.config.pos.timeoutMs * RENEWAL_LEASE_TIMEOUTS;
  }

  private cacheToken(id: string, stored: { generation: number; usableMs: number | null }, token: string): PosToken {
    const known = { token, generation: stored.generation, usableUntil: performance.now() + (stored.usableMs ?? 0) };
    this.cache.set(id, known);
    return known;
  }
}

/** The id of the token's row in pos_tokens: an HMAC of address and credentials. */
export function tokenId(box: SecretBox, { baseUrl, credentials }: Omit<PosTarget, 'vendor'>): string {
  return box.fingerprint([baseUrl, credentials.partnerId, credentials.secret].join('\n'));
}
