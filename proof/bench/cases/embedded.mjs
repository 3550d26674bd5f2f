// The road on the embedded default: one process, which is the database too. And a backlog that it delivers.
import { within } from '../lib/measurement.mjs';
import { CONNECTIONS, settingOf as connectionsOf, road } from './road.mjs';

export const title = 'Embedded: sales are accepted and delivered on the embedded database';
const AT_ONCE = 20;
/** How long the sales of the backlog arrive, in s. */
const SELLING = 6;
const LIMIT_MS = 120_000;
const PREFIX = 'backlog';

export const settingOf = (connections) => `accepted and delivered, ${connectionsOf(connections)}`;
export const DRAIN = `a backlog, ${AT_ONCE} at once`;

export function* measurements({ relays, quick }) {
  for (const version of relays) {
    for (const connections of CONNECTIONS)
      yield {
        setting: settingOf(connections),
        contender: version.name,
        measure: (measurement) => road(measurement, startEmbedded(version), { version, connections, quick }),
      };
    yield { setting: DRAIN, contender: version.name, measure: (measurement) => drain(measurement, version, quick) };
  }
}

const startEmbedded = (version) => async (measurement, posUrl) =>
  start(measurement, version, await newFolder(measurement, version), { POS_BASE_URL: posUrl });

const start = (measurement, version, folder, environment) =>
  measurement.relay(version, {
    DATA_DIR: folder,
    OUTBOX_PACE: 'eager',
    OUTBOX_BATCH_SIZE: String(AT_ONCE),
    ...environment,
  });

async function newFolder(measurement, version) {
  return measurement.use(await version.dataDir()).folder;
}

/** Sales are stored by a relay without a worker, and delivered by the next one. @returns orders a second */
async function drain(measurement, version, quick) {
  const folder = await newFolder(measurement, version);
  const storing = await start(measurement, version, folder, { WORKER_ENABLED: 'false' });
  const load = { url: storing.url, senders: version.senders.static, connections: 100, prefix: PREFIX };
  const { sent } = await measurement.loader().call('saturate', { ...load, seconds: quick ? 2 : SELLING });
  await storing.end('SIGTERM');
  const receiver = await measurement.receiver();
  await receiver.call('expect', { prefix: PREFIX, count: sent });
  const full = receiver.next('full');
  full.catch(() => {});
  await start(measurement, version, folder, { POS_BASE_URL: receiver.url });
  await within(LIMIT_MS, 'the last order', full);
  const { perSecond, warm, doubled } = await receiver.call('summary');
  return { perSecond, warm, doubled };
}
