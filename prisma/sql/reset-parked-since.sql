-- Sends all orders again that were parked (DLQ) since a time, of every restaurant.
--   psql ... -v since='2026-01-31 18:00+00' -f prisma/sql/reset-parked-since.sql
-- Orders that were cancelled stay as they are.
\set ON_ERROR_STOP on
\if :{?since}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'since when? call it with -v since=''2026-01-31 18:00+00'''; END $$;
\endif
UPDATE outbox_jobs
SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL, locked_by = NULL,
    updated_at = now()
WHERE status = 'DLQ' AND NOT withdrawn
  AND restaurant_id IN (SELECT id FROM restaurants WHERE deleted_at IS NULL) AND updated_at >= :'since'::timestamptz
RETURNING id, event_key, status, next_run_at;
