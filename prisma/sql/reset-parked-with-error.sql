-- Resets all parked (DLQ) jobs whose last error contains a text, of every restaurant, so that their orders are sent again.
--   psql ... -v error='POS error 310' -f prisma/sql/reset-parked-with-error.sql
--   psql ... -v error='items[#].integration_code: # is unknown' -f prisma/sql/reset-parked-with-error.sql
-- The text is part of the error, or of its cause as list-parked.sql prints it. It is matched literally and case-sensitively:
-- %, _ and # are no wildcards. Jobs of cancelled orders, and of orders whose content was erased, are not changed.
\set ON_ERROR_STOP on
\if :{?error}
SELECT :'error' = '' AS nothing \gset
\else
\set nothing true
\endif
\if :nothing
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'with which error? call it with -v error=''<part of the last error>'''; END $$;
\endif
-- prints the error from before the reset, which clears it
WITH parked AS MATERIALIZED (
    SELECT id, last_error FROM parked_jobs
    WHERE strpos(last_error, :'error') > 0 OR strpos(error_cause(last_error), :'error') > 0
    FOR UPDATE
)
SELECT id, event_key, status, next_run_at, parked.last_error AS was
FROM reset_jobs(ARRAY(SELECT id FROM parked)) AS job JOIN parked USING (id);
\echo UPDATE :ROW_COUNT
SELECT :ROW_COUNT = 0 AS nothing \gset
\if :nothing
\echo '0 jobs matched: no parked order has this text in its error or in its cause; list-parked.sql prints the causes'
\endif
