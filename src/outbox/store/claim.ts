import { preparedStatement } from '../../database/prepared.js';
import type { PrismaService } from '../../database/prisma.service.js';
import type { JobAction } from '../../domain/job.js';

/** A job that this instance has claimed, with what its delivery needs of event and restaurant. */
export interface ClaimedJob {
  readonly id: string;
  readonly eventKey: string;
  readonly action: JobAction;
  readonly restaurantId: string;
  readonly restaurantName: string;
  /** number of this attempt, from 1 */
  readonly attempt: number;
  /** claim id: `instance/UUID`, the UUID new for every claim (O10); only the holder of this claim can settle (O12) */
  readonly lockedBy: string;
  /** by the database's clock, to the microsecond, as a text of Postgres */
  readonly claimedAt: string;
  /** this is its first attempt, and it was never reset: its order cannot have arrived at the POS */
  readonly untried: boolean;
  readonly testMode: boolean;
  readonly receivedAt: Date;
  /** the stored payload of the event */
  readonly payload: Record<string, unknown>;
  readonly codeStorePos: string | null;
  readonly posIdPartner: string | null;
  /** encrypted by SecretBox (S14) */
  readonly posSecret: string | null;
}

/** A claim: at most as many jobs as it has claim ids. */
export interface Claim {
  /** a new `instance/UUID` for each job that may be claimed; known before the statement, in case its answer gets lost */
  readonly claimIds: readonly string[];
  /** the claimed jobs of this instance, by restaurant */
  readonly inHand: ReadonlyMap<string, InHand>;
  /** the most jobs of a restaurant that is not in `inHand` */
  readonly share: number;
}

/** The claimed jobs of a restaurant whose calls have not ended. */
export interface InHand {
  readonly jobs: number;
  /** how many more may be claimed */
  readonly room: number;
}

/** Claims the `picked` jobs; each gets the claim id at its place. */
const CLAIM_PICKED = `claimed AS (
    UPDATE outbox_jobs job
    SET status = 'PROCESSING', attempts = attempts + 1, processing_at = now(), updated_at = now(),
        locked_by = ($1::text[])[picked.place]
    FROM picked
    -- as text, so that the planner uses the id and no index of waiting jobs
    WHERE job.id = picked.id AND job.status::text IN ('PENDING', 'FAILED')
    RETURNING job.id, event_key, action, restaurant_id, attempts, locked_by, processing_at, next_run_at,
      created_at
  )
  SELECT claimed.id::text, claimed.event_key AS "eventKey", claimed.action::text AS action,
         claimed.restaurant_id::text AS "restaurantId", claimed.attempts AS attempt, claimed.locked_by AS "lockedBy",
         claimed.processing_at::text AS "claimedAt",
         -- still due since it was stored: a reset sets next_run_at
         (claimed.attempts = 1 AND claimed.next_run_at::timestamptz(3) = claimed.created_at) AS untried,
         event.test_mode AS "testMode",
         (extract(epoch FROM event.received_at) * 1000)::float8 AS "receivedMs", event.payload,
         restaurant.name AS "restaurantName", restaurant.code_store_pos AS "codeStorePos", restaurant.pos_id_partner AS "posIdPartner",
         restaurant.pos_secret AS "posSecret"
  FROM claimed
  JOIN terminal_events event ON event.transaction_key = claimed.event_key AND event.restaurant_id = claimed.restaurant_id
  JOIN restaurants restaurant ON restaurant.id = claimed.restaurant_id
  ORDER BY claimed.next_run_at`;

/**
 * Restaurants take turns: the first job of each restaurant goes before the second job of any, counting the jobs that this instance
 * already has; within a turn the job that is due longest is first. Reads only index entries at the head of each restaurant's queue,
 * whatever its length: finds the restaurants with waiting jobs one by one, and reads the queues of as many as there are claim ids.
 */
const BY_TURNS = preparedStatement(
  'claim_by_turns',
  `WITH RECURSIVE waiting AS (
    (SELECT restaurant_id, next_run_at FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED')
     ORDER BY restaurant_id, next_run_at LIMIT 1)
    UNION ALL
    SELECT next.restaurant_id, next.next_run_at
    FROM waiting
    CROSS JOIN LATERAL (SELECT job.restaurant_id, job.next_run_at FROM outbox_jobs job
                        WHERE job.status IN ('PENDING', 'FAILED') AND job.restaurant_id > waiting.restaurant_id
                        ORDER BY job.restaurant_id, job.next_run_at LIMIT 1) AS next
  ), candidate AS (
    SELECT waiting.*, coalesce(in_hand.jobs, 0) AS held, coalesce(in_hand.room, $2::int) AS room
    FROM waiting
    LEFT JOIN unnest($3::uuid[], $4::int[], $5::int[]) AS in_hand(restaurant_id, jobs, room)
           ON in_hand.restaurant_id = waiting.restaurant_id
    WHERE waiting.next_run_at <= now() AND coalesce(in_hand.room, $2::int) > 0
      -- nothing of a deleted one is ever due: it must not stand in the place of others
      AND waiting.restaurant_id NOT IN (SELECT restaurants.id FROM restaurants WHERE restaurants.deleted_at IS NOT NULL)
    -- some may have nothing due but cancels that wait for their orders
    ORDER BY held, waiting.next_run_at LIMIT 16 + 4 * cardinality($1::text[])
  ), head AS (
    SELECT candidate.*
    FROM candidate
    CROSS JOIN LATERAL (SELECT FROM due_jobs WHERE due_jobs.restaurant_id = candidate.restaurant_id
                        ORDER BY due_jobs.next_run_at LIMIT 1) AS due
    ORDER BY held, candidate.next_run_at LIMIT cardinality($1::text[])
  ), turn AS (
    SELECT head.restaurant_id, due.next_run_at,
           held + row_number() OVER (PARTITION BY head.restaurant_id ORDER BY due.next_run_at) AS number
    FROM head
    CROSS JOIN LATERAL (SELECT next_run_at FROM due_jobs WHERE due_jobs.restaurant_id = head.restaurant_id
                        ORDER BY next_run_at LIMIT least(cardinality($1::text[]), head.room)) AS due
  ), quota AS (
    SELECT restaurant_id, count(*) AS jobs
    FROM (SELECT restaurant_id FROM turn ORDER BY number, next_run_at LIMIT cardinality($1::text[])) AS taken
    GROUP BY restaurant_id
  ), picked AS (
    SELECT id, place FROM unnest(ARRAY(
      SELECT due.id FROM quota
      CROSS JOIN LATERAL (SELECT id FROM due_jobs WHERE due_jobs.restaurant_id = quota.restaurant_id
                          ORDER BY next_run_at LIMIT quota.jobs FOR UPDATE SKIP LOCKED) AS due
    )) WITH ORDINALITY AS picked(id, place)
  ), ${CLAIM_PICKED}`,
);

/** The oldest due jobs, regardless of restaurant. */
const OLDEST = preparedStatement(
  'claim_oldest',
  `WITH picked AS (
    SELECT id, place FROM unnest(ARRAY(
      SELECT id FROM due_jobs ORDER BY next_run_at LIMIT cardinality($1::text[]) FOR UPDATE SKIP LOCKED
    )) WITH ORDINALITY AS picked(id, place)
  ), ${CLAIM_PICKED}`,
);

type ClaimedRow = Omit<ClaimedJob, 'receivedAt'> & { readonly receivedMs: number };

/**
 * Claims due jobs, at most one for each claim id, by an optimistic update on the status column (O6, O7): rows that
 * another instance has locked or just changed are skipped. The attempt is counted here, so that a crash counts (O10).
 * Restaurants take turns (O11); their number is what it costs.
 */
export async function claimDue(prisma: PrismaService, { claimIds, inHand, share }: Claim): Promise<ClaimedJob[]> {
  const held = [...inHand.values()];
  const values = [claimIds, share, [...inHand.keys()], held.map(({ jobs }) => jobs), held.map(({ room }) => room)];
  return (await prisma.prepared<ClaimedRow>(BY_TURNS, values)).map(jobOf);
}

/** As {@link claimDue}, but takes the oldest due jobs regardless of restaurant: for claims between two by turns. */
export async function claimOldest(prisma: PrismaService, claimIds: readonly string[]): Promise<ClaimedJob[]> {
  return (await prisma.prepared<ClaimedRow>(OLDEST, [claimIds])).map(jobOf);
}

function jobOf({ receivedMs, ...job }: ClaimedRow): ClaimedJob {
  return { ...job, receivedAt: new Date(receivedMs) };
}
