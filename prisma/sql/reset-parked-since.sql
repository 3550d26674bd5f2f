-- Resets all jobs that were parked (DLQ) since a time, of every restaurant, so that their orders are sent again.
--   psql ... -v since='2026-01-31 18:00+00' -f prisma/sql/reset-parked-since.sql
-- Jobs of cancelled orders are not changed.
\set ON_ERROR_STOP on
\if :{?since}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'since when? call it with -v since=''2026-01-31 18:00+00'''; END $$;
\endif
UPDATE parked_jobs
SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL, locked_by = NULL,
    updated_at = now()
WHERE updated_at >= :'since'::timestamptz
RETURNING id, event_key, status, next_run_at;
SELECT :ROW_COUNT = 0 AS nothing \gset
\if :nothing
\echo '0 jobs matched: nothing was parked since then'
\endif
