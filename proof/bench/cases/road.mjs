// The whole road under load: webhooks are sent as fast as they are answered, and every order is delivered meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { PEERS, roadOfPeer, variantsOnRoad } from '../lib/peer.mjs';
import { saturate, startCeiling } from './ingest.mjs';

export const title = 'The road: from the webhook to the answer of the POS, under load';
const PREFIX = 'road';
const LIMIT_MS = 600_000;
const POLL_MS = 50;
const AT_ONCE = 100;
/** More than arrive in any run. */
const MOST = 2_000_000;

/** Connections of the terminals, and the setting of each. */
export const CONNECTIONS = [1, 20, 100];
export const settingOf = (connections) => `${connections} connection${connections > 1 ? 's' : ''}`;

/** The contender that shows what is left to gain; see ceiling.mjs. */
export const CEILING = 'ceiling';

export function* measurements({ relays, peers, quick, traces }) {
  for (const connections of CONNECTIONS) {
    const setting = settingOf(connections);
    for (const version of relays)
      for (const traced of traces && version === relays.at(-1) ? [false, true] : [false])
        yield {
          setting,
          contender: traced ? `${version.name}, traced` : version.name,
          measure: (measurement) => road(measurement, startRelay(version, traced), { version, connections, quick }),
        };
    yield {
      setting,
      contender: CEILING,
      measure: (measurement) => road(measurement, startBare(relays[0]), { version: relays[0], connections, quick }),
    };
    for (const peer of peers.filter((name) => PEERS[name].road))
      for (const { nameOf, ...variant } of variantsOnRoad(peer))
        yield {
          setting,
          contender: nameOf(peer),
          measure: (measurement) =>
            road(measurement, startPeer(peer, variant), { version: relays[0], connections, quick }),
        };
  }
}

/** @param traced whether the receiver is the collector of its traces too */
const startRelay = (version, traced) => async (measurement, posUrl) =>
  measurement.relay(version, {
    DATABASE_URL: await measurement.database(version.template),
    POS_BASE_URL: posUrl,
    ...(traced && { OTEL_EXPORTER_OTLP_ENDPOINT: posUrl }),
    OUTBOX_PACE: 'eager',
    OUTBOX_BATCH_SIZE: String(AT_ONCE),
  });

/** The bare server of ceiling.mjs, which also delivers. */
const startBare = (version) => (measurement, posUrl) => startCeiling(measurement, version, { posUrl, atOnce: AT_ONCE });

const startPeer = (peer, variant) => (measurement, posUrl, senders) =>
  roadOfPeer(measurement, peer, { ...variant, senders, posUrl, atOnce: AT_ONCE });

/**
 * @param senders who sells; by default the restaurants of the version
 * @returns orders delivered per second from the first to the last; p50 and p99 of the webhooks' answers in ms; the processor time
 *   of an order in microseconds, until the last is delivered
 */
export async function road(measurement, start, { version, senders = version.senders.static, connections, quick }) {
  const receiver = await measurement.receiver();
  const server = await start(measurement, receiver.url, senders);
  await receiver.call('expect', { prefix: PREFIX, count: MOST });
  let cpu;
  const loaded = await saturate(measurement, server, {
    ...{ senders, connections, quick, prefix: PREFIX },
    async warmedUp(sent) {
      // so that the rate and the processor time are those of the measured orders alone
      await reaches(receiver, 'total', sent);
      cpu = measurement.countCpu(server.pid);
    },
  });
  await reaches(receiver, 'distinct', loaded.sent);
  const { own, postgres } = cpu();
  const { perSecond, doubled } = await receiver.call('summary');
  return {
    ...{ perSecond, doubled, p50: loaded.p50, p99: loaded.p99 },
    ...{ relayUs: (own / loaded.sent) * 1e6, postgresUs: (postgres / loaded.sent) * 1e6 },
  };
}

/** Waits until the receiver's count is at least `least`. */
async function reaches(receiver, count, least) {
  let last = 0;
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await delay(POLL_MS)) {
    last = await receiver.call(count);
    if (last >= least) return;
  }
  throw new Error(`${last} of ${least} orders arrived`);
}
