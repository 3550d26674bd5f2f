import { IS_REFUND } from '../../outbox/sale-kind.sql.js';
import { preparedStatement } from '../../platform/database/prepared.js';

/**
 * A list begins this long before the time of the cursor, in s. The time is only the range of an index; the snapshot decides what is
 * new. A transaction that began earlier stands in the cursor.
 */
const OVERLAP_SECONDS = 30;
/** A transaction is named in a cursor when it began this long before, in s: younger ones are in the overlap. */
const OPEN_SECONDS = 20;
/** No list begins earlier, in days (L130). */
const MOST_DAYS = 31;

/** A session's id that no session has: its transaction has always ended. */
export const NO_SESSION = 0;

/** The most receipts of a page (L66). */
export const PAGE = 100;

const timeOf = (microseconds: string) => `(timestamptz 'epoch' + ${microseconds} * interval '1 microsecond')`;
const microsecondsOf = (time: string) => `(extract(epoch FROM ${time}) * 1000000)::bigint::text`;

/**
 * What runs in this database, apart from this session. The begin of a transaction is NULL for those who may not see its session, and of a session with
 * `track_activities` off: a superuser sets that for itself, a role, a database or the server.
 */
const SESSIONS = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/**
 * What is open before the snapshot of a list is taken (V22): a transaction that the snapshot does not see is among these, or begins later.
 * `begin` in µs. `hides`: others may be open whose begin this session cannot see, or whose session has ended (prepared transactions); `known` are the
 * ids (32 bits) of those that it sees, `hidden` of the others: a snapshot does not name the newest ids that run.
 */
export const OPEN = preparedStatement(
  'receipts_open',
  `SELECT ${microsecondsOf('now()')} AS at,
          EXISTS (SELECT 1 FROM pg_prepared_xacts WHERE database = current_database())
            OR coalesce(bool_or(query = '<insufficient privilege>' OR state = 'disabled'), false) AS hides,
          coalesce(json_agg(json_build_object('pid', pid, 'xid', NULL, 'begin', ${microsecondsOf('xact_start')}) ORDER BY xact_start)
            FILTER (WHERE xact_start < now() - interval '${OPEN_SECONDS} seconds'), '[]') AS open,
          coalesce(json_agg(backend_xid::text) FILTER (WHERE backend_xid IS NOT NULL AND xact_start IS NOT NULL), '[]') AS known,
          array_to_json(array_agg(backend_xid::text) FILTER (WHERE backend_xid IS NOT NULL AND xact_start IS NULL)
            || ARRAY(SELECT transaction::text FROM pg_prepared_xacts WHERE database = current_database())) AS hidden
   ${SESSIONS} AND coalesce(backend_type, '') NOT IN ('autovacuum worker', 'parallel worker')`,
);

/** The database whose transactions have these ids: after a failover, or a restore on another server, ids name other transactions. */
const DATABASE = `(SELECT system_identifier FROM pg_control_system()) || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/** The id of the transaction that wrote the row. `xmin` has 32 bits of it; the rest is that of the next id, because the row is no 2^32 transactions old. */
const writerOf = (row: string) => `((here.next - ((here.next - ${row}.xmin::text::bigint) & 4294967295))::text::xid8)`;

/** The condition that the snapshot `seen` does not see the row, and `until`, if there is one, does. */
const isNew = (row: string, writer = writerOf(row)) => `NOT pg_visible_in_snapshot(${writer}, wanted.seen)
          AND (wanted.until IS NULL OR pg_visible_in_snapshot(${writer}, wanted.until))`;

// The order of a list: time; stored before settled; the keys of the row. Each branch has the order of an index, which it walks without a
// sort, whatever the planner knows of the tables (decisions/032).
const STORED_AFTER = `event.received_at >= since AND (after_at IS NULL OR event.received_at > after_at
            OR (event.received_at = after_at AND NOT after_settled AND (event.transaction_key, event.restaurant_id) > (after_key, after_id)))`;
const settledAfter = (at: string, id: string) => `${at} >= since AND (after_at IS NULL OR ${at} > after_at
            OR (${at} = after_at AND (NOT after_settled OR ${id} > after_id)))`;

// looked up by their keys
const CREATE = `CROSS JOIN LATERAL (SELECT id, status, withdrawn, cause, updated_at, resolved_at FROM outbox_jobs
      WHERE event_key = event.transaction_key AND restaurant_id = event.restaurant_id AND action = 'CREATE' LIMIT 1) AS made`;
const CANCEL = `LEFT JOIN LATERAL (SELECT status, cause, updated_at, resolved_at FROM outbox_jobs
      WHERE event_key = event.transaction_key AND restaurant_id = event.restaurant_id AND action = 'CANCEL' LIMIT 1) AS cancel ON true`;
const STATE = `order_state(made.status, made.withdrawn, cancel.status, ${IS_REFUND.sql}, coalesce(made.resolved_at, cancel.resolved_at) IS NOT NULL)`;

/** SQL: whether the POS refused an order that it had (Q16). @param job its parked CREATE job */
const isRefusedByPos = (job: string) => `(${job}.cause = 'refused' AND EXISTS (
    SELECT FROM pos_acceptances WHERE job_id = ${job}.id AND pos_acceptances.state = 'REFUSED'))`;
const ACCEPTED = `LEFT JOIN LATERAL (SELECT created_at FROM pos_acceptances
      WHERE job_id = made.id AND state = 'ACCEPTED' ORDER BY "offer" DESC LIMIT 1) AS accepted ON made.status = 'SENT'`;

/** The rows of a list: its condition for an event and a job, and the restaurants that are read one by one. */
interface List {
  readonly from: string;
  readonly event: string;
  readonly job: string;
  readonly accepted: string;
  /** what the order begins with: of several indexes it fits that of the restaurant alone, whatever the planner expects (V30) */
  readonly ofRestaurant: (table: 'accepted' | 'event' | 'job') => string;
}

/**
 * A page for each wanted list: the sales that were stored, the jobs that were settled, and the orders that the POS accepted, since the cursor. Each branch walks one index
 * in the order of the list, and looks up the orders of a page only.
 */
const pages = (label: string, { from, event, job, accepted, ofRestaurant }: List) =>
  preparedStatement(
    label,
    `WITH here AS MATERIALIZED (
    SELECT pg_current_snapshot() AS snapshot, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next, ${DATABASE} AS database,
           now() AS at
  ), running AS MATERIALIZED (
    -- read after the snapshot was taken, which therefore sees nothing of these
    SELECT pid, ${microsecondsOf('xact_start')}::bigint AS begin ${SESSIONS} AND xact_start IS NOT NULL
  ), wanted AS MATERIALIZED (
    SELECT number, "restaurantIds" AS restaurant_ids, is_same, known.seen,
           (CASE WHEN is_same THEN until END)::pg_snapshot AS until, CASE WHEN is_same THEN ${timeOf('"afterAt"')} END AS after_at,
           "afterSettled" AS after_settled, "afterKey" AS after_key, "afterId" AS after_id,
           CASE WHEN is_same AND "afterAt" IS NOT NULL THEN ${timeOf('"afterAt"')}
             ELSE greatest(least(begins, ended), here.at - interval '${MOST_DAYS} days') END AS since,
           greatest(least(begins, left_at), here.at - interval '${MOST_DAYS} days') AS met
    FROM here, json_to_recordset($1::json) AS given(
        number int, "restaurantIds" uuid[], database text, seen text, until text, since bigint, "elapsedMs" float8, open json,
        "afterAt" bigint, "afterSettled" boolean, "afterKey" text, "afterId" uuid),
      LATERAL (SELECT coalesce(given.database = here.database, false) AS is_same) AS same,
      LATERAL (SELECT (CASE WHEN is_same THEN given.seen ELSE '1:1:' END)::pg_snapshot AS seen) AS known,
      -- the clock of the database may have gone back since the cursor, and forward again: then what was written since has times of before the cursor
      LATERAL (SELECT min(hour) AS marked FROM clock_marks mark WHERE is_same AND NOT pg_visible_in_snapshot(${writerOf('mark')}, known.seen)) AS marks,
      LATERAL (SELECT least(${timeOf('since')}, marked, here.at - coalesce("elapsedMs", 0) * interval '1 millisecond')
                        - interval '${OVERLAP_SECONDS} seconds' AS begins) AS clock,
      LATERAL (
        -- the columns round a time to ms
        SELECT min(${timeOf('begin')}) - interval '1 second' AS ended,
               min(${timeOf('begin')}) FILTER (WHERE xid IS NULL AND pid <> ${NO_SESSION}) - interval '1 second' AS left_at
        FROM json_to_recordset(given.open) AS was(pid int, xid text, begin bigint)
        WHERE NOT is_same OR NOT CASE WHEN xid IS NULL THEN (pid, begin) IN (SELECT pid, begin FROM running)
                                      ELSE NOT pg_visible_in_snapshot(xid::xid8, here.snapshot) END) AS back
  ), change AS (
    SELECT wanted.number, row.*
    FROM wanted CROSS JOIN here CROSS JOIN LATERAL (
      SELECT either.* FROM ${from} (
        (SELECT event.received_at AS at, false AS is_settled, event.transaction_key AS key, event.restaurant_id AS id,
                event.transaction_key AS event_key, event.restaurant_id AS of_restaurant, NULL::job_status AS status,
                NULL::job_action AS action, NULL AS cause, NULL::timestamptz AS resolved_at
         FROM terminal_events event
         WHERE ${event} AND ${STORED_AFTER} AND ${isNew('event')}
         ORDER BY ${ofRestaurant('event')}event.received_at, event.transaction_key, event.restaurant_id LIMIT ${PAGE + 1})
        UNION ALL
        (SELECT job.updated_at, true, '', job.id, job.event_key, job.restaurant_id, job.status, job.action, job.cause, job.resolved_at
         FROM outbox_jobs job
         WHERE ${job} AND job.status IN ('SENT', 'DLQ') AND NOT job.withdrawn AND job.cause IS DISTINCT FROM 'refund' AND ${settledAfter('job.updated_at', 'job.id')} AND ${isNew('job')}
         ORDER BY ${ofRestaurant('job')}job.updated_at, job.id LIMIT ${PAGE + 1})
        UNION ALL
        (SELECT accepted.created_at, true, '', accepted.id, (SELECT event_key FROM outbox_jobs WHERE id = accepted.job_id), accepted.restaurant_id,
                NULL, NULL, NULL, NULL
         FROM pos_acceptances accepted
         WHERE ${accepted} AND accepted.state = 'ACCEPTED' AND ${settledAfter('accepted.created_at', 'accepted.id')}
           AND ${isNew('accepted', 'accepted.written_by::text::xid8')}
         ORDER BY ${ofRestaurant('accepted')}accepted.created_at, accepted.id LIMIT ${PAGE + 1})
      ) AS either ORDER BY at, is_settled, key, id LIMIT ${PAGE + 1}
    ) AS row
  )
  SELECT number, here.snapshot::text, here.database, ${microsecondsOf('here.at')} AS at, is_same AS "isSame", ${microsecondsOf('met')} AS met,
         "receiptAt", "isSettled", key, receipt.id, type, "restaurantId", "transactionKey", "jobId", state, cause
  FROM wanted CROSS JOIN here LEFT JOIN (
    SELECT number, ${microsecondsOf('change.at')} AS "receiptAt", is_settled AS "isSettled", key, change.id::text AS id,
           CASE WHEN NOT is_settled THEN 'stored' WHEN action IS NULL THEN 'accepted' WHEN change.resolved_at IS NOT NULL THEN 'resolved'
             WHEN change.status = 'DLQ' THEN CASE WHEN ${isRefusedByPos('change')} THEN 'refused' ELSE 'parked' END
             WHEN action = 'CANCEL' THEN 'cancelled' ELSE 'delivered' END AS type,
           of_restaurant::text AS "restaurantId", event.source_key AS "transactionKey", made.id::text AS "jobId", ${STATE} AS state,
           CASE WHEN change.status = 'DLQ' AND change.resolved_at IS NULL THEN change.cause END AS cause
    FROM change CROSS JOIN LATERAL (
      SELECT transaction_key, restaurant_id, source_key, paid_cents, amount_mismatch_cents FROM terminal_events
      WHERE transaction_key = change.event_key AND restaurant_id = of_restaurant LIMIT 1) AS event
    ${CREATE} ${CANCEL}
    ORDER BY number, change.at, is_settled, key, change.id
  ) AS receipt USING (number)`,
  );

/** The lists of restaurants. */
export const OF_RESTAURANTS = pages('receipts', {
  from: 'unnest(wanted.restaurant_ids) AS restaurant(restaurant_id) CROSS JOIN LATERAL',
  event: 'event.restaurant_id = restaurant.restaurant_id',
  job: 'job.restaurant_id = restaurant.restaurant_id',
  accepted: 'accepted.restaurant_id = restaurant.restaurant_id',
  ofRestaurant: (table) => `${table}.restaurant_id, `,
});

/** The list of what the platform sent, for all restaurants. */
export const OF_PLATFORM = pages('receipts_of_platform', {
  from: '',
  event: 'event.of_platform',
  job: `(SELECT of_platform FROM terminal_events sent WHERE sent.transaction_key = job.event_key AND sent.restaurant_id = job.restaurant_id)`,
  accepted: `(SELECT of_platform FROM outbox_jobs job JOIN terminal_events sent ON sent.transaction_key = job.event_key AND sent.restaurant_id = job.restaurant_id
              WHERE job.id = accepted.job_id)`,
  ofRestaurant: () => '',
});

/** The last change of one order. Values: a job of it; the restaurants of the sender, or null for what the platform sent. */
export const ONE = preparedStatement(
  'receipt',
  `SELECT CASE WHEN state IN ('waiting', 'refund') OR cause = 'refund' THEN 'stored' WHEN state = 'parked' AND refused THEN 'refused'
      WHEN state = 'delivered' AND accepted THEN 'accepted' ELSE state END AS type, "restaurantId", "transactionKey", "jobId", state,
          nullif(cause, 'refund') AS cause,
          ${microsecondsOf('at')} AS "receiptAt"
  FROM (
    SELECT event.restaurant_id::text AS "restaurantId", event.source_key AS "transactionKey", made.id::text AS "jobId", ${STATE} AS state,
           CASE WHEN coalesce(made.resolved_at, cancel.resolved_at) IS NOT NULL THEN NULL
             WHEN cancel.status = 'DLQ' THEN cancel.cause WHEN made.status = 'DLQ' AND NOT made.withdrawn THEN made.cause END AS cause,
           cancel.status IS NULL AND ${isRefusedByPos('made')} AS refused, accepted.created_at IS NOT NULL AS accepted,
           coalesce(cancel.updated_at, accepted.created_at, CASE WHEN made.status IN ('SENT', 'DLQ') THEN made.updated_at END, event.received_at) AS at
    FROM outbox_jobs job
    JOIN terminal_events event ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
    ${CREATE} ${CANCEL} ${ACCEPTED}
    WHERE job.id = $1::uuid AND (CASE WHEN $2::uuid[] IS NULL THEN event.of_platform ELSE event.restaurant_id = ANY ($2::uuid[]) END)
  ) AS receipt`,
);
