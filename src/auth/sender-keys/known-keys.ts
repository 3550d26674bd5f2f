import { Injectable } from '@nestjs/common';
import type { RefusalReason } from '../../domain/refusal-reason.js';
import { BoundedMap } from '../../platform/bounded-map.js';
import { Batcher } from '../../platform/database/batch/batcher.js';
import type { BatchedRow } from '../../platform/database/batch/row-queue.js';
import { within } from '../../platform/database/deadline.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { senderKeyContext } from '../../platform/secrets/contexts.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { Log } from '../../platform/telemetry/log.js';
import type { Scope } from './scopes.js';
import { secretBytes } from './signature.js';

/** A key that worked when it was read. */
export interface KnownKey {
  readonly id: string;
  readonly keyId: string;
  /** null: the platform's */
  readonly restaurantId: string | null;
  /** the account that has founded the restaurant, or the restaurant if none has (O44); null: the platform's */
  readonly party: string | null;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the token, in hex; null: a key for signatures */
  readonly tokenHash: string | null;
  /** the bytes of the secret; null: a token, a revoked key (V5), or a secret that no key decrypts */
  readonly secret: Uint8Array | null;
}

/** A key that does not work any more. */
export interface EndedKey extends Pick<KnownKey, 'id' | 'keyId' | 'restaurantId' | 'tokenHash' | 'secret'> {
  readonly reason: EndReason;
}
type EndReason = Extract<RefusalReason, 'revoked' | 'expired' | 'deleted'>;

interface Row extends Omit<KnownKey, 'secret'> {
  readonly sealed: string | null;
  /** null: it works */
  readonly ended: EndReason | null;
}

interface Wanted extends BatchedRow {
  readonly keyId: string;
}

/** Limit of a read, in ms, waiting included: with the storing of the sale an answer takes at most 10 s (W25). */
const READ_LIMIT_MS = 5_000;
/**
 * One statement at a time, for many keys: made-up key ids cannot take the connections of sales (V6). The bound is above the client
 * connections at once (L21).
 */
const READS = { parallel: 1, most: 1_000, bound: { rows: 2_000, length: 1_000_000 }, retry: false } as const;
/** The most known keys, and how long one is used without a new read, in ms (L63). The storing statement checks each key anyway (V5). */
const KNOWN = { most: 10_000, forMs: 600_000 } as const;
/** The same for key ids that do not work. */
const REFUSED = { most: 10_000, forMs: 10_000 } as const;

const BY_KEY_ID = preparedStatement(
  'sender_keys',
  `SELECT id::text, key_id AS "keyId", restaurant_id::text AS "restaurantId", scopes,
     coalesce((SELECT founded_by FROM restaurants WHERE restaurants.id = restaurant_id), restaurant_id)::text AS party, token_hash AS "tokenHash", secret AS sealed,
     CASE WHEN EXISTS (SELECT 1 FROM live_sender_keys live WHERE live.id = sender_keys.id) THEN NULL
       WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' ELSE 'deleted' END AS ended
   FROM sender_keys WHERE key_id = ANY ($1::text[])`,
);

/**
 * Finds keys by their key ids. Found keys are kept in memory, and so are, for a short time, ids that were not found: neither the sales of a
 * known key nor a repeated wrong id costs a query (V6).
 */
@Injectable()
export class KnownKeys {
  private readonly known = new BoundedMap<{ readonly key: KnownKey; readonly until: number }>(KNOWN.most);
  private readonly refused = new BoundedMap<{ readonly ended: EndedKey | undefined; readonly until: number }>(
    REFUSED.most,
  );
  private readonly reads = new Batcher<Wanted, Row | undefined>(async (wanted) => {
    const rows = await this.prisma.prepared<Row>(BY_KEY_ID, [[...new Set(wanted.map(({ keyId }) => keyId))]]);
    const found = new Map(rows.map((row) => [row.keyId, row]));
    return wanted.map(({ keyId }) => found.get(keyId));
  }, READS);

  constructor(
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
    private readonly log: Log,
  ) {}

  /**
   * The key of this id. A key that ended a short time ago may be found: the statement that stores a sale refuses it.
   * @returns undefined when no key of this id works
   * @throws NotWrittenError when too many ids wait to be read
   */
  async find(keyId: string): Promise<KnownKey | undefined> {
    const now = performance.now();
    const known = this.known.get(keyId);
    if (known && known.until > now) return known.key;
    if ((this.refused.get(keyId)?.until ?? 0) > now) return undefined;
    return this.read(keyId);
  }

  /** As {@link find}, as the key is now in the database. */
  async read(keyId: string): Promise<KnownKey | undefined> {
    const row = await within(READ_LIMIT_MS, this.reads.add({ keyId, length: keyId.length, keys: [], source: keyId }));
    const now = performance.now();
    if (!row || row.ended !== null) {
      this.known.delete(keyId);
      this.refused.set(keyId, { ended: row && this.endedOf(row), until: now + REFUSED.forMs });
      return undefined;
    }
    const key = this.opened(row);
    this.refused.delete(keyId);
    // another instance may encrypt it with a key that this one has
    this.known.set(keyId, { key, until: now + (isUnreadable(key) ? REFUSED : KNOWN).forMs });
    return key;
  }

  /** The ended key of an id that {@link find} or {@link read} has just not found; undefined: there is none of this id. */
  ended(keyId: string): EndedKey | undefined {
    return this.refused.get(keyId)?.ended;
  }

  /** Forgets a key that has been revoked by this instance. */
  forget(keyId: string): void {
    this.known.delete(keyId);
  }

  private opened({ sealed, ended: _, ...row }: Row): KnownKey {
    const secret = this.secretOf(row.id, sealed);
    if (sealed !== null && secret === null)
      this.log.error(
        { event: 'sender_key.secret_lost', key: row.keyId },
        'this instance has no key that decrypts this secret. While SECRETS_KEY is rotated: give every instance both keys; if it is lost: rotate the sender key',
      );
    return { ...row, secret };
  }

  private endedOf({ id, keyId, restaurantId, tokenHash, sealed, ended }: Row): EndedKey | undefined {
    return ended === null
      ? undefined
      : { id, keyId, restaurantId, tokenHash, secret: this.secretOf(id, sealed), reason: ended };
  }

  private secretOf(id: string, sealed: string | null): Uint8Array | null {
    const secret = sealed === null ? undefined : this.box.open(sealed, senderKeyContext(id));
    return secret === undefined ? null : secretBytes(secret);
  }
}

/** Whether it is a key for signatures whose secret this instance cannot decrypt. */
export function isUnreadable({ tokenHash, secret }: KnownKey): boolean {
  return tokenHash === null && secret === null;
}
