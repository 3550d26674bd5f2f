import { randomUUID } from 'node:crypto';
import type { GroupedRow } from '../../database/group-commit.js';
import { preparedStatement } from '../../database/prepared.js';
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
  /** why it belongs to this restaurant; checked again by the statement that stores it (W28) */
  readonly premise: Premise;
}

/**
 * What was read of sender and restaurant, perhaps some time ago. Of the terminal platform: the restaurant has these codes, and
 * an OWNER. Of a user: everything that the view `owners` says of them still has this digest.
 */
export type Premise =
  | { readonly codeStoreTerminal: string | null; readonly codeStorePos: string | null }
  | { readonly ownerId: string; readonly ownerState: string };

/** A row for {@link enqueueAll}: an event with the id of its job, written as JSON once. Its keys: stored and as sent. */
export interface NewRow extends GroupedRow {
  readonly jobId: string;
  readonly json: string;
}

/**
 * What became of an event to be stored: the id of its new job, or why there is none. `duplicate`: the restaurant has the key (in
 * test mode: the source key) already (W20, W23); `changed`: its premise no longer holds, or the restaurant was deleted (W28).
 */
export type Enqueued = { readonly jobId: string } | 'duplicate' | 'changed';

/** @returns the event as a row of {@link enqueueAll}, with the id of its job to be */
export function rowOf(event: NewEvent): NewRow {
  const jobId = randomUUID();
  const { premise, paidByTender, ...columns } = event;
  const row = {
    jobId,
    ...columns,
    // JSON has no bigint: a text, which PostgreSQL reads exactly, and within the stored JSON numbers, as staff's reports expect
    amountMismatchCents: event.amountMismatchCents?.toString(),
    paidCents: event.paidCents.toString(),
    paidByTender: Object.fromEntries(Object.entries(paidByTender).map(([tender, cents]) => [tender, Number(cents)])),
    ...premise,
  };
  const json = JSON.stringify(row);
  const { restaurantId, transactionKey, sourceKey } = event;
  return {
    jobId,
    json,
    length: json.length,
    keys: [`${restaurantId}/${transactionKey}`, `${restaurantId}/${sourceKey}`],
  };
}

// Rows come as one JSON text, which PostgreSQL reads for less than Node would spend on arrays of every column. They are inserted
// in the order of their keys, so that statements of several instances do not wait for each other in a circle.
const statement = (label: string, lock: string) =>
  preparedStatement(
    label,
    `WITH sale AS (
    SELECT * FROM json_to_recordset($1::json) AS sale(
      "jobId" uuid, "transactionKey" text, "sourceKey" text, "restaurantId" uuid, "testMode" boolean, "storeCode" text,
      "transactionNumber" text, "transactionDate" timestamptz, "amountMismatchCents" bigint, "paidCents" bigint,
      "paidByTender" jsonb, payload jsonb, warnings text[],
      "codeStoreTerminal" text, "codeStorePos" text, "ownerId" uuid, "ownerState" text)
  ), restaurant AS (
    SELECT id, code_store_terminal, code_store_pos FROM restaurants
    WHERE id IN (SELECT "restaurantId" FROM sale) AND deleted_at IS NULL
    ORDER BY id ${lock}
  ), owner AS (
    SELECT id, state FROM owners WHERE id IN (SELECT "ownerId" FROM sale)
  ), placed AS (
    SELECT sale.* FROM sale
    JOIN restaurant ON restaurant.id = sale."restaurantId"
    LEFT JOIN owner ON owner.id = sale."ownerId"
    WHERE CASE WHEN sale."ownerId" IS NULL
      THEN restaurant.code_store_terminal IS NOT DISTINCT FROM sale."codeStoreTerminal"
        AND restaurant.code_store_pos IS NOT DISTINCT FROM sale."codeStorePos"
        AND EXISTS (SELECT 1 FROM user_restaurants link WHERE link.restaurant_id = restaurant.id AND link.role = 'OWNER')
      ELSE owner.state = sale."ownerState" END
  ), event AS (
    INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number,
      transaction_date, amount_mismatch_cents, paid_cents, paid_by_tender, payload, warnings, received_at)
    SELECT "transactionKey", "sourceKey", "testMode", "restaurantId", "storeCode", "transactionNumber",
      "transactionDate", "amountMismatchCents", "paidCents", "paidByTender", payload, warnings, now()
    FROM placed
    WHERE NOT EXISTS (SELECT 1 FROM spent_keys
        WHERE transaction_key = "transactionKey" AND restaurant_id = "restaurantId")
      AND NOT EXISTS (SELECT 1 FROM spent_keys
        WHERE test_mode AND "testMode" AND restaurant_id = "restaurantId" AND source_key = "sourceKey")
    ORDER BY "restaurantId", "transactionKey"
    ON CONFLICT DO NOTHING
    RETURNING transaction_key, restaurant_id
  ), job AS (
    INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
    SELECT "jobId", transaction_key, restaurant_id, 'CREATE', 'PENDING', now(), now(), now()
    FROM event JOIN placed ON "transactionKey" = transaction_key AND "restaurantId" = restaurant_id
    RETURNING id
  )
  SELECT placed."jobId", job.id IS NOT NULL AS stored FROM placed LEFT JOIN job ON job.id = placed."jobId"`,
  );
/** A restaurant that somebody holds counts as changed: nobody else's sale waits for it. */
const ENQUEUE = statement('enqueue', 'FOR KEY SHARE SKIP LOCKED');
const ENQUEUE_PATIENTLY = statement('enqueue_patiently', 'FOR KEY SHARE');

/**
 * Stores events and their CREATE jobs in one statement, each pair both or neither (W17). Keys of removed events count as stored
 * (O22). The statement shares a lock of the restaurants' rows with other sales, not with a restaurant's removal (A21).
 * @param rows of which no two have a key in common
 * @param waits for a restaurant whose row is locked, for example because it is being deleted; otherwise it counts as `changed`
 * @returns what became of each, in their order
 */
export async function enqueueAll(prisma: PrismaService, rows: readonly NewRow[], waits: boolean): Promise<Enqueued[]> {
  const json = `[${rows.map((row) => row.json).join()}]`;
  const placed = await prisma.prepared<{ jobId: string; stored: boolean }>(waits ? ENQUEUE_PATIENTLY : ENQUEUE, [json]);
  const stored = new Map(placed.map((row) => [row.jobId, row.stored]));
  return rows.map(({ jobId }) => {
    if (stored.get(jobId)) return { jobId };
    return stored.has(jobId) ? 'duplicate' : 'changed';
  });
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
