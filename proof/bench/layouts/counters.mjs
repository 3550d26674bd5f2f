// What Postgres counts: WAL of one database, versions of rows, sizes.
import { TABLES } from './variants.mjs';

/**
 * The WAL that `work` wrote into one database. The log is shared by all databases of the server, so its records are read: each names the
 * database of its pages. Commits name none; they are some 50 bytes for each statement.
 * @param admin queries a database that has the extension pg_walinspect, as a superuser
 * @returns `records`; `bytes` without images of whole pages, which depend on the time since the last checkpoint; `imageBytes`
 */
export async function walOf(admin, database, work) {
  const here = async () => (await admin('SELECT pg_current_wal_insert_lsn() AS lsn'))[0].lsn;
  const [{ oid }] = await admin('SELECT oid FROM pg_database WHERE datname = $1', [database]);
  // keeps the log until it is read: a checkpoint would remove it
  const slot = `bench_${process.pid}`;
  await admin('SELECT pg_create_physical_replication_slot($1, true, true)', [slot]);
  const from = await here();
  const result = await work();
  const to = await here();
  // a record that begins at the end is not written yet
  const [wal] = await admin(
    `SELECT count(*)::int AS records, coalesce(sum(record_length - fpi_length), 0)::float8 AS bytes,
            coalesce(sum(fpi_length), 0)::float8 AS "imageBytes"
     FROM pg_get_wal_records_info($1, least($2::pg_lsn, pg_current_wal_flush_lsn())) WHERE block_ref LIKE $3`,
    [from, to, `%/${oid}/%`],
  );
  await admin('SELECT pg_drop_replication_slot($1)', [slot]);
  return { ...wal, result };
}

/** `updates`: new versions of jobs so far; `hot`: those that wrote no index. */
export async function updatesOf(client) {
  await client.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await client.query(
    `SELECT coalesce(sum(n_tup_upd), 0)::int AS updates, coalesce(sum(n_tup_hot_upd), 0)::int AS hot FROM pg_stat_user_tables
     WHERE starts_with(relname, 'outbox_jobs')`,
  );
  return rows[0];
}

/** Bytes of each table and of its indexes, with all partitions. */
export async function sizesOf(client) {
  const { rows } = await client.query(
    `SELECT name, sum(pg_table_size(part))::float8 AS rows, sum(pg_indexes_size(part))::float8 AS indexes
     FROM unnest($1::text[]) WITH ORDINALITY AS name(name, place)
     CROSS JOIN LATERAL (
       SELECT to_regclass(name) AS part UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass(name)) AS parts
     WHERE part IS NOT NULL GROUP BY name, place ORDER BY place`,
    [[...Object.keys(TABLES), 'sale_keys']],
  );
  return rows;
}
