-- Sends all parked (DLQ) orders of one restaurant again.
--   psql ... -v restaurant=<restaurant id> -f prisma/sql/reset-parked-of-restaurant.sql
-- Orders that were cancelled stay as they are.
\set ON_ERROR_STOP on
\if :{?restaurant}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'of which restaurant? call it with -v restaurant=<restaurant id>'; END $$;
\endif
UPDATE outbox_jobs
SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL, locked_by = NULL,
    updated_at = now()
WHERE restaurant_id = :'restaurant'::uuid AND status = 'DLQ' AND NOT withdrawn
RETURNING id, event_key, status, next_run_at;
