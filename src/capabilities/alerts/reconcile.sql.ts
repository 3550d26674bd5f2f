import type { Condition } from '../../platform/conditions/condition.js';
import { AHEAD, agreesWith } from '../../platform/database/clock.js';
import { type PreparedStatement, preparedStatement } from '../../platform/database/prepared.js';
import { roundLock } from '../../platform/schedule/round-lock.js';
import { CLOSING_STEP, DAY_S, FIRST_STEP_AFTER_S, REPEAT_S } from './alert.js';

/** One instance at a time reconciles; the lock ends with the statement's transaction. */
const TURN = roundLock('alerts.round');
/** An alert closes when its condition was not found for this time: a job that is under way for a moment closes none. */
const ABSENT_FOR = "interval '20 seconds'";
const FIRST_STEP = `now() + interval '${FIRST_STEP_AFTER_S} seconds'`;
const KEPT_CLOSED = "interval '30 days'";

/** SQL: a time, or `latest` if it is later: it was written while the clock was ahead. A null stays null. */
const capped = (time: string, latest: string) => `CASE WHEN ${time} > ${latest} THEN ${latest} ELSE ${time} END`;
const COVERED_UNTIL = capped('alert.covered_until', 'now()');

/** SQL: the texts of a list, for IN. */
const listOf = (kinds: readonly string[]) => ['NULL', ...kinds.map((kind) => `'${kind}'`)].join(', ');

/** SQL: what holds now, as `holding`, and what its parts have in common. */
function holding(conditions: readonly Condition[]): string {
  const common = conditions.flatMap(({ with: tables }) => tables ?? []);
  const parts = conditions.flatMap(({ kind, select, folded = 'false', covers }) => {
    const { members, newestAt, before } = coveredBy(kind, covers);
    return select
      ? `SELECT '${kind}' AS kind, restaurant_id::uuid, cause::text, count::int, ${newestAt} AS newest_at, '${kind}:' || object AS dedup_key, details,
           ${folded} AS folded, ${members} AS members
         FROM (${select}) AS found (restaurant_id, cause, count, newest_at, object, details) ${before}`
      : [];
  });
  return [...common, `holding AS MATERIALIZED (${parts.join('\nUNION ALL\n')})`].join(',\n');
}

/**
 * SQL: the restaurants that an alert of the platform covers, and the time of what begins a new round: now, when enough of them are of founders that were
 * not in it when it was acknowledged, or after its last step (G57).
 */
function coveredBy(kind: string, covers: Condition['covers']) {
  if (!covers) return { members: 'NULL::uuid[]', newestAt: 'newest_at', before: '' };
  const others = `SELECT coalesce(sum(number), 0) FROM (${covers.select}) AS covered (restaurant_id, party, number) WHERE NOT EXISTS (
    SELECT FROM restaurants known WHERE known.id = ANY (before.members) AND coalesce(known.founded_by, known.id) = covered.party)`;
  return {
    members: `ARRAY(SELECT covered.restaurant_id FROM (${covers.select}) AS covered (restaurant_id))`,
    newestAt: `CASE WHEN before.members IS NOT NULL AND (${others}) >= ${covers.newRoundFrom} THEN now() ELSE newest_at END`,
    before: `LEFT JOIN LATERAL (SELECT members FROM alerts WHERE dedup_key = '${kind}:' || object AND next_step_at IS NULL) AS before ON true`,
  };
}

/** SQL: whether a row of `alerts` that closes is solved (G3). */
function isSolved(conditions: readonly Condition[]): string {
  const parts = conditions.flatMap(({ kind, solved }) => (solved ? `WHEN '${kind}' THEN (${solved})` : []));
  return parts.length === 0 ? 'true' : `CASE kind ${parts.join('\n      ')} ELSE true END`;
}

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
 * The statement that compares the conditions with the open alerts (G1 to G3): it opens, updates and closes alerts, and adds the messages that an
 * alert is closed, for those who were notified. It closes no alert of a kind that this process has not loaded. Level-triggered: what a crash has prevented is done by the next call. $1: whether the
 * attempts of the last $2 ms are read, because nothing records outages with OUTBOX_PACE=tick. $3: this machine's clock, see `agreesWith`. What was
 * written while the database's clock was ahead neither keeps an alert open nor holds back a step (G43). What an alert of the platform covers opens no
 * alert; an open one stays open, and takes no step while it is covered (G55).
 */
export function reconciling(conditions: readonly Condition[]): PreparedStatement {
  const slow = listOf(conditions.filter(({ isSlow }) => isSlow).map(({ kind }) => kind));
  const longestStep = `now() + CASE WHEN alert.kind IN (${slow}) THEN interval '${DAY_S} seconds' ELSE interval '${REPEAT_S} seconds' END`;
  // an order was parked, or a sale refused, after somebody acknowledged the alert, or after its last step (G6); or the key has expired (G31); or a
  // founder joined (G57)
  const newRound = `(alert.next_step_at IS NULL OR alert.kind IN (${slow}))
    AND excluded.covered_until > coalesce(${COVERED_UNTIL}, '-infinity')`;
  return preparedStatement(
    'alerts',
    `
WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${TURN}) AS mine),
place AS MATERIALIZED (SELECT id FROM restaurants WHERE deleted_at IS NULL AND (SELECT mine FROM turn)),
${holding(conditions)},
-- covered_until carries the time of the newest parked order or refused sale, or when the key has expired; next_step_at is null of what is folded
opened AS (
  INSERT INTO alerts AS alert (id, restaurant_id, kind, cause, dedup_key, count, details, members, covered_until, next_step_at)
  SELECT gen_random_uuid(), restaurant_id, kind, cause, dedup_key, count, coalesce(details, '{}'), members, newest_at,
         CASE WHEN NOT folded THEN ${FIRST_STEP} END
  FROM holding WHERE NOT folded OR dedup_key IN (SELECT dedup_key FROM alerts WHERE dedup_key IS NOT NULL) ORDER BY dedup_key
  ON CONFLICT (dedup_key) DO UPDATE SET
    count = excluded.count, cause = excluded.cause, details = excluded.details, last_at = now(),
    -- who acknowledged it knows of those that were in it then
    members = CASE WHEN alert.next_step_at IS NULL AND (${newRound}) IS NOT TRUE THEN coalesce(alert.members, excluded.members) ELSE excluded.members END,
    covered_until = CASE WHEN ${newRound} THEN excluded.covered_until ELSE ${COVERED_UNTIL} END,
    first_step = CASE WHEN ${newRound} THEN alert.step ELSE alert.first_step END,
    next_step_at = CASE WHEN excluded.next_step_at IS NULL AND alert.next_step_at IS NOT NULL THEN greatest(${FIRST_STEP}, ${capped('alert.next_step_at', longestStep)})
      WHEN ${newRound} THEN excluded.next_step_at
      WHEN alert.step = alert.first_step THEN ${capped('alert.next_step_at', 'excluded.next_step_at')}
      ELSE ${capped('alert.next_step_at', longestStep)} END,
    acknowledged_at = CASE WHEN ${newRound} THEN NULL ELSE alert.acknowledged_at END,
    acknowledged_by = CASE WHEN ${newRound} THEN NULL ELSE alert.acknowledged_by END
  RETURNING id, kind, restaurant_id, cause, count, xmax = 0 AS is_new
),
closed AS (
  UPDATE alerts SET closed_at = now(), dedup_key = NULL, next_step_at = NULL,
    details = CASE WHEN ${isSolved(conditions)} THEN details ELSE details || '{"solved": false}' END
  WHERE dedup_key IS NOT NULL AND last_at NOT BETWEEN now() - ${ABSENT_FOR} AND ${AHEAD} AND (SELECT mine FROM turn)
    AND dedup_key NOT IN (SELECT dedup_key FROM holding) AND kind IN (${listOf(conditions.map(({ kind }) => kind))})
  RETURNING id, kind, restaurant_id, cause, count
),
-- to each user who was notified, once: by push, if push reached them
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
}
