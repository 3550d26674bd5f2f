import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { Prisma } from '../database/prisma.js';
import { describe, isAuthenticationFailure, type PosAnswer } from '../domain/pos-answer.js';
import { Log } from '../log.js';
import { Metrics } from '../metrics.js';
import { SecretBox } from '../secret-box.js';
import { type GrantedToken, readAnswer, readToken } from './answer-body.js';
import { PosHttp } from './http.js';
import type { PosTarget } from './target.js';

export interface PosToken {
  readonly token: string;
  /** which sign-in it came from, so that only the one that failed is replaced */
  readonly generation: number;
}

/** A token, or the POS's answer to the sign-in that failed. */
export type SignIn = PosToken | { readonly refused: PosAnswer };

interface StoredToken {
  readonly token: string | null;
  readonly generation: number;
  /** how long it may still be used, by the database's clock; zero or less: expired */
  readonly usableMs: number | null;
  readonly failure: PosAnswer | null;
}

/** A token is not used in the last moments of its life: an order takes time to arrive. */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 0.1;
/** How often an instance looks whether another one has finished signing in. */
const POLL_MS = 50;
/**
 * A turn to sign in, in POS timeouts: the call, and as long again to store its token. Whoever waits for an instance that
 * was lost in its turn takes over within the lease of the job it waits with, which is at least three timeouts.
 */
const TURN_TIMEOUTS = 2;

/**
 * The POS tokens: one for each address and credentials, encrypted in the database, shared by all instances, in memory in
 * front. A burst, or several instances, that need a new one make ONE call: a new login may end the token before it, and too
 * many are blocked. Whoever comes second waits for the first one's token, or for its failure.
 */
@Injectable()
export class PosTokens {
  private readonly memory = new Map<string, PosToken & { usableUntil: number }>();
  private readonly signIns = new Map<string, Promise<SignIn>>();

  constructor(
    private readonly prisma: Prisma,
    private readonly http: PosHttp,
    private readonly box: SecretBox,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** @param failed the token the POS has just refused: it is replaced, unless somebody has done so already */
  async get(target: PosTarget, failed?: PosToken): Promise<SignIn> {
    const id = tokenId(this.box, target);
    const known = this.memory.get(id);
    if (known && known.generation !== failed?.generation && performance.now() < known.usableUntil) return known;
    const running = this.signIns.get(id);
    if (running) return running;
    const signIn = this.share(id, target, failed).finally(() => this.signIns.delete(id));
    this.signIns.set(id, signIn);
    return signIn;
  }

  /** The token that is stored, or a new one: signed in for by this instance, or by the one that is at it. */
  private async share(id: string, target: PosTarget, failed?: PosToken): Promise<SignIn> {
    const before = await this.read(id);
    if (before.token && before.generation !== failed?.generation) return this.remember(id, before, before.token);
    const giveUpAt = performance.now() + this.turnMs + 2 * POLL_MS;
    const me = `${this.config.instance}/${randomUUID()}`;
    while (!(await this.takeTurn(id, me, before.generation))) {
      if (performance.now() > giveUpAt) return { refused: notAnswered('another instance is still signing in') };
      await delay(POLL_MS);
      const now = await this.read(id);
      if (now.token && now.generation !== before.generation) return this.remember(id, now, now.token);
      if (now.failure && now.generation !== before.generation) return { refused: now.failure };
    }
    return this.signIn(id, me, target, before.generation + 1);
  }

  /** `POST /auth` with the two headers and no body. */
  private async signIn(id: string, me: string, target: PosTarget, generation: number): Promise<SignIn> {
    const { partnerId, secret } = target.credentials;
    const headers = { 'id-partner': partnerId, secret };
    const exchange = await this.http.post(`${target.baseUrl}/auth`, headers, undefined, this.config.pos.timeoutMs);
    const answer = readAnswer(exchange, Date.now(), [secret]);
    const succeeded = exchange.kind === 'answered' && exchange.status >= 200 && exchange.status < 300;
    const granted = succeeded ? readToken(exchange.body, Date.now()) : undefined;
    const refused = succeeded && !granted ? notAnswered('the answer to /auth carries no token') : answer;
    await this.store(id, me, granted, refused);
    this.metrics.signIns.inc({
      result: granted ? 'granted' : isAuthenticationFailure(refused) ? 'refused' : 'unanswered',
    });
    this.log.info({ event: 'pos.sign_in', pos: target.baseUrl, granted: granted !== undefined });
    if (!granted) {
      if (isAuthenticationFailure(refused))
        this.log.error({
          event: 'alarm.credentials_refused',
          pos: target.baseUrl,
          partnerId,
          error: describe(refused),
        });
      return { refused };
    }
    return this.remember(id, { generation, usableMs: this.lifetimeMs(granted) }, granted.token);
  }

  private get turnMs(): number {
    return this.config.pos.timeoutMs * TURN_TIMEOUTS;
  }

  private lifetimeMs({ expiresInMs }: GrantedToken): number {
    const lifetime = expiresInMs ?? this.config.pos.tokenTtlMs;
    return lifetime - Math.min(MARGIN_MS, lifetime * MARGIN_SHARE);
  }

  private remember(id: string, stored: { generation: number; usableMs: number | null }, token: string): PosToken {
    const known = { token, generation: stored.generation, usableUntil: performance.now() + (stored.usableMs ?? 0) };
    this.memory.set(id, known);
    return known;
  }

  private async read(id: string): Promise<StoredToken> {
    const [row] = await this.prisma.$queryRaw<StoredToken[]>`
      SELECT token, generation, failure, (extract(epoch FROM expires_at - now()) * 1000)::float8 AS "usableMs"
      FROM pos_tokens WHERE id = ${id}`;
    if (!row) return { token: null, generation: 0, usableMs: null, failure: null };
    const usable = row.token !== null && (row.usableMs ?? 0) > 0;
    return { ...row, token: usable ? (this.box.open(row.token as string, tokenContext(id)) ?? null) : null };
  }

  /** Succeeds for one instance, while the stored generation is still the one seen and nobody else is signing in. */
  private async takeTurn(id: string, me: string, seenGeneration: number): Promise<boolean> {
    const taken = await this.prisma.$executeRaw`
      INSERT INTO pos_tokens AS stored (id, renewing_by, renewing_until)
      VALUES (${id}, ${me}, now() + ${this.turnMs}::int * interval '1 millisecond')
      ON CONFLICT (id) DO UPDATE SET renewing_by = excluded.renewing_by, renewing_until = excluded.renewing_until
      WHERE stored.generation = ${seenGeneration}::int AND (stored.renewing_until IS NULL OR stored.renewing_until < now())`;
    return taken > 0;
  }

  private async store(id: string, me: string, granted: GrantedToken | undefined, refused: PosAnswer): Promise<void> {
    const token = granted ? this.box.close(granted.token, tokenContext(id)) : null;
    const usableMs = granted ? this.lifetimeMs(granted) : null;
    const failure = granted ? null : JSON.stringify(refused);
    await this.prisma.$executeRaw`
      UPDATE pos_tokens
      SET token = ${token}, expires_at = now() + ${usableMs}::float8 * interval '1 millisecond', failure = ${failure}::jsonb,
          generation = generation + 1, renewing_by = NULL, renewing_until = NULL, updated_at = now()
      WHERE id = ${id} AND renewing_by = ${me}`;
  }
}

function notAnswered(message: string): PosAnswer {
  return { kind: 'unanswered', reach: 'NOT_SENT', code: 'NO_TOKEN', message };
}

/** The name under which the token of an address and its credentials is stored; it does not let anyone guess them. */
export function tokenId(box: SecretBox, { baseUrl, credentials }: PosTarget): string {
  return box.fingerprint([baseUrl, credentials.partnerId, credentials.secret].join('\n'));
}

export function tokenContext(id: string): string {
  return `pos-token:${id}`;
}
