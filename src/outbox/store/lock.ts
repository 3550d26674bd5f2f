import type { PrismaService } from '../../database/prisma.service.js';
import type { JobAction } from '../../domain/job.js';

/** A job that this instance has locked, joined with what its delivery needs of event and restaurant. */
export interface LockedJob {
  readonly id: string;
  readonly eventKey: string;
  readonly action: JobAction;
  readonly restaurantId: string;
  /** number of this attempt, from 1 */
  readonly attempt: number;
  /** `instance/UUID`, the UUID new for every claim (O10): settling succeeds only for this very lock (O12) */
  readonly lockedBy: string;
  /** by the database's clock */
  readonly lockedAt: Date;
  readonly testMode: boolean;
  readonly receivedAt: Date;
  /** the stored payload of the event */
  readonly payload: Record<string, unknown>;
  readonly codeStorePos: string | null;
  readonly posIdPartner: string | null;
  /** encrypted by SecretBox (S14) */
  readonly posSecret: string | null;
}

/** What a worker asks for: as many jobs as it sends locks. */
export interface Claim {
  /** a new `instance/UUID` for each job that may be locked; known before the statement, so that its answer may get lost */
  readonly locks: readonly string[];
  /** calls under way of this instance, by restaurant */
  readonly underWay: ReadonlyMap<string, number>;
  /** the most calls of one restaurant that may be under way, even if no other restaurant waits */
  readonly share: number;
}

/**
 * Locks due jobs, one for each of the claim's locks at most, by an optimistic update on the status column (O6, O7): rows that
 * another instance has locked or just changed are skipped. The attempt is counted here, so that a crash counts (O10).
 *
 * Restaurants take turns (O11): the first job of each goes before the second of any, calls under way counted; within a turn
 * the oldest due is first. Only index entries at the head of each restaurant's queue are read, however long it is: the
 * restaurants with waiting jobs are found one by one, and at most as many of them are looked into as there are locks.
 */
export async function lockDue(prisma: PrismaService, { locks, underWay, share }: Claim): Promise<LockedJob[]> {
  const limit = locks.length;
  return prisma.$queryRaw<LockedJob[]>`
    WITH RECURSIVE waiting AS (
      (SELECT restaurant_id FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED') ORDER BY restaurant_id LIMIT 1)
      UNION ALL
      SELECT (SELECT job.restaurant_id FROM outbox_jobs job
              WHERE job.status IN ('PENDING', 'FAILED') AND job.restaurant_id > waiting.restaurant_id
              ORDER BY job.restaurant_id LIMIT 1)
      FROM waiting WHERE waiting.restaurant_id IS NOT NULL
    ), head AS (
      SELECT waiting.restaurant_id, coalesce(held.jobs, 0) AS held
      FROM waiting
      CROSS JOIN LATERAL (SELECT next_run_at FROM due_jobs WHERE due_jobs.restaurant_id = waiting.restaurant_id
                          ORDER BY next_run_at LIMIT 1) AS due
      LEFT JOIN unnest(${[...underWay.keys()]}::uuid[], ${[...underWay.values()]}::int[]) AS held(restaurant_id, jobs)
             ON held.restaurant_id = waiting.restaurant_id
      WHERE coalesce(held.jobs, 0) < ${share}::int
      ORDER BY held, due.next_run_at LIMIT ${limit}::int
    ), turn AS (
      SELECT head.restaurant_id, due.next_run_at,
             held + row_number() OVER (PARTITION BY head.restaurant_id ORDER BY due.next_run_at) AS number
      FROM head
      CROSS JOIN LATERAL (SELECT next_run_at FROM due_jobs WHERE due_jobs.restaurant_id = head.restaurant_id
                          ORDER BY next_run_at LIMIT least(${limit}::int, ${share}::int - head.held)) AS due
    ), quota AS (
      SELECT restaurant_id, count(*) AS jobs
      FROM (SELECT restaurant_id FROM turn ORDER BY number, next_run_at LIMIT ${limit}::int) AS taken
      GROUP BY restaurant_id
    ), picked AS (
      SELECT id, place
      FROM unnest(ARRAY(
        SELECT due.id FROM quota
        CROSS JOIN LATERAL (SELECT id FROM due_jobs WHERE due_jobs.restaurant_id = quota.restaurant_id
                            ORDER BY next_run_at LIMIT quota.jobs FOR UPDATE SKIP LOCKED) AS due
      )) WITH ORDINALITY AS picked(id, place)
    ), locked AS (
      UPDATE outbox_jobs job
      SET status = 'PROCESSING', attempts = attempts + 1, processing_at = now(), updated_at = now(),
          locked_by = (${locks}::text[])[picked.place]
      FROM picked
      WHERE job.id = picked.id AND job.status IN ('PENDING', 'FAILED')
      RETURNING job.id, event_key, action, restaurant_id, attempts, locked_by, processing_at, next_run_at
    )
    SELECT locked.id::text, locked.event_key AS "eventKey", locked.action::text AS action,
           locked.restaurant_id::text AS "restaurantId", locked.attempts AS attempt, locked.locked_by AS "lockedBy",
           locked.processing_at AS "lockedAt", event.test_mode AS "testMode", event.received_at AS "receivedAt", event.payload,
           restaurant.code_store_pos AS "codeStorePos", restaurant.pos_id_partner AS "posIdPartner",
           restaurant.pos_secret AS "posSecret"
    FROM locked
    JOIN terminal_events event ON event.transaction_key = locked.event_key AND event.restaurant_id = locked.restaurant_id
    JOIN restaurants restaurant ON restaurant.id = locked.restaurant_id
    ORDER BY locked.next_run_at`;
}
