#!/bin/sh
# Patroni runs this once, on the first primary, with the URL of its superuser.
# It makes the user and the database of the relay.
set -eu
psql="${POSTGRES_BIN}/psql --no-psqlrc --quiet --set ON_ERROR_STOP=1"

# the user that the relay connects with: it owns its database and nothing else
$psql "$1" <<'SQL'
CREATE ROLE relay LOGIN PASSWORD '${RELAY_PASSWORD}';
-- PgBouncer does not pass the relay's own settings on, so the role has them (docs/operations.md, PgBouncer)
ALTER ROLE relay SET statement_timeout = '4500ms';
ALTER ROLE relay SET lock_timeout = 0;
ALTER ROLE relay SET default_transaction_isolation = 'read committed';
ALTER ROLE relay SET idle_in_transaction_session_timeout = '20s';
ALTER ROLE relay SET jit = off;
ALTER ROLE relay SET enable_seqscan = off;
ALTER ROLE relay SET max_parallel_workers_per_gather = 0;
-- no role may give up the standby for itself
ALTER ROLE relay SET synchronous_commit = 'on';
CREATE DATABASE relay OWNER relay;
SQL
