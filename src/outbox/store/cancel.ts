import type { CreateToCancel } from '../../domain/outcome.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { uuidV7 } from '../../platform/database/uuid.js';
import { isElsewhere } from './elsewhere.js';
import { anAttemptMayHaveArrived } from './may-have-arrived.js';
import { TRACE_ID } from './trace-id.sql.js';

/** The condition of the move `withdraw` (C5): the CREATE job is PENDING, FAILED or parked. */
const WITHDRAWABLE = Prisma.sql`action = 'CREATE' AND status IN ('PENDING', 'FAILED', 'DLQ') AND NOT withdrawn`;
const WITHDRAWN = Prisma.sql`status = 'DLQ', withdrawn = true, next_run_at = NULL, updated_at = now(),
  cause = 'withdrawn', last_error = 'withdrawn: order cancelled before it was sent'`;

/** Names an event: its key is unique within its restaurant (W19). */
export interface EventReference {
  /** the stored key */
  readonly eventKey: string;
  readonly restaurantId: string;
}

/** What {@link enqueueCancel} did. */
export interface Cancel {
  readonly jobId: string;
  /** whether it was stored or made PENDING */
  readonly accepted: boolean;
  /** of the sale, if it was accepted */
  readonly traceId?: string | undefined;
}

/**
 * In one statement, stores the CANCEL job of an event (C2), or resets a parked CANCEL job (the move `requestAgain`, C12), and withdraws the
 * event's CREATE job, unless the CREATE job is PROCESSING or SENT (C5). A CREATE job
 * that was PROCESSING is never due again (view `due_jobs`): `release` and `expire` withdraw it, after `retry` and `park` the CANCEL job does.
 * @param although `entered`: also if somebody has entered the order in the till by hand (R65)
 * @returns the CANCEL job; `ENTERED`: nothing was done, because somebody has entered the order; undefined when the restaurant has no such event
 */
export async function enqueueCancel(
  prisma: Prisma.TransactionClient,
  restaurantId: string,
  eventKey: string,
  although: { readonly entered: boolean },
): Promise<Cancel | 'ENTERED' | undefined> {
  const ofEvent = Prisma.sql`event_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid`;
  const [job] = await prisma.$queryRaw<{ id: string; traceId: string | null }[]>`
    WITH known AS MATERIALIZED (
      -- the job is locked before the event, as everywhere
      SELECT (SELECT count(*) FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id
                AND cancel.action = 'CANCEL') > 0 AS cancelled
      FROM outbox_jobs job WHERE ${ofEvent} AND action = 'CREATE' FOR UPDATE
    ), event AS MATERIALIZED (
      SELECT transaction_key, restaurant_id, ${TRACE_ID} AS trace_id FROM terminal_events JOIN restaurants ON restaurants.id = restaurant_id
      WHERE transaction_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid AND deleted_at IS NULL
        AND (entered_at IS NULL OR ${although.entered} OR (SELECT cancelled FROM known)) AND EXISTS (SELECT FROM known)
      -- read again after the lock: somebody may have entered it while this waited for the job
      FOR SHARE OF terminal_events
      -- waits while the retention removes the event, which is then not found; and for a removal of the restaurant (A21)
      FOR KEY SHARE OF restaurants
    ), withdrawn AS (
      UPDATE outbox_jobs SET ${WITHDRAWN}
      FROM event
      WHERE event_key = transaction_key AND outbox_jobs.restaurant_id = event.restaurant_id AND ${WITHDRAWABLE}
    ), stored AS (
      INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
      SELECT ${uuidV7()}::uuid, transaction_key, restaurant_id, 'CANCEL', 'PENDING', now(), now(), now() FROM event
      ON CONFLICT (event_key, restaurant_id, action) DO NOTHING
      RETURNING id
    )
    SELECT id::text, (SELECT trace_id FROM event) AS "traceId" FROM stored
    UNION ALL
    SELECT id::text, (SELECT trace_id FROM event) FROM reset_jobs(ARRAY(
      SELECT id FROM outbox_jobs
      WHERE ${ofEvent} AND action = 'CANCEL' AND status = 'DLQ'
      FOR UPDATE))`;
  if (job) return { jobId: job.id, accepted: true, traceId: job.traceId ?? undefined };
  const known = await prisma.outboxJob.findUnique({
    where: { eventKey_restaurantId_action: { eventKey, restaurantId, action: 'CANCEL' } },
    select: { id: true },
  });
  if (known) return { jobId: known.id, accepted: false };
  const [entered] = await prisma.$queryRaw<unknown[]>`
    SELECT 1 AS entered FROM terminal_events JOIN restaurants ON restaurants.id = restaurant_id
    WHERE transaction_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid AND entered_at IS NOT NULL AND deleted_at IS NULL`;
  return entered ? 'ENTERED' : undefined;
}

/**
 * Withdraws the CREATE job of an event, unless this job is PROCESSING or SENT (C5).
 * @returns the status of the CREATE job after that (DLQ: withdrawn), whether an attempt of this job may have arrived at the POS (D17), and whether it was
 * another POS than the present one (Q30)
 * @throws Error when the event has no CREATE job
 */
export async function withdrawCreate(
  prisma: PrismaService,
  { eventKey, restaurantId }: EventReference,
): Promise<CreateToCancel> {
  const ofEvent = Prisma.sql`event_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid`;
  await prisma.$executeRaw`UPDATE outbox_jobs SET ${WITHDRAWN} WHERE ${ofEvent} AND ${WITHDRAWABLE}`;
  const [create] = await prisma.$queryRaw<CreateToCancel[]>`
    SELECT status::text, ${anAttemptMayHaveArrived(Prisma.sql`outbox_jobs.id`)} AS "mayHaveArrived",
           ${isElsewhere('outbox_jobs', 'CANCEL')} AS "isElsewhere"
    FROM outbox_jobs WHERE ${ofEvent} AND action = 'CREATE'`;
  if (!create) throw new Error(`event ${eventKey} has no CREATE job`);
  return create;
}

/**
 * The move `parkCancel` (Q14), for open CANCEL jobs of a restaurant that changes its vendor: the POS of before has, or may have, their orders, and the
 * next one does not know them. An attempt says so, that a reset is not parked once more (Q30).
 * @param tx has changed the row of the restaurant
 * @returns how many were parked
 */
export function parkCancels(tx: Prisma.TransactionClient, restaurantId: string): Promise<number> {
  return tx.$executeRaw`
    WITH parked AS (
    UPDATE outbox_jobs cancel
    SET status = 'DLQ', next_run_at = NULL, cause = 'unconfirmed', updated_at = now(),
        last_error = 'the vendor was changed before the POS of before took the cancel: void the order there by hand'
    FROM outbox_jobs own
    WHERE cancel.restaurant_id = ${restaurantId}::uuid AND cancel.action = 'CANCEL' AND cancel.status IN ('PENDING', 'FAILED')
      AND own.event_key = cancel.event_key AND own.restaurant_id = cancel.restaurant_id AND own.action = 'CREATE'
      AND (own.status = 'SENT' OR ${anAttemptMayHaveArrived(Prisma.sql`own.id`)})
    RETURNING cancel.id, cancel.attempts, cancel.last_error)
    INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach, cause, error)
    SELECT gen_random_uuid(), id, attempts + 1, clock_timestamp(), 0, 'DLQ', 'NOT_SENT', 'unconfirmed', last_error FROM parked`;
}
