import { Injectable } from '@nestjs/common';
import { reasonOf } from '../database/errors.js';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { Log } from '../telemetry/log.js';
import type { Actor, AuditedAct } from './actions.js';

/** Columns of text that callers choose, in characters: a key, an email or a request id is shorter. */
const MAX_TARGET_LENGTH = 400;

/** Restaurants that one sign-in is written for, the oldest links first: who founds a thousand must not fill the table. */
const MAX_OWN_RESTAURANTS = 50;

/**
 * An account's own acts, such as sign-ins, are read by the OWNERs of every restaurant that the account is linked to by a link of
 * its own (W32); a link that others made shows them nothing. What platform administrators do is no tenant's business (R23).
 */
const ownRestaurantsOf = (userId: string) => Prisma.sql`(
  SELECT link.restaurant_id AS id
  FROM user_restaurants link
  JOIN restaurants ON restaurants.id = link.restaurant_id AND deleted_at IS NULL
  JOIN users ON users.id = link.user_id AND users.role = 'USER'
  WHERE link.user_id = ${userId}::uuid AND link.accepted_at IS NOT NULL
  ORDER BY link.created_at, link.id LIMIT ${MAX_OWN_RESTAURANTS})`;
const RESTAURANT_OF_THE_ACT = Prisma.sql`(SELECT act."restaurantId" AS id)`;

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
    await insert(tx, actor, [act], RESTAURANT_OF_THE_ACT);
  }

  /** As {@link record}, of several acts, or none. */
  async recordAll(tx: Prisma.TransactionClient, actor: Actor, acts: readonly AuditedAct[]): Promise<void> {
    if (acts.length > 0) await insert(tx, actor, acts, RESTAURANT_OF_THE_ACT);
  }

  /** As {@link record}, of an account's own act: an entry for each restaurant whose OWNERs read it, or one of no restaurant. */
  async recordOwn(tx: Prisma.TransactionClient, actor: Actor, act: Omit<AuditedAct, 'restaurantId'>): Promise<void> {
    await insert(tx, actor, [act], ownRestaurantsOf(actor.userId));
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

/** @param readers SQL: the ids of the restaurants whose OWNERs read an `act`, an entry for each; without a row, one of no restaurant */
async function insert(
  tx: Prisma.TransactionClient,
  { userId, email, requestId }: Actor,
  acts: readonly (Omit<AuditedAct, 'restaurantId'> & { readonly restaurantId?: string | null })[],
  readers: Prisma.Sql,
): Promise<void> {
  const rows = acts.map(({ target, details = {}, ...act }) => ({
    ...act,
    target: target?.slice(0, MAX_TARGET_LENGTH).toWellFormed(),
    details,
  }));
  await tx.$executeRaw`
    INSERT INTO audit_entries (id, at, actor_id, actor_email, restaurant_id, action, target, details, request_id)
    SELECT gen_random_uuid(), now(), ${userId}::uuid, ${email}::text, reader.id, act.action, act.target, act.details, ${requestId}::text
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS act(action text, "restaurantId" uuid, target text, details jsonb)
    LEFT JOIN LATERAL ${readers} AS reader ON true`;
}
