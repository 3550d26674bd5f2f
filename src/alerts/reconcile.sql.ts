import { AHEAD, agreesWith } from '../database/clock.js';
import { PARKED } from '../database/parked.sql.js';
import { preparedStatement } from '../database/prepared.js';
import { WAITS_SINCE } from '../database/waits-since.sql.js';
import { roundLock } from '../schedule/round-lock.js';
import { CLOSING_STEP, DAY_S, FIRST_STEP_AFTER_S, REPEAT_S } from './alert.js';

/** One instance at a time reconciles; the lock ends with the statement's transaction. */
const TURN = roundLock('alerts.round');
/** The most orders of a restaurant that are counted, the newest first. */
const COUNTED = 1_000;
const EXAMINED_WAITING = 100;
const LATE = "interval '5 minutes'";
const RECENT = "interval '24 hours'";
/** A process without a heartbeat for this time is lost (R21). */
const LOST_AFTER = "interval '45 seconds'";
/** An alert closes when its condition was not found for this time: a job that is under way for a moment closes none. */
const ABSENT_FOR = "interval '20 seconds'";
const LONGEST_STEP = `now() + CASE alert.kind WHEN 'KEY_EXPIRES' THEN interval '${DAY_S} seconds' ELSE interval '${REPEAT_S} seconds' END`;
const KEPT_CLOSED = "interval '30 days'";

/** SQL: a time, or `latest` if it is later: it was written while the clock was ahead. A null stays null. */
const capped = (time: string, latest: string) => `CASE WHEN ${time} > ${latest} THEN ${latest} ELSE ${time} END`;
const COVERED_UNTIL = capped('alert.covered_until', 'now()');

/** SQL: an order was parked, or a sale refused, after somebody acknowledged the alert, or after its last step (G6); or the key has expired (G31). */
const NEW_ROUND = `(alert.next_step_at IS NULL OR alert.kind = 'KEY_EXPIRES')
  AND excluded.covered_until > coalesce(${COVERED_UNTIL}, '-infinity')`;

/** What the statement opened or closed. */
export interface Reconciled {
  readonly event: 'opened' | 'closed';
  readonly id: string;
  readonly kind: string;
  readonly restaurantId: string | null;
  readonly cause: string | null;
  readonly count: number;
}

/**
 * Compares the conditions with the open alerts (G1 to G3): opens, updates and closes alerts, and adds the messages that an alert is closed,
 * for those who were told. Level-triggered: what a crash has prevented is done by the next call. $1: whether the
 * attempts of the last $2 ms are read, because nothing records outages with OUTBOX_PACE=tick. $3: this machine's clock, see `agreesWith`. What was
 * written while the database's clock was ahead neither keeps an alert open nor holds back a step (G43).
 */
export const RECONCILE = preparedStatement(
  'alerts',
  `
WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${TURN}) AS mine),
place AS MATERIALIZED (SELECT id FROM restaurants WHERE deleted_at IS NULL AND (SELECT mine FROM turn)),
parked AS (
  SELECT 'ORDER_PARKED' AS kind, place.id AS restaurant_id, job.cause, count(*)::int AS count,
         max(job.updated_at) FILTER (WHERE job.updated_at <= now()) AS newest_at,
         (array_agg(job.event_key ORDER BY job.updated_at DESC))[1] AS event_key
  FROM place CROSS JOIN LATERAL (
    SELECT event_key, cause, updated_at FROM outbox_jobs
    WHERE restaurant_id = place.id AND ${PARKED.sql} AND updated_at > now() - ${RECENT}
    ORDER BY updated_at DESC LIMIT ${COUNTED}) AS job
  GROUP BY place.id, job.cause
),
-- two indexes: what waits, and what is under way for a moment
waiting AS MATERIALIZED (
  SELECT place.id AS restaurant_id, job.event_key, job.cause, job.attempts, job.created_at
  FROM place CROSS JOIN LATERAL (
    SELECT event_key, cause, attempts, ${WAITS_SINCE} AS created_at FROM outbox_jobs
    WHERE restaurant_id = place.id AND status IN ('PENDING', 'FAILED') AND action = 'CREATE'
    ORDER BY next_run_at LIMIT ${EXAMINED_WAITING}) AS job
  UNION ALL
  SELECT restaurant_id, event_key, cause, attempts, ${WAITS_SINCE} FROM outbox_jobs
  WHERE status = 'PROCESSING' AND action = 'CREATE' AND (SELECT mine FROM turn)
),
failing AS (
  SELECT restaurant_id FROM pos_outages WHERE ended_at IS NULL
  UNION
  SELECT job.restaurant_id FROM delivery_attempts attempt JOIN outbox_jobs job ON job.id = attempt.job_id
  WHERE $1::boolean AND attempt.started_at BETWEEN now() - $2::int * interval '1 millisecond' AND ${AHEAD}
  GROUP BY job.restaurant_id HAVING count(*) >= 3 AND bool_and(attempt.outcome IN ('FAILED', 'LOST'))
),
refusing AS (
  SELECT 'POS_REFUSES' AS kind, place.id AS restaurant_id, (array_agg(waiting.cause ORDER BY waiting.created_at) FILTER (
           WHERE waiting.cause IS NOT NULL))[1] AS cause,
         count(*)::int AS count, NULL::timestamptz AS newest_at, (array_agg(waiting.event_key ORDER BY waiting.created_at))[1] AS event_key
  FROM failing JOIN place ON place.id = failing.restaurant_id JOIN waiting ON waiting.restaurant_id = place.id
  WHERE waiting.attempts > 0
  GROUP BY place.id
),
late AS (
  SELECT 'ORDER_LATE' AS kind, place.id AS restaurant_id, (array_agg(waiting.cause ORDER BY waiting.created_at))[1] AS cause,
         count(*)::int AS count, NULL::timestamptz AS newest_at, (array_agg(waiting.event_key ORDER BY waiting.created_at))[1] AS event_key
  FROM waiting JOIN place ON place.id = waiting.restaurant_id
  WHERE waiting.created_at < now() - ${LATE} AND place.id NOT IN (SELECT restaurant_id FROM refusing)
  GROUP BY place.id
),
of_restaurants AS (
  SELECT kind, restaurant_id, cause, count, newest_at,
         kind || ':' || restaurant_id || CASE WHEN kind = 'ORDER_PARKED' THEN ':' || coalesce(cause, '') ELSE '' END AS dedup_key,
         (SELECT json_build_object('transactionKey', transaction_key, 'transactionNumber', left(transaction_number, 255),
                   'paidCents', paid_cents, 'receivedAt', received_at)
          FROM terminal_events
          WHERE transaction_key = found.event_key AND terminal_events.restaurant_id = found.restaurant_id)::jsonb AS details
  FROM (SELECT * FROM parked UNION ALL SELECT * FROM refusing UNION ALL SELECT * FROM late) AS found
),
-- a process that was started again on its host is not missing
of_platform AS (
  SELECT 'INSTANCE_LOST' AS kind, NULL::uuid AS restaurant_id, NULL AS cause, 1 AS count, NULL::timestamptz AS newest_at,
         'INSTANCE_LOST:' || left(id, 400) AS dedup_key, jsonb_build_object('name', left(id, 400)) AS details
  FROM relay_instances lost
  WHERE last_seen_at NOT BETWEEN now() - ${LOST_AFTER} AND ${AHEAD} AND (SELECT mine FROM turn)
    AND NOT EXISTS (SELECT FROM relay_instances other WHERE other.host = lost.host AND other.last_seen_at BETWEEN now() - ${LOST_AFTER} AND ${AHEAD}
                    AND other.started_at >= lost.last_seen_at - ${LOST_AFTER})
),
of_printers AS (
  SELECT 'PRINTER_AWAY' AS kind, place.id AS restaurant_id, NULL AS cause, 1 AS count, NULL::timestamptz AS newest_at,
         'PRINTER_AWAY:' || printer_id AS dedup_key, jsonb_build_object('name', printers_away.name) AS details
  FROM printers_away JOIN place ON place.id = printers_away.restaurant_id
),
of_keys AS (
  SELECT 'KEY_EXPIRES' AS kind, restaurant_id, NULL AS cause, 1 AS count,
         CASE WHEN expires_at <= now() THEN expires_at END AS newest_at, 'KEY_EXPIRES:' || id AS dedup_key,
         jsonb_build_object('name', name, 'keyId', key_id, 'expiresAt', expires_at) AS details
  FROM ending_sender_keys WHERE (SELECT mine FROM turn)
),
of_files AS (
  SELECT 'MISSING_HERE' AS kind, place.id AS restaurant_id, NULL AS cause, least(missing, ${COUNTED}) AS count, NULL::timestamptz AS newest_at,
         'MISSING_HERE:' || file.id AS dedup_key, jsonb_build_object('name', file.name, 'fileId', file.id) AS details
  FROM terminal_files file JOIN place ON place.id = file.restaurant_id WHERE missing > 0
),
of_refused AS (
  SELECT 'KEY_REUSED' AS kind, place.id AS restaurant_id, NULL AS cause, refused.count, refused.newest_at, 'KEY_REUSED:' || place.id AS dedup_key,
         refused.newest AS details
  FROM (
    SELECT restaurant_id, least(count(*), ${COUNTED})::int AS count,
           max(received_at) FILTER (WHERE received_at <= now()) AS newest_at,
           (array_agg(jsonb_build_object('transactionKey', transaction_key, 'transactionNumber', left(transaction_number, 255),
              'paidCents', net_cents, 'receivedAt', received_at) ORDER BY received_at DESC, id DESC))[1] AS newest
    FROM refused_sales WHERE received_at > now() - ${RECENT} AND (SELECT mine FROM turn) GROUP BY restaurant_id
  ) AS refused JOIN place ON place.id = refused.restaurant_id
),
holding AS MATERIALIZED (
  SELECT * FROM of_restaurants UNION ALL SELECT * FROM of_printers UNION ALL SELECT * FROM of_platform UNION ALL SELECT * FROM of_keys
  UNION ALL SELECT * FROM of_files UNION ALL SELECT * FROM of_refused),
-- covered_until carries the time of the newest parked order or refused sale, or when the key has expired
opened AS (
  INSERT INTO alerts AS alert (id, restaurant_id, kind, cause, dedup_key, count, details, covered_until, next_step_at)
  SELECT gen_random_uuid(), restaurant_id, kind, cause, dedup_key, count, coalesce(details, '{}'), newest_at,
         now() + interval '${FIRST_STEP_AFTER_S} seconds'
  FROM holding ORDER BY dedup_key
  ON CONFLICT (dedup_key) DO UPDATE SET
    count = excluded.count, cause = excluded.cause, details = excluded.details, last_at = now(),
    covered_until = CASE WHEN ${NEW_ROUND} THEN excluded.covered_until ELSE ${COVERED_UNTIL} END,
    first_step = CASE WHEN ${NEW_ROUND} THEN alert.step ELSE alert.first_step END,
    next_step_at = CASE WHEN ${NEW_ROUND} THEN excluded.next_step_at
      WHEN alert.step = alert.first_step THEN ${capped('alert.next_step_at', 'excluded.next_step_at')}
      ELSE ${capped('alert.next_step_at', LONGEST_STEP)} END,
    acknowledged_at = CASE WHEN ${NEW_ROUND} THEN NULL ELSE alert.acknowledged_at END,
    acknowledged_by = CASE WHEN ${NEW_ROUND} THEN NULL ELSE alert.acknowledged_by END
  RETURNING id, kind, restaurant_id, cause, count, xmax = 0 AS is_new
),
closed AS (
  UPDATE alerts SET closed_at = now(), dedup_key = NULL, next_step_at = NULL
  WHERE dedup_key IS NOT NULL AND last_at NOT BETWEEN now() - ${ABSENT_FOR} AND ${AHEAD} AND (SELECT mine FROM turn)
    AND dedup_key NOT IN (SELECT dedup_key FROM holding)
  RETURNING id, kind, restaurant_id, cause, count
),
-- to each who was told, once: by push, if push told them
told AS (
  INSERT INTO notifications (id, alert_id, step, channel, recipient, user_id, language)
  SELECT gen_random_uuid(), alert_id, ${CLOSING_STEP}, channel, recipient, user_id, language
  FROM (
    SELECT DISTINCT ON (alert_id, recipient) alert_id, channel, recipient, user_id, language
    FROM notifications WHERE alert_id IN (SELECT id FROM closed) AND state IN ('SENT', 'FOLDED')
    ORDER BY alert_id, recipient, channel = 'push' DESC, created_at DESC
  ) AS recipients
),
forgotten AS (
  DELETE FROM alerts WHERE id IN (
    SELECT id FROM alerts WHERE closed_at < now() - ${KEPT_CLOSED} AND ${agreesWith('$3')} AND (SELECT mine FROM turn) ORDER BY closed_at LIMIT 1000)
)
SELECT 'opened' AS event, id::text, kind, restaurant_id::text AS "restaurantId", cause, count FROM opened WHERE is_new
UNION ALL
SELECT 'closed', id::text, kind, restaurant_id::text, cause, count FROM closed`,
);
