// A backlog of stored sales is delivered to a POS that answers at once: jobs per second, and what a job costs.
import { within } from '../lib/measurement.mjs';
import { drainByPeer, PEERS, VARIANTS } from '../lib/peer.mjs';
import { storeDueJobs } from '../lib/preload.mjs';
import { addRestaurants } from '../lib/relay.mjs';

export const title = 'Drain: a backlog is delivered to a POS that answers at once';
const LIMIT_MS = 600_000;
const PREFIX = 'drain';
const RESTAURANTS = 50;

/** The setting of a backlog. @param restaurants 50, or another number, which the setting names */
export const settingOf = ({ jobs, atOnce, instances = 1, restaurants = RESTAURANTS }) =>
  [
    `${jobs} jobs, ${atOnce} at once`,
    instances > 1 && `${instances} instances`,
    restaurants !== RESTAURANTS && `${restaurants} restaurant${restaurants > 1 ? 's' : ''}`,
  ]
    .filter(Boolean)
    .join(', ');

export function* measurements({ relays, peers, quick }) {
  for (const settings of settingsOf(quick)) {
    const setting = settingOf(settings);
    for (const version of relays)
      yield {
        setting,
        contender: version.name,
        measure: (measurement) => drain(measurement, version, settings),
      };
    if (settings.restaurants !== RESTAURANTS) continue;
    for (const peer of peers.filter((name) => PEERS[name].drains(settings)))
      for (const { nameOf, sameWork } of variantsOf(peer, settings))
        yield {
          setting,
          contender: nameOf(peer),
          measure: (measurement) => drainByPeer(measurement, peer, { ...settings, sameWork }),
        };
  }
}

/** Doing the same work, peers are measured with the usual backlog and one instance. */
const variantsOf = (peer, { sameWorkToo }) => (sameWorkToo && PEERS[peer].road ? VARIANTS : VARIANTS.slice(0, 1));

function settingsOf(quick) {
  const usual = { jobs: quick ? 5_000 : 20_000, atOnce: 20, instances: 1, restaurants: RESTAURANTS };
  const both = { ...usual, sameWorkToo: true };
  const backlog = { ...usual, jobs: quick ? 20_000 : 100_000 };
  return [
    both,
    { ...both, atOnce: 100 },
    { ...usual, instances: 2 },
    { ...usual, atOnce: 100, instances: 2 },
    // what it costs to let restaurants take turns
    { ...usual, restaurants: 1 },
    { ...usual, restaurants: 1, atOnce: 100 },
    { ...usual, restaurants: 1_000 },
    backlog,
    { ...backlog, atOnce: 100 },
  ];
}

/** @returns jobs per second, and the processor time of a job in microseconds: the relay's and Postgres's */
export async function drain(measurement, version, { jobs, atOnce, instances, restaurants }) {
  const database = await measurement.database(version.template);
  if (restaurants > version.senders.static.length) await addRestaurants(database, restaurants);
  await storeDueJobs(database, { prefix: PREFIX, count: jobs, restaurants });
  return drainDatabase(measurement, version, { database, prefix: PREFIX, jobs, atOnce, instances });
}

/** As `drain`, of a database in which the jobs are stored already. */
export async function drainDatabase(measurement, version, { database, prefix, jobs, atOnce, instances = 1 }) {
  const receiver = await measurement.receiver();
  await receiver.call('expect', { prefix, count: jobs });
  const [first, full] = [receiver.next('first'), receiver.next('full')];
  full.catch(() => {});
  const environment = {
    DATABASE_URL: database,
    POS_BASE_URL: receiver.url,
    OUTBOX_PACE: 'eager',
    OUTBOX_BATCH_SIZE: String(atOnce),
  };
  const starting = Array.from({ length: instances }, () => measurement.relay(version, environment));
  const processes = await Promise.all(starting);
  // with two instances, the first may have begun before the second was ready: the rate is of what came after
  const ready = process.hrtime.bigint();
  await within(LIMIT_MS, 'the first order', first);
  const cpu = measurement.countCpu(...processes.map(({ pid }) => pid));
  const before = await receiver.call('summary');
  await within(LIMIT_MS, 'the last order', full);
  const { own, postgres } = cpu();
  const summary = await receiver.call('summary', instances > 1 ? Number(ready) / 1e6 : undefined);
  const counted = summary.orders - before.orders;
  return {
    perSecond: summary.perSecond,
    warm: summary.warm,
    doubled: summary.doubled,
    relayUs: (own / counted) * 1e6,
    postgresUs: (postgres / counted) * 1e6,
  };
}
