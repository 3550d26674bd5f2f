// Webhooks are accepted as fast as so many connections send them; nothing is delivered meanwhile.
import { enqueueByPeer, PEERS } from '../lib/peer.mjs';

export const title = 'Ingest: sales are accepted and stored';
const WAYS = { static: 'static token', jwt: 'JWT', basic: 'Basic' };

export function* measurements({ relays, peers, quick }) {
  for (const [way, name] of Object.entries(WAYS))
    for (const connections of quick && way !== 'static' ? [100] : [1, 20, 100])
      for (const version of relays)
        yield {
          setting: `${name}, ${connections} connection${connections > 1 ? 's' : ''}`,
          contender: version.name,
          measure: (measurement) => ingest(measurement, version, { way, connections, quick }),
        };
  for (const peer of peers.filter((name) => PEERS[name].enqueues))
    yield {
      setting: '20 producers, one by one',
      contender: peer,
      measure: (measurement) => enqueueByPeer(measurement, peer, { jobs: quick ? 4_000 : 20_000, producers: 20 }),
    };
}

/** @returns accepted webhooks per second, p50 and p99 in ms, processor time of a webhook in microseconds */
export async function ingest(measurement, version, { way, connections, quick, database }) {
  const relay = await measurement.relay(version, {
    DATABASE_URL: database ?? (await measurement.database(version.template)),
    WORKER_ENABLED: 'false',
  });
  return saturate(measurement, relay, { senders: version.senders[way], connections, quick });
}

/** Loads any server that takes the webhook. */
export async function saturate(measurement, { url, pid }, { senders, connections, quick, prefix = 'ingest' }) {
  const loader = measurement.loader();
  await loader.call('warmUp', { url, senders });
  const [warmUpSeconds, seconds] = quick ? [1, 3] : [3, 10];
  const cpu = measurement.countCpu(pid);
  const loaded = await loader.call('saturate', { url, senders, connections, warmUpSeconds, seconds, prefix });
  const { own, postgres } = cpu();
  if (loaded.refused > 0) throw new Error(`${loaded.refused} of ${loaded.sent} sales were not accepted`);
  const { perSecond, p50, p99 } = loaded;
  return { perSecond, p50, p99, relayUs: (own / loaded.sent) * 1e6, postgresUs: (postgres / loaded.sent) * 1e6 };
}
