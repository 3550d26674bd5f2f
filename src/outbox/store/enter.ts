import type { JobStatus } from '../../domain/job.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { IS_REFUND } from '../sale-kind.sql.js';
import { POS_HOLDER } from './offer.js';
import { recordingLost } from './release.js';

/** The CREATE job of an order, before {@link enterOrder}. */
export interface OrderBeforeEntering {
  readonly jobId: string;
  readonly status: JobStatus;
  /** PROCESSING: a worker or a POS holds the job and may still answer */
  readonly underWay: boolean;
  /** whether a cancel of the order was requested */
  readonly cancelled: boolean;
  readonly refund: boolean;
  /** whether somebody has entered it before: nothing was changed */
  readonly entered: boolean;
}

/** Who entered an order in the till, and what this user noted. */
export interface Entry {
  /** a name; null: the people of the restaurant do not see this user (A30) */
  readonly by: string | null;
  readonly note: string | null;
}

/**
 * SQL condition: a POS that pulls holds the `job`, and said nothing in the lease before. Each of its polls claims the job again at once, so that nobody would find it waiting.
 * After a reset the first claim is like that of a new order.
 */
const SILENT = Prisma.sql`starts_with(locked_by, ${POS_HOLDER}) AND attempts > 1 AND 'LOST' = (
  SELECT outcome FROM delivery_attempts last WHERE last.job_id = job.id ORDER BY started_at DESC, number DESC LIMIT 1)`;

/**
 * The move `settleByHand` (R65) of the CREATE job of an order that waits, is parked, or is held by a silent POS, unless its cancel was requested: it is not
 * sent any more. A claim ends as one whose lease expires. A refund keeps its job. The event records who entered it. The job is locked before the event, as everywhere.
 * @returns the job before the move; undefined when the restaurant has no such order
 */
export async function enterOrder(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  eventKey: string,
  { by, note }: Entry,
): Promise<OrderBeforeEntering | undefined> {
  const ofEvent = Prisma.sql`transaction_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid`;
  const [row] = await tx.$queryRaw<OrderBeforeEntering[]>`
    WITH job AS MATERIALIZED (
      SELECT id, status, attempts, processing_at, locked_by, status = 'PROCESSING' AND (${SILENT}) IS NOT TRUE AS under_way,
             withdrawn OR EXISTS (
               SELECT FROM outbox_jobs cancel
               WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id AND cancel.action = 'CANCEL'
             ) AS cancelled
      FROM outbox_jobs job
      WHERE event_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid AND action = 'CREATE' FOR UPDATE
    ), event AS MATERIALIZED (
      -- read again after the lock: another call may have entered it while this one waited for the job
      SELECT ${IS_REFUND} AS refund, entered_at IS NOT NULL AS entered FROM terminal_events
      WHERE ${ofEvent} AND EXISTS (SELECT FROM job) FOR NO KEY UPDATE
    ), allowed AS MATERIALIZED (
      SELECT id, refund FROM job, event
      WHERE NOT entered AND (refund OR (status <> 'SENT' AND NOT under_way AND NOT cancelled))
    ), ended AS (
      ${recordingLost(Prisma.sql`(
        SELECT job.*, 'entered in the till by hand before its lease ended' AS error FROM job JOIN allowed USING (id)
        WHERE status = 'PROCESSING' AND NOT refund) AS held`)}
    ), settled AS (
      UPDATE outbox_jobs
      SET status = 'DLQ', next_run_at = NULL, processing_at = NULL, locked_by = NULL, resolved_at = now(), updated_at = now(),
          last_error = coalesce(last_error, 'entered in the till by hand')
      WHERE id IN (SELECT id FROM allowed WHERE NOT refund)
    ), noted AS (
      UPDATE terminal_events SET entered_at = now(), entered_by = ${by}, entered_note = ${note}
      WHERE ${ofEvent} AND EXISTS (SELECT FROM allowed)
    )
    SELECT id::text AS "jobId", status::text, under_way AS "underWay", cancelled, refund, entered FROM job, event`;
  return row;
}
