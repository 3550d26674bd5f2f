-- Erases the content of one sale: what the terminal sent besides keys, times and amounts, what was sent to the POS, and texts of errors.
--   psql ... -v restaurant=<restaurant id> -v key=<transaction key, as stored> -f prisma/sql/erase-order.sql
-- Takings still add up, and the sale is still refused as a duplicate. It cannot be undone, and it is audited. It is an error while the
-- order or its cancel waits or is being sent.
\set ON_ERROR_STOP on
\if :{?restaurant}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'of which restaurant? call it with -v restaurant=<restaurant id>'; END $$;
\endif
\if :{?key}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'which sale? call it with -v key=<transaction key, as stored>'; END $$;
\endif
WITH erased AS (
    SELECT key FROM erase_orders(:'restaurant'::uuid, ARRAY[:'key'], 'operator ' || session_user) AS key
), entry AS (
    INSERT INTO audit_entries (id, restaurant_id, action, target, details)
    SELECT gen_random_uuid(), :'restaurant'::uuid, 'order.erased', key, jsonb_build_object('operator', session_user) FROM erased
)
SELECT key AS erased FROM erased;
SELECT :ROW_COUNT = 0 AS nothing \gset
\if :nothing
SELECT erased_at IS NULL AS under_way FROM terminal_events
WHERE transaction_key = :'key' AND restaurant_id = :'restaurant'::uuid
UNION ALL SELECT false LIMIT 1 \gset
\if :under_way
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'the order or its cancel is on its way to the POS: wait for the result or cancel the order, then erase it'; END $$;
\endif
\echo '0 sales erased: there is no such sale of this restaurant, or it was erased before'
\endif
