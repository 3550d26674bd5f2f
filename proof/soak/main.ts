import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RelayProcess } from '../../tools/demo/relay-process.js';
import { findPostgres } from '../postgres/binaries.js';
import { TemporaryServer } from '../postgres/temporary-server.js';
import { call, signIn } from '../relay-api.js';
import { newRelaySettings } from '../relay-settings.js';
import { SoakDatabase } from './database.js';
import { Load, type Target } from './load.js';
import { HELP, type Options, readOptions } from './options.js';
import { Sampler } from './sampler.js';
import { growthOf, MEASURES, type Sample, SLOW_NEEDS_MS, shown } from './verdict.js';

/** The command `npm run soak`: half of the full load for a long time, and what has grown. */

const STORE = 'SOAK-1';
const CALIBRATION_S = 15;
/** Samples in a run, at least 5 s and at most 60 s apart. */
const SAMPLES = 60;
const DRAIN_LIMIT_MS = 300_000;

type Closers = (() => unknown)[];

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const closers: Closers = [];
  try {
    return await soak(options, stop.signal, closers);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function soak(options: Options, stop: AbortSignal, closers: Closers): Promise<number> {
  const database = await SoakDatabase.create(options.server ?? (await ownServer(closers)));
  closers.push(() => database.drop());
  const load = await Load.start();
  closers.push(() => load.close());
  const pos = { url: load.posUrl, partner: 'soak', secret: randomBytes(12).toString('hex') };
  const { admin, terminalToken, environment } = newRelaySettings(pos);
  const metricsToken = randomBytes(24).toString('hex');
  const relay = startRelay({ ...environment, DATABASE_URL: database.url, METRICS_TOKEN: metricsToken }, closers);
  const url = await relay.started(() => {});
  const restaurant = { name: 'Soak', codeStoreTerminal: STORE, codeStorePos: '1001' };
  await call('POST', `${url}/restaurants`, await signIn(url, admin), restaurant);
  await database.prepare();
  const target = { url, sender: { store: STORE, authorization: `Bearer ${terminalToken}` } };

  const rate = options.rate ?? (await halfOfFullLoad(load, target, database, stop));
  console.log(`${rate.toFixed(0)} sales a second for ${options.durationMs / 60_000} minutes; ${explanation(database)}`);
  const sampler = new Sampler(url, metricsToken, database);
  const pace = (ms: number) => load.pace(target, rate, ms);
  await Promise.race([sampling(sampler, pace, options.durationMs, stop), relay.died]);
  await drained(database, stop);
  return report(sampler.samples, options, load, await database.delivered(), stop);
}

/** As a server is set up, but that it counts its statements. @returns the URL of a database of it */
async function ownServer(closers: Closers): Promise<string> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(`no temporary server can be created, ${found.missing}: set DATABASE_URL`);
  const settings = { shared_preload_libraries: 'pg_stat_statements', max_connections: '60' };
  const server = await TemporaryServer.open(found, settings);
  closers.push(() => server.close());
  return server.url;
}

function startRelay(settings: Readonly<Record<string, string>>, closers: Closers): RelayProcess {
  const folder = mkdtempSync(join(tmpdir(), 'relay-soak-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const preload = new URL('./preload.mjs', import.meta.url).href;
  const relay = RelayProcess.start(folder, {
    ...settings,
    OUTBOX_RETENTION_DAYS: '1',
    NODE_OPTIONS: `--import ${preload}`,
  });
  closers.push(() => relay.stop());
  return relay;
}

/** Sends at full load for some seconds. @returns half of the orders per second that reached the POS */
async function halfOfFullLoad(load: Load, target: Target, database: SoakDatabase, stop: AbortSignal): Promise<number> {
  await load.flood(target, CALIBRATION_S / 3);
  const { delivered, seconds } = await load.flood(target, CALIBRATION_S);
  console.log(`flooded, it receives and delivers ${(delivered / seconds).toFixed(0)} orders a second`);
  await drained(database, stop);
  return delivered / seconds / 2;
}

const explanation = (database: SoakDatabase) =>
  [
    'retention runs every 20 s, on orders delivered 30 s ago or more, which a trigger dates back by a day;',
    ...(database.vacuums ? [] : ['autovacuum is off on this server, so its tables will grow;']),
    `claims are timed by ${database.countsClaims ? 'pg_stat_statements' : 'a probe (the server has no pg_stat_statements)'}`,
  ].join(' ');

/** @param pace sends sales for a number of ms */
async function sampling(
  sampler: Sampler,
  pace: (ms: number) => ReturnType<Load['pace']>,
  durationMs: number,
  stop: AbortSignal,
): Promise<void> {
  const everyMs = Math.min(60_000, Math.max(5_000, durationMs / SAMPLES));
  const stopped = new Promise<undefined>((resolve) => stop.addEventListener('abort', () => resolve(undefined)));
  const columns = ['sales/s', 'orders/s', ...Object.keys(MEASURES), 'keys', 'keys idx'];
  const line = (cells: string[]) => console.log(cells.map((cell) => cell.padStart(9)).join(' '));
  line(['min', ...columns.map((name) => name.replace('attempts', 'att.'))]);
  const unitOf = (name: string) => MEASURES[name]?.unit ?? (name.startsWith('keys') ? 'MB' : '');
  for (let at = everyMs; at <= durationMs && !stop.aborted; at += everyMs) {
    const window = await Promise.race([pace(everyMs), stopped]);
    if (!window) return;
    const { atMs, values } = await sampler.take(window);
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
function report(samples: readonly Sample[], options: Options, load: Load, delivered: number, stop: AbortSignal) {
  const { accepted, refused } = load;
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
      `  ? tables and heap settle after some rounds of retention, vacuum and garbage collection: this needs a run of ${SLOW_NEEDS_MS / 60_000} minutes`,
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
