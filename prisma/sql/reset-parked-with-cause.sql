-- Resets all parked (DLQ) jobs of exactly one cause, of every restaurant, so that their orders are sent again.
--   psql ... -v cause='HTTP 422, POS error 310: unknown product #' -f prisma/sql/reset-parked-with-cause.sql
--   psql ... -v md5=<md5 of the cause> -f prisma/sql/reset-parked-with-cause.sql
-- The cause is as list-parked.sql prints it, whole; its hash serves where it holds characters that no terminal should be given.
-- Jobs of cancelled orders, and of orders whose content was erased, are not changed.
\set ON_ERROR_STOP on
\if :{?cause}
\elif :{?md5}
SELECT coalesce((SELECT error_cause(last_error) FROM parked_jobs WHERE md5(error_cause(last_error)) = :'md5' LIMIT 1), '') AS cause
\gset
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'of which cause? call it with -v cause=''<the cause, as list-parked.sql prints it>'''; END $$;
\endif
SELECT id, event_key, status, next_run_at
FROM reset_jobs(ARRAY(SELECT id FROM parked_jobs WHERE error_cause(last_error) = :'cause' FOR UPDATE));
\echo UPDATE :ROW_COUNT
SELECT :ROW_COUNT = 0 AS nothing \gset
\if :nothing
\echo '0 jobs matched: nothing with this cause is parked; list-parked.sql prints the causes'
\endif
