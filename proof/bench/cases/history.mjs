// The same work beside an empty past and a long one, and while somebody's transaction keeps an old snapshot open.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { now, percentiles } from '../../load/statistics.mjs';
import { withConnection } from '../../postgres/connection.ts';
import { settleDown } from '../lib/databases.mjs';
import { fillPast } from '../lib/past.mjs';
import { storeDueJobs, TABLES } from '../lib/preload.mjs';
import { drainDatabase } from './drain.mjs';
import { ingest } from './ingest.mjs';

export const title = 'History: the same work beside a long past';
const AT_ONCE = 20;
const CAPTURE = new URL('../lib/capture-claim.mjs', import.meta.url).href;
/** How old a snapshot is before orders are drained beside it. */
const SNAPSHOT_MS = 30_000;

/** databases with a past, by version and size: filled once, used in every round */
const filled = new Map();
let count = 0;

export function* measurements({ relays, quick, huge }) {
  const million = quick ? 50_000 : 1_000_000;
  const past = { SENT: million, FAILED: million, DLQ: million / 10 };
  const pasts = [
    { name: 'empty' },
    { name: nameOf(past), past },
    { name: `${nameOf(past)}, an old snapshot open`, past, snapshotMs: quick ? 2_000 : SNAPSHOT_MS },
    ...(huge ? [{ name: nameOf({ ...past, SENT: 10 * million }), past: { ...past, SENT: 10 * million } }] : []),
  ];
  for (const { name, ...settings } of pasts)
    for (const version of relays)
      for (const [work, measure] of Object.entries(WORK))
        yield {
          setting: `${work}: ${name}`,
          contender: version.name,
          measure: (measurement) => beside(measurement, version, { ...settings, quick }, measure),
        };
}

const nameOf = (past) =>
  Object.entries(past)
    .map(([status, jobs]) => `${jobs.toLocaleString('en-GB')} ${status}`)
    .join(' + ');

/** What is done beside a past; each gets a database, and leaves nothing due in it. */
const WORK = {
  'ingest, 100 connections': async (measurement, version, { database, quick, openSnapshot }) => {
    await openSnapshot();
    return ingest(measurement, version, { way: 'static', connections: 100, quick, database, prefix: newPrefix() });
  },
  'drain, 20 at once': async (measurement, version, { database, quick, openSnapshot }) => {
    const prefix = newPrefix();
    const jobs = quick ? 5_000 : 20_000;
    await storeDueJobs(database, { prefix, count: jobs });
    await openSnapshot();
    return drainDatabase(measurement, version, { database, prefix, jobs, atOnce: AT_ONCE });
  },
  'claim of 20': async (measurement, version, { database, quick, openSnapshot }) => {
    const claim = await captureClaim(measurement, version, database);
    const claims = quick ? 100 : 500;
    await storeDueJobs(database, { prefix: newPrefix(), count: claims * AT_ONCE });
    await openSnapshot();
    return timeClaims(database, claim, claims);
  },
};

const newPrefix = () => `history-${++count}`;

async function beside(measurement, version, { past, snapshotMs, quick }, work) {
  const database = past ? await databaseOf(measurement, version, past) : await measurement.database(version.template);
  const snapshot = new pg.Client({ connectionString: database });
  snapshot.on('error', () => {});
  await snapshot.connect();
  measurement.use(snapshot);
  const openSnapshot = async () => {
    if (!snapshotMs) return;
    await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await snapshot.query('SELECT count(*) FROM restaurants');
    await delay(snapshotMs);
  };
  try {
    return await work(measurement, version, { database, quick, openSnapshot });
  } finally {
    if (snapshotMs) await snapshot.query('ROLLBACK');
    if (past) await leaveNothingDue(measurement, database);
  }
}

async function databaseOf({ run }, version, past) {
  const key = `${version.name} ${nameOf(past)}`;
  if (!filled.has(key)) {
    const database = await run.databases.create(version.template);
    await fillPast(database, past);
    filled.set(key, database);
  }
  return filled.get(key);
}

/** What was ingested or claimed counts as delivered, so that the next round finds the past as this one did. */
async function leaveNothingDue(measurement, database) {
  await measurement.close();
  await withConnection(database, async (query) => {
    // the relay is stopped, and jobs that it was sending are still its own
    await query(`SET relay.force = 'on'`);
    await query(
      `UPDATE outbox_jobs SET status = 'SENT', next_run_at = NULL, processing_at = NULL, locked_by = NULL
       WHERE status IN ('PENDING', 'PROCESSING')`,
    );
    await settleDown(query, ...TABLES);
  });
}

/** The statement with which this version locks due jobs, as it sends it. */
async function captureClaim(measurement, version, database) {
  const file = join(measurement.folder(), 'claim.json');
  const environment = {
    DATABASE_URL: database,
    OUTBOX_PACE: 'eager',
    OUTBOX_BATCH_SIZE: String(AT_ONCE),
    CLAIM_FILE: file,
  };
  const relay = await measurement.relay(version, environment, ['--import', CAPTURE]);
  for (let n = 0; n < 100 && !existsSync(file); n++) await delay(50);
  await relay.end();
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Sends the statement again and again on a connection of its own, each time for other jobs. @returns p50 and p99 in ms */
async function timeClaims(database, claim, claims) {
  const client = new pg.Client({ connectionString: database });
  client.on('error', () => {});
  await client.connect();
  const times = [];
  try {
    for (let n = 0; n < claims; n++) {
      const startedAt = now();
      const { rowCount } = await client.query(claim);
      times.push(now() - startedAt);
      if (rowCount !== AT_ONCE) throw new Error(`a claim locked ${rowCount} jobs`);
    }
  } finally {
    await client.end();
  }
  return percentiles(times);
}
