-- Sends one parked (DLQ) or failed order again, at once and with all its attempts.
--   psql ... -v job=<job id> -f prisma/sql/reset-job.sql
-- The database refuses it for a job that is PROCESSING (a worker is sending it now), SENT (the POS has it), or withdrawn
-- (its order was cancelled).
\set ON_ERROR_STOP on
\if :{?job}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'which job? call it with -v job=<job id>'; END $$;
\endif
UPDATE outbox_jobs
SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL, locked_by = NULL,
    updated_at = now()
WHERE id = :'job'::uuid
RETURNING id, event_key, status, next_run_at;
