-- Resets all parked (DLQ) jobs of one restaurant, so that their orders are sent again.
--   psql ... -v restaurant=<restaurant id> -f prisma/sql/reset-parked-of-restaurant.sql
-- Jobs of cancelled orders, and of orders whose content was erased, are not changed.
\set ON_ERROR_STOP on
\if :{?restaurant}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'of which restaurant? call it with -v restaurant=<restaurant id>'; END $$;
\endif
SELECT id, event_key, status, next_run_at
FROM reset_jobs(ARRAY(SELECT id FROM parked_jobs WHERE restaurant_id = :'restaurant'::uuid FOR UPDATE));
\echo UPDATE :ROW_COUNT
SELECT :ROW_COUNT = 0 AS nothing \gset
\if :nothing
\echo '0 jobs matched: nothing of this restaurant is parked, there is no such restaurant, or it was deleted'
\endif
