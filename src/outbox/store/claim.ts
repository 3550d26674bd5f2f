import type { JobAction } from '../../domain/job.js';
import type { Sale } from '../../domain/sale.js';
import { readStoredTrace, type Trace } from '../../domain/trace.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';

/** A claimed job, with what is needed to settle it. */
export interface HeldJob {
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
  /** true when this is the first attempt of the job, and the job was never reset: no request of it can have arrived */
  readonly untried: boolean;
  readonly testMode: boolean;
  readonly receivedAt: Date;
  /** undefined: the event was stored by a version that kept no trace (X2) */
  readonly trace?: Trace | undefined;
  readonly codeStorePos: string | null;
  /** of the restaurant's codes at the POS (I4); 0: it has none */
  readonly codesVersion: number;
  readonly posIdPartner: string | null;
  /** encrypted by SecretBox (S14) */
  readonly posSecret: string | null;
}

/** A job that this instance has claimed, with the fields of event and restaurant that the delivery needs. */
export interface ClaimedJob extends HeldJob {
  /** the account that founded the restaurant, else the restaurant: what takes turns as one (O44) */
  readonly party: string;
  /** the stored payload of the event */
  readonly payload: Record<string, unknown>;
  /** where its POS gets events (Q19); null: it does not */
  readonly posBaseUrl: string | null;
  /** the sale, if this process has stored it and claimed its job at once (O32); else it is read from the payload */
  readonly sale?: Sale | undefined;
}

/** A claim. It takes at most one job for each claim id. */
export interface Claim {
  /** a new `instance/UUID` for each job that may be claimed; known before the statement runs, in case its answer gets lost */
  readonly claimIds: readonly string[];
  /** number of claimed jobs of this instance whose calls have not ended, by restaurant */
  readonly inHand: ReadonlyMap<string, number>;
  /** the cap: the most jobs in hand of one restaurant (O11) */
  readonly cap: number;
  /** other caps of some restaurants: lower ones (O34), and higher ones of those whose calls end before the next claim */
  readonly caps?: ReadonlyMap<string, number>;
  /** absent: all restaurants are alike */
  readonly others?: OtherRestaurants | undefined;
  /** the same jobs as in `inHand`, by party */
  readonly inHandOf?: ReadonlyMap<string, number>;
  /** the most jobs that the claim may take of some parties (O43) */
  readonly roomOf?: ReadonlyMap<string, number>;
}

/** While attempts are slow: what a claim may take of restaurants that are not known to be quick (O43). */
export interface OtherRestaurants {
  /** the restaurants that are known to be quick */
  readonly quick: readonly string[];
  /** the most jobs of all others together */
  readonly room: number;
  /** the most jobs in hand of one of them */
  readonly cap: number;
}

/**
 * Restaurants take turns: the first jobs of all restaurants come before the second job of any restaurant. Jobs that this instance already holds
 * count. The restaurants that one account has founded take turns as one, and within their turns with each other (O44): an account with 200
 * restaurants does not hold up the others. Within a turn the job that is due longest comes first. The statement finds the restaurants with waiting
 * jobs one by one, and reads the due jobs of at most one restaurant for each claim id. It reads only index entries at the head of each restaurant's
 * queue, so the length of a queue does not matter. A queue is named by two bounds and not by an equation: only the index by restaurant gives the
 * order that is then asked for, whatever the statistics say. Those of a deployment with one restaurant so far would read all of its queue to find the
 * first job of another. With $6, restaurants that are not in it are the others: they have at most $7 jobs together, each of them at most $8 in hand, and
 * do not take the places of candidates from those that are (O43). Without room for them
 * they take no place at all. Each party of $9 has as many jobs in hand as $10 says, also of restaurants that wait for nothing, and at most $11 jobs, if that is not null.
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
  ), ready AS (
    SELECT waiting.*, coalesce(restaurant.founded_by, waiting.restaurant_id) AS party,
           coalesce(in_hand.jobs, 0) AS held, kind.most, kind.is_other, coalesce(of_party.jobs, 0) AS party_held, of_party.room
    FROM waiting
    CROSS JOIN LATERAL (SELECT founded_by, deleted_at, paused_until, pulls FROM restaurants WHERE restaurants.id = waiting.restaurant_id OFFSET 0) AS restaurant
    LEFT JOIN unnest($3::uuid[], $4::int[], $5::int[]) AS in_hand(restaurant_id, jobs, most) ON in_hand.restaurant_id = waiting.restaurant_id
    CROSS JOIN LATERAL (SELECT is_other, least(coalesce(in_hand.most, $2::int), CASE WHEN is_other THEN $8::int END) AS most
                        FROM (SELECT $6::uuid[] IS NOT NULL AND waiting.restaurant_id <> ALL ($6::uuid[])) AS of(is_other)) AS kind
    LEFT JOIN unnest($9::uuid[], $10::int[], $11::int[]) AS of_party(party, jobs, room) ON of_party.party = coalesce(restaurant.founded_by, waiting.restaurant_id)
    WHERE waiting.next_run_at <= now() AND coalesce(in_hand.jobs, 0) < kind.most
      AND of_party.room IS DISTINCT FROM 0 AND NOT (kind.is_other AND $7::int <= 0)
      -- a deleted restaurant never has due jobs, and must not take the place of another restaurant
      AND restaurant.deleted_at IS NULL
      -- nor does a paused one (O49)
      AND restaurant.paused_until IS NULL
      -- its POS claims them (Q2)
      AND NOT restaurant.pulls
  ), candidate AS (
    SELECT turns.*, row_number() OVER (PARTITION BY is_other ORDER BY party_turn, held, next_run_at) AS place
    FROM (SELECT ready.*, party_held + row_number() OVER (PARTITION BY party ORDER BY held, next_run_at) AS party_turn FROM ready) AS turns
    -- more than needed: the jobs of some candidates may all be CANCEL jobs that wait for their CREATE jobs
    ORDER BY place, party_turn, held, next_run_at LIMIT 16 + 4 * cardinality($1::text[])
  ), head AS (
    SELECT candidate.*
    FROM candidate
    CROSS JOIN LATERAL (SELECT FROM due_jobs
                        WHERE due_jobs.restaurant_id >= candidate.restaurant_id AND due_jobs.restaurant_id <= candidate.restaurant_id
                        ORDER BY due_jobs.restaurant_id, due_jobs.next_run_at LIMIT 1) AS due
    ORDER BY place, party_turn, held, candidate.next_run_at LIMIT cardinality($1::text[])
  ), own AS (
    SELECT head.restaurant_id, due.next_run_at, is_other, party, party_held, room,
           held + row_number() OVER (PARTITION BY head.restaurant_id ORDER BY due.next_run_at) AS number
    FROM head
    CROSS JOIN LATERAL (SELECT next_run_at FROM due_jobs
                        WHERE due_jobs.restaurant_id >= head.restaurant_id AND due_jobs.restaurant_id <= head.restaurant_id
                        ORDER BY restaurant_id, next_run_at LIMIT least(cardinality($1::text[]), most - held)) AS due
  ), turn AS (
    SELECT own.*, party_held + row_number() OVER (PARTITION BY party ORDER BY number, next_run_at) AS party_number FROM own
  ), quota AS (
    SELECT restaurant_id, count(*) AS jobs
    FROM (SELECT restaurant_id
          FROM (SELECT *, count(*) FILTER (WHERE is_other) OVER (ORDER BY party_number, number, next_run_at ROWS UNBOUNDED PRECEDING) AS others
                FROM turn WHERE room IS NULL OR party_number - party_held <= room) AS counted
          WHERE NOT is_other OR others <= $7::int
          ORDER BY party_number, number, next_run_at LIMIT cardinality($1::text[])) AS taken
    GROUP BY restaurant_id
  ), picked AS (
    SELECT id, place FROM unnest(ARRAY(
      SELECT due.id FROM quota
      CROSS JOIN LATERAL (SELECT id FROM due_jobs
                          WHERE due_jobs.restaurant_id >= quota.restaurant_id AND due_jobs.restaurant_id <= quota.restaurant_id
                          ORDER BY restaurant_id, next_run_at LIMIT quota.jobs FOR UPDATE SKIP LOCKED) AS due
    )) WITH ORDINALITY AS picked(id, place)
  ), claimed AS (
    UPDATE outbox_jobs job
    SET status = 'PROCESSING', attempts = attempts + 1, processing_at = now(), updated_at = now(),
        locked_by = ($1::text[])[picked.place]
    FROM picked
    -- status as text, so that the planner looks up jobs by id and uses no index of waiting jobs
    WHERE job.id = picked.id AND job.status::text IN ('PENDING', 'FAILED')
    RETURNING job.id, event_key, action, restaurant_id, attempts, locked_by, processing_at, next_run_at,
      created_at
  )
  SELECT claimed.id::text, claimed.event_key AS "eventKey", claimed.action::text AS action,
         claimed.restaurant_id::text AS "restaurantId", claimed.attempts AS attempt, claimed.locked_by AS "lockedBy",
         claimed.processing_at::text AS "claimedAt",
         -- true while next_run_at is the time at which the job was stored: a reset changes next_run_at
         (claimed.attempts = 1 AND claimed.next_run_at::timestamptz(3) = claimed.created_at) AS untried,
         event.test_mode AS "testMode",
         (extract(epoch FROM event.received_at) * 1000)::float8 AS "receivedMs", encode(event.trace, 'hex') AS trace,
         event.payload,
         restaurant.name AS "restaurantName", restaurant.code_store_pos AS "codeStorePos",
         restaurant.codes_version AS "codesVersion", restaurant.pos_id_partner AS "posIdPartner", restaurant.pos_secret AS "posSecret",
         restaurant.pos_base_url AS "posBaseUrl", coalesce(restaurant.founded_by, restaurant.id)::text AS party
  FROM claimed
  JOIN terminal_events event ON event.transaction_key = claimed.event_key AND event.restaurant_id = claimed.restaurant_id
  JOIN restaurants restaurant ON restaurant.id = claimed.restaurant_id
  ORDER BY claimed.next_run_at`,
);

type ClaimedRow = Omit<ClaimedJob, 'receivedAt' | 'trace'> & {
  readonly receivedMs: number;
  readonly trace: string | null;
};

/**
 * Claims due jobs, at most one for each claim id (O6, O7). The view `due_jobs` says what is due: a PENDING or FAILED job whose time has come, of
 * a restaurant that is neither deleted nor paused; no CREATE job whose order was cancelled (C5), and no CANCEL job while its CREATE job is PROCESSING (C3).
 * Rows that another instance has locked or just changed are skipped. The claim counts the attempt, so that an attempt that ends in a crash counts
 * (O10). Restaurants take turns (O11). The time of a claim grows with the number of restaurants that have waiting jobs.
 */
export async function claimDue(
  prisma: PrismaService,
  { claimIds, inHand, cap, caps, others, inHandOf, roomOf }: Claim,
): Promise<ClaimedJob[]> {
  const known = [...new Set([...inHand.keys(), ...(caps?.keys() ?? [])])];
  const parties = [...new Set([...(inHandOf?.keys() ?? []), ...(roomOf?.keys() ?? [])])];
  const [jobs, most] = [known.map((id) => inHand.get(id) ?? 0), known.map((id) => caps?.get(id) ?? cap)];
  const values = [
    claimIds,
    cap,
    known,
    jobs,
    most,
    others?.quick ?? null,
    others?.room ?? 0,
    others?.cap ?? cap,
    parties,
    parties.map((party) => inHandOf?.get(party) ?? 0),
    parties.map((party) => roomOf?.get(party) ?? null),
  ];
  const rows = await prisma.prepared<ClaimedRow>(BY_TURNS, values);
  // field by field, as in enqueue.ts
  return rows.map((row) => ({
    id: row.id,
    eventKey: row.eventKey,
    action: row.action,
    restaurantId: row.restaurantId,
    restaurantName: row.restaurantName,
    attempt: row.attempt,
    lockedBy: row.lockedBy,
    claimedAt: row.claimedAt,
    untried: row.untried,
    testMode: row.testMode,
    receivedAt: new Date(row.receivedMs),
    trace: readStoredTrace(row.trace),
    payload: row.payload,
    codeStorePos: row.codeStorePos,
    codesVersion: row.codesVersion,
    posIdPartner: row.posIdPartner,
    posSecret: row.posSecret,
    posBaseUrl: row.posBaseUrl,
    party: row.party,
  }));
}
