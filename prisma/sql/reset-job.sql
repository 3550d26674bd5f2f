-- Resets one parked (DLQ) or failed job: it is sent again, due now and with attempts 0.
--   psql ... -v job=<job id> -f prisma/sql/reset-job.sql
-- It is an error for a job that is PROCESSING (a worker is sending it), SENT (the POS has it), or withdrawn (the order was
-- cancelled). An order that cannot be mapped is parked again: see list-parked.sql.
\set ON_ERROR_STOP on
\if :{?job}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'which job? call it with -v job=<job id>'; END $$;
\endif
SELECT id, event_key, status, next_run_at FROM reset_jobs(ARRAY[:'job'::uuid]);
\echo UPDATE :ROW_COUNT
SELECT :ROW_COUNT = 0 AS nothing \gset
\if :nothing
SELECT EXISTS (SELECT 1 FROM outbox_jobs WHERE id = :'job'::uuid AND withdrawn) AS withdrawn \gset
\if :withdrawn
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'this job is withdrawn: it cannot be moved to PENDING. This order was cancelled; it is never sent.'; END $$;
\endif
\echo '0 jobs matched: there is no such job, or its restaurant was deleted'
\endif
