import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RelayProcess } from '../../tools/demo/relay-process.js';
import { findPostgres } from '../postgres/binaries.js';
import { TemporaryServer } from '../postgres/temporary-server.js';
import { SoakDatabase } from './database.js';
import { HELP, type Options, readOptions } from './options.js';
import { AcceptingPos } from './pos.js';
import { Sampler } from './sampler.js';
import { Terminals } from './terminals.js';
import { growthOf, MEASURES, type Sample, SLOW_NEEDS_MS, shown } from './verdict.js';

/** The command `npm run soak`: half of the full load for a long time, and what has grown. */

const STORE = 'SOAK-1';
const ADMIN = { email: 'soak@example.com', password: 'a-password-of-the-soak' };
const CALIBRATION_MS = 15_000;
/** So many samples are taken, at least 5 s and at most 60 s apart. */
const SAMPLES = 60;
const DRAIN_LIMIT_MS = 300_000;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const closers: (() => unknown)[] = [];
  try {
    return await soak(options, stop.signal, closers);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function soak(options: Options, stop: AbortSignal, closers: (() => unknown)[]): Promise<number> {
  const database = await SoakDatabase.create(options.server ?? (await ownServer(closers)));
  closers.push(() => database.drop());
  const pos = new AcceptingPos();
  const posUrl = await pos.listen();
  closers.push(() => pos.close());
  const [terminalToken, metricsToken] = [secret(), secret()];
  const relay = startRelay(database.url, posUrl, { terminalToken, metricsToken }, closers);
  const url = await relay.started(() => {});
  await createRestaurant(url);
  await database.prepare();
  const terminals = new Terminals(url, terminalToken, STORE);
  closers.push(() => terminals.close());

  const rate = options.rate ?? (await halfOfFullLoad(terminals, pos, database, stop));
  const everyMs = Math.min(60_000, Math.max(5_000, options.durationMs / SAMPLES));
  console.log(`${rate.toFixed(0)} sales a second for ${options.durationMs / 60_000} minutes; ${explanation(database)}`);
  const sampler = new Sampler({ url, metricsToken, database, terminals, pos }, performance.now());
  terminals.takeTimes();
  const end = new AbortController();
  const selling = terminals.pace(rate, AbortSignal.any([stop, end.signal]));
  await Promise.race([sampling(sampler, options.durationMs, everyMs, stop), relay.died]);
  end.abort();
  await selling;
  await drained(database, stop);
  return report(sampler.samples, options, terminals, await database.delivered(), stop);
}

/** As a server is set up, but that it counts its statements. @returns the URL of a database of it */
async function ownServer(closers: (() => unknown)[]): Promise<string> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(`no server of its own can be made, ${found.missing}: set DATABASE_URL`);
  const settings = { shared_preload_libraries: 'pg_stat_statements', max_connections: '60' };
  const server = await TemporaryServer.open(found, settings);
  closers.push(() => server.close());
  return server.url;
}

function startRelay(
  databaseUrl: string,
  posUrl: string,
  tokens: { terminalToken: string; metricsToken: string },
  closers: (() => unknown)[],
): RelayProcess {
  const folder = mkdtempSync(join(tmpdir(), 'relay-soak-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const relay = RelayProcess.start(folder, {
    ...{ NODE_ENV: 'production', DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info' },
    ...{ POS_BASE_URL: posUrl, POS_PARTNER_ID: 'soak', POS_SECRET: secret(), OUTBOX_PACE: 'eager' },
    ...{ OUTBOX_RETENTION_DAYS: '1', JWT_SECRET: secret(), SECRETS_KEY: randomBytes(32).toString('base64') },
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, LOGIN_ATTEMPTS_PER_MINUTE: '10' },
    ...{ TERMINAL_BEARER_TOKEN: tokens.terminalToken, METRICS_TOKEN: tokens.metricsToken },
    NODE_OPTIONS: `--import ${new URL('./preload.mjs', import.meta.url).href}`,
  });
  closers.push(() => relay.stop());
  return relay;
}

const secret = () => randomBytes(24).toString('hex');

async function createRestaurant(url: string): Promise<void> {
  const { access_token } = await post(`${url}/auth/login`, ADMIN);
  const restaurant = { name: 'Soak', codeStoreTerminal: STORE, codeStorePos: '1001' };
  await post(`${url}/restaurants`, restaurant, String(access_token));
}

async function post(url: string, body: object, token?: string): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${new URL(url).pathname}: HTTP ${answer.status}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** Floods the relay for a moment. @returns half of what reached the POS meanwhile, a second */
async function halfOfFullLoad(
  terminals: Terminals,
  pos: AcceptingPos,
  database: SoakDatabase,
  stop: AbortSignal,
): Promise<number> {
  await terminals.flood(CALIBRATION_MS / 3);
  const before = pos.orders;
  await terminals.flood(CALIBRATION_MS);
  const full = ((pos.orders - before) / CALIBRATION_MS) * 1_000;
  console.log(`flooded, it receives and delivers ${full.toFixed(0)} orders a second`);
  await drained(database, stop);
  return full / 2;
}

const explanation = (database: SoakDatabase) =>
  [
    'retention is at work every 20 s, on orders delivered 30 s ago or more, which a trigger dates back by a day;',
    ...(database.vacuums ? [] : ['autovacuum is off on this server, so its tables will grow;']),
    `claims are timed by ${database.countsClaims ? 'pg_stat_statements' : 'a probe (the server has no pg_stat_statements)'}`,
  ].join(' ');

async function sampling(sampler: Sampler, durationMs: number, everyMs: number, stop: AbortSignal): Promise<void> {
  const columns = ['sales/s', 'orders/s', ...Object.keys(MEASURES), 'keys', 'keys idx'];
  const line = (cells: string[]) => console.log(cells.map((cell) => cell.padStart(9)).join(' '));
  line(['min', ...columns.map((name) => name.replace('attempts', 'att.'))]);
  const unitOf = (name: string) => MEASURES[name]?.unit ?? (name.startsWith('keys') ? 'MB' : '');
  for (let at = everyMs; at <= durationMs && !stop.aborted; at += everyMs) {
    await delay(everyMs, undefined, { signal: stop }).catch(() => {});
    const { atMs, values } = await sampler.take();
    line([(atMs / 60_000).toFixed(1), ...columns.map((name) => shown(values[name] ?? 0, unitOf(name)))]);
  }
}

async function drained(database: SoakDatabase, stop: AbortSignal): Promise<void> {
  const limit = performance.now() + DRAIN_LIMIT_MS;
  while (!stop.aborted && (await database.waiting()) > 0) {
    if (performance.now() > limit) throw new Error(`${await database.waiting()} orders still wait after 5 minutes`);
    await delay(500);
  }
}

/** @returns the exit code */
function report(
  samples: readonly Sample[],
  options: Options,
  terminals: Terminals,
  delivered: number,
  stop: AbortSignal,
) {
  const { accepted, refused } = terminals;
  console.log(`\naccepted ${accepted}, refused ${refused}, delivered ${delivered}, missing ${accepted - delivered}`);
  if (stop.aborted) {
    console.log('ended early: no verdict');
    return 1;
  }
  const growth = growthOf(samples, options.durationMs);
  console.log('\nmedian of the last third against the first, without the warm-up:');
  for (const { measure, first, last, limit, hasGrown } of growth) {
    const [a, b, c] = [first, last, limit].map((value) => shown(value, MEASURES[measure]?.unit ?? ''));
    console.log(
      `  ${hasGrown === undefined ? '?' : hasGrown ? '✗' : '✓'} ${measure.padEnd(13)} ${a?.padStart(8)} -> ${b?.padStart(8)}  (limit ${c})`,
    );
  }
  if (growth.some(({ hasGrown }) => hasGrown === undefined))
    console.log(
      `  ? tables come to rest after some rounds of retention and vacuum: a run of ${SLOW_NEEDS_MS / 60_000} minutes tells`,
    );
  console.log('  keys of removed orders are kept for good (O22): their table grows by design, and has no limit');
  const grown = growth.filter(({ hasGrown }) => hasGrown).map(({ measure }) => measure);
  const isWell = grown.length === 0 && accepted === delivered;
  console.log(
    isWell ? '\nnothing has grown' : `\ngrown: ${grown.join(', ') || 'nothing'}; missing: ${accepted - delivered}`,
  );
  return isWell ? 0 : 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    console.error(`soak: ${error.message}`);
    process.exitCode = 1;
  },
);
