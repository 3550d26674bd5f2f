import { Injectable } from '@nestjs/common';
import type { Answer } from '../domain/outcome.js';
import { Config } from '../platform/config/config.js';
import { AHEAD } from '../platform/database/clock.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { tokenContext } from '../platform/secrets/contexts.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import type { SignIn } from './sign-in.js';
import type { GrantedToken } from './vendor.js';

export interface StoredToken {
  readonly token: string | null;
  /** the token, also when it has expired */
  readonly former: string | null;
  readonly generation: number;
  /** remaining lifetime in ms by the database's clock; 0 or less: expired */
  readonly usableMs: number | null;
  readonly failure: Answer | null;
}

/** A token is not used in the last tenth of its lifetime, at most 30 s: a request takes time to arrive. */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 0.1;
/** The limit of a granted lifetime (T3, L14): 30 days, in ms. */
const MAX_LIFETIME_MS = 30 * 24 * 3_600_000;
/** The rows of `pos_tokens`: encrypted tokens, and who signs in at the moment (T4). */
@Injectable()
export class StoredTokens {
  constructor(
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
    private readonly config: Config,
  ) {}

  /** How long a new token is used, in ms (T3, L14). */
  lifetimeMs({ expiresInMs }: GrantedToken): number {
    const lifetime = Math.min(expiresInMs ?? this.config.pos.tokenTtlMs, MAX_LIFETIME_MS);
    return lifetime - Math.min(MARGIN_MS, lifetime * MARGIN_SHARE);
  }

  /** What is stored under this id; generation 0 and no token when nothing is. */
  async read(id: string): Promise<StoredToken> {
    const [row] = await this.prisma.$queryRaw<Omit<StoredToken, 'former'>[]>`
      SELECT token, generation, failure,
             -- the age of a token of the future is not known (O42)
             CASE WHEN updated_at > ${Prisma.raw(AHEAD)} THEN 0 ELSE (extract(epoch FROM expires_at - now()) * 1000)::float8 END AS "usableMs"
      FROM pos_tokens WHERE id = ${id}`;
    if (!row) return { token: null, former: null, generation: 0, usableMs: null, failure: null };
    const former = row.token === null ? null : (this.box.open(row.token, tokenContext(id)) ?? null);
    return { ...row, former, token: (row.usableMs ?? 0) > 0 ? former : null };
  }

  /**
   * Claims the renewal. Only one caller succeeds: the generation must be the one that was read, and no other claim may be valid.
   * @param leaseMs how long the claim is valid
   * @param interrupted a claim of this instance that a database outage interrupted: it is taken over
   */
  async claimRenewal(
    id: string,
    holder: string,
    seenGeneration: number,
    leaseMs: number,
    interrupted: string | undefined,
  ): Promise<boolean> {
    const taken = await this.prisma.$executeRaw`
      INSERT INTO pos_tokens AS stored (id, renewing_by, renewing_until)
      VALUES (${id}, ${holder}, now() + ${leaseMs}::int * interval '1 millisecond')
      ON CONFLICT (id) DO UPDATE SET renewing_by = excluded.renewing_by, renewing_until = excluded.renewing_until
      WHERE stored.generation = ${seenGeneration}::int
        AND (stored.renewing_until IS NULL
             OR stored.renewing_until NOT BETWEEN now() AND excluded.renewing_until + interval '10 seconds'
             OR stored.renewing_by = ${interrupted ?? null})`;
    return taken > 0;
  }

  /** Stores the answer to a sign-in, and ends its claim. */
  async store(id: string, holder: string, result: SignIn): Promise<void> {
    const granted = 'granted' in result ? result.granted : undefined;
    const token = granted ? this.box.seal(granted.token, tokenContext(id)) : null;
    const usableMs = granted ? this.lifetimeMs(granted) : null;
    const failure = 'refused' in result ? JSON.stringify(result.refused) : null;
    await this.prisma.$executeRaw`
      UPDATE pos_tokens
      SET token = ${token}, expires_at = now() + ${usableMs}::float8 * interval '1 millisecond', failure = ${failure}::jsonb,
          generation = generation + 1, renewing_by = NULL, renewing_until = NULL, updated_at = now()
      WHERE id = ${id} AND renewing_by = ${holder}`;
  }
}
