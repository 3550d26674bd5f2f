-- Resets one parked (DLQ) or failed job: it is sent again, due now and with attempts 0.
--   psql ... -v job=<job id> -f prisma/sql/reset-job.sql
-- It is an error for a job that is PROCESSING (a worker is sending it), SENT (the POS has it), or withdrawn (the order was
-- cancelled), or whose sale has no content any more (it was erased). An order that cannot be mapped is parked again: see list-parked.sql.
-- It is also an error for a job that is settled: staff entered its order in the till or settled it by hand, or it is a refund. The till would
-- have the order twice. Whoever has removed it from the till, or knows that it is not there, adds -v entered=true: this ends the entry.
\set ON_ERROR_STOP on
\if :{?job}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'which job? call it with -v job=<job id>'; END $$;
\endif
\if :{?entered}
\else
\set entered false
\endif
SELECT EXISTS (SELECT 1 FROM outbox_jobs WHERE id = :'job'::uuid AND status = 'DLQ' AND resolved_at IS NOT NULL) AS settled,
       NOT :'entered'::boolean AS refuses \gset
\if :settled
\if :refuses
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'this job is settled: staff entered its order in the till or settled it by hand, or it is a refund (see find-order.sql). To send it although: -v entered=true'; END $$;
\endif
BEGIN;
-- else the database skips it
SET LOCAL relay.force = 'on';
\endif
SELECT id, event_key, status, next_run_at FROM reset_jobs(ARRAY[:'job'::uuid]);
\set changed :ROW_COUNT
\if :settled
COMMIT;
\endif
\echo UPDATE :changed
SELECT :changed = 0 AS nothing \gset
\if :nothing
SELECT EXISTS (SELECT 1 FROM outbox_jobs WHERE id = :'job'::uuid AND withdrawn) AS withdrawn \gset
\if :withdrawn
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'this job is withdrawn: it cannot be moved to PENDING. This order was cancelled; it is never sent.'; END $$;
\endif
SELECT EXISTS (SELECT 1 FROM outbox_jobs JOIN terminal_events ON transaction_key = event_key AND terminal_events.restaurant_id = outbox_jobs.restaurant_id
               WHERE id = :'job'::uuid AND action = 'CREATE' AND erased_at IS NOT NULL) AS erased \gset
\if :erased
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'the content of this sale was erased: it cannot be sent. Enter it in the POS by hand.'; END $$;
\endif
\echo '0 jobs matched: there is no such job, or its restaurant was deleted'
\endif
