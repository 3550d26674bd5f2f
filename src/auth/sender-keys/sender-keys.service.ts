import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor, AuditAction } from '../../platform/audit/actions.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { senderKeyContext } from '../../platform/secrets/contexts.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { digestOf, newSigningSecret } from '../../platform/secrets/token.js';
import { underLock } from '../../user-links/links.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import { KEY_CODES } from './error-codes.js';
import { KnownKeys } from './known-keys.js';
import type { KeyKind, Scope } from './scopes.js';
import {
  type CreateSenderKeyDto,
  MAX_LISTED,
  MAX_LIVE_KEYS,
  MAX_PERSONS,
  type RotateSenderKeyDto,
  type SellingPersonView,
  type SenderKeyCreatedView,
  type SenderKeyView,
} from './sender-keys.dto.js';
import { newKeyId, newKeyToken } from './token.js';

const SENDER_KEY_CREATED = auditAction('sender_key.created', { mostInADay: 500 });
const SENDER_KEY_ROTATED = auditAction('sender_key.rotated', { mostInADay: 500 });
const SENDER_KEY_REVOKED = auditAction('sender_key.revoked');

/** Who manages keys: a member of a restaurant its keys, a platform administrator the platform's. */
export type KeyManager = Link | (Actor & { readonly restaurantId: null });

/** What a new key has in common with the one that it replaces. */
interface Wanted {
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

type Client = Prisma.TransactionClient;
type Row = SenderKeyView & { readonly kind: KeyKind };

/** SQL: the keys of a restaurant, or of the platform. */
const ownedBy = (restaurantId: string | null) =>
  restaurantId === null ? Prisma.sql`restaurant_id IS NULL` : Prisma.sql`restaurant_id = ${restaurantId}::uuid`;

/** SQL: the columns of a {@link Row}. */
const COLUMNS = Prisma.sql`
  id::text, key_id AS "keyId", name, kind, scopes, created_at AS "createdAt", last_used_at AS "lastUsedAt", foreign_store_at AS "foreignStoreAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", replaced_by::text AS "replacedBy",
  refused_at AS "refusedAt", refused_since AS "refusedSince", refused_count AS "refusedCount", refused_reason AS "refusedReason",
  EXISTS (SELECT 1 FROM live_sender_keys live WHERE live.id = sender_keys.id) AS live`;

/** Makes, lists, rotates and revokes sender keys (V1 to V5). */
@Injectable()
export class SenderKeysService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
    private readonly known: KnownKeys,
    private readonly audit: AuditTrail,
  ) {}

  /** The keys that work, then the others; of both the newest first. @param restaurantId null: the platform's keys */
  list(restaurantId: string | null): Promise<SenderKeyView[]> {
    return this.prisma.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM sender_keys WHERE ${ownedBy(restaurantId)}
      ORDER BY live DESC, created_at DESC, id LIMIT ${MAX_LISTED}`;
  }

  /** The persons with whose password or token terminals sent sales for the restaurant within a week, the last first (V14). */
  sellingPersons(restaurantId: string): Promise<SellingPersonView[]> {
    return this.prisma.$queryRaw<SellingPersonView[]>`
      SELECT user_id::text AS "userId", CASE WHEN NOT hidden THEN email END AS email, by, at
      FROM sales_by_persons WHERE restaurant_id = ${restaurantId}::uuid
      ORDER BY at DESC, user_id, by LIMIT ${MAX_PERSONS}`;
  }

  /**
   * Makes a key.
   * @returns the key with its token or secret, which is not shown again
   * @throws 400 VALIDATION_FAILED when it would expire at once, 409 TOO_MANY_KEYS (L60)
   */
  async create(by: KeyManager, wanted: CreateSenderKeyDto): Promise<SenderKeyCreatedView['data']> {
    const expiresAt = wanted.expiresAt ?? null;
    refusePast(expiresAt);
    return this.alone(by, async (tx) => {
      const made = await this.insert(tx, by, { ...wanted, expiresAt });
      await this.record(tx, by, SENDER_KEY_CREATED, made, { expiresAt: made.expiresAt });
      return made;
    });
  }

  /**
   * Makes a key that replaces another one. Both work until the old one ends (V3).
   * @throws 400 VALIDATION_FAILED, 404, 409 KEY_ENDED when the old key does not work or was replaced before, 409 TOO_MANY_KEYS
   */
  async rotate(
    by: KeyManager,
    id: string,
    { overlapHours, expiresAt }: RotateSenderKeyDto,
  ): Promise<SenderKeyCreatedView['data']> {
    refusePast(expiresAt);
    return this.alone(by, async (tx) => {
      const old = await this.find(tx, by, id);
      if (!old.live || old.replacedBy)
        throw problem(KEY_CODES.KEY_ENDED, 'this key was replaced, or does not work any more');
      const given = old.expiresAt && new Date(Date.now() + old.expiresAt.getTime() - old.createdAt.getTime());
      const made = await this.insert(tx, by, { ...old, expiresAt: expiresAt ?? given });
      await tx.$executeRaw`
        UPDATE sender_keys SET replaced_by = ${made.id}::uuid,
          expires_at = least(expires_at, now() + ${overlapHours}::int * interval '1 hour')
        WHERE id = ${id}::uuid`;
      await this.record(tx, by, SENDER_KEY_ROTATED, old, { newKeyId: made.keyId, overlapHours });
      return made;
    });
  }

  /** Ends a key: no sale of it is stored any more, on no instance (V5). @throws 404 when there is no such key; 409 KEY_ENDED when it was revoked before */
  async revoke(by: KeyManager, id: string): Promise<void> {
    const { keyId } = await this.alone(by, async (tx) => {
      const old = await this.find(tx, by, id);
      if (old.revokedAt) throw problem(KEY_CODES.KEY_ENDED, 'this key was revoked before');
      await tx.$executeRaw`UPDATE sender_keys SET revoked_at = now(), secret = NULL WHERE id = ${id}::uuid`;
      await this.record(tx, by, SENDER_KEY_REVOKED, old, {});
      return old;
    });
    this.known.forget(keyId);
  }

  /** One change of the keys at a time, so that the limit holds and a key is replaced once. */
  private alone<T>(by: KeyManager, change: (tx: Client) => Promise<T>): Promise<T> {
    if (by.restaurantId !== null) return underLock(this.prisma, by, change);
    return this.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('sender_keys of the platform'))`;
      return change(tx);
    });
  }

  private async find(tx: Client, { restaurantId }: KeyManager, id: string): Promise<Row> {
    const [row] = await tx.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM sender_keys WHERE id = ${id}::uuid AND ${ownedBy(restaurantId)}`;
    if (!row) throw noSuchKey();
    return row;
  }

  private async insert(
    tx: Client,
    by: KeyManager,
    { name, kind, scopes, expiresAt }: Wanted,
  ): Promise<SenderKeyCreatedView['data']> {
    const [live] = await tx.$queryRaw<{ keys: number }[]>`
      SELECT count(*)::int AS keys FROM live_sender_keys WHERE ${ownedBy(by.restaurantId)}`;
    if (!live || live.keys >= MAX_LIVE_KEYS)
      throw problem(KEY_CODES.TOO_MANY_KEYS, `${MAX_LIVE_KEYS} keys work at the same time: revoke one first`);
    const [id, keyId] = [randomUUID(), newKeyId()];
    const shown = kind === 'TOKEN' ? { token: newKeyToken(keyId) } : { secret: newSigningSecret() };
    await tx.senderKey.create({
      data: {
        ...{
          id,
          keyId,
          restaurantId: by.restaurantId,
          name,
          kind,
          scopes: [...scopes],
          expiresAt,
          createdBy: by.userId,
        },
        tokenHash: shown.token === undefined ? null : digestOf(shown.token),
        secret: shown.secret === undefined ? null : this.box.seal(shown.secret, senderKeyContext(id)),
      },
    });
    const made = await this.find(tx, by, id);
    return kind === 'TOKEN' ? { ...made, ...shown } : { ...made, ...shown, path: `/webhooks/terminal/${keyId}` };
  }

  private record(tx: Client, by: KeyManager, action: AuditAction, key: SenderKeyView, more: object): Promise<void> {
    const { name, keyId, kind, scopes } = key;
    const details = { keyId, kind, scopes, ...more };
    return this.audit.record(tx, by, { action, restaurantId: by.restaurantId, target: name, details });
  }
}

function refusePast(expiresAt: Date | null | undefined): void {
  if (expiresAt && expiresAt.getTime() <= Date.now())
    throw problem('VALIDATION_FAILED', ['expiresAt must be in the future']);
}

function noSuchKey() {
  return problem('NOT_FOUND', 'there is no such key');
}
