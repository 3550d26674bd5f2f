// Webhooks are accepted as fast as a number of connections send them; nothing is delivered meanwhile.
import { enqueueByPeer, PEERS } from '../lib/peer.mjs';
import { findPgbench, runPgbench } from '../lib/pgbench.mjs';

export const title = 'Ingest: sales are accepted and stored';
const WAYS = { static: 'static token', jwt: 'JWT', basic: 'Basic' };

export function* measurements({ relays, peers, quick }) {
  const [version] = relays;
  for (const [way, name] of Object.entries(WAYS))
    for (const connections of quick && way !== 'static' ? [100] : [1, 20, 100]) {
      const setting = `${name}, ${connections} connection${connections > 1 ? 's' : ''}`;
      for (const each of relays)
        yield {
          setting,
          contender: each.name,
          measure: (measurement) => ingest(measurement, each, { way, connections, quick }),
        };
      if (way !== 'static') continue;
      yield {
        setting,
        contender: 'ceiling',
        measure: (measurement) => ceiling(measurement, version, { connections, quick }),
      };
    }
  for (const peer of peers.filter((name) => PEERS[name].enqueues))
    yield {
      setting: '20 producers, one by one',
      contender: peer,
      measure: (measurement) => enqueueByPeer(measurement, peer, { jobs: quick ? 4_000 : 20_000, producers: 20 }),
    };
  if (peers.length > 0) yield* limits(version, quick);
}

/** What only bounds the others: measured unless the relay is asked for alone. */
function* limits(version, quick) {
  const program = findPgbench();
  if (!program) return console.error('pgbench is not installed: its rows are left out');
  for (const rows of [1, 50])
    for (const clients of [1, 20, 50])
      yield {
        setting: `pgbench, ${rows} row${rows > 1 ? 's' : ''} a statement, ${clients} client${clients > 1 ? 's' : ''}`,
        contender: 'pgbench',
        measure: async (measurement) => {
          const database = await measurement.database(version.template);
          return runPgbench(program, database, {
            clients,
            rows,
            seconds: quick ? 3 : 5,
            folder: measurement.folder(),
          });
        },
      };
}

/** The bare server of ceiling.mjs, under the same load. */
async function ceiling(measurement, version, { connections, quick }) {
  const server = await startCeiling(measurement, version);
  return saturate(measurement, server, { senders: version.senders.static, connections, quick });
}

/** Starts ceiling.mjs. @param pos its `posUrl` and `atOnce`; without them nothing is delivered @returns the process, with its `url` */
export async function startCeiling(measurement, version, pos) {
  const server = measurement.helper(new URL('../ceiling.mjs', import.meta.url));
  const databaseUrl = await measurement.database(version.template);
  const [{ authorization }] = version.senders.static;
  server.url = await server.call('listen', { databaseUrl, authorization, ...pos });
  return server;
}

/** @returns accepted webhooks per second, p50 and p99 in ms, processor time of a webhook in microseconds */
export async function ingest(measurement, version, { way, connections, quick, database, prefix }) {
  const relay = await measurement.relay(version, {
    DATABASE_URL: database ?? (await measurement.database(version.template)),
    WORKER_ENABLED: 'false',
  });
  return saturate(measurement, relay, { senders: version.senders[way], connections, quick, prefix });
}

/** Connections of a warm-up at least: the server's code is compiled by then, however few measure it. */
const WARMING = 20;

/**
 * Loads any server that takes the webhook.
 * @param spans seconds of the warm-up and of what is measured, unless it is quick
 * @param warmedUp called with the number of sales sent so far when the warm-up has ended
 */
export async function saturate(measurement, { url, pid }, settings) {
  const { senders, connections, quick, prefix = 'ingest', warmedUp, spans = [6, 6] } = settings;
  const loader = measurement.loader();
  await loader.call('warmUp', { url, senders });
  const [warmUpSeconds, seconds] = quick ? [1, 3] : spans;
  const load = (options) => loader.call('saturate', { url, senders, ...options });
  const warming = { connections: Math.max(connections, WARMING), seconds: warmUpSeconds, prefix: `${prefix}-warm-up` };
  const { sent: warmed } = await load(warming);
  await warmedUp?.(senders.length + warmed);
  const cpu = measurement.countCpu(pid);
  const loaded = await load({ connections, seconds, prefix });
  const { own, postgres } = cpu();
  if (loaded.refused > 0) throw new Error(`${loaded.refused} of ${loaded.sent} sales were not accepted`);
  const { perSecond, p50, p99, sent } = loaded;
  return { perSecond, p50, p99, sent, relayUs: (own / sent) * 1e6, postgresUs: (postgres / sent) * 1e6 };
}
