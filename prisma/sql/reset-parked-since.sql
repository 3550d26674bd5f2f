-- Resets all jobs that were parked (DLQ) since a time, of every restaurant, so that their orders are sent again.
--   psql ... -v since='2026-01-31 18:00+00' -f prisma/sql/reset-parked-since.sql
-- Jobs of cancelled orders, and of orders whose content was erased, are not changed.
\set ON_ERROR_STOP on
\if :{?since}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'since when? call it with -v since=''2026-01-31 18:00+00'''; END $$;
\endif
SELECT id, event_key, status, next_run_at
FROM reset_jobs(ARRAY(SELECT id FROM parked_jobs WHERE updated_at >= :'since'::timestamptz FOR UPDATE));
\echo UPDATE :ROW_COUNT
SELECT :ROW_COUNT = 0 AS nothing \gset
\if :nothing
\echo '0 jobs matched: nothing was parked since then'
\endif
