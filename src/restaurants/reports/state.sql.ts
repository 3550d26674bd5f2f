import { REFUSING_STATUSES } from '../../domain/outcome.js';
import { IS_SILENT, REFUSED_LATELY } from '../../outbox/conditions.sql.js';
import { PARKED } from '../../outbox/parked.sql.js';
import { IS_REFUND } from '../../outbox/sale-kind.sql.js';
import { AHEAD } from '../../platform/database/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { CountedMoneyView } from './money.dto.js';
import { type MoneySums, moneySums } from './money.js';
import { NEEDS, type NeedRow, SUMMED_WAITING, time } from './needs.sql.js';
import type { StateView } from './state.dto.js';

/** The number of waiting orders whose attempts are read: the oldest, which have failed for the longest time. */
const EXAMINED = 50;
/**
 * The last answer that shows that the POS works is searched among this number of the newest orders that have one: after an outage orders are not
 * delivered in the order of receipt.
 */
const LAST_ANSWERED = 100;
const EXAMINED_PARKED = 1_000;
const MAX_CAUSES = 5;
const MAX_KEYS = 10;

/** SQL: when the POS refused the order; null if a proxy may have done so (O46). As `showsPosWorks` of an outcome. */
const REFUSED_AT = `(SELECT max(started_at) FROM delivery_attempts refusal WHERE refusal.job_id = outbox_jobs.id AND outcome = 'DLQ'
          AND (refusal.error_code IS NOT NULL OR refusal.http_status IN (${REFUSING_STATUSES.join(', ')})))`;

/** The row of {@link READ_STATE}; there is no row when there is no such restaurant. */
export interface StateRow {
  readonly now: Date;
  readonly timezone: string;
  readonly dayClosesAt: string;
  readonly day: string;
  readonly from: Date;
  readonly to: Date;
  readonly today: Omit<StateView['today'], 'day' | 'from' | 'to' | keyof CountedMoneyView>;
  readonly money: MoneySums;
  readonly waiting: Pick<StateView['waiting'], 'orders' | 'cancels' | 'late'>;
  readonly oldestReceivedAt: Date | null;
  readonly pause: StateView['pause'];
  readonly resumingUntil: Date | null;
  readonly nextTryAt: Date | null;
  /** when the last outage of the POS ended; null: there was none, or it lasts */
  readonly backAt: Date | null;
  /** orders of that outage that are being sent */
  readonly recovering: number;
  /** null: nothing fails */
  readonly failingSince: Date | null;
  readonly lastFailure: Omit<NonNullable<StateView['waiting']['failing']>, 'since'> | null;
  readonly parked: Pick<StateView['parked'], 'orders' | 'cancels' | 'earlier'>;
  readonly refused: number;
  /** the last sale, where sales have stopped (G59); null: they have not */
  readonly silentSince: Date | null;
  readonly needs: readonly NeedRow[];
  /** what was paid for the orders that wait, without tests (R61); null: they are too many to read */
  readonly waitingCents: number | null;
  readonly refusedKeys: StateView['refusedKeys'];
  readonly causes: readonly (Omit<StateView['parked']['causes'][number], 'newestAt'> & {
    readonly newestAtMs: number;
  })[];
}

/**
 * Reads the current state of a restaurant's orders (R19). $1 is the id of the restaurant, $2 is ALARM_LATE_MS. It is one statement that
 * reads indexes only, because open consoles poll it. A business day begins as in R15: if the clock shows the closing time twice, the
 * second time counts.
 */
export const READ_STATE = preparedStatement(
  'state',
  `
WITH today AS MATERIALIZED (
  SELECT timezone, day_closes_at, pause, resuming_until, to_char(day, 'YYYY-MM-DD') AS day,
         (day + day_closes_at::time) AT TIME ZONE timezone AS begins_at,
         (day + 1 + day_closes_at::time) AT TIME ZONE timezone AS ends_at
  FROM (
    SELECT timezone, day_closes_at, business_day(now(), timezone, day_closes_at) AS day, CASE WHEN resuming_until > now() THEN resuming_until END AS resuming_until,
           CASE WHEN paused_until IS NOT NULL THEN json_build_object('since', ${time('paused_at')}, 'until', ${time('paused_until')}, 'reason', pause_reason, 'by', paused_by) END AS pause
    FROM restaurants WHERE id = $1::uuid
  ) AS restaurant
),
-- a cancel is never older than its order
cancel AS MATERIALIZED (
  SELECT event_key FROM outbox_jobs
  WHERE restaurant_id = $1::uuid AND action = 'CANCEL' AND created_at >= (SELECT begins_at FROM today)
),
of_today AS MATERIALIZED (
  SELECT event_key, test_mode, paid_cents, amount_mismatch_cents, tip_cents, service_fee_cents, ${IS_REFUND.sql} AS is_refund, is_resolved,
         order_state(status, withdrawn,
           -- the few orders with a cancel look it up by key: a join would compare every order with every cancel (decisions/032)
           CASE WHEN event_key IN (SELECT event_key FROM cancel) THEN (
             SELECT status FROM outbox_jobs other
             WHERE other.event_key = job.event_key AND other.restaurant_id = $1::uuid AND other.action = 'CANCEL') END) AS state
  FROM terminal_events event, LATERAL (
    SELECT event_key, status, withdrawn, resolved_at IS NOT NULL AS is_resolved FROM outbox_jobs
    WHERE event_key = event.transaction_key AND restaurant_id = $1::uuid AND action = 'CREATE' OFFSET 0) AS job
  WHERE event.restaurant_id = $1::uuid
    AND event.received_at >= (SELECT begins_at FROM today) AND event.received_at < (SELECT ends_at FROM today)
),
counted_today AS (
  SELECT json_build_object(
    'orders', count(*) FILTER (WHERE NOT is_refund),
    'refunds', count(*) FILTER (WHERE is_refund),
    'delivered', count(*) FILTER (WHERE NOT is_refund AND state = 'delivered'),
    'waiting', count(*) FILTER (WHERE NOT is_refund AND state = 'waiting'),
    'parked', count(*) FILTER (WHERE NOT is_refund AND state = 'parked' AND NOT is_resolved),
    'resolved', count(*) FILTER (WHERE NOT is_refund AND state = 'parked' AND is_resolved),
    'cancelled', count(*) FILTER (WHERE NOT is_refund AND state = 'cancelled')) AS today,
    ${moneySums(Prisma.sql`state = 'cancelled'`).sql} AS money
  FROM of_today
),
-- two halves, because there are two partial indexes
waiting AS MATERIALIZED (
  SELECT id, event_key, action, attempts, created_at, next_run_at, recovered_at FROM outbox_jobs
  WHERE restaurant_id = $1::uuid AND status IN ('PENDING', 'FAILED')
  UNION ALL
  SELECT id, event_key, action, attempts, created_at, next_run_at, recovered_at FROM outbox_jobs
  WHERE restaurant_id = $1::uuid AND status = 'PROCESSING'
),
tried AS MATERIALIZED (
  SELECT id FROM waiting WHERE action = 'CREATE' AND attempts > 0 ORDER BY created_at LIMIT ${EXAMINED}
),
failed AS MATERIALIZED (
  SELECT attempt.started_at, attempt.http_status, attempt.error_code, attempt.cause, attempt.error
  FROM tried JOIN delivery_attempts attempt ON attempt.job_id = tried.id
  WHERE attempt.outcome IN ('FAILED', 'LOST') AND attempt.started_at > coalesce((
    SELECT max(worked_at) FILTER (WHERE worked_at <= ${AHEAD}) FROM (
      SELECT job.worked_at FROM (
        SELECT transaction_key, received_at FROM terminal_events
        WHERE restaurant_id = $1::uuid AND received_at > '-infinity' ORDER BY received_at DESC OFFSET 0
      ) AS event, LATERAL (
        SELECT CASE WHEN status = 'SENT' THEN updated_at WHEN status = 'DLQ' AND cause = 'refused' THEN ${REFUSED_AT} END AS worked_at
        FROM outbox_jobs
        WHERE event_key = event.transaction_key AND restaurant_id = $1::uuid AND action = 'CREATE' OFFSET 0) AS job
      WHERE job.worked_at IS NOT NULL ORDER BY event.received_at DESC LIMIT ${LAST_ANSWERED}
    ) AS answered), '-infinity')
),
counted_waiting AS (
  SELECT json_build_object(
           'orders', count(*) FILTER (WHERE action = 'CREATE'),
           'cancels', count(*) FILTER (WHERE action = 'CANCEL'),
           'late', count(*) FILTER (WHERE action = 'CREATE' AND (SELECT pause IS NULL FROM today)
             AND next_run_at < now() - $2::int * interval '1 millisecond')) AS waiting,
         min(created_at) FILTER (WHERE action = 'CREATE') AS oldest,
         min(next_run_at) FILTER (WHERE action = 'CREATE') AS next_try,
         (count(*) FILTER (WHERE action = 'CREATE' AND next_run_at < now() + interval '5 seconds'
           AND recovered_at BETWEEN now() - interval '2 minutes' AND ${AHEAD}))::int AS recovering
  FROM waiting
),
counted_parked AS (
  SELECT json_build_object(
    'orders', count(*) FILTER (WHERE action = 'CREATE'),
    'cancels', count(*) FILTER (WHERE action = 'CANCEL'),
    'earlier', json_build_object(
      'orders', count(*) FILTER (WHERE action = 'CREATE' AND NOT is_today),
      'cancels', count(*) FILTER (WHERE action = 'CANCEL' AND NOT is_today))) AS parked
  FROM (
    SELECT action, event_key IN (SELECT event_key FROM of_today) AS is_today
    FROM outbox_jobs WHERE restaurant_id = $1::uuid AND ${PARKED.sql}
  ) AS job
),
${NEEDS},
causes AS (
  SELECT last_error AS cause, cause AS kind, action, count(*) AS count, count(*) FILTER (WHERE is_today) AS of_today,
         (array_agg(updated_at ORDER BY is_today DESC, updated_at DESC))[1] AS newest_at,
         (array_agg(event_key ORDER BY is_today DESC, updated_at DESC))[1] AS event_key
  FROM (SELECT *, event_key IN (SELECT event_key FROM of_today) AS is_today
        FROM outbox_jobs WHERE restaurant_id = $1::uuid AND ${PARKED.sql}
        ORDER BY updated_at DESC LIMIT ${EXAMINED_PARKED}) AS newest
  GROUP BY 1, 2, 3 ORDER BY 5 DESC, 4 DESC, 6 DESC LIMIT ${MAX_CAUSES}
)
SELECT now() AS now, timezone, day_closes_at AS "dayClosesAt", day, begins_at AS "from", ends_at AS "to",
       today, money, waiting, oldest AS "oldestReceivedAt", next_try AS "nextTryAt", recovering, pause, resuming_until AS "resumingUntil",
       (SELECT ended_at FROM pos_outages WHERE restaurant_id = $1::uuid) AS "backAt",
       (SELECT min(started_at) FROM failed) AS "failingSince",
       (SELECT json_build_object('httpStatus', http_status, 'errorCode', error_code, 'cause', cause, 'error', error)
        FROM failed ORDER BY started_at DESC LIMIT 1) AS "lastFailure",
       parked, needs,
       CASE WHEN (SELECT count(*) FROM waiting) <= ${SUMMED_WAITING} THEN (
         SELECT sum(paid_cents)::float8 FROM waiting, LATERAL (
           SELECT CASE WHEN test_mode THEN 0 ELSE paid_cents END AS paid_cents FROM terminal_events WHERE transaction_key = waiting.event_key AND restaurant_id = $1::uuid OFFSET 0) AS sale
         WHERE action = 'CREATE') END AS "waitingCents",
       (SELECT count(*)::int FROM refused_sales
        WHERE restaurant_id = $1::uuid AND received_at > now() - interval '24 hours') AS refused,
       (SELECT silent_since FROM sale_rhythms rhythm WHERE restaurant_id = $1::uuid AND ${IS_SILENT}) AS "silentSince",
       (SELECT coalesce(json_agg(json_build_object('keyId', key_id, 'name', name, 'count', refused_count, 'since', to_char(refused_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                 'reason', refused_reason) ORDER BY refused_at DESC), '[]')
        FROM (SELECT * FROM sender_keys WHERE restaurant_id = $1::uuid AND ${REFUSED_LATELY}
              ORDER BY refused_at DESC LIMIT ${MAX_KEYS}) AS key) AS "refusedKeys",
       (SELECT coalesce(json_agg(json_build_object('cause', cause, 'kind', kind, 'action', action, 'count', count, 'today', of_today,
                 'newestAtMs', floor(extract(epoch FROM newest_at) * 1000),
                 'transactionKey', event_key, 'transactionNumber', sale.number, 'label', sale.label)
                 ORDER BY of_today DESC, count DESC, newest_at DESC), '[]')
        FROM causes, LATERAL (
          SELECT left(transaction_number, 255) AS number, sale_label(payload, $3::text[]) AS label FROM terminal_events
          WHERE transaction_key = causes.event_key AND restaurant_id = $1::uuid OFFSET 0
        ) AS sale) AS causes
FROM today, counted_today, counted_waiting, counted_parked, needs`,
);
