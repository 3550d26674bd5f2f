// Start and memory of one process, on Postgres and on the embedded database.
import { setTimeout as delay } from 'node:timers/promises';
import { keyOf, saleWriter } from '../../load/payload.mjs';
import { now } from '../../load/statistics.mjs';
import { freePort } from '../../postgres/cluster.ts';
import { memoryOf } from '../lib/cpu.mjs';
import { RelayProcess } from '../lib/relay.mjs';
import { saturate } from './ingest.mjs';

export const title =
  'Size: start to the first accepted webhook, memory; webhooks per second while all is delivered as well';
const IDLE_MS = 5_000;
const START_LIMIT_MS = 60_000;
const ASK_EVERY_MS = 5;
/** V8 collects the old generation whenever the heap has grown by this part. */
const SMALL_HEAP = '--heap-growing-percent=30';

export function* measurements({ relays, quick }) {
  for (const database of ['Postgres', 'embedded'])
    for (const version of relays)
      yield {
        setting: database,
        contender: version.name,
        measure: (measurement) => size(measurement, version, { embedded: database === 'embedded', quick }),
      };
  for (const version of relays)
    yield {
      setting: 'Postgres, without the console',
      contender: version.name,
      measure: (measurement) => size(measurement, version, { environment: { CONSOLE: 'false' }, quick }),
    };
  for (const version of relays)
    yield {
      setting: `Postgres, ${SMALL_HEAP}`,
      contender: version.name,
      measure: (measurement) => size(measurement, version, { nodeOptions: [SMALL_HEAP], quick }),
    };
  for (const version of relays)
    yield {
      setting: 'embedded, only accepted',
      contender: version.name,
      measure: async (measurement) => {
        const environment = { DATA_DIR: await embeddedDatabase(measurement, version), WORKER_ENABLED: 'false' };
        const relay = await measurement.relay(version, environment);
        const load = { senders: version.senders.static, connections: 100, quick };
        return { ...(await saturate(measurement, relay, load)), postgresUs: undefined };
      },
    };
}

/** @returns ms to the first accepted webhook; MB idle, under load, and at most */
async function size(measurement, version, { embedded = false, environment = {}, nodeOptions = [], quick }) {
  const receiver = await measurement.receiver();
  const port = await freePort();
  const database = embedded
    ? { DATA_DIR: await embeddedDatabase(measurement, version) }
    : { DATABASE_URL: await measurement.database(version.template) };
  const startedAt = now();
  const relay = measurement.use(
    new RelayProcess(
      version.directory,
      { ...database, ...environment, POS_BASE_URL: receiver.url, OUTBOX_PACE: 'eager', PORT: String(port) },
      nodeOptions,
    ),
  );
  const url = `http://127.0.0.1:${port}`;
  const startMs = (await firstAccepted(url, version.senders.static[0])) - startedAt;
  await delay(IDLE_MS);
  const idleMb = memoryOf(relay.pid).now;
  const load = { senders: version.senders.static, connections: 100, quick, prefix: 'size' };
  const { perSecond } = await saturate(measurement, { url, pid: relay.pid }, load);
  const memory = memoryOf(relay.pid);
  return { startMs, idleMb, loadedMb: memory.now, peakMb: memory.peak, perSecond };
}

async function embeddedDatabase(measurement, version) {
  return measurement.use(await version.dataDir()).folder;
}

/** Sends a sale until it is accepted. @returns when it was */
async function firstAccepted(url, { store, authorization }) {
  const body = saleWriter(store)(keyOf('start', 0), 0);
  const headers = { 'content-type': 'application/json', authorization };
  for (const begin = now(); now() - begin < START_LIMIT_MS; await delay(ASK_EVERY_MS)) {
    const response = await fetch(`${url}/webhooks/terminal`, { method: 'POST', headers, body }).catch(() => undefined);
    if (response?.ok) return now();
    await response?.text();
  }
  throw new Error('the relay accepted nothing');
}
