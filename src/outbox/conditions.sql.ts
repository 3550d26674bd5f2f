import { AHEAD } from '../platform/database/clock.js';
import { PAUSED_RESTAURANTS, RESUMING_RESTAURANTS } from './store/pause.js';
import { WAITS_SINCE } from './waits-since.sql.js';

/** The most waiting orders of a restaurant that are read, those that are due first. */
export const EXAMINED_WAITING = 100;
/** What restaurants of this many founders have at once is no fault of one of them: an outage of the vendor, or a fault of a sender (L200). */
export const VENDOR_FOUNDERS = 3;
/** This many orders that have been due for this time, and are not sent, are a backlog; the most that are counted (L201). */
const BACKLOG = { orders: 100, dueFor: "interval '60 seconds'", counted: 10_000 } as const;
/** As many orders of other founders make an acknowledged backlog a new one (G57, L201). */
export const BACKLOG_ORDERS = BACKLOG.orders;
/** The pace of a backlog is that of this time (L202). */
const PACE = { span: "interval '5 minutes'", minutes: 5 } as const;
/** This many slow checks in a row are a slow database (L203). */
const SLOW_CHECKS = 3;
/** A POS that pulls is silent when it has not polled for this time (Q13). */
const SILENT = { short: "interval '3 minutes'", long: "interval '30 minutes'" } as const;
/** A POS that can accept has neither accepted nor refused an order for this time (Q18). */
const NOT_ACCEPTED_FOR = "interval '5 minutes'";
/** A process without a heartbeat for this time is lost (R21). */
export const LOST_AFTER = "interval '45 seconds'";
/** SQL: whether no live process delivers (G58). */
export const NO_WORKER = `NOT EXISTS (
        SELECT FROM relay_instances WHERE worker_enabled AND last_seen_at BETWEEN now() - ${LOST_AFTER} AND ${AHEAD})`;

/**
 * What the POS answered, in short: `HTTP 503`, `ECONNREFUSED`. Restaurants with the same short answer and cause are one group (G50). The text beside it
 * may differ from order to order.
 * @param error SQL: an error of a job, as `answerLine` writes it
 */
const shortAnswer = (error: string) =>
  `coalesce(substring(${error} FROM 'HTTP [0-9]{3}'), substring(${error} FROM 'no answer from the POS: ([A-Z][A-Z0-9_]*)'), 'other')`;

/** SQL: when a job has been due for so long that the relay is late, and not the POS. */
export const DUE_FOR_LONG = `next_run_at <= now() - ${BACKLOG.dueFor}`;

/**
 * SQL: common table expressions of what waits, and why; the one reader of alerts, incidents, doctor and log (G50 to G56). They need `place` (ids of
 * restaurants) and `turn` (a row `mine`; false: they are empty). $1: whether the attempts of the last $2 ms are read, because nothing records
 * outages with OUTBOX_PACE=tick.
 *
 * - `paused`: restaurants that are paused (O49); `resting`: these, and those that resume: none of their orders is late
 * - `waiting`: orders and cancels that wait or are under way, at most {@link EXAMINED_WAITING} of a restaurant, without those of `paused`
 * - `failing`: restaurants whose every attempt fails, and since when
 * - `refusing`: of these, those with waiting orders: `cause`, `short` and `answer` of the oldest one that was tried, their number, and the founder (`party`, O44)
 * - `vendor`: groups of these with one answer, of L200 founders or more (G50)
 * - `silent`: restaurants whose POS pulls and has not polled for 3 minutes, or `is_long` 30 (Q13)
 * - `due`: orders that are due and not sent, without those of `failing` and of a POS that pulls; `backlog`: no row, or their number (G51)
 * - `due_of`: their number by restaurant, and its founder
 * - `slow`: live processes whose database is slow (G53)
 * - `stopped`: no row, or the last process that delivered, while none does (G58)
 */
export const WHAT_WAITS = `paused AS MATERIALIZED (${PAUSED_RESTAURANTS}),
    resting AS MATERIALIZED (SELECT id FROM paused UNION ALL ${RESUMING_RESTAURANTS}),
    waiting AS MATERIALIZED (
      SELECT place.id AS restaurant_id, job.event_key, job.cause, job.last_error, job.attempts, job.next_run_at, job.created_at
      FROM place CROSS JOIN LATERAL (
        SELECT event_key, cause, last_error, attempts, next_run_at, ${WAITS_SINCE} AS created_at FROM outbox_jobs
        WHERE restaurant_id = place.id AND status IN ('PENDING', 'FAILED')
        ORDER BY next_run_at LIMIT ${EXAMINED_WAITING}) AS job
      WHERE place.id NOT IN (SELECT id FROM paused)
      UNION ALL
      -- another index: what is under way for a moment
      SELECT restaurant_id, event_key, cause, last_error, attempts, NULL, ${WAITS_SINCE} FROM outbox_jobs
      WHERE status = 'PROCESSING' AND (SELECT mine FROM turn)
    ),
    failing AS MATERIALIZED (
      SELECT restaurant_id, began_at AS since FROM pos_outages WHERE ended_at IS NULL
      UNION ALL
      SELECT job.restaurant_id, min(attempt.started_at) FROM delivery_attempts attempt JOIN outbox_jobs job ON job.id = attempt.job_id
      WHERE $1::boolean AND attempt.started_at BETWEEN now() - $2::int * interval '1 millisecond' AND ${AHEAD}
      GROUP BY job.restaurant_id HAVING count(*) >= 3 AND bool_and(attempt.outcome IN ('FAILED', 'LOST'))
    ),
    refusing AS MATERIALIZED (
      SELECT restaurant_id, cause, ${shortAnswer('last_error')} AS short, error_cause(last_error) AS answer, since, count, event_key,
             coalesce(founded_by, restaurant_id) AS party
      FROM (
        SELECT place.id AS restaurant_id, min(failing.since) AS since,
               (array_agg(waiting.cause ORDER BY waiting.created_at) FILTER (WHERE waiting.cause IS NOT NULL))[1] AS cause,
               (array_agg(waiting.last_error ORDER BY waiting.created_at) FILTER (WHERE waiting.cause IS NOT NULL))[1] AS last_error,
               count(*)::int AS count, (array_agg(waiting.event_key ORDER BY waiting.created_at))[1] AS event_key
        FROM failing JOIN place ON place.id = failing.restaurant_id JOIN waiting ON waiting.restaurant_id = place.id
        WHERE waiting.attempts > 0
        GROUP BY place.id
      ) AS tried JOIN restaurants ON restaurants.id = restaurant_id
    ),
    -- since: when the number of founders reached the limit (L200); one of them may have failed for days
    vendor AS MATERIALIZED (
      SELECT cause, short, mode() WITHIN GROUP (ORDER BY answer) AS answer, sum(restaurants)::int AS restaurants, sum(orders)::int AS orders,
             (array_agg(since ORDER BY since))[${VENDOR_FOUNDERS}] AS since
      FROM (
        SELECT cause, short, mode() WITHIN GROUP (ORDER BY answer) AS answer, count(*) AS restaurants, sum(count) AS orders, min(since) AS since
        FROM refusing WHERE cause IN ('unanswered', 'failing')
        GROUP BY cause, short, party) AS of_founder
      GROUP BY cause, short HAVING count(*) >= ${VENDOR_FOUNDERS}
    ),
    silent AS MATERIALIZED (
      SELECT place.id AS restaurant_id, polled_at, coalesce(polled_at, '-infinity') < now() - ${SILENT.long} AS is_long
      FROM place JOIN restaurants ON restaurants.id = place.id AND restaurants.pulls
      CROSS JOIN LATERAL (
        SELECT max(polled_at) FILTER (WHERE polled_at <= ${AHEAD}) AS polled_at FROM pos_credentials WHERE restaurant_id = place.id) AS polls
      WHERE coalesce(polled_at, '-infinity') < now() - ${SILENT.short}
    ),
    due AS MATERIALIZED (
      SELECT restaurant_id, next_run_at FROM (
        SELECT restaurant_id, next_run_at FROM outbox_jobs
        WHERE status IN ('PENDING', 'FAILED') AND ${DUE_FOR_LONG} AND (SELECT mine FROM turn)
        ORDER BY next_run_at LIMIT ${BACKLOG.counted}) AS job
      WHERE restaurant_id IN (SELECT place.id FROM place JOIN restaurants ON restaurants.id = place.id AND NOT restaurants.pulls)
        AND restaurant_id NOT IN (SELECT restaurant_id FROM failing)
        AND restaurant_id NOT IN (SELECT id FROM paused)
    ),
    due_of AS MATERIALIZED (
      SELECT restaurant_id, orders, coalesce(founded_by, restaurant_id) AS party
      FROM (SELECT restaurant_id, count(*)::int AS orders FROM due GROUP BY restaurant_id) AS of_restaurant JOIN restaurants ON id = restaurant_id
    ),
    backlog AS MATERIALIZED (
      SELECT count(*)::int AS orders, min(next_run_at) AS since FROM due HAVING count(*) >= ${BACKLOG.orders}
    ),
    slow AS MATERIALIZED (
      SELECT id, database_ms FROM relay_instances
      WHERE slow_checks >= ${SLOW_CHECKS} AND last_seen_at BETWEEN now() - ${LOST_AFTER} AND ${AHEAD} AND (SELECT mine FROM turn)
    ),
    stopped AS MATERIALIZED (
      SELECT last.id, last.last_seen_at FROM (SELECT) AS now LEFT JOIN LATERAL (
        SELECT id, last_seen_at FROM relay_instances WHERE worker_enabled ORDER BY last_seen_at DESC LIMIT 1) AS last ON true
      -- without any heartbeat nothing is known: the reader itself has one
      WHERE (SELECT mine FROM turn) AND ${NO_WORKER} AND EXISTS (SELECT FROM relay_instances WHERE last_seen_at BETWEEN now() - ${LOST_AFTER} AND ${AHEAD})
    )`;

/**
 * SQL: in how many minutes the orders of `backlog` are sent, by the pace of those that had waited and were sent lately; null: none was. It is
 * computed for a row of `backlog` only.
 */
export const BACKLOG_MINUTES = `(
  SELECT CASE WHEN sent > 0 THEN ceil(backlog.orders::numeric * ${PACE.minutes} / sent)::int END FROM (
    SELECT count(*) AS sent FROM outbox_jobs
    WHERE status = ANY (ARRAY['SENT', 'DLQ']::job_status[]) AND updated_at BETWEEN now() - ${PACE.span} AND ${AHEAD}
      AND created_at < updated_at - ${BACKLOG.dueFor}) AS pace)`;

/** A key whose last refusal is older than this is no longer tried (L204). */
const REFUSED_FOR = "interval '15 minutes'";
/** So many refusals of a key need somebody (L204). */
export const REFUSED_TIMES = 3;
/** SQL: whether a request with a key of `sender_keys` was refused lately (V41). */
export const REFUSED_LATELY = `refused_at BETWEEN now() - ${REFUSED_FOR} AND ${AHEAD}`;
/** SQL: whether it was refused so often that it needs somebody (G54, L204). */
export const REFUSED_AGAIN = `${REFUSED_LATELY} AND refused_count >= ${REFUSED_TIMES}`;

/**
 * SQL: the delivered orders of a restaurant that their POS has neither accepted nor refused (Q18), nor said anything of since they were last sent:
 * `event_key` and `delivered_at`, the oldest first. It reads only orders that the POS has neither accepted nor refused.
 * @param restaurant SQL: its id
 * @param since SQL: a time; only orders that were delivered since
 * @param most of how many the oldest are wanted
 */
export const NOT_ACCEPTED = (restaurant: string, since: string, most: number): string => `
  SELECT job.event_key, unheard.delivered_at FROM unheard_orders unheard
  CROSS JOIN LATERAL (
    -- looked up one by one, whatever the planner knows of the tables (decisions/032)
    SELECT id, event_key, restaurant_id FROM outbox_jobs WHERE id = unheard.job_id AND status = 'SENT' OFFSET 0) AS job
  WHERE unheard.restaurant_id = ${restaurant} AND unheard.delivered_at >= ${since} AND unheard.delivered_at <= now() - ${NOT_ACCEPTED_FOR}
    -- it may have spoken of an order that was parked, and was sent again since
    AND NOT EXISTS (
      SELECT FROM pos_acceptances said WHERE said.job_id = job.id AND said.state <> 'REFUSED'
        AND said."offer" = (SELECT count(*) FROM pos_acceptances before WHERE before.job_id = job.id AND before.state = 'REFUSED'))
    AND NOT EXISTS (
      SELECT FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id AND cancel.action = 'CANCEL')
    -- the POS cannot read it any more (Q7)
    AND NOT EXISTS (
      SELECT FROM terminal_events erased WHERE erased.transaction_key = job.event_key AND erased.restaurant_id = job.restaurant_id
        AND erased.erased_at IS NOT NULL)
  ORDER BY unheard.delivered_at LIMIT ${most}`;

/**
 * SQL of a row `rhythm` of `sale_rhythms`: whether its restaurant is silent (G59). The next sale ends it at once; the row follows within a minute.
 */
export const IS_SILENT = `rhythm.silent_since <= now() AND NOT EXISTS (
    SELECT FROM terminal_events
    WHERE restaurant_id = rhythm.restaurant_id AND received_at > rhythm.silent_since AND received_at <= ${AHEAD})`;
