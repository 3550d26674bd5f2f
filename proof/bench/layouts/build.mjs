// Makes a database in one of the layouts, with a year of delivered orders.
import { LimitedClient } from '../../../src/platform/database/connection.ts';
import { migrate } from '../../../src/platform/database/migrations/migrations.ts';
import { connectionConfig } from '../../../src/platform/database/pool.ts';
import { TABLES, VARIANTS } from './variants.mjs';

const RESTAURANTS = 20;
/** No statement of the fill takes longer, in ms. */
const LIMIT_MS = 1_800_000;
const NAMES = Object.keys(TABLES);

/** A connection as the relay opens it. */
export async function connect(url, { readsTables = false } = {}) {
  const client = new LimitedClient(
    connectionConfig(url, { connectMs: 10_000, statementMs: LIMIT_MS, readsTables }, true),
  );
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Migrates an empty database, changes it into a layout, and fills it.
 * @param orders how many delivered orders it gets, evenly over the last 365 days and 20 restaurants
 * @returns the ids of the restaurants
 */
export async function build(url, layout, orders) {
  const client = await connect(url);
  const run = async (sql, values) => (sql === '' ? [] : (await client.query(sql, values)).rows);
  try {
    await migrate(client);
    const variant = VARIANTS[layout];
    const known = await definitionsOf(run);
    // constraints and indexes are added to full tables, as a restore does; foreign keys are dropped first and added last
    for (const { sql } of known.drops) await run(sql);
    await run(variant.prepare());
    const ids = await addRestaurants(run);
    await run(
      `SET synchronous_commit = off; SET session_replication_role = replica; SET maintenance_work_mem = '512MB'; SET work_mem = '512MB'`,
    );
    await fill(run, variant, ids, orders);
    await run('SET session_replication_role = origin');
    await run(variant.finish());
    const byMonth = variant.divided !== undefined;
    for (const { table, text, isConstraint } of known.keys) {
      const changed = variant.definition(text, table);
      if (changed) await run(isConstraint ? `ALTER TABLE ${table} ADD ${withoutLateCheck(changed)}` : changed);
    }
    // went with the table of jobs
    if (variant.divided?.includes('outbox_jobs')) for (const sql of known.dependents) await run(withSaleAt(sql));
    for (const table of [...NAMES, ...(byMonth ? ['sale_keys'] : [])]) await run(`VACUUM (ANALYZE) ${table}`);
    await run('CHECKPOINT');
    return ids;
  } finally {
    await client.end();
  }
}

/** Today's constraints, indexes, and what depends on the tables: read from the database, so that the next migration is in it. */
async function definitionsOf(run) {
  const constraints = await run(
    `SELECT conrelid::regclass::text AS table, conname AS name, contype AS type, 'CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid) AS text
     FROM pg_constraint WHERE conrelid::regclass::text = ANY($1) AND contype IN ('p', 'f', 'u') ORDER BY contype = 'f', 1`,
    [NAMES],
  );
  const indexes = await run(
    `SELECT tablename AS table, indexname AS name, indexdef AS text FROM pg_indexes
     WHERE tablename = ANY($1) AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    [NAMES],
  );
  const dependents = await run(
    `SELECT sql FROM (
       SELECT 1 AS place, 'CREATE VIEW ' || relname || ' AS ' || pg_get_viewdef(oid) AS sql FROM pg_class WHERE relname IN ('due_jobs', 'parked_jobs')
       UNION ALL SELECT 2, pg_get_functiondef(oid) FROM pg_proc
         WHERE prorettype IN (SELECT reltype FROM pg_class WHERE relname = ANY($1 || ARRAY['due_jobs', 'parked_jobs']))
       UNION ALL SELECT 3, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid::regclass::text = ANY($1) AND NOT tgisinternal
     ) AS each ORDER BY place`,
    [NAMES],
  );
  const isForeign = ({ type }) => type === 'f';
  const drop = ({ table, name }) => ({ sql: `ALTER TABLE ${table} DROP CONSTRAINT ${name}` });
  return {
    drops: [
      ...constraints.filter(isForeign).map(drop),
      ...constraints.filter((each) => !isForeign(each)).map(drop),
      ...indexes.map(({ name }) => ({ sql: `DROP INDEX ${name}` })),
    ],
    keys: [
      ...constraints.filter((each) => !isForeign(each)).map((each) => ({ ...each, isConstraint: true })),
      ...indexes,
      ...constraints.filter(isForeign).map((each) => ({ ...each, isConstraint: true })),
    ],
    dependents: dependents.map(({ sql }) => sql),
  };
}

const withoutLateCheck = (text) => text.replace(' NOT VALID', '');

/** The views of jobs with the column that a claim needs too. */
const withSaleAt = (sql) =>
  sql.replace(/outbox_jobs\.withdrawn\n(\s+FROM)/, 'outbox_jobs.withdrawn, outbox_jobs.sale_at\n$1');

async function addRestaurants(run) {
  const rows = await run(
    `INSERT INTO restaurants (id, name, slug, code_store_terminal, code_store_pos, updated_at, timezone)
     SELECT md5('restaurant ' || n)::uuid, 'Restaurant ' || n, 'restaurant-' || n, 'STORE-' || n, 'POS-' || n, now(), 'UTC'
     FROM generate_series(1, $1::int) n RETURNING id::text`,
    [RESTAURANTS],
  );
  return rows.map(({ id }) => id);
}

/** An id of version 7, which begins with the time. */
const ID = (
  kind,
) => `(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5('${kind}' || n), 1, 3)
  || '8' || substr(md5('${kind}' || n), 4, 15))::uuid`;

async function fill(run, { columns, divided }, ids, orders) {
  // an hour ago the last one was received: all are settled. One time for all statements, because they compute the same ids
  const until = new Date(Date.now() - 3_600_000);
  const sales = `(SELECT *, md5('sale ' || n)::uuid::text AS key FROM (
      SELECT n, ($2::uuid[])[1 + n % ${ids.length}] AS restaurant,
        ($3::timestamptz - ($1::int - n) * (interval '365 days' / $1::int))::timestamptz(3) AS at
      FROM generate_series(1, $1::int) n) AS each) AS sale`;
  const insert = (table, values) => {
    const all = { ...values, ...columns[table] };
    return run(`INSERT INTO ${table} (${Object.keys(all)}) SELECT ${Object.values(all)} FROM ${sales}`, [
      orders,
      ids,
      until,
    ]);
  };
  await insert('terminal_events', {
    ...{ transaction_key: 'key', source_key: 'key', test_mode: 'false', restaurant_id: 'restaurant' },
    ...{ store_code: `'STORE-1'`, transaction_number: 'n::text', transaction_date: 'at', paid_cents: '4297' },
    ...{ paid_by_tender: `'{"16": 4297}'`, received_at: 'at', of_platform: 'false' },
    payload: `jsonb_build_object('transactionKey', key, 'totalAmount', 42.97)`,
  });
  await insert('outbox_jobs', {
    ...{ id: ID('job'), event_key: 'key', restaurant_id: 'restaurant', status: `'SENT'::job_status`, attempts: '1' },
    ...{ next_run_at: 'NULL', created_at: 'at', updated_at: `at + interval '1 second'` },
  });
  await insert('delivery_attempts', {
    ...{ id: ID('attempt'), job_id: ID('job'), number: '1', started_at: 'at', duration_ms: '40', http_status: '200' },
    ...{ outcome: `'SENT'::attempt_outcome`, reach: `'ANSWERED'::attempt_reach` },
  });
  if (divided)
    await run(
      `INSERT INTO sale_keys (transaction_key, restaurant_id, test_mode, received_at, job_id)
       SELECT key, restaurant, false, at, ${ID('job')} FROM ${sales}`,
      [orders, ids, until],
    );
}
