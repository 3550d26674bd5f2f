import type { JobStatus } from '../../domain/job.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { uuidV7 } from '../../platform/database/uuid.js';
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

/**
 * In one statement, stores the CANCEL job of an event (C2), or resets a parked CANCEL job (the move `requestAgain`, C12), and withdraws the
 * event's CREATE job, unless the CREATE job is PROCESSING or SENT (C5). A CREATE job
 * that was PROCESSING is never due again (view `due_jobs`): `release` and `expire` withdraw it, after `retry` and `park` the CANCEL job does.
 * @returns the CANCEL job; `accepted`: whether it was stored or made PENDING, and then the trace id of the sale; undefined when the restaurant has no such event
 */
export async function enqueueCancel(
  prisma: Prisma.TransactionClient,
  restaurantId: string,
  eventKey: string,
): Promise<{ jobId: string; accepted: boolean; traceId?: string | undefined } | undefined> {
  const [job] = await prisma.$queryRaw<{ id: string; traceId: string | null }[]>`
    WITH event AS (
      SELECT transaction_key, restaurant_id, ${TRACE_ID} AS trace_id FROM terminal_events JOIN restaurants ON restaurants.id = restaurant_id
      WHERE transaction_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid AND deleted_at IS NULL
      -- waits while the retention removes the event, which is then not found; and for a removal of the restaurant (A21)
      FOR KEY SHARE
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
      WHERE event_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid AND action = 'CANCEL' AND status = 'DLQ'
      FOR UPDATE))`;
  if (job) return { jobId: job.id, accepted: true, traceId: job.traceId ?? undefined };
  const known = await prisma.outboxJob.findUnique({
    where: { eventKey_restaurantId_action: { eventKey, restaurantId, action: 'CANCEL' } },
    select: { id: true },
  });
  return known ? { jobId: known.id, accepted: false } : undefined;
}

/**
 * Withdraws the CREATE job of an event, unless this job is PROCESSING or SENT (C5).
 * @returns the status of the CREATE job after that (DLQ: withdrawn), and whether an attempt of this job may have arrived at the POS (D17)
 * @throws Error when the event has no CREATE job
 */
export async function withdrawCreate(
  prisma: PrismaService,
  { eventKey, restaurantId }: EventReference,
): Promise<{ status: JobStatus; mayHaveArrived: boolean }> {
  const ofEvent = Prisma.sql`event_key = ${eventKey} AND restaurant_id = ${restaurantId}::uuid`;
  await prisma.$executeRaw`UPDATE outbox_jobs SET ${WITHDRAWN} WHERE ${ofEvent} AND ${WITHDRAWABLE}`;
  const [create] = await prisma.$queryRaw<{ status: JobStatus; mayHaveArrived: boolean }[]>`
    SELECT status::text, ${anAttemptMayHaveArrived(Prisma.sql`outbox_jobs.id`)} AS "mayHaveArrived"
    FROM outbox_jobs WHERE ${ofEvent} AND action = 'CREATE'`;
  if (!create) throw new Error(`event ${eventKey} has no CREATE job`);
  return create;
}
