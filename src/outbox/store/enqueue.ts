import { preparedStatement } from '../../database/prepared.js';
import type { PrismaService } from '../../database/prisma.service.js';
import type { BatchedRow } from '../../database/row-queue.js';

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
  /** the warnings in the answer to the webhook (W26) */
  readonly warnings: readonly string[];
  /** the values of sender or restaurant that may be cached; the statement that stores the event checks them again (W28) */
  readonly premise: Premise;
}

/**
 * The values by which the restaurant of a sale was found. They may come from the cache, so the statement that stores the sale compares
 * them with the database (W28). For the terminal platform: the codes of the restaurant; the statement also checks that the restaurant
 * still has an OWNER. For a user: the digest of the user's row in the view `owners`.
 */
export type Premise =
  | { readonly codeStoreTerminal: string | null; readonly codeStorePos: string | null }
  | { readonly ownerId: string; readonly ownerState: string };

/** A row for {@link enqueueAll}: an event as JSON. `keys` has the stored key first, then the key as sent. */
export interface NewRow extends BatchedRow {
  readonly columns: string;
  readonly payload: string;
}

/**
 * The result for an event: the id of its new job, or why no job was stored. `duplicate`: the restaurant has the key (in test mode: the
 * source key) already (W20, W23). `changed`: sender or restaurant has changed since the values in `premise` were read, or the restaurant
 * was deleted (W28). `locked`: another session has locked the restaurant's row (W31).
 */
export type Enqueued = { readonly jobId: string } | 'duplicate' | 'changed' | 'locked';

/** A row of the answer: a stored sale (`key` is `restaurant/key`) and its job. Only the last row has `placed` and `restaurants`. */
interface Answer {
  readonly key: string;
  readonly jobId: string;
  /** the keys of the sales that passed the check of their `premise`, stored or duplicate; null when all sales passed it */
  readonly placed: readonly string[] | null;
  /** the restaurants that this statement could lock */
  readonly restaurants: readonly string[] | null;
}

/** @returns the event as a row of {@link enqueueAll} */
export function rowOf(event: NewEvent): NewRow {
  const { premise, paidByTender, payload: body, ...rest } = event;
  const columns = JSON.stringify({
    ...rest,
    // JSON has no bigint: amounts of columns are sent as text, which Postgres reads exactly. Amounts inside the stored JSON are numbers,
    // for reports.
    amountMismatchCents: event.amountMismatchCents?.toString(),
    paidCents: event.paidCents.toString(),
    paidByTender: Object.fromEntries(Object.entries(paidByTender).map(([tender, cents]) => [tender, Number(cents)])),
    ...premise,
  });
  const payload = JSON.stringify(body);
  const { restaurantId, transactionKey, sourceKey } = event;
  return {
    columns,
    payload,
    length: columns.length + payload.length,
    keys: [`${restaurantId}/${transactionKey}`, `${restaurantId}/${sourceKey}`],
    source: restaurantId,
  };
}

// Rows are passed as one JSON text: Postgres parses it in less time than Node needs to build an array for each column. Rows are inserted
// in the order of their keys, so that statements of several instances do not deadlock.
const statement = (label: string, lock: string) =>
  preparedStatement(
    label,
    `WITH sale AS (
    SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (
      "transactionKey" text, "sourceKey" text, "restaurantId" uuid, "testMode" boolean, "storeCode" text,
      "transactionNumber" text, "transactionDate" timestamptz, "amountMismatchCents" bigint, "paidCents" bigint,
      "paidByTender" jsonb, warnings text[],
      "codeStoreTerminal" text, "codeStorePos" text, "ownerId" uuid, "ownerState" text), unnest($2::jsonb[])) AS sale(
        "transactionKey", "sourceKey", "restaurantId", "testMode", "storeCode", "transactionNumber", "transactionDate",
        "amountMismatchCents", "paidCents", "paidByTender", warnings, "codeStoreTerminal", "codeStorePos", "ownerId", "ownerState", payload)
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
    SELECT gen_random_uuid(), transaction_key, restaurant_id, 'CREATE', 'PENDING', now(), now(), now() FROM event
    RETURNING id, event_key, restaurant_id
  )
  SELECT id::text AS "jobId", restaurant_id || '/' || event_key AS key, NULL::text[] AS placed, NULL::text[] AS restaurants FROM job
  UNION ALL
  SELECT NULL, NULL, CASE WHEN count(*) < (SELECT count(*) FROM sale)
      THEN coalesce(array_agg("restaurantId" || '/' || "transactionKey"), '{}') END,
    (SELECT array_agg(id::text) FROM restaurant) FROM placed`,
  );
/** Skips a restaurant whose row is locked by another session, so that other restaurants' sales do not wait. */
const ENQUEUE = statement('enqueue', 'FOR KEY SHARE SKIP LOCKED');
const ENQUEUE_PATIENTLY = statement('enqueue_patiently', 'FOR KEY SHARE');

/**
 * Stores events and their CREATE jobs in one statement, each pair both or neither (W17). The statement checks each `premise`, whose values
 * may be cached, and stores nothing of an event whose sender or restaurant has changed (W28). Keys of removed events count as stored
 * (O22). The statement takes a KEY SHARE lock on the restaurants' rows, which conflicts with the removal of a restaurant (A21).
 * @param rows no two rows have a key in common
 * @param waits true: waits for a restaurant whose row is locked, for example by a removal of the restaurant; false: events of such a
 *   restaurant get the result `locked`
 * @returns the result for each row, in the order of the rows
 */
export async function enqueueAll(prisma: PrismaService, rows: readonly NewRow[], waits: boolean): Promise<Enqueued[]> {
  const columns = `[${rows.map((row) => row.columns).join()}]`;
  const payloads = rows.map((row) => row.payload);
  const answer = await prisma.prepared<Answer>(waits ? ENQUEUE_PATIENTLY : ENQUEUE, [columns, payloads]);
  const stored = new Map(answer.map(({ key, jobId }) => [key, jobId]));
  const { placed = null, restaurants = null } = answer.at(-1) ?? {};
  return rows.map(({ keys: [key = ''], source }) => {
    const jobId = stored.get(key);
    if (jobId) return { jobId };
    if (placed === null || placed.includes(key)) return 'duplicate';
    return waits || restaurants?.includes(source) ? 'changed' : 'locked';
  });
}

/** @returns the id of the CREATE job with this key (W20), also if its event was removed; undefined when the restaurant has no such job */
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

/** @returns the id of the CREATE job of this source key in test mode (W23); undefined when there is no such job */
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
