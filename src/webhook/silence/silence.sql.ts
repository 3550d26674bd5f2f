import { IS_REFUND } from '../../outbox/sale-kind.sql.js';
import { AHEAD, agreesWith } from '../../platform/database/clock.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import { roundLock } from '../../platform/schedule/round-lock.js';

/** An hour is usual if it had at least `sales` in `weeks` of the last `ofWeeks` weeks; a restaurant is silent after `silence` without a sale (L245). */
const USUAL = { sales: 3, weeks: 4, ofWeeks: 5, silence: "interval '60 minutes'" } as const;
/** The most events that are read of an hour, and the most restaurants, and hours of each, of a statement (L246). */
const MOST = { events: 100, restaurants: 10, hours: 36, catchUp: 24 } as const;
/** `received_at` is when the transaction of a sale began (W25): within SETTLED it is committed. An hour counted later than ON_TIME is not compared (L247). */
const SETTLED = "interval '30 seconds'";
const ON_TIME = "interval '10 minutes'";
/** Hours before this time are not counted; the counts of such hours are removed (L248). */
const COUNTED_FOR = "interval '36 days'";
const KEPT_FOR = "interval '37 days'";
/** A silence without a sale ends this long after the last usual hour (L249). */
const LASTS = "interval '7 days'";
const REMOVED = 1_000;

/** One instance at a time works on a restaurant's hours; the lock ends with the statement's transaction. */
const TURN = `turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${roundLock('silence.round')}) AS mine)`;
/** SQL: whether this instance has the turn, and the clocks agree (S36). $1: this machine's clock, see `agreesWith`. */
const MAY_RUN = `(SELECT mine FROM turn) AND ${agreesWith('$1')}`;

/** Adds the restaurants that have no row yet; those from before the upgrade begin COUNTED_FOR ago. */
export const BEGIN = preparedStatement(
  'silence_begin',
  `WITH ${TURN}
   INSERT INTO sale_rhythms (restaurant_id, counted_until)
   SELECT id, date_trunc('hour', greatest(least(created_at, now()), now() - ${COUNTED_FOR}), timezone) FROM restaurants
   WHERE deleted_at IS NULL AND id NOT IN (SELECT restaurant_id FROM sale_rhythms) AND ${MAY_RUN}
   ON CONFLICT DO NOTHING`,
);

/** SQL: how many sales of the hour `at` of `behind` were counted; null: none. A look-up by key (decisions/032). */
const salesOf = (at: string) =>
  `(SELECT sales FROM sale_hours WHERE hour = ${at} AND sale_hours.restaurant_id = behind.restaurant_id)`;

/**
 * Counts the hours that have ended and are not counted yet (G60), for a few restaurants, the furthest behind first. Hours are those of the
 * restaurant's clock. Counting an hour twice gives the same row. It returns a row for each restaurant that it has counted.
 *
 * If exactly one hour had to be counted, and in time, an instance was running: then the hour that has just begun is compared with those of the weeks
 * before. If several had to be counted, the relay was down, and which sales did not arrive is unknown. Many hours are counted in parts that never
 * leave exactly one.
 */
export const COUNT = preparedStatement(
  'silence_count',
  `WITH ${TURN},
   behind AS MATERIALIZED (
     SELECT *, CASE WHEN due <= ${MOST.hours} THEN due ELSE ${MOST.catchUp} END AS taken FROM (
       SELECT rhythm.restaurant_id, timezone, ended, start, floor(extract(epoch FROM ended - start) / 3600)::int AS due
       FROM sale_rhythms rhythm JOIN restaurants ON restaurants.id = rhythm.restaurant_id AND deleted_at IS NULL
       CROSS JOIN LATERAL (SELECT date_trunc('hour', now() - ${SETTLED}, timezone) AS ended) AS last
       -- a time of the future was written while the clock was ahead
       CROSS JOIN LATERAL (
         SELECT date_trunc('hour', least(greatest(counted_until, now() - ${COUNTED_FOR}), ended - interval '1 hour'), timezone) AS start) AS first
       WHERE (counted_until <= now() - interval '1 hour' AND counted_until <= ended - interval '1 hour' OR counted_until > ${AHEAD}) AND ${MAY_RUN}
       ORDER BY counted_until, rhythm.restaurant_id LIMIT ${MOST.restaurants}) AS picked
   ),
   counted AS MATERIALIZED (
     SELECT behind.restaurant_id, hour, sales FROM behind
     CROSS JOIN LATERAL generate_series(start, start + (taken - 1) * interval '1 hour', interval '1 hour') AS hour
     CROSS JOIN LATERAL (
       SELECT (count(*) FILTER (WHERE NOT test_mode AND NOT ${IS_REFUND.sql}))::int AS sales FROM (
         SELECT test_mode, paid_cents, amount_mismatch_cents FROM terminal_events
         WHERE restaurant_id = behind.restaurant_id AND received_at >= hour AND received_at < hour + interval '1 hour'
         ORDER BY received_at LIMIT ${MOST.events}) AS event) AS found
     WHERE sales > 0
   ),
   kept AS (
     INSERT INTO sale_hours (restaurant_id, hour, sales) SELECT restaurant_id, hour, sales FROM counted
     ON CONFLICT (hour, restaurant_id) DO UPDATE SET sales = excluded.sales
   )
   UPDATE sale_rhythms AS rhythm SET
     counted_until = start + taken * interval '1 hour',
     first_hour = coalesce(CASE WHEN first_hour <= ${AHEAD} THEN first_hour END,
       (SELECT min(hour) FROM counted WHERE counted.restaurant_id = rhythm.restaurant_id)),
     usual_hour = CASE
       WHEN due = 1 AND now() < ended + ${ON_TIME} AND first_hour <= ended - ${USUAL.ofWeeks} * interval '7 days' AND (
         SELECT count(*) FROM generate_series(1, ${USUAL.ofWeeks}) AS week
         -- by the clock of the restaurant
         CROSS JOIN LATERAL (SELECT ((ended AT TIME ZONE timezone) - week * interval '7 days') AT TIME ZONE timezone AS at) AS before
         WHERE ${salesOf('before.at')} >= ${USUAL.sales} AND ${salesOf("before.at - interval '1 hour'")} >= ${USUAL.sales}) >= ${USUAL.weeks}
       THEN ended ELSE usual_hour END
   FROM behind WHERE behind.restaurant_id = rhythm.restaurant_id
   RETURNING rhythm.restaurant_id::text AS id`,
);

/**
 * Writes which restaurants are silent (G59). It looks at restaurants in a usual hour and at those that are silent already; the newest event of each
 * is one look-up in an index. A silence lasts beyond the end of the hour.
 */
export const JUDGE = preparedStatement(
  'silence_judge',
  `WITH ${TURN},
   found AS MATERIALIZED (
     SELECT rhythm.restaurant_id, CASE
       WHEN now() >= usual_hour AND now() < usual_hour + interval '1 hour' AND last.at <= now() - ${USUAL.silence} THEN last.at
       WHEN coalesce(last.at, '-infinity') <= silent_since AND silent_since <= ${AHEAD} AND usual_hour > now() - ${LASTS} THEN silent_since
       END AS since
     FROM sale_rhythms rhythm
     LEFT JOIN LATERAL (
       SELECT received_at AS at FROM terminal_events
       WHERE restaurant_id = rhythm.restaurant_id AND received_at <= ${AHEAD} ORDER BY received_at DESC LIMIT 1) AS last ON true
     WHERE (silent_since IS NOT NULL OR usual_hour > now() - interval '1 hour') AND ${MAY_RUN}
   )
   UPDATE sale_rhythms AS rhythm SET silent_since = since
   FROM found WHERE found.restaurant_id = rhythm.restaurant_id AND silent_since IS DISTINCT FROM since`,
);

/** Removes old counts; a row for each. */
export const REMOVE = preparedStatement(
  'silence_remove',
  `DELETE FROM sale_hours WHERE (hour, restaurant_id) IN (
     SELECT hour, restaurant_id FROM sale_hours WHERE hour < now() - ${KEPT_FOR} AND ${agreesWith('$1')} ORDER BY hour LIMIT ${REMOVED})
   RETURNING 1 AS removed`,
);
