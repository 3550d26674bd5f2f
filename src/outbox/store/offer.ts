import type { PosState } from '../../domain/acceptance.js';
import type { JobAction, JobStatus } from '../../domain/job.js';
import type { VendorName } from '../../domain/vendor.js';
import { AHEAD } from '../../platform/database/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { HeldJob } from './claim.js';
import { anAttemptMayHaveArrived } from './may-have-arrived.js';

/** The holder of a claim that the poll of a POS has made (Q4): `pos/UUID`. */
export const POS_HOLDER = 'pos/';

/** An event for a POS that pulls: its job is claimed until the POS acknowledges it, or the lease ends. */
export interface OfferedJob extends HeldJob {
  /** id of the order's CREATE job: the order id of the POS */
  readonly orderId: string;
  /** id of the job; of an order that its POS has refused before, another one: the POS discards what it knows (Q16) */
  readonly eventId: string;
  readonly currency: string | null;
  readonly createdAt: Date;
  /** whether this poll has claimed it; else an earlier one, and it is not acknowledged yet */
  readonly isNew: boolean;
  /** the stored payload of the event; null: not read */
  readonly payload: Record<string, unknown> | null;
}

/** What the POS has said of an order, as an event (Q17). */
export interface SaidEvent {
  readonly id: string;
  readonly orderId: string;
  readonly state: PosState;
  /** ISO 8601 */
  readonly createdAt: string;
}

/** What a poll asks for. */
export interface Poll {
  readonly credentialId: string;
  /** that the credentials are of; no two polls of a statement have the same */
  readonly restaurantId: string;
  /** jobs of these actions only */
  readonly actions: readonly JobAction[];
  /** what the POS has said: these states; the others are acknowledged by leaving them out (Q17) */
  readonly states: readonly PosState[];
  /** event types of orders that are not asked for (Q6) */
  readonly leftOut: readonly string[];
  readonly limit: number;
}

/** What the POS has said itself is an event for so long (L265). */
const SAID_FOR = '1 hour';

export const COLUMNS = `job.id::text, job.event_key AS "eventKey", job.action::text AS action, job.restaurant_id::text AS "restaurantId",
  job.attempts AS attempt, job.status::text AS status, event.test_mode AS "testMode",
  (extract(epoch FROM event.received_at) * 1000)::float8 AS "receivedMs", (extract(epoch FROM job.created_at) * 1000)::float8 AS "createdMs",
  restaurant.name AS "restaurantName", restaurant.code_store_pos AS "codeStorePos", restaurant.currency,
  restaurant.codes_version AS "codesVersion", restaurant.pos_vendor AS "posVendor", event.erased_at IS NOT NULL AS erased,
  CASE job.action WHEN 'CREATE' THEN job.id ELSE (
    SELECT id FROM outbox_jobs own WHERE own.event_key = job.event_key AND own.restaurant_id = job.restaurant_id AND own.action = 'CREATE') END::text AS "orderId",
  coalesce((
    SELECT refused.offered_as FROM pos_acceptances refused WHERE refused.job_id = job.id AND refused.state = 'REFUSED' ORDER BY refused.offer DESC LIMIT 1
  ), job.id)::text AS "eventId"`;
export const JOINS = `JOIN terminal_events event ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
  JOIN restaurants restaurant ON restaurant.id = job.restaurant_id`;

/** Sales of new orders that a statement of polls reads (L262). What is offered again may have been polled many times: its sale is not read. */
const SALES = 5;

/**
 * One statement for the polls of some restaurants, with the check of their credentials (Q4). What is offered and not acknowledged comes again; what is due is claimed
 * for the rest of the page. No poll waits for a row that another session has locked: that would hold up the others of the statement. The due jobs are
 * named by two bounds of the restaurant, as in a claim.
 */
const OFFER = preparedStatement(
  'offer',
  `WITH poll AS MATERIALIZED (
    SELECT number, live.id AS credential_id, live.restaurant_id, actions, states, "leftOut" AS left_out, most
    FROM json_to_recordset($1::json) AS given(
      number int, "credentialId" uuid, "restaurantId" uuid, actions job_action[], states text[], "leftOut" text[], most int)
    JOIN live_pos_credentials live ON live.id = "credentialId" AND live.restaurant_id = "restaurantId"
  ), polled AS (
    UPDATE pos_credentials SET polled_at = now(), left_out = seen.left_out
    FROM (
      SELECT credential.id, poll.left_out FROM poll JOIN pos_credentials credential ON credential.id = credential_id
      WHERE credential.left_out <> poll.left_out OR coalesce(polled_at, '-infinity') NOT BETWEEN now() - interval '1 minute' AND ${AHEAD}
      FOR NO KEY UPDATE OF credential SKIP LOCKED) AS seen
    WHERE pos_credentials.id = seen.id
  ), offered AS MATERIALIZED (
    SELECT number, job.id FROM poll CROSS JOIN LATERAL (
      SELECT id FROM outbox_jobs
      WHERE restaurant_id = poll.restaurant_id AND status = 'PROCESSING' AND locked_by LIKE 'pos/%' AND action = ANY (poll.actions)
        -- an order is not offered again after its cancel
        AND (action = 'CANCEL' OR NOT EXISTS (
          SELECT FROM outbox_jobs cancel WHERE cancel.event_key = outbox_jobs.event_key AND cancel.restaurant_id = outbox_jobs.restaurant_id
            AND cancel.action = 'CANCEL'))
      ORDER BY processing_at LIMIT poll.most) AS job
  ), held AS MATERIALIZED (
    -- a change of the vendor waits for what is claimed here, and this skips a row that is being changed (Q14); a poll without events locks nothing
    SELECT restaurants.id, actions, greatest(0, most - (SELECT count(*) FROM offered WHERE offered.number = poll.number)) AS room
    FROM poll JOIN restaurants ON restaurants.id = poll.restaurant_id
    CROSS JOIN LATERAL (
      SELECT FROM due_jobs
      WHERE restaurant_id >= poll.restaurant_id AND restaurant_id <= poll.restaurant_id AND action = ANY (poll.actions)
      ORDER BY restaurant_id, next_run_at LIMIT 1) AS due
    WHERE pulls
    ORDER BY restaurants.id FOR SHARE OF restaurants SKIP LOCKED
  ), picked AS MATERIALIZED (
    SELECT due.id FROM held CROSS JOIN LATERAL (
      SELECT id FROM due_jobs
      WHERE restaurant_id >= held.id AND restaurant_id <= held.id AND action = ANY (held.actions)
      ORDER BY restaurant_id, next_run_at LIMIT held.room FOR UPDATE SKIP LOCKED) AS due
  ), claimed AS (
    UPDATE outbox_jobs job
    SET status = 'PROCESSING', attempts = attempts + 1, processing_at = now(), updated_at = now(), locked_by = '${POS_HOLDER}' || gen_random_uuid()
    FROM picked
    WHERE job.id = picked.id AND job.status::text IN ('PENDING', 'FAILED')
    RETURNING job.*
  ), job AS (
    SELECT *, true AS is_new FROM claimed
    UNION ALL
    SELECT outbox_jobs.*, false FROM outbox_jobs JOIN offered USING (id)
  ), event AS (
    SELECT ${COLUMNS}, job.locked_by AS "lockedBy", job.processing_at::text AS "claimedAt", is_new AS "isNew",
      CASE WHEN is_new AND job.action = 'CREATE' AND row_number() OVER (PARTITION BY is_new, job.action ORDER BY job.created_at) <= ${SALES}
        THEN event.payload END AS payload
    FROM job ${JOINS}
  ), left_out AS (
    UPDATE pos_acceptances SET acknowledged_at = now()
    WHERE id IN (
      SELECT said.id FROM poll JOIN pos_acceptances said ON said.restaurant_id = poll.restaurant_id AND said.acknowledged_at IS NULL AND state <> ALL (states)
      FOR NO KEY UPDATE OF said SKIP LOCKED)
  ), said AS (
    SELECT number, json_agg(one) AS list FROM poll CROSS JOIN LATERAL (
      SELECT id, job_id AS "orderId", state, created_at AS "createdAt" FROM pos_acceptances
      WHERE pos_acceptances.restaurant_id = poll.restaurant_id AND acknowledged_at IS NULL AND state = ANY (states)
        AND created_at BETWEEN now() - interval '${SAID_FOR}' AND ${AHEAD}
        -- an order that was sent again after the refusal, also one that was given up since: CANCELLED would stop it
        AND (state <> 'REFUSED' OR (EXISTS (SELECT FROM outbox_jobs WHERE outbox_jobs.id = job_id AND status = 'DLQ') AND NOT EXISTS (
          SELECT FROM delivery_attempts again WHERE again.job_id = pos_acceptances.job_id AND again.started_at > pos_acceptances.created_at)))
      ORDER BY created_at LIMIT most) AS one
    GROUP BY number
  )
  -- what was said stands in the first row of its poll
  SELECT number, event.*, CASE WHEN row_number() OVER (PARTITION BY number ORDER BY "createdMs", event.id) = 1 THEN said.list END AS said
  FROM poll LEFT JOIN event ON event."restaurantId" = poll.restaurant_id::text LEFT JOIN said USING (number)
  ORDER BY number, "createdMs", event.id`,
);

/**
 * Note on an attempt that delivered: what the POS read is not known (Q5). The document of the attempt is the order as it was mapped at the
 * acknowledgement.
 */
export const MAPPED_OTHERWISE =
  'codes, currency, store code or name of the restaurant changed while the POS had this order to read: it may have read the order as before the change';

/**
 * SQL: whether the order of a job may have been read by its POS, and is mapped otherwise now (Q5). It can be read from its first offer on, also from one
 * that ended without an acknowledgement.
 */
const IS_MAPPED_OTHERWISE = `coalesce(restaurant.mapped_since BETWEEN coalesce((
     SELECT min(lost.started_at) FROM delivery_attempts lost WHERE lost.job_id = job.id AND lost.outcome = 'LOST' AND lost.started_at > coalesce((
       SELECT max(sent.started_at) FROM delivery_attempts sent WHERE sent.job_id = job.id AND sent.outcome = 'SENT'), '-infinity')
   ), job.processing_at) AND ${AHEAD}, false)`;

/** Open jobs with their payloads, locked by nobody: `settle` changes them only while their claim holds (O12). */
const OPEN_OF_POS = preparedStatement(
  'open_of_pos',
  `SELECT open.* FROM live_pos_credentials credential LEFT JOIN LATERAL (
     SELECT ${COLUMNS}, event.payload, false AS "isNew", coalesce(job.processing_at, job.updated_at)::text AS "claimedAt",
       ${IS_MAPPED_OTHERWISE} AS "isMappedOtherwise",
       -- after the lease the job is PENDING, and its last attempt has the id of the claim
       coalesce(job.locked_by, '${POS_HOLDER}' || (
         SELECT last.id FROM delivery_attempts last WHERE last.job_id = job.id ORDER BY started_at DESC, number DESC LIMIT 1)) AS "lockedBy"
     FROM outbox_jobs job ${JOINS}
     WHERE job.id = ANY ($2::uuid[]) AND job.restaurant_id = credential.restaurant_id AND job.status IN ('PENDING', 'PROCESSING') OFFSET 0
   ) AS open ON true
   WHERE credential.id = $1::uuid`,
);

/**
 * SQL: whether a POS may read an order: while a job of it is open, else for 30 days (Q7).
 * @param job its CREATE job
 */
export const isReadable = (job: string) => `((${job}.created_at > now() - interval '30 days' OR EXISTS (
       SELECT FROM outbox_jobs open WHERE open.event_key = ${job}.event_key AND open.restaurant_id = ${job}.restaurant_id
         AND open.status IN ('PENDING', 'PROCESSING', 'FAILED')))
     AND NOT EXISTS (
       SELECT FROM terminal_events erased WHERE erased.transaction_key = ${job}.event_key AND erased.restaurant_id = ${job}.restaurant_id
         AND erased.erased_at IS NOT NULL))`;

// the payload is a text, which is parsed when the turn of a large order has come (H29)
const READABLE = preparedStatement(
  'pos_order',
  `SELECT readable.* FROM live_pos_credentials credential LEFT JOIN LATERAL (
     SELECT ${COLUMNS}, event.payload::text AS payload, false AS "isNew", job.locked_by AS "lockedBy", job.processing_at::text AS "claimedAt",
       -- what another kind of POS was sent is no order of this one
       CASE job.status WHEN 'SENT' THEN (
         SELECT sent_body::text FROM delivery_attempts WHERE job_id = job.id AND outcome = 'SENT' AND sent_body ->> 'id' = job.id::text
         ORDER BY started_at DESC LIMIT 1) END AS "sentBody",
       CASE job.status WHEN 'SENT' THEN coalesce((
         SELECT error = '${MAPPED_OTHERWISE}' FROM delivery_attempts WHERE job_id = job.id AND outcome = 'SENT' ORDER BY started_at DESC LIMIT 1), false)
       ELSE ${IS_MAPPED_OTHERWISE} END AS "isMappedOtherwise",
       EXISTS (SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id
         AND cancel.action = 'CANCEL') AS cancelled
     FROM outbox_jobs job ${JOINS}
     WHERE job.id = $2::uuid AND job.restaurant_id = credential.restaurant_id AND job.action = 'CREATE' AND ${isReadable('job')} OFFSET 0
   ) AS readable ON true
   WHERE credential.id = $1::uuid`,
);

export type Row = Omit<OfferedJob, 'receivedAt' | 'createdAt' | 'untried'> & {
  readonly receivedMs: number;
  readonly createdMs: number;
  readonly status: JobStatus;
  readonly posVendor: VendorName | null;
};
/** Without a job: its id is null. */
type Found<One extends Row> = One | { readonly id: null };
type OfferRow = Found<Row> & { readonly number: number; readonly said: readonly SaidEvent[] | null };

/** What a poll found. */
export interface Offer {
  readonly jobs: readonly OfferedJob[];
  readonly said: readonly SaidEvent[];
}

/** @returns for each poll what it found; undefined when its credentials do not work */
export async function offerJobs(prisma: PrismaService, polls: readonly Poll[]): Promise<(Offer | undefined)[]> {
  const given = polls.map(({ credentialId, restaurantId, actions, states, leftOut, limit }, number) => ({
    ...{ number, credentialId, restaurantId, actions, states, leftOut, most: limit },
  }));
  const rows = await prisma.prepared<OfferRow>(OFFER, [JSON.stringify(given)]);
  const ofPoll: OfferRow[][] = polls.map(() => []);
  for (const row of rows) ofPoll[row.number]?.push(row);
  return ofPoll.map((found) => {
    if (found.length === 0) return undefined;
    const jobs = found.flatMap(({ said: _, number: __, ...row }) => (isFound(row) ? [jobOf(row)] : []));
    return { jobs, said: found[0]?.said ?? [] };
  });
}

function isFound<One extends Row>(row: Found<One>): row is One {
  return row.id !== null;
}

/** An open job of a POS that pulls, with the sale. */
export interface OpenJob extends OfferedJob {
  readonly status: JobStatus;
  readonly payload: Record<string, unknown>;
  /** whether its POS may have read it as it was mapped before a change of the set-up (Q5) */
  readonly isMappedOtherwise: boolean;
}

type OpenRow = Row & Pick<OpenJob, 'payload' | 'isMappedOtherwise'>;

/**
 * The open jobs with these ids, of the restaurant of the credentials only. Their payloads are read: ask for few at once.
 * @returns undefined when the credentials do not work
 */
export async function openJobs(
  prisma: PrismaService,
  credentialId: string,
  ids: readonly string[],
): Promise<readonly OpenJob[] | undefined> {
  const rows = await prisma.prepared<Found<OpenRow>>(OPEN_OF_POS, [credentialId, ids]);
  if (rows.length === 0) return undefined;
  return rows.filter(isFound<OpenRow>).map(openJobOf);
}

/** An order for its POS. */
export interface ReadableOrder extends Omit<OpenJob, 'payload'> {
  /** JSON of the sale as stored */
  readonly payload: string;
  /** JSON of the order as it was delivered; null: it was not */
  readonly sentBody: string | null;
  /** its cancel was asked for */
  readonly cancelled: boolean;
}

/** @returns undefined when the credentials do not work; null when their restaurant has no such order, or it may not be read any more */
export async function readableOrder(
  prisma: PrismaService,
  credentialId: string,
  orderId: string,
): Promise<ReadableOrder | null | undefined> {
  type ReadableRow = Omit<Row, 'payload'> &
    Pick<ReadableOrder, 'cancelled' | 'sentBody' | 'payload' | 'isMappedOtherwise'>;
  const [row] = await prisma.prepared<ReadableRow | { readonly id: null }>(READABLE, [credentialId, orderId]);
  if (row === undefined) return undefined;
  if (row.id === null) return null;
  const { payload, cancelled, sentBody, status, isMappedOtherwise, ...job } = row;
  return { ...jobOf({ ...job, status, payload: null }), payload, cancelled, sentBody, status, isMappedOtherwise };
}

function openJobOf(row: OpenRow): OpenJob {
  const { payload, status, isMappedOtherwise } = row;
  return { ...jobOf(row), payload, status, isMappedOtherwise };
}

export function jobOf({ receivedMs, createdMs, status: _, ...row }: Row): OfferedJob {
  return { ...row, untried: false, receivedAt: new Date(receivedMs), createdAt: new Date(createdMs) };
}

/**
 * How many orders of a restaurant its present POS may have, or get from a call that is under way: another POS must not get them too (Q14). A cancel
 * that is under way counts, too.
 * @param tx has changed the row of the restaurant, for which claims of polls wait
 */
export async function countMayBeThere(tx: Prisma.TransactionClient, restaurantId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ orders: number }[]>`
    SELECT count(*)::int AS orders FROM outbox_jobs
    WHERE restaurant_id = ${restaurantId}::uuid AND status IN ('PENDING', 'PROCESSING', 'FAILED')
      AND (status = 'PROCESSING' OR (action = 'CREATE' AND ${anAttemptMayHaveArrived(Prisma.sql`outbox_jobs.id`)}))`;
  return row?.orders ?? 0;
}
