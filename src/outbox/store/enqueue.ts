import { DEFAULT_ITEM, FOREIGN_STORE, NO_CODE_STORE_POS, type Warning } from '../../domain/warnings.js';
import { joinJson, jsonTexts } from '../../platform/database/json-texts.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { ClaimedJob } from './claim.js';
import type { NewRow } from './new-row.js';

/** The claims that free slots of this instance allow (O32). */
export interface ClaimOffer {
  /** a new `instance/UUID` for each of the first rows */
  readonly claimIds: readonly string[];
  /** restaurants, and parties, that are at their cap (O11, O43): none of their sales is claimed */
  readonly atCap: readonly string[];
}

/** A stored sale. */
export interface StoredSale {
  readonly result: 'stored';
  readonly jobId: string;
  /** the stored key */
  readonly eventKey: string;
  readonly restaurantId: string;
  /** null when the restaurant has none: the sale then has the warning NO_CODE_STORE_POS */
  readonly codeStorePos: string | null;
  /** whether its POS fetches its orders, which need no codeStorePos (Q8) */
  readonly pulls: boolean;
  /** where its POS gets events, as {@link ClaimedJob} has it: its orders need no codeStorePos either */
  readonly posBaseUrl: string | null;
  /** of the restaurant; null: not set. When the sale names another one, it has the warning of {@link otherCurrency} */
  readonly currency: string | null;
  /** whether it names another store than that of its sender key (W49) */
  readonly isForeign: boolean;
  /** whether it has items without a code, and the restaurant a default for them: the sale then has the warning DEFAULT_ITEM (I3) */
  readonly hasDefaultItems: boolean;
  /** the warnings of tenders that the restaurant has a code for, so that the sale is stored without them (I6); null: there are none */
  readonly knownTenders: readonly string[] | null;
  /** of the row, if the restaurant is as they suppose: the sale is stored with them (I17) */
  readonly ofCatalogue: readonly Warning[];
  /** the versions of its codes and its catalogue (I4, I16) */
  readonly codesVersion: number;
  readonly catalogueId: number;
  /** the job, if the statement has claimed it */
  readonly claimed: ClaimedJob | undefined;
}

/**
 * The result for an event. `duplicate`: the restaurant has the key (in test mode: the source key) already (W20, W23). `unplaced`: the
 * place leads to no restaurant, or to one without an OWNER; or the sender key does not work, or not for this sale (V5). `locked`: another session has locked the restaurant's row (W31).
 */
export type Enqueued =
  | StoredSale
  | (Omit<StoredSale, 'result' | 'jobId' | 'eventKey' | 'claimed'> & { readonly result: 'duplicate' })
  | { readonly result: 'unplaced' | 'locked' };

/** Parts of the statement for sales of sender keys; without such sales the statement has none of them. */
const NO_KEYS = { definition: '', column: '', check: '', isForeign: 'false' };
const KEYS: typeof NO_KEYS = {
  definition: ', "senderKey" uuid, "namedCode" text, "namedId" text',
  column: ', sender_key, named_code, named_id',
  // a restaurant without a code has no other one (W49)
  isForeign: `coalesce(named_code <> code_store_terminal, false) OR coalesce(named_id <> restaurant.id::text, false)`,
  check: `(sender_key IS NULL OR EXISTS (
      SELECT 1 FROM live_sender_keys live
      WHERE live.id = sender_key AND (live.restaurant_id IS NULL OR live.restaurant_id = restaurant.id)
        AND ('sales:write' = ANY (scopes) OR (test_mode AND 'sales:test' = ANY (scopes))))) AND `,
};

/** The warnings of a row that suppose the codes and the catalogue that its restaurant has now (I17): another instance may have changed them. */
const SAME_CATALOGUE = `of_catalogue ->> 'basis' = concat_ws('/', restaurant.id, codes_version, catalogue_id)`;

// Rows are passed as one JSON text: Postgres parses it in less time than Node needs to build an array for each column. Rows are inserted
// in the order of their keys, so that statements of several instances do not deadlock.
const statement = (label: string, keys = NO_KEYS) =>
  preparedStatement(
    label,
    `WITH sale AS (
    SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (
      "jobId" uuid, "transactionKey" text, "sourceKey" text, "testMode" boolean, "storeCode" text, "transactionNumber" text,
      "transactionDate" timestamptz, "amountMismatchCents" bigint, "paidCents" bigint, "paidByTender" jsonb, "tipCents" bigint,
      "serviceFeeCents" bigint, warnings text[],
      "saleCurrency" text, "currencyWarning" text, "placeId" uuid, "placeCode" text, "ofPlatform" boolean,
      "withoutCode" boolean, tenders jsonb, "ofCatalogue" jsonb, trace bytea${keys.definition}), unnest(${jsonTexts('$2')}::jsonb[]), unnest($3::text[]))
      WITH ORDINALITY AS sale(
        job_id, transaction_key, source_key, test_mode, store_code, transaction_number, transaction_date, amount_mismatch_cents,
        paid_cents, paid_by_tender, tip_cents, service_fee_cents, warnings, sale_currency, currency_warning, place_id, place_code, of_platform,
        without_code, tenders, of_catalogue, trace${keys.column}, payload, claim_id, number)
  ), named AS (
    SELECT sale.*, coalesce(place_id, (
      SELECT id FROM restaurants WHERE code_store_terminal = place_code AND deleted_at IS NULL)) AS restaurant_id
    FROM sale
  ), restaurant AS (
    -- by their ids and by nothing else: a join, or a condition on deleted_at, reads all restaurants while the table has no statistics (decisions/032)
    SELECT * FROM (
      SELECT id, name, code_store_terminal, code_store_pos, pos_id_partner, pos_secret, currency, codes_version, default_item_code, catalogue_id, paused_until, pulls, pos_base_url, deleted_at, founded_by
      FROM restaurants WHERE id = ANY (ARRAY(SELECT restaurant_id FROM named))
      -- other restaurants' sales do not wait for one that another session has locked
      OFFSET 0 FOR KEY SHARE SKIP LOCKED) AS found
    WHERE deleted_at IS NULL
  ), placed AS (
    SELECT named.*, CASE WHEN coalesce(code_store_pos, '') = '' AND NOT pulls AND pos_base_url IS NULL THEN ARRAY[$5::text] END
             || CASE WHEN currency <> sale_currency THEN ARRAY[currency_warning] END
             || CASE WHEN ${keys.isForeign} THEN ARRAY['${FOREIGN_STORE.text}'] END
             || CASE WHEN without_code AND default_item_code IS NOT NULL THEN ARRAY['${DEFAULT_ITEM.text}'] END
             || CASE WHEN ${SAME_CATALOGUE} THEN ARRAY(SELECT jsonb_array_elements_text(of_catalogue -> 'warnings')) END AS of_restaurant,
           ${SAME_CATALOGUE} AS has_catalogue_warnings,
           ${keys.isForeign} AS is_foreign, without_code AND default_item_code IS NOT NULL AS has_default_items,
           -- nothing is looked up for a sale whose tenders the vendor knows, nor for a restaurant without codes
           CASE WHEN codes_version > 0 AND tenders IS NOT NULL THEN ARRAY(
             SELECT each ->> 'text' FROM jsonb_array_elements(tenders) AS each WHERE EXISTS (
               SELECT FROM jsonb_array_elements_text(each -> 'keys') AS key(code), LATERAL (
                 -- by its whole key; as a join it would be a filter of all codes, for as long as the table has no statistics (decisions/032)
                 SELECT FROM pos_codes
                 WHERE pos_codes.restaurant_id = restaurant.id AND kind = 'TENDER' AND terminal_code = key.code OFFSET 0) AS known)) END AS known_tenders
    FROM named JOIN restaurant ON restaurant.id = restaurant_id
    WHERE ${keys.check}(of_platform IS NOT TRUE OR (
      (place_code IS NULL OR code_store_terminal = place_code)
      AND EXISTS (SELECT 1 FROM user_restaurants link WHERE link.restaurant_id = restaurant.id AND link.role = 'OWNER')))
  ), idle AS (
    -- a job of the restaurant that is due would be overtaken
    SELECT id FROM restaurant
    WHERE cardinality($3::text[]) > 0 AND id <> ALL ($4::uuid[]) AND coalesce(founded_by, id) <> ALL ($4::uuid[]) AND NOT pulls AND paused_until IS NULL AND ((
      SELECT next_run_at FROM outbox_jobs WHERE restaurant_id = restaurant.id AND status IN ('PENDING', 'FAILED')
      ORDER BY next_run_at LIMIT 1) <= now()) IS NOT TRUE
  ), event AS (
    INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number,
      transaction_date, amount_mismatch_cents, paid_cents, paid_by_tender, tip_cents, service_fee_cents, payload, warnings, of_platform, received_at, trace)
    SELECT transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number, transaction_date,
      amount_mismatch_cents, paid_cents, paid_by_tender, tip_cents, service_fee_cents, payload, CASE WHEN known_tenders IS NULL THEN warnings ELSE ARRAY(
        SELECT text FROM unnest(warnings) WITH ORDINALITY AS warning(text, place) WHERE text <> ALL (known_tenders) ORDER BY place) END || of_restaurant,
      of_platform IS TRUE, now(), trace
    FROM placed
    WHERE NOT EXISTS (SELECT 1 FROM spent_keys spent
        WHERE spent.transaction_key = placed.transaction_key AND spent.restaurant_id = placed.restaurant_id)
      AND NOT EXISTS (SELECT 1 FROM spent_keys spent
        WHERE spent.test_mode AND placed.test_mode AND spent.restaurant_id = placed.restaurant_id AND spent.source_key = placed.source_key)
    ORDER BY restaurant_id, transaction_key
    ON CONFLICT DO NOTHING
    RETURNING transaction_key, restaurant_id
  ), job AS (
    INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, attempts, locked_by, processing_at, next_run_at, created_at,
      updated_at)
    SELECT job_id, transaction_key, restaurant_id, 'CREATE', (CASE WHEN born.claim_id IS NULL THEN 'PENDING' ELSE 'PROCESSING' END)::job_status,
      (born.claim_id IS NOT NULL)::int, born.claim_id, CASE WHEN born.claim_id IS NOT NULL THEN now() END, now(), now(), now()
    FROM event
    JOIN placed USING (transaction_key, restaurant_id)
    LEFT JOIN idle ON idle.id = restaurant_id
    CROSS JOIN LATERAL (SELECT CASE WHEN idle.id IS NOT NULL THEN placed.claim_id END AS claim_id) AS born
    RETURNING id, locked_by, processing_at, created_at
  )
  SELECT restaurant_id::text AS "restaurantId",
         CASE WHEN job.id IS NOT NULL THEN 'stored'
              WHEN placed.number IS NOT NULL THEN 'duplicate'
              WHEN restaurant.id IS NULL AND EXISTS (
                SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id AND deleted_at IS NULL) THEN 'locked'
              ELSE 'unplaced' END AS result,
         placed.is_foreign AS "isForeign", coalesce(placed.has_default_items, false) AS "hasDefaultItems",
         placed.known_tenders AS "knownTenders",
         coalesce(placed.has_catalogue_warnings, false) AS "hasCatalogueWarnings", restaurant.catalogue_id AS "catalogueId", job.locked_by AS "lockedBy", job.processing_at::text AS "claimedAt",
         (extract(epoch FROM job.created_at) * 1000)::float8 AS "receivedMs", restaurant.name AS "restaurantName",
         restaurant.code_store_pos AS "codeStorePos", restaurant.pulls, restaurant.pos_base_url AS "posBaseUrl",
         restaurant.codes_version AS "codesVersion", restaurant.currency, restaurant.pos_id_partner AS "posIdPartner", restaurant.pos_secret AS "posSecret",
         coalesce(restaurant.founded_by, restaurant.id)::text AS party
  FROM named
  LEFT JOIN placed USING (number, restaurant_id)
  LEFT JOIN restaurant ON restaurant.id = restaurant_id
  LEFT JOIN job ON job.id = named.job_id
  ORDER BY number`,
  );
const ENQUEUE = statement('enqueue');
/** The same, and checks the sender keys of the sales (V5). */
const ENQUEUE_KEYS = statement('enqueue_keys', KEYS);

/** A row of the answer. `lockedBy` and `claimedAt` are null unless the statement has claimed the job. */
type Answer = Pick<
  ClaimedJob,
  | 'restaurantId'
  | 'restaurantName'
  | 'codeStorePos'
  | 'codesVersion'
  | 'posIdPartner'
  | 'posSecret'
  | 'claimedAt'
  | 'party'
> &
  Pick<
    StoredSale,
    'pulls' | 'posBaseUrl' | 'currency' | 'isForeign' | 'hasDefaultItems' | 'knownTenders' | 'catalogueId'
  > & {
    readonly hasCatalogueWarnings: boolean;
    readonly result: Enqueued['result'];
    readonly lockedBy: string | null;
    readonly receivedMs: number;
  };

/**
 * Stores events and their CREATE jobs in one statement, each pair both or neither (W17). The statement finds the restaurant of a sale of
 * the terminal platform, and checks that it has an OWNER (W28); it checks sender keys (V5). Keys of removed events count as stored (O22). The statement takes a KEY
 * SHARE lock on the restaurants' rows, which conflicts with the removal of a restaurant (A21). It claims a job for which a claim is
 * offered, unless its restaurant is at its cap, paused (O49) or has a due job (O32).
 * @param rows no two rows have a key in common
 * @returns the result for each row, in the order of the rows
 */
export async function enqueueAll(
  prisma: PrismaService,
  rows: readonly NewRow[],
  { claimIds, atCap }: ClaimOffer,
): Promise<Enqueued[]> {
  const columns = `[${rows.map((row) => row.columns).join()}]`;
  const payloads = joinJson(rows.map((row) => row.payload));
  const values = [columns, payloads, claimIds, atCap, NO_CODE_STORE_POS.text];
  const hasKeys = rows.some(({ event }) => event.place.key !== undefined);
  const answers = await prisma.prepared<Answer>(hasKeys ? ENQUEUE_KEYS : ENQUEUE, values);
  return answers.map((answer, i) => resultOf(answer, rows[i] as NewRow));
}

const NONE: readonly Warning[] = [];

/** Written out field by field: copies of objects took longer than the rest of a row. */
function resultOf(answer: Answer, { jobId, event, ofCatalogue: supposed }: NewRow): Enqueued {
  const { result, restaurantId, codeStorePos, currency, isForeign, hasDefaultItems, knownTenders, lockedBy } = answer;
  const { pulls, posBaseUrl, codesVersion, catalogueId } = answer;
  const ofCatalogue = (answer.hasCatalogueWarnings && supposed?.warnings) || NONE;
  if (result === 'duplicate') return { ...answer, result, ofCatalogue };
  if (result !== 'stored') return { result };
  const { transactionKey: eventKey, testMode, sale, trace } = event;
  const claimed: ClaimedJob | undefined =
    lockedBy === null
      ? undefined
      : {
          id: jobId,
          eventKey,
          action: 'CREATE',
          restaurantId,
          restaurantName: answer.restaurantName,
          attempt: 1,
          lockedBy,
          claimedAt: answer.claimedAt,
          untried: true,
          testMode,
          receivedAt: new Date(answer.receivedMs),
          trace,
          payload: sale.payload,
          sale,
          codeStorePos,
          codesVersion: answer.codesVersion,
          posIdPartner: answer.posIdPartner,
          posSecret: answer.posSecret,
          posBaseUrl,
          party: answer.party,
        };
  return {
    result,
    jobId,
    eventKey,
    restaurantId,
    codeStorePos,
    pulls,
    posBaseUrl,
    currency,
    isForeign,
    hasDefaultItems,
    knownTenders,
    ofCatalogue,
    codesVersion,
    catalogueId,
    claimed,
  };
}
