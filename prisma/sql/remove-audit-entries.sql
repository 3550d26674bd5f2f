-- Removes the audit entries before a time. The database refuses every other removal or change of them.
--   psql ... -v before='2026-01-31 00:00+00' -f prisma/sql/remove-audit-entries.sql
-- It needs the owner of the table. Audited actions wait until it has finished.
\set ON_ERROR_STOP on
\if :{?before}
\else
\set VERBOSITY terse
DO $$ BEGIN RAISE EXCEPTION 'from before when? call it with -v before=''2026-01-31 00:00+00'''; END $$;
\endif
BEGIN;
ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_append_only;
DELETE FROM audit_entries WHERE at < :'before'::timestamptz;
\echo :ROW_COUNT 'audit entries removed'
ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_append_only;
COMMIT;
