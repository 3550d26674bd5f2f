// Measures the reads of staff and operators on a long history, and whether they use indexes.
//
//   DATABASE_URL=postgresql://... ORDERS=1000000 PARKED=100000 npm run bench:history
//
// DATABASE_URL names an empty database on a server. The benchmark fills it with ORDERS orders of ten restaurants, received over a year.
// One restaurant has nine tenths of the orders. PARKED orders are parked. Every read is requested over HTTP: three times to warm up,
// then RUNS times. The table lists the median and the slowest time in ms, and the database tables that Postgres's counters report as
// read completely.
import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { createApp, listen } from '../../src/app.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { call, signIn } from '../relay-api.ts';

const ORDERS = Number(process.env.ORDERS ?? 1_000_000);
const PARKED = Number(process.env.PARKED ?? ORDERS / 1_000);
const RUNS = Number(process.env.RUNS ?? 15);
const ADMIN = { email: 'bench@example.com', password: 'a password of the benchmark' };

const { DATABASE_URL } = process.env;
if (!DATABASE_URL) throw new Error('set DATABASE_URL to an empty database');
const database = new pg.Pool({ connectionString: DATABASE_URL, max: 1 });
const query = async (sql, values) => (await database.query(sql, values)).rows;
if ((await query(`SELECT FROM pg_tables WHERE schemaname = 'public'`)).length > 0)
  throw new Error('DATABASE_URL names a database that is not empty');

const config = loadConfig({
  DATABASE_URL,
  JWT_SECRET: 'a secret of the benchmark, long enough',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  POS_BASE_URL: 'http://127.0.0.1:9',
  WORKER_ENABLED: 'false',
  DATABASE_POOL_SIZE: '4',
});
const app = await createApp(config, pino({ level: 'silent' }));
await listen(app, 0, '127.0.0.1');
const url = await app.getUrl();

const token = await signIn(url, ADMIN);
const restaurants = [];
for (let n = 0; n < 10; n++)
  restaurants.push((await call('POST', `${url}/restaurants`, token, { name: `Restaurant ${n}` })).data.id);
await fill();
const [big, small] = restaurants;
const reads = await listReads();
// so that what the preparation read is not counted
await wholeReads();

console.log(`${ORDERS} orders, ${PARKED} of them parked, ${RUNS} runs each`);
console.log('median ms  slowest ms  whole tables read        read');
for (const [name, path] of reads) {
  for (let n = 0; n < 3; n++) await call('GET', url + path, token);
  const before = await wholeReads();
  const times = [];
  for (let n = 0; n < RUNS; n++) {
    const startedAt = performance.now();
    await call('GET', url + path, token);
    times.push(performance.now() - startedAt);
  }
  const after = await wholeReads();
  const whole = Object.keys(after).filter((table) => after[table] > before[table]);
  times.sort((a, b) => a - b);
  const ms = (at) => times[Math.floor((times.length - 1) * at)].toFixed(1);
  console.log(`${ms(0.5).padStart(9)}  ${ms(1).padStart(10)}  ${(whole.join(', ') || '-').padEnd(23)}  ${name}`);
}
await app.close();
await database.end();

/** Mostly delivered, a few under way, some parked, one in a hundred cancelled after delivery; one attempt each, three for what failed. */
async function fill() {
  await query(
    `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, received_at,
       amount_mismatch_cents, paid_cents, paid_by_tender, payload)
     SELECT 'T-' || n, 'T-' || n, false, ($2::uuid[])[CASE WHEN n % 10 = 9 THEN 2 + (n / 10) % 9 ELSE 1 END], n::text,
       now() - n * (interval '365 days' / $1::int), CASE WHEN n % 500 = 0 THEN 5 END, 7980, '{"16": 7980}',
       '{"transactionKey": "T", "items": [{"itemCode": "PZ-01", "quantity": 2, "price": 39.9}], "payments": [{"tenderType": 16, "amount": 79.8}]}'
     FROM generate_series(1, $1::int) n`,
    [ORDERS, restaurants],
  );
  await query(
    `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, processing_at, locked_by,
       last_error, created_at, updated_at)
     SELECT gen_random_uuid(), transaction_key, restaurant_id, status,
       CASE status WHEN 'PENDING' THEN 0 WHEN 'SENT' THEN 1 ELSE 3 END,
       CASE WHEN status IN ('PENDING', 'FAILED') THEN now() END,
       CASE WHEN status = 'PROCESSING' THEN now() END,
       CASE WHEN status = 'PROCESSING' THEN 'bench/' || gen_random_uuid() END,
       CASE WHEN status IN ('FAILED', 'DLQ') THEN 'HTTP 422, POS error 12: unknown product' END,
       received_at, received_at + interval '1 second'
     FROM terminal_events, LATERAL (SELECT (CASE
       WHEN substr(source_key, 3)::int % $1::int = 7 THEN 'DLQ' WHEN source_key ~ '0003$' THEN 'FAILED' WHEN source_key ~ '0004$' THEN 'PENDING'
       WHEN source_key ~ '00005$' THEN 'PROCESSING' ELSE 'SENT' END)::job_status AS status) state`,
    [Math.round(ORDERS / PARKED)],
  );
  await query(
    `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, outcome, reach)
     SELECT gen_random_uuid(), id, n, created_at + n * interval '1 second', 40, CASE WHEN status = 'SENT' THEN 200 ELSE 422 END,
       (CASE WHEN status = 'SENT' THEN 'SENT' ELSE 'FAILED' END)::attempt_outcome, 'ANSWERED'
     FROM outbox_jobs, generate_series(1, attempts) n`,
  );
  await query(
    `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, attempts, next_run_at, created_at, updated_at)
     SELECT gen_random_uuid(), event_key, restaurant_id, 'CANCEL', 'SENT', 1, NULL, created_at + interval '5 minutes',
       created_at + interval '5 minutes'
     FROM outbox_jobs WHERE event_key ~ '(19|01)$' AND status = 'SENT' AND (event_key ~ '01$' OR event_key ~ '[02468]19$')`,
  );
  await query('VACUUM ANALYZE');
}

/** name -> path */
async function listReads() {
  const day = (n) => new Date(Date.now() - n * 86_400_000).toISOString();
  const [deep] = await query(
    'SELECT transaction_key AS key, received_at FROM terminal_events WHERE restaurant_id = $1 ORDER BY received_at, key LIMIT 1 OFFSET $2',
    [big, Math.floor(ORDERS / 4)],
  );
  const after = Buffer.from(`${deep.received_at.toISOString()} ${deep.key}`).toString('base64url');
  const [order] = await query(`SELECT transaction_key AS key FROM terminal_events WHERE restaurant_id = $1 LIMIT 1`, [
    big,
  ]);
  const orders = `/restaurants/${big}/orders`;
  const states = ['PENDING', 'PROCESSING', 'FAILED', 'DLQ', 'SENT'];
  return [
    ['orders: first page', orders],
    ['orders: a page in the middle', `${orders}?after=${after}`],
    ['orders: oldest first', `${orders}?sort=receivedAt`],
    ['orders: one day', `${orders}?from=${day(101)}&to=${day(100)}`],
    ['orders: by number or key', `${orders}?search=${Math.floor(ORDERS / 2)}`],
    ['orders: by a key that is not there', `${orders}?search=nowhere`],
    ...states.map((state) => [`orders: ${state}`, `${orders}?status=${state}`]),
    ...['waiting', 'parked', 'delivered', 'cancelled'].map((state) => [`orders: ${state}`, `${orders}?state=${state}`]),
    ['state: nine tenths of all', `/restaurants/${big}/state`],
    ['state: small restaurant', `/restaurants/${small}/state`],
    ['orders: FAILED, of a small restaurant', `/restaurants/${small}/orders?status=FAILED`],
    ['orders: DLQ, of a small restaurant', `/restaurants/${small}/orders?status=DLQ`],
    ['orders: cancels', `${orders}?action=CANCEL`],
    ['orders: cancelled', `${orders}?cancelled=true`],
    ['orders: cancelled and parked (none)', `${orders}?cancelled=true&status=DLQ`],
    ['orders: cancelled, of a small restaurant', `/restaurants/${small}/orders?cancelled=true`],
    ['orders: not cancelled', `${orders}?cancelled=false`],
    ['orders: tests (none)', `${orders}?test=true`],
    ['order: its journey', `${orders}/${order.key}`],
    ['statistics: small restaurant, 30 days', `/restaurants/${small}/statistics`],
    ['statistics: nine tenths of all, 1 day', `/restaurants/${big}/statistics?from=${day(1)}`],
    ['statistics: nine tenths of all, 30 days', `/restaurants/${big}/statistics`],
    ['takings.csv: nine tenths of all, 1 day', `/restaurants/${big}/takings.csv?from=${day(101)}&to=${day(100)}`],
    ['takings.csv: nine tenths of all, 30 days', `/restaurants/${big}/takings.csv`],
    ['statistics: nine tenths of all, 365 days', `/restaurants/${big}/statistics?from=${day(365)}`],
    ['admin: jobs, first page', '/admin/jobs'],
    ...states.map((state) => [`admin: jobs ${state}`, `/admin/jobs?status=${state}`]),
    ['admin: metrics', '/admin/metrics'],
    ['admin: parked by cause', '/admin/parked'],
    ['admin: throughput, an hour', '/admin/throughput'],
    ['admin: throughput, a day', '/admin/throughput?minutes=1440'],
    ['admin: restaurants that refuse', '/admin/refusing'],
    ['admin: instances', '/admin/instances'],
    ['admin: audit', '/admin/audit'],
    ['audit of a restaurant', `/restaurants/${big}/audit`],
    ['health', '/health'],
  ];
}

/** How often each large table was read as a whole so far. */
async function wholeReads() {
  // a connection reports its counters when it ends a transaction, a second after the last time
  await delay(1_100);
  await Promise.all(Array.from({ length: 4 * config.databasePoolSize }, () => call('GET', `${url}/health`)));
  await delay(100);
  const rows = await query(
    `SELECT relname AS name, seq_scan::int AS count FROM pg_stat_user_tables
     WHERE relname IN ('terminal_events', 'outbox_jobs', 'delivery_attempts')`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
