import type { CodedItem } from '../../domain/named-items.js';
import { itemsInError } from '../../outbox/named-items.sql.js';
import { PARKED } from '../../outbox/parked.sql.js';
import { REFUNDS } from '../../outbox/sale-kind.sql.js';

/** The newest parked jobs that are examined. */
const EXAMINED_PARKED = 1_000;
/** The oldest waiting orders whose amounts are read. */
export const SUMMED_WAITING = 100;
/** The most groups of parked jobs, refunds, and orders that are named of each need (L206). */
const MAX_GROUPS = 12;
const MAX_REFUNDS = 100;
export const NAMED = 5;
/** Refunds are to be entered for this time (R66). */
const REFUNDS_FOR = "interval '14 days'";

/** An entry of `needs`: parked jobs of today by action, or refunds. */
export interface NeedRow {
  readonly kind: 'CREATE' | 'CANCEL' | 'REFUND';
  readonly cause: string | null;
  readonly subject: string | null;
  readonly count: number;
  readonly cents: number;
  /** ISO 8601, as all times of it */
  readonly oldestAt: string;
  readonly newestAt: string;
  /** null: their rows were removed meanwhile */
  readonly orders: readonly NeededOrder[] | null;
  /** of orders that the POS refused for a product: what it said of each of `orders`, and the items that it may have named (I11) */
  readonly refusals: readonly { readonly lastError: string; readonly items: readonly CodedItem[] }[] | null;
}

/** An order of a need. */
export interface NeededOrder {
  readonly transactionKey: string;
  readonly transactionNumber: string | null;
  readonly label: string | null;
  readonly cents: number;
  readonly receivedAt: string;
  readonly lastError: string | null;
  readonly triedAgainAt: string | null;
}

const event = (key: string) => `transaction_key = ${key} AND restaurant_id = $1::uuid`;
export const time = (value: string) => `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** SQL: what is shown of an order that needs somebody; it reads `job` (event_key, last_error) and `sale`. */
const named = (triedAgainAt: string, error: string) => `json_build_object(
    'transactionKey', sale.transaction_key, 'transactionNumber', left(sale.transaction_number, 255),
    'label', sale_label(sale.payload, $3::text[]), 'cents', (CASE WHEN ${REFUNDS.sql} THEN amount_mismatch_cents ELSE paid_cents END)::float8,
    'receivedAt', ${time('sale.received_at')}, 'lastError', ${error}, 'triedAgainAt', ${triedAgainAt})`;

/**
 * SQL: what people of a restaurant see to (R67), as common table expressions of `READ_STATE`: `needs` has the parked jobs of today by action, cause and
 * subject, and the refunds that nobody has entered. It reads `of_today`; $3 is SALE_LABEL_FIELD. Rows of large tables are looked up by key
 * (decisions/032), and those of a group's newest orders alone have their bodies read.
 */
export const NEEDS = `
open_today AS MATERIALIZED (
  SELECT job.*, sale.paid_cents, sale.received_at FROM (
    SELECT id, event_key, action, cause, CASE cause WHEN 'refused' THEN coalesce(subject, 'other') END AS subject, updated_at FROM outbox_jobs
    WHERE restaurant_id = $1::uuid AND ${PARKED.sql} ORDER BY updated_at DESC LIMIT ${EXAMINED_PARKED}
  ) AS job, LATERAL (
    SELECT CASE WHEN test_mode THEN 0 ELSE paid_cents END AS paid_cents, received_at FROM terminal_events WHERE ${event('job.event_key')} OFFSET 0) AS sale
  WHERE job.event_key IN (SELECT event_key FROM of_today)
),
open_group AS (
  SELECT action, cause, subject, count(*)::int AS count, sum(paid_cents)::float8 AS cents, min(received_at) AS oldest, max(updated_at) AS newest,
         (array_agg(id ORDER BY updated_at DESC))[1:${NAMED}] AS ids
  FROM open_today GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC, 7 DESC LIMIT ${MAX_GROUPS}
),
refund AS MATERIALIZED (
  SELECT transaction_key, received_at, amount_mismatch_cents FROM terminal_events
  WHERE restaurant_id = $1::uuid AND ${REFUNDS.sql} AND received_at > now() - ${REFUNDS_FOR} AND entered_at IS NULL AND NOT test_mode
  ORDER BY received_at DESC LIMIT ${MAX_REFUNDS}
),
need AS (
  SELECT action::text AS kind, cause, subject, count, cents, oldest, newest, (
    SELECT json_agg(${named(
      // one that was parked twice was sent again, in vain
      `(SELECT ${time('max(started_at)')} FROM delivery_attempts WHERE job_id = job.id HAVING count(*) FILTER (WHERE outcome = 'DLQ') > 1)`,
      'job.last_error',
    )} ORDER BY place)
    FROM unnest(ids) WITH ORDINALITY AS wanted(id, place),
      LATERAL (SELECT id, event_key, last_error FROM outbox_jobs WHERE id = wanted.id OFFSET 0) AS job,
      LATERAL (SELECT * FROM terminal_events WHERE ${event('job.event_key')} OFFSET 0) AS sale
  ) AS orders, CASE WHEN subject = 'product' AND action = 'CREATE' THEN (
    SELECT json_agg(json_build_object('lastError', job.last_error, 'items', ${itemsInError('sale.payload', 'job.last_error', '$1::uuid')}))
    FROM unnest(ids) AS wanted(id),
      LATERAL (SELECT event_key, last_error FROM outbox_jobs WHERE id = wanted.id AND last_error IS NOT NULL OFFSET 0) AS job,
      LATERAL (SELECT payload FROM terminal_events WHERE ${event('job.event_key')} OFFSET 0) AS sale) END AS refusals
  FROM open_group
  UNION ALL
  SELECT 'REFUND', NULL, NULL, count(*)::int, sum(amount_mismatch_cents)::float8, min(received_at), max(received_at), (
    SELECT json_agg(${named('NULL', 'NULL')} ORDER BY newest_at DESC)
    FROM (SELECT transaction_key, received_at AS newest_at FROM refund ORDER BY received_at DESC LIMIT ${NAMED}) AS newest,
      LATERAL (SELECT * FROM terminal_events WHERE ${event('newest.transaction_key')} OFFSET 0) AS sale), NULL
  FROM refund HAVING count(*) > 0
),
needs AS (
  SELECT coalesce(json_agg(json_build_object('kind', kind, 'cause', cause, 'subject', subject, 'count', count, 'cents', cents,
           'oldestAt', ${time('oldest')}, 'newestAt', ${time('newest')}, 'orders', orders, 'refusals', refusals)), '[]') AS needs
  FROM need
)`;
