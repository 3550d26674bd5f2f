// Measures closings on a year of them: closing, rounds, list, check and the accountant's files, and whether they use indexes.
//
//   DATABASE_URL=postgresql://... RESTAURANTS=1000 npm run bench:days     # on a server; an empty database, by a superuser
//   RESTAURANTS=1 SALES=0 npm run bench:days                              # on an embedded database in a temporary folder
//
// Every restaurant has DAYS closings of SALES sales; the first has BIG sales a day. The chains are valid: all of them are checked. On a server
// the table says which of the tables that grow were read as a whole, and PLANS=1 prints how each statement read them (auto_explain).
import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { createApp, listen } from '../../src/app.ts';
import { DayRounds } from '../../src/capabilities/days/day-rounds.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { call, signIn } from '../relay-api.ts';
import { fillClosings } from './lib/closings.mjs';

const RESTAURANTS = Number(process.env.RESTAURANTS ?? 1_000);
const DAYS = Number(process.env.DAYS ?? 365);
const SALES = Number(process.env.SALES ?? 2);
const BIG = Number(process.env.BIG ?? 200);
const TABLES = ['business_days', 'day_sales', 'day_lines', 'day_pending', 'terminal_events', 'outbox_jobs'];
const ADMIN = { email: 'bench@example.com', password: 'a password of the benchmark' };
const MB = 1_048_576;

const { DATABASE_URL } = process.env;
const folder = DATABASE_URL ? undefined : await mkdtemp(join(tmpdir(), 'bench-days-'));
const plans = recordPlans();
if (DATABASE_URL) {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  if ((await client.query(`SELECT FROM pg_tables WHERE schemaname = 'public'`)).rowCount > 0)
    throw new Error('DATABASE_URL names a database that is not empty');
  if (process.env.PLANS) {
    const [{ name }] = (await client.query('SELECT quote_ident(current_database()) AS name')).rows;
    await client.query(`ALTER DATABASE ${name} SET session_preload_libraries = 'auto_explain'`);
    for (const [setting, value] of [
      ['log_min_duration', '0'],
      ['log_nested_statements', 'on'],
      ['log_level', 'notice'],
    ])
      await client.query(`ALTER DATABASE ${name} SET auto_explain.${setting} = '${value}'`);
  }
  await client.end();
}
const config = loadConfig({
  ...(DATABASE_URL ? { DATABASE_URL } : { DATA_DIR: folder }),
  JWT_SECRET: 'a secret of the benchmark, long enough',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  POS_BASE_URL: 'http://127.0.0.1:9',
  WORKER_ENABLED: 'false',
});
const app = await createApp(config, pino({ level: 'silent' }));
await listen(app, 0, '127.0.0.1');
const url = await app.getUrl();
const client = new pg.Client({
  connectionString: DATABASE_URL ?? `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
});
await client.connect();
const query = async (sql, values) => (await client.query(sql, values)).rows;

const token = await signIn(url, ADMIN);
const big = (await call('POST', `${url}/restaurants`, token, { name: 'Big' })).data.id;
await query(
  `INSERT INTO restaurants (id, name, slug) SELECT gen_random_uuid(), 'r ' || n, 'r-' || n FROM generate_series(2, $1::int) n`,
  [RESTAURANTS],
);
await query(`UPDATE restaurants SET timezone = 'UTC', day_closes_at = '00:00'`);
const others = (await query('SELECT id FROM restaurants WHERE id <> $1', [big])).map(({ id }) => id);
await query(`SET statement_timeout = 0`);
const startedAt = performance.now();
await fillClosings(query, { restaurants: [big], days: DAYS, sales: BIG });
if (others.length > 0) await fillClosings(query, { restaurants: others, days: DAYS, sales: SALES });
console.log(
  `${RESTAURANTS} restaurants, ${DAYS} days, ${BIG} and ${SALES} sales a day: written in ${seconds(startedAt)} s`,
);
const checkedAt = performance.now();
const [broken] = await query(
  `SELECT count(*)::int AS count FROM restaurants, LATERAL day_chain_break(id, 0, 1000, true) AS found WHERE found.reason IS NOT NULL`,
);
if (broken.count > 0) throw new Error(`${broken.count} chains do not hold`);
console.log(`all chains hold: checked in ${seconds(checkedAt)} s`);
if (DATABASE_URL) await query('VACUUM ANALYZE');

const days = `/restaurants/${big}/days`;
const [{ day: yesterday }] = await query(`SELECT to_char((now() AT TIME ZONE 'UTC')::date - 1, 'YYYY-MM-DD') AS day`);
const [{ day: month }] = await query(`SELECT to_char((now() AT TIME ZONE 'UTC')::date - 31, 'YYYY-MM-DD') AS day`);
console.log('       ms  heap MB  whole tables read     what');
await measure('days: first page', () => get(days));
await measure('days: one day', () => get(`${days}/${month}`));
await measure('days: check of the year', () => get(`${days}/check`));
await measure('closings.csv: 31 days', () => drain(`/restaurants/${big}/closings.csv?from=${month}`));
await measure('closings.csv: the year', () => drain(`/restaurants/${big}/closings.csv`));
await measure('closings.json: the year', () => drain(`/restaurants/${big}/closings.json`));
await measure(`close: the big one, ${yesterday}`, () => call('POST', `${url}${days}/${yesterday}/close`, token, {}));
await measure('a round: up to 20 closings', () => app.get(DayRounds).run());
await client.end();
await app.close();
if (folder) await rm(folder, { recursive: true });

async function get(path) {
  return call('GET', url + path, token);
}

/** Reads a file to its end without keeping it. @returns its bytes */
async function drain(path) {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  let bytes = 0;
  for await (const piece of answer.body) bytes += piece.length;
  return `${(bytes / MB).toFixed(1)} MB`;
}

/**
 * Runs the work once; prints its time, by how much the heap had grown at most when garbage was collected (every second), and the tables that
 * were read as a whole.
 */
async function measure(name, work) {
  const before = await wholeReads();
  globalThis.gc?.();
  plans.length = 0;
  const heap = process.memoryUsage().heapUsed;
  let most = heap;
  const watch = setInterval(() => {
    globalThis.gc?.();
    most = Math.max(most, process.memoryUsage().heapUsed);
  }, 1_000);
  const begin = performance.now();
  const result = await work();
  const ms = performance.now() - begin;
  clearInterval(watch);
  const after = await wholeReads();
  const whole = TABLES.filter((table) => after[table] > before[table]);
  const said = typeof result === 'object' ? '' : `: ${result}`;
  console.log(
    `${ms.toFixed(1).padStart(9)}  ${((most - heap) / MB).toFixed(0).padStart(7)}  ${(whole.join(', ') || '-').padEnd(20)}  ${name}${said}`,
  );
  for (const plan of new Set(plans)) console.log(`           ${plan}`);
}

/** Rows of large tables that were read by scans of whole tables so far. */
async function wholeReads() {
  if (!DATABASE_URL) return {};
  // a connection reports its counters when it ends a transaction, a second after the last time
  await delay(1_100);
  await Promise.all(Array.from({ length: 4 * config.databasePoolSize }, () => get('/health')));
  await delay(100);
  const rows = await query(
    `SELECT relname AS name, seq_tup_read::int AS count FROM pg_stat_user_tables WHERE relname = ANY ($1)`,
    [TABLES],
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** How the statements read the large tables, as auto_explain tells the connections of this process: `Index Scan using … on …`. */
function recordPlans() {
  const seen = [];
  const { connect } = pg.Client.prototype;
  pg.Client.prototype.connect = function (...args) {
    this.on('notice', ({ message = '' }) => {
      const scans =
        message.match(/(?<!Bitmap )(?:Seq|Index Only|Index|Bitmap Heap) Scan (?:Backward )?(?:using \w+ )?on \w+/g) ??
        [];
      seen.push(...scans.filter((scan) => TABLES.some((table) => scan.includes(` on ${table}`))));
    });
    return connect.apply(this, args);
  };
  return seen;
}

function seconds(since) {
  return ((performance.now() - since) / 1_000).toFixed(1);
}
