// The whole road under load: webhooks are sent as fast as they are answered, and every order is delivered meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { withConnection } from '../../postgres/connection.ts';
import { saturate } from './ingest.mjs';

export const title = 'The whole road: from the webhook to the answer of the POS, under load';
const PREFIX = 'road';
const LIMIT_MS = 600_000;
/** More than arrive in any run. */
const MOST = 2_000_000;

export function* measurements({ relays, quick }) {
  for (const connections of [20, 100])
    for (const version of relays)
      yield {
        setting: `${connections} connections, 100 at once`,
        contender: version.name,
        measure: (measurement) => road(measurement, version, { connections, quick }),
      };
}

/** @returns orders delivered per second from the first to the last; p50 and p99 of the webhooks' answers in ms */
async function road(measurement, version, { connections, quick }) {
  const receiver = await measurement.receiver();
  await receiver.call('expect', { prefix: PREFIX, count: MOST });
  const database = await measurement.database(version.template);
  const relay = await measurement.relay(version, {
    DATABASE_URL: database,
    POS_BASE_URL: receiver.url,
    OUTBOX_PACE: 'eager',
    OUTBOX_BATCH_SIZE: '100',
  });
  const cpu = measurement.countCpu(relay.pid);
  const load = { senders: version.senders.static, connections, quick, prefix: PREFIX };
  const loaded = await saturate(measurement, relay, load);
  const end = performance.now() + LIMIT_MS;
  let arrived = await receiver.call('summary');
  while (arrived.orders < loaded.sent && performance.now() < end) {
    await delay(200);
    arrived = await receiver.call('summary');
  }
  if (arrived.orders !== loaded.sent) throw new Error(`${arrived.orders} of ${loaded.sent} orders arrived`);
  const { own, postgres } = cpu();
  // those of the warm-up cost as much, and are delivered meanwhile
  const [{ sold }] = await withConnection(database, (query) => query('SELECT count(*)::int AS sold FROM outbox_jobs'));
  const { perSecond, doubled } = arrived;
  return {
    ...{ perSecond, doubled, p50: loaded.p50, p99: loaded.p99 },
    ...{ relayUs: (own / sold) * 1e6, postgresUs: (postgres / sold) * 1e6 },
  };
}
