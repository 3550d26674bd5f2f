-- Shows an order: its event, its jobs and all attempts. Changes nothing.
--   psql ... -v key=<key> -f prisma/sql/find-order.sql
-- The key is a transactionKey, as the terminal sent it or as it is stored (in test mode with its suffix), or a
-- transactionNumber. A key is unique within its restaurant only, and a number may belong to several orders: all are shown.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?key}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'which order? call it with -v key=<transactionKey or transactionNumber>'; END $$;
\endif
-- joined by restaurant, because the indexes of numbers and source keys begin with restaurant_id
SELECT coalesce(array_agg(transaction_key), '{}') AS keys, coalesce(array_agg(restaurant_id), '{}') AS owners, count(*) AS found
FROM (
    SELECT transaction_key, restaurant_id FROM terminal_events WHERE transaction_key = :'key'
    UNION
    SELECT event.transaction_key, restaurants.id FROM restaurants, LATERAL (
        SELECT transaction_key FROM terminal_events
        WHERE restaurant_id = restaurants.id AND transaction_number = :'key' OFFSET 0) AS event
    UNION
    SELECT event.transaction_key, restaurants.id FROM restaurants, LATERAL (
        SELECT transaction_key FROM terminal_events
        WHERE restaurant_id = restaurants.id AND test_mode AND source_key = :'key' OFFSET 0) AS event
) AS event \gset

\echo 'Events found:' :found
\x on
SELECT transaction_key, source_key, test_mode, restaurants.name AS restaurant, event.restaurant_id, transaction_number,
       transaction_date, received_at, paid_cents, amount_mismatch_cents, entered_at, entered_by, entered_note, jsonb_pretty(payload) AS payload
FROM terminal_events event JOIN restaurants ON restaurants.id = event.restaurant_id
WHERE (transaction_key, restaurant_id) IN (SELECT * FROM unnest(:'keys'::text[], :'owners'::uuid[]))
ORDER BY received_at, transaction_key, restaurant_id;
\x off

\echo 'Jobs'
SELECT event_key, id AS job, action, status, withdrawn, attempts, next_run_at, processing_at, locked_by, created_at,
       updated_at, resolved_at, cause, last_error, restaurant_id
FROM outbox_jobs WHERE (event_key, restaurant_id) IN (SELECT * FROM unnest(:'keys'::text[], :'owners'::uuid[]))
ORDER BY event_key, restaurant_id, created_at, action;

\echo 'Attempts'
SELECT job_id AS job, number, started_at, duration_ms, outcome, reach, http_status, error_code, cause, error
FROM delivery_attempts WHERE job_id IN (
    SELECT id FROM outbox_jobs WHERE (event_key, restaurant_id) IN (SELECT * FROM unnest(:'keys'::text[], :'owners'::uuid[])))
ORDER BY started_at, job_id, number;

\echo 'Removed after their delivery (OUTBOX_RETENTION_DAYS); the key stays refused'
SELECT transaction_key, source_key, test_mode, restaurant_id, job_id AS job, spent_at FROM spent_keys
WHERE (transaction_key = :'key' OR (test_mode AND source_key = :'key'))
  AND NOT EXISTS (SELECT 1 FROM terminal_events event
                  WHERE event.transaction_key = spent_keys.transaction_key AND event.restaurant_id = spent_keys.restaurant_id);
