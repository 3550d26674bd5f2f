#!/bin/sh
# Patroni runs this once, on the first primary, with the URL of its superuser.
# It makes the user and the database of the relay.
set -eu

exec "${POSTGRES_BIN}/psql" --no-psqlrc --quiet --set ON_ERROR_STOP=1 "$1" <<'SQL'
-- the user that the relay connects with: it owns its database and nothing else
CREATE ROLE relay LOGIN PASSWORD '${RELAY_PASSWORD}';
-- PgBouncer does not pass the relay's own settings on, so the role has them (docs/operations.md, PgBouncer)
-- below DATABASE_TIMEOUT_MS: no statement goes on whose relay has given up
ALTER ROLE relay SET statement_timeout = '4500ms';
-- statement_timeout is the one limit
ALTER ROLE relay SET lock_timeout = 0;
-- what the statements of the relay are written for
ALTER ROLE relay SET default_transaction_isolation = 'read committed';
-- a transaction whose relay has died ends, and its locks with it
ALTER ROLE relay SET idle_in_transaction_session_timeout = '20s';
-- costs more than it saves on short statements
ALTER ROLE relay SET jit = off;
-- plans do not depend on statistics (docs/decisions/032)
ALTER ROLE relay SET enable_seqscan = off;
-- a report leaves the processors to the sales
ALTER ROLE relay SET max_parallel_workers_per_gather = 0;
-- no role may give up the standby for itself
ALTER ROLE relay SET synchronous_commit = 'on';
-- all tables are the relay's own: it makes them when it starts
CREATE DATABASE relay OWNER relay;
SQL
