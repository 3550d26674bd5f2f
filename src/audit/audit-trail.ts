import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { reasonOf } from '../database/errors.js';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { Log } from '../telemetry/log.js';
import type { Actor, AuditedAct } from './actions.js';

/** Columns of text that callers choose, in characters: a key, an email or a request id is shorter. */
const MAX_TARGET_LENGTH = 400;

/**
 * An account that works in one restaurant only signs in for that restaurant, whose OWNERs read it; the sign-ins of whoever works in
 * several, or runs the platform, are no tenant's business (R23).
 */
const onlyRestaurantOf = (userId: string) => Prisma.sql`(
  SELECT CASE WHEN count(*) = 1 THEN (array_agg(link.restaurant_id))[1] END
  FROM user_restaurants link
  JOIN restaurants ON restaurants.id = link.restaurant_id AND deleted_at IS NULL
  JOIN users ON users.id = link.user_id AND users.role = 'USER'
  WHERE link.user_id = ${userId}::uuid)`;

/** Writes who did what (R27); nobody else writes audit entries, and nobody changes them (R20). */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly prisma: PrismaService,
    private readonly log: Log,
  ) {}

  /**
   * Records an act together with the change it made.
   * @param tx the transaction of that change: without the entry it is not made
   * @throws the database's error
   */
  async record(tx: Prisma.TransactionClient, actor: Actor, act: AuditedAct): Promise<void> {
    await insert(tx, actor, [act], Prisma.sql`act."restaurantId"`);
  }

  /** As {@link record}, of several acts, or none. */
  async recordAll(tx: Prisma.TransactionClient, actor: Actor, acts: readonly AuditedAct[]): Promise<void> {
    if (acts.length > 0) await insert(tx, actor, acts, Prisma.sql`act."restaurantId"`);
  }

  /** As {@link record}, of an account's own act: its restaurant is the only one it works in, or none. */
  async recordOwn(tx: Prisma.TransactionClient, actor: Actor, act: Omit<AuditedAct, 'restaurantId'>): Promise<void> {
    await insert(tx, actor, [act], onlyRestaurantOf(actor.userId));
  }

  /** As {@link recordOwn}, of what has happened already. Never throws: what could not be written is in the log. */
  async recordAfter(actor: Actor, act: Omit<AuditedAct, 'restaurantId'>): Promise<void> {
    try {
      await this.recordOwn(this.prisma, actor, act);
    } catch (error) {
      const { action, details } = act;
      this.log.warn({ event: 'audit.not_written', action, user: actor.userId, ...details, error: reasonOf(error) });
    }
  }
}

/** @param restaurantId SQL of whose OWNERs read an `act` */
async function insert(
  tx: Prisma.TransactionClient,
  { userId, email, requestId }: Actor,
  acts: readonly (Omit<AuditedAct, 'restaurantId'> & { readonly restaurantId?: string | null })[],
  restaurantId: Prisma.Sql,
): Promise<void> {
  const rows = acts.map(({ target, details = {}, ...act }) => ({
    ...act,
    id: randomUUID(),
    target: target?.slice(0, MAX_TARGET_LENGTH).toWellFormed(),
    details,
  }));
  await tx.$executeRaw`
    INSERT INTO audit_entries (id, at, actor_id, actor_email, restaurant_id, action, target, details, request_id)
    SELECT act.id, now(), ${userId}::uuid, ${email}::text, ${restaurantId}, act.action, act.target, act.details, ${requestId}::text
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS act(id uuid, action text, "restaurantId" uuid, target text, details jsonb)`;
}
