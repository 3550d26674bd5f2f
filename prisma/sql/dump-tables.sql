-- Prints the rows of all tables of the relay as a script for psql, to move them to another database (docs/operations.md,
-- Procedures). Changes nothing.
--   psql ... -f prisma/sql/dump-tables.sql > rows.sql
-- For the embedded database: pg_dump refuses a server that is newer than itself. The other database has the same migrations and no
-- rows. Only a relay that nobody calls, and that delivers nothing, may run meanwhile.
\set ON_ERROR_STOP on
\set QUIET on
\pset format unaligned
\pset tuples_only on
-- the embedded database keeps the whole answer to a statement in memory: a large table is read in parts of so many blocks (32 MiB)
\if :{?blocks}
\else
  \set blocks 4096
\endif
-- a table comes after those that its foreign keys lead to
WITH RECURSIVE tables (oid, place) AS (
  SELECT oid, 0 FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> '_prisma_migrations'
  UNION
  SELECT conrelid, place + 1 FROM tables JOIN pg_constraint ON confrelid = tables.oid AND contype = 'f'
  WHERE conrelid <> confrelid
), named (name, place, parts) AS (
  SELECT oid::regclass::text, max(place), pg_relation_size(oid) / current_setting('block_size')::int / :blocks
  FROM tables GROUP BY oid
)
SELECT statement FROM named, LATERAL (
  -- rows are taken as they are: a trigger would accept a link that waits to be accepted
  SELECT -1, format('SELECT %L', format('ALTER TABLE %s DISABLE TRIGGER USER; COPY %1$s FROM stdin;', name))
  UNION ALL
  SELECT part, format('COPY (SELECT * FROM %s WHERE ctid >= ''(%s,0)'' AND ctid < ''(%s,0)'') TO STDOUT', name, part * :blocks, (part + 1) * :blocks)
  FROM generate_series(0, parts) AS part
  UNION ALL
  SELECT parts + 1, format('SELECT %L', format(E'\\.\nALTER TABLE %s ENABLE TRIGGER USER;', name))
) AS script (step, statement)
ORDER BY place, name, step \gexec
