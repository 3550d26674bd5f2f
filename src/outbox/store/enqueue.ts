import { randomUUID } from 'node:crypto';
import type { PrismaService } from '../../database/prisma.service.js';

/** A row of `terminal_events` to be stored. */
export interface NewEvent {
  /** the stored key: in test mode with its suffix (W22) */
  readonly transactionKey: string;
  /** the key as the terminal sent it */
  readonly sourceKey: string;
  readonly testMode: boolean;
  readonly restaurantId: string;
  readonly storeCode: string | null;
  readonly transactionNumber: string | null;
  readonly transactionDate: Date | null;
  /** totalAmount minus the amount paid (M9); null when they agree or cannot be compared */
  readonly amountMismatchCents: bigint | null;
  /** sum of the valid payments (M4) */
  readonly paidCents: bigint;
  /** cents by tenderType as sent */
  readonly paidByTender: Readonly<Record<string, bigint>>;
  /** the webhook's body without its credentials (W4, W16) */
  readonly payload: Record<string, unknown>;
  /** what its answer warns of (W26) */
  readonly warnings: readonly string[];
}

/** What became of an event to be stored: the id of its new job, or why there is none. */
export type Enqueued = { readonly jobId: string } | 'duplicate' | 'restaurant-gone';

/**
 * Stores an event and its CREATE job in one statement, both or neither (W17). Keys of removed events count as stored (O22).
 * The statement shares a lock of the restaurant's row with other sales, not with the restaurant's removal (A21).
 * @returns `duplicate` when the restaurant has the key (in test mode: the source key) already (W20, W23); `restaurant-gone`
 *   when the restaurant was deleted meanwhile
 */
export async function enqueue(prisma: PrismaService, event: NewEvent): Promise<Enqueued> {
  const [row] = await prisma.$queryRaw<{ jobId: string | null; present: boolean }[]>`
    WITH restaurant AS (
      SELECT id FROM restaurants WHERE id = ${event.restaurantId}::uuid AND deleted_at IS NULL FOR KEY SHARE
    ), event AS (
      INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code,
        transaction_number, transaction_date, amount_mismatch_cents, paid_cents, paid_by_tender, payload, warnings, received_at)
      SELECT ${event.transactionKey}, ${event.sourceKey}, ${event.testMode}, restaurant.id,
        ${event.storeCode}, ${event.transactionNumber}, ${event.transactionDate}::timestamptz,
        ${event.amountMismatchCents}::bigint, ${event.paidCents}::bigint,
        ${JSON.stringify(event.paidByTender, (_, value) => (typeof value === 'bigint' ? Number(value) : value))}::jsonb,
        ${JSON.stringify(event.payload)}::jsonb, ${event.warnings}::text[], now()
      FROM restaurant
      WHERE NOT EXISTS (SELECT 1 FROM spent_keys
          WHERE transaction_key = ${event.transactionKey} AND restaurant_id = ${event.restaurantId}::uuid)
        AND NOT EXISTS (SELECT 1 FROM spent_keys WHERE test_mode AND ${event.testMode}
          AND restaurant_id = ${event.restaurantId}::uuid AND source_key = ${event.sourceKey})
      ON CONFLICT DO NOTHING
      RETURNING transaction_key, restaurant_id
    ), job AS (
      INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
      SELECT ${randomUUID()}::uuid, transaction_key, restaurant_id, 'CREATE', 'PENDING', now(), now(), now() FROM event
      RETURNING id
    )
    SELECT (SELECT id::text FROM job) AS "jobId", EXISTS (SELECT 1 FROM restaurant) AS present`;
  if (row?.jobId) return { jobId: row.jobId };
  return row?.present ? 'duplicate' : 'restaurant-gone';
}

/** @returns the id of the job that this key was stored as (W20); undefined when the restaurant has no such key */
export async function findJob(
  prisma: PrismaService,
  restaurantId: string,
  transactionKey: string,
): Promise<string | undefined> {
  const job = await prisma.outboxJob.findUnique({
    where: { eventKey_restaurantId_action: { eventKey: transactionKey, restaurantId, action: 'CREATE' } },
    select: { id: true },
  });
  if (job) return job.id;
  const spent = await prisma.spentKey.findUnique({
    where: { transactionKey_restaurantId: { transactionKey, restaurantId } },
    select: { jobId: true },
  });
  return spent?.jobId;
}

/** @returns the id of the CREATE job of this source key in test mode (W23); undefined when there is none */
export async function findTestJob(
  prisma: PrismaService,
  restaurantId: string,
  sourceKey: string,
): Promise<string | undefined> {
  const job = await prisma.outboxJob.findFirst({
    where: { action: 'CREATE', event: { restaurantId, sourceKey, testMode: true } },
    select: { id: true },
  });
  if (job) return job.id;
  const spent = await prisma.spentKey.findFirst({
    where: { restaurantId, sourceKey, testMode: true },
    select: { jobId: true },
  });
  return spent?.jobId;
}
