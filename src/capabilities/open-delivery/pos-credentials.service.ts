import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JobStore } from '../../outbox/job-store.js';
import { Worker } from '../../outbox/worker.js';
import { type AuditAction, auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { clientSecretContext } from '../../platform/secrets/contexts.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { digestOf, newToken } from '../../platform/secrets/token.js';
import { underLock } from '../../user-links/links.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import { POS_CODES } from './error-codes.js';
import {
  MAX_LISTED,
  MAX_LIVE,
  type PosCredentialCreatedView,
  type PosCredentialView,
  type RotatePosCredentialDto,
} from './pos-credentials.dto.js';

const CREATED = auditAction('pos_credential.created', { mostInADay: 500 });
const ROTATED = auditAction('pos_credential.rotated', { mostInADay: 500 });
const REVOKED = auditAction('pos_credential.revoked');

/** The beginning of every secret, for scanners of secrets. */
const SECRET_PREFIX = 'pos_';

type Client = Prisma.TransactionClient;

/** SQL: whether credentials work, whatever the vendor of the restaurant is now. */
const IS_LIVE = Prisma.sql`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))`;
/** SQL: the columns of a {@link PosCredentialView}. */
const COLUMNS = Prisma.sql`
  id::text, name, created_at AS "createdAt", polled_at AS "polledAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
  replaced_by::text AS "replacedBy", left_out AS "leftOut", ${IS_LIVE} AS live`;

/** Makes, lists, rotates and revokes the credentials with which the POS of a restaurant signs in (Q3). */
@Injectable()
export class PosCredentialsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: AuditTrail,
    private readonly box: SecretBox,
    private readonly jobs: JobStore,
    private readonly worker: Worker,
  ) {}

  /** Those that work, then the others; of both the newest first. */
  list(restaurantId: string): Promise<PosCredentialView[]> {
    return this.prisma.$queryRaw<PosCredentialView[]>`
      SELECT ${COLUMNS} FROM pos_credentials WHERE restaurant_id = ${restaurantId}::uuid
      ORDER BY live DESC, created_at DESC, id LIMIT ${MAX_LISTED}`;
  }

  /** @returns the credentials with their secret, which is not shown again. @throws 409 TOO_MANY_CREDENTIALS (L260) */
  create(by: Link, name: string): Promise<PosCredentialCreatedView['data']> {
    return this.thatSign(by, async (tx) => {
      const made = await this.insert(tx, by, name);
      await this.record(tx, by, CREATED, made, {});
      return made;
    });
  }

  /**
   * Makes credentials that replace others. Both work until the old ones end.
   * @throws 404; 409 CREDENTIALS_ENDED when the old ones do not work or were replaced before; 409 TOO_MANY_CREDENTIALS
   */
  rotate(by: Link, id: string, { overlapHours }: RotatePosCredentialDto): Promise<PosCredentialCreatedView['data']> {
    return this.thatSign(by, async (tx) => {
      const old = await this.find(tx, by, id);
      if (!old.live || old.replacedBy)
        throw problem(POS_CODES.CREDENTIALS_ENDED, 'these credentials were replaced, or do not work any more');
      const made = await this.insert(tx, by, old.name);
      await tx.$executeRaw`
        UPDATE pos_credentials SET replaced_by = ${made.id}::uuid,
          expires_at = least(expires_at, now() + ${overlapHours}::int * interval '1 hour')
        WHERE id = ${id}::uuid`;
      await this.record(tx, by, ROTATED, old, { newId: made.id, overlapHours });
      return made;
    });
  }

  /** Ends credentials, and every token of them, on every instance. @throws 404; 409 CREDENTIALS_ENDED when they were revoked before */
  async revoke(by: Link, id: string): Promise<void> {
    await underLock(this.prisma, by, async (tx) => {
      const old = await this.find(tx, by, id);
      if (old.revokedAt) throw problem(POS_CODES.CREDENTIALS_ENDED, 'these credentials were revoked before');
      await tx.$executeRaw`UPDATE pos_credentials SET revoked_at = now() WHERE id = ${id}::uuid`;
      await this.record(tx, by, REVOKED, old, {});
    });
  }

  /** Makes credentials, and makes the events due that waited for a secret (Q20). */
  private async thatSign<Made>(by: Link, make: (tx: Client) => Promise<Made>): Promise<Made> {
    const { made, due } = await underLock(this.prisma, by, async (tx) => ({
      made: await make(tx),
      due: await this.jobs.makeDueAfter(tx, by.restaurantId, ['credentials']),
    }));
    if (due > 0) this.worker.wake();
    return made;
  }

  private async find(tx: Client, { restaurantId }: Link, id: string): Promise<PosCredentialView> {
    const [row] = await tx.$queryRaw<PosCredentialView[]>`
      SELECT ${COLUMNS} FROM pos_credentials WHERE id = ${id}::uuid AND restaurant_id = ${restaurantId}::uuid`;
    if (!row) throw problem('NOT_FOUND', 'there are no such credentials');
    return row;
  }

  private async insert(tx: Client, by: Link, name: string): Promise<PosCredentialCreatedView['data']> {
    const { restaurantId, userId } = by;
    const [live] = await tx.$queryRaw<{ credentials: number }[]>`
      SELECT count(*)::int AS credentials FROM pos_credentials WHERE restaurant_id = ${restaurantId}::uuid AND ${IS_LIVE}`;
    if (!live || live.credentials >= MAX_LIVE)
      throw problem(POS_CODES.TOO_MANY_CREDENTIALS, `${MAX_LIVE} work at the same time: revoke one first`);
    const [id, clientSecret] = [randomUUID(), newToken(SECRET_PREFIX)];
    await tx.posCredential.create({
      data: {
        id,
        restaurantId,
        name,
        secretHash: digestOf(clientSecret),
        secret: this.box.seal(clientSecret, clientSecretContext(id)),
        createdBy: userId,
      },
    });
    return { ...(await this.find(tx, by, id)), clientId: id, clientSecret };
  }

  private record(tx: Client, by: Link, action: AuditAction, { id, name }: PosCredentialView, more: object) {
    return this.audit.record(tx, by, {
      action,
      restaurantId: by.restaurantId,
      target: name,
      details: { id, ...more },
    });
  }
}
