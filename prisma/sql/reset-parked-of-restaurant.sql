-- Resets all parked (DLQ) jobs of one restaurant, so that their orders are sent again.
--   psql ... -v restaurant=<restaurant id> -f prisma/sql/reset-parked-of-restaurant.sql
-- Jobs of cancelled orders are not changed.
\set ON_ERROR_STOP on
\if :{?restaurant}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'of which restaurant? call it with -v restaurant=<restaurant id>'; END $$;
\endif
UPDATE parked_jobs
SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL, locked_by = NULL,
    updated_at = now()
WHERE restaurant_id = :'restaurant'::uuid
RETURNING id, event_key, status, next_run_at;
SELECT :ROW_COUNT = 0 AS nothing \gset
\if :nothing
\echo '0 jobs matched: nothing of this restaurant is parked, there is no such restaurant, or it was deleted'
\endif
