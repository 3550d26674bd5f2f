-- Sends all parked (DLQ) orders again whose last error contains a text, of every restaurant.
--   psql ... -v error='POS error 310' -f prisma/sql/reset-parked-with-error.sql
-- The text is taken literally, upper and lower case included: % and _ stand for themselves. Orders that were cancelled stay
-- as they are.
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
-- the error as it was, since the reset clears it
WITH parked AS MATERIALIZED (
    SELECT id, last_error FROM outbox_jobs
    WHERE status = 'DLQ' AND NOT withdrawn
  AND restaurant_id IN (SELECT id FROM restaurants WHERE deleted_at IS NULL) AND strpos(last_error, :'error') > 0
    FOR UPDATE
)
UPDATE outbox_jobs
SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL, locked_by = NULL,
    updated_at = now()
FROM parked
WHERE outbox_jobs.id = parked.id
RETURNING outbox_jobs.id, event_key, status, next_run_at, parked.last_error AS was;
