import { Injectable } from '@nestjs/common';
import { reasonOf } from '../database/errors.js';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { Log } from '../telemetry/log.js';
import type { Actor, AuditAction, AuditedAct } from './actions.js';
import { refuseBeyondQuota } from './quotas.js';

/** The most characters of a target; transaction keys and emails are shorter. */
const MAX_TARGET_LENGTH = 400;

/** The most restaurants whose OWNERs read a sign-in, those with the oldest links. */
const MAX_OWN_RESTAURANTS = 50;

/**
 * SQL: the restaurants whose OWNERs may read acts of the account itself, such as sign-ins: `id` if there is one, `ids` if there are several.
 * They are the restaurants to which the account has an accepted link (W32). For a platform administrator there are none (R23).
 */
const ownRestaurantsOf = (userId: string) => Prisma.sql`(
  SELECT CASE WHEN cardinality(ids) = 1 THEN ids[1] END AS id, CASE WHEN cardinality(ids) > 1 THEN ids END AS ids
  FROM (SELECT array_agg(restaurant_id) AS ids FROM (
    SELECT link.restaurant_id
    FROM user_restaurants link
    JOIN restaurants ON restaurants.id = link.restaurant_id AND deleted_at IS NULL
    JOIN users ON users.id = link.user_id AND users.role = 'USER'
    WHERE link.user_id = ${userId}::uuid AND link.accepted_at IS NOT NULL
    ORDER BY link.created_at, link.id LIMIT ${MAX_OWN_RESTAURANTS}) AS own) AS all_own)`;
const RESTAURANT_OF_THE_ACT = Prisma.sql`(SELECT act."restaurantId" AS id, NULL::uuid[] AS ids)`;

/** Writes audit entries (R27). Only this class writes them, and no class changes them (R20). */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly prisma: PrismaService,
    private readonly log: Log,
  ) {}

  /**
   * Refuses an act that the actor has done too often within a day (A35), before work that it needs, such as hashing a password.
   * {@link record} refuses it too.
   * @throws 429 QUOTA_REACHED; the database's error
   */
  refuseBeyondQuota(actor: Actor, action: AuditAction): Promise<void> {
    return refuseBeyondQuota(this.prisma, actor, action);
  }

  /**
   * Records acts in the transaction of the change, and confirms that the actor may still do them (A40).
   * @param tx the transaction of the change; it is rolled back when the entries cannot be written
   * @throws 401, 403 or 404, see {@link Actor}; 429 QUOTA_REACHED when the actor has done the first of these acts too often within a day
   *   (A35); the database's error
   */
  async record(tx: Prisma.TransactionClient, actor: Actor, ...acts: readonly AuditedAct[]): Promise<void> {
    const [first] = acts;
    if (first === undefined) return;
    await actor.confirm?.(tx);
    await refuseBeyondQuota(tx, actor, first.action);
    await insert(tx, actor, acts, RESTAURANT_OF_THE_ACT);
  }

  /**
   * Records an act of the account itself: one entry, with the restaurants whose OWNERs may read it.
   * @throws 429 QUOTA_REACHED, as {@link record}
   */
  async recordOwn(tx: Prisma.TransactionClient, actor: Actor, act: Omit<AuditedAct, 'restaurantId'>): Promise<void> {
    await refuseBeyondQuota(tx, actor, act.action);
    await insert(tx, actor, [act], ownRestaurantsOf(actor.userId));
  }

  /** As {@link recordOwn}, for an act that is already done. Never throws: an entry that cannot be written is logged. */
  async recordAfter(actor: Actor, act: Omit<AuditedAct, 'restaurantId'>): Promise<void> {
    try {
      await this.recordOwn(this.prisma, actor, act);
    } catch (error) {
      const { action, details } = act;
      this.log.warn({ event: 'audit.not_written', action, user: actor.userId, ...details, error: reasonOf(error) });
    }
  }
}

/**
 * @param readers SQL that selects `id` and `ids` for an `act`, the restaurant or the restaurants whose OWNERs read the entry
 */
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
    INSERT INTO audit_entries (id, at, actor_id, actor_email, restaurant_id, reader_ids, action, target, details, request_id)
    SELECT gen_random_uuid(), now(), ${userId}::uuid, ${email}::text, reader.id, reader.ids, act.action, act.target, act.details,
           ${requestId}::text
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS act(action text, "restaurantId" uuid, target text, details jsonb)
    LEFT JOIN LATERAL ${readers} AS reader ON true`;
}
