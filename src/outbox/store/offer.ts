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

/** An event for a POS that pulls: its job is claimed until the POS acknowledges it, or the lease ends. Its payload is not read. */
export interface OfferedJob extends HeldJob {
  /** id of the order's CREATE job: the order id of the POS */
  readonly orderId: string;
  readonly currency: string | null;
  readonly createdAt: Date;
  /** whether this poll has claimed it; else an earlier one, and it is not acknowledged yet */
  readonly isNew: boolean;
}

/** What a poll asks for. */
export interface Poll {
  readonly credentialId: string;
  /** jobs of these actions only */
  readonly actions: readonly JobAction[];
  /** event types of orders that are not asked for (Q6) */
  readonly leftOut: readonly string[];
  readonly limit: number;
}

const COLUMNS = `job.id::text, job.event_key AS "eventKey", job.action::text AS action, job.restaurant_id::text AS "restaurantId",
  job.attempts AS attempt, job.status::text AS status, event.test_mode AS "testMode",
  (extract(epoch FROM event.received_at) * 1000)::float8 AS "receivedMs", (extract(epoch FROM job.created_at) * 1000)::float8 AS "createdMs",
  restaurant.name AS "restaurantName", restaurant.code_store_pos AS "codeStorePos", restaurant.currency,
  restaurant.codes_version AS "codesVersion", restaurant.pos_vendor AS "posVendor", event.erased_at IS NOT NULL AS erased,
  CASE job.action WHEN 'CREATE' THEN job.id ELSE (
    SELECT id FROM outbox_jobs own WHERE own.event_key = job.event_key AND own.restaurant_id = job.restaurant_id AND own.action = 'CREATE') END::text AS "orderId"`;
const JOINS = `JOIN terminal_events event ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
  JOIN restaurants restaurant ON restaurant.id = job.restaurant_id`;

/**
 * One statement for a poll, with the check of its credentials (Q4). It reads no payload: what is offered may have been polled many times. What is offered and not acknowledged comes again; what is due is claimed for
 * the rest of the page. Another poll of the same restaurant skips rows that this one has locked.
 */
const OFFER = preparedStatement(
  'offer',
  `WITH credential AS MATERIALIZED (
    SELECT restaurant_id FROM live_pos_credentials WHERE id = $1::uuid
  ), polled AS (
    UPDATE pos_credentials SET polled_at = now(), left_out = $3::text[]
    FROM credential
    WHERE id = $1::uuid AND (left_out <> $3::text[] OR coalesce(polled_at, '-infinity') NOT BETWEEN now() - interval '1 minute' AND ${AHEAD})
  ), offered AS MATERIALIZED (
    SELECT id FROM outbox_jobs
    WHERE restaurant_id = (SELECT restaurant_id FROM credential) AND status = 'PROCESSING' AND locked_by LIKE 'pos/%'
      AND action = ANY ($2::job_action[])
      -- an order is not offered again after its cancel
      AND (action = 'CANCEL' OR NOT EXISTS (
        SELECT FROM outbox_jobs cancel WHERE cancel.event_key = outbox_jobs.event_key AND cancel.restaurant_id = outbox_jobs.restaurant_id
          AND cancel.action = 'CANCEL'))
    ORDER BY processing_at LIMIT $4::int
  ), held AS MATERIALIZED (
    -- a change of the vendor waits for what is claimed here, and sees it (Q14); a poll without events locks nothing
    SELECT id FROM restaurants
    WHERE id = (SELECT restaurant_id FROM credential) AND pulls AND EXISTS (
      SELECT FROM due_jobs WHERE restaurant_id = (SELECT restaurant_id FROM credential) AND action = ANY ($2::job_action[]))
    FOR SHARE
  ), picked AS MATERIALIZED (
    SELECT id FROM due_jobs
    WHERE restaurant_id = (SELECT id FROM held) AND action = ANY ($2::job_action[])
    ORDER BY next_run_at LIMIT greatest(0, $4::int - (SELECT count(*) FROM offered)) FOR UPDATE SKIP LOCKED
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
    SELECT ${COLUMNS}, job.locked_by AS "lockedBy", job.processing_at::text AS "claimedAt", is_new AS "isNew"
    FROM job ${JOINS}
  )
  SELECT event.* FROM credential LEFT JOIN event ON true ORDER BY "createdMs", id`,
);

/** Open jobs with their payloads, locked by nobody: `settle` changes them only while their claim holds (O12). */
const OPEN_OF_POS = preparedStatement(
  'open_of_pos',
  `SELECT ${COLUMNS}, event.payload, false AS "isNew", coalesce(job.processing_at, job.updated_at)::text AS "claimedAt",
     -- after the lease the job is PENDING, and its last attempt has the id of the claim
     coalesce(job.locked_by, '${POS_HOLDER}' || (
       SELECT last.id FROM delivery_attempts last WHERE last.job_id = job.id ORDER BY started_at DESC, number DESC LIMIT 1)) AS "lockedBy"
   FROM outbox_jobs job ${JOINS}
   WHERE job.id = ANY ($2::uuid[]) AND job.restaurant_id = $1::uuid AND job.status IN ('PENDING', 'PROCESSING')`,
);

/** An order as its POS may read it: while a job of it is open, else for 30 days (Q7). */
const READABLE = preparedStatement(
  'pos_order',
  `SELECT ${COLUMNS}, event.payload, false AS "isNew", job.locked_by AS "lockedBy", job.processing_at::text AS "claimedAt",
     (SELECT sent_body::text FROM delivery_attempts WHERE job_id = job.id AND sent_body IS NOT NULL ORDER BY started_at DESC LIMIT 1) AS "sentBody",
     EXISTS (SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id
       AND cancel.action = 'CANCEL') AS cancelled
   FROM live_pos_credentials credential
   JOIN outbox_jobs job ON job.id = $2::uuid AND job.restaurant_id = credential.restaurant_id AND job.action = 'CREATE'
   ${JOINS}
   WHERE credential.id = $1::uuid AND event.erased_at IS NULL
     AND (job.created_at > now() - interval '30 days' OR EXISTS (
       SELECT 1 FROM outbox_jobs open WHERE open.event_key = job.event_key AND open.restaurant_id = job.restaurant_id
         AND open.status IN ('PENDING', 'PROCESSING', 'FAILED')))`,
);

type Row = Omit<OfferedJob, 'receivedAt' | 'createdAt' | 'untried'> & {
  readonly receivedMs: number;
  readonly createdMs: number;
  readonly status: JobStatus;
  readonly posVendor: VendorName | null;
};

/** @returns undefined when the credentials do not work */
export async function offerJobs(
  prisma: PrismaService,
  { credentialId, actions, leftOut, limit }: Poll,
): Promise<readonly OfferedJob[] | undefined> {
  const rows = await prisma.prepared<Row | { readonly id: null }>(OFFER, [credentialId, actions, leftOut, limit]);
  if (rows.length === 0) return undefined;
  return rows.filter((row): row is Row => row.id !== null).map(jobOf);
}

/** An open job of a POS that pulls, with the sale. */
export interface OpenJob extends OfferedJob {
  readonly status: JobStatus;
  /** the stored payload of the event */
  readonly payload: Record<string, unknown>;
}

type OpenRow = Row & Pick<OpenJob, 'payload'>;

/** The open jobs with these ids, of this restaurant only. Their payloads are read: ask for few at once. */
export async function openJobs(
  prisma: PrismaService,
  restaurantId: string,
  ids: readonly string[],
): Promise<readonly OpenJob[]> {
  const rows = await prisma.prepared<OpenRow>(OPEN_OF_POS, [restaurantId, ids]);
  return rows.map((row) => ({ ...jobOf(row), payload: row.payload, status: row.status }));
}

/** An order for its POS. */
export interface ReadableOrder extends OpenJob {
  /** JSON of the order as it was delivered; null: it was not */
  readonly sentBody: string | null;
  /** its cancel was asked for */
  readonly cancelled: boolean;
}

/** @returns undefined when the restaurant of the credentials has no such order, or it may not be read any more */
export async function readableOrder(
  prisma: PrismaService,
  credentialId: string,
  orderId: string,
): Promise<ReadableOrder | undefined> {
  const [row] = await prisma.prepared<OpenRow & Pick<ReadableOrder, 'cancelled' | 'sentBody'>>(READABLE, [
    credentialId,
    orderId,
  ]);
  return (
    row && { ...jobOf(row), payload: row.payload, status: row.status, cancelled: row.cancelled, sentBody: row.sentBody }
  );
}

function jobOf({ receivedMs, createdMs, status: _, ...row }: Row): OfferedJob {
  return { ...row, untried: false, receivedAt: new Date(receivedMs), createdAt: new Date(createdMs) };
}

/**
 * How many orders of a restaurant its present POS may have, or get from a call that is under way: another POS must not get them too (Q14).
 * @param tx has changed the row of the restaurant, for which claims of polls wait
 */
export async function countMayBeThere(tx: Prisma.TransactionClient, restaurantId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ orders: number }[]>`
    SELECT count(*)::int AS orders FROM outbox_jobs
    WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CREATE' AND status IN ('PENDING', 'PROCESSING', 'FAILED')
      AND (status = 'PROCESSING' OR ${anAttemptMayHaveArrived(Prisma.sql`outbox_jobs.id`)})`;
  return row?.orders ?? 0;
}
