// The others: each is a file in peers/, run in processes of its own.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { now } from '../../load/statistics.mjs';
import { within } from './measurement.mjs';

/** The newest peers need Node 22: where this process is older, the one that npm installed for them. */
const INSTALLED_NODE = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 18);
export const NODE_OF_PEERS = isNewEnough || !existsSync(INSTALLED_NODE) ? process.execPath : INSTALLED_NODE;

const PROCESS = new URL('./peer-process.mjs', import.meta.url);
const LIMIT_MS = 600_000;
const PREFIX = 'peer';
const always = () => true;

/**
 * What each takes part in. `drains` says with which settings; `node`: the program it runs with, default: this one;
 * `redis`: it keeps its jobs there, not in Postgres; `road`: it also runs behind a webhook, and doing the same work as the relay;
 * `choosesLatency`: it has one setting for rate and another one for latency.
 */
export const PEERS = {
  'graphile-worker': { enqueues: true, drains: always, answers: true, road: true, node: NODE_OF_PEERS },
  'pg-boss': {
    enqueues: true,
    drains: always,
    answers: true,
    road: true,
    choosesLatency: true,
    node: NODE_OF_PEERS,
  },
  bullmq: { enqueues: true, drains: always, answers: true, node: NODE_OF_PEERS, redis: true },
  // sequential: neither more at once nor a longer backlog changes what it does
  naive: {
    enqueues: true,
    drains: ({ jobs, atOnce, instances }) => atOnce === 20 && instances === 1 && jobs <= 20_000,
    answers: true,
  },
  loop: { enqueues: false, drains: ({ instances }) => instances === 1, answers: false },
};

/** Names of a peer in the tables: as it is, doing the same work as the relay, and with its setting for latency. */
export const asItIs = (peer) => peer;
export const sameWork = (peer) => `${peer}, same work`;
export const forLatency = (peer) => `${peer}, for latency`;
export const VARIANTS = [
  { nameOf: asItIs, sameWork: false },
  { nameOf: sameWork, sameWork: true },
];
/** Of a peer on the road: `awaited` is its setting for latency, where it has one. */
export const variantsOnRoad = (peer) => [
  ...VARIANTS,
  ...(PEERS[peer].choosesLatency ? [{ nameOf: forLatency, sameWork: false, awaited: true }] : []),
];

/** The package of a peer, with the version that is installed; the name of one that is none. */
export function versionOf(peer) {
  try {
    const file = new URL(`../../node_modules/${peer}/package.json`, import.meta.url);
    return `${peer} ${JSON.parse(readFileSync(file, 'utf8')).version}`;
  } catch {
    return peer;
  }
}

/** A process of a peer. @param role `producer`, `worker` or `both` */
async function start(measurement, peer, role, place) {
  const process = measurement.helper(PROCESS, [peer], PEERS[peer].node);
  await process.call('open', { ...place, role });
  return process;
}

/** Where a peer keeps its jobs: a new database, or a Redis server. */
async function placeOf(measurement, peer) {
  if (PEERS[peer].redis) return { redisPort: await measurement.run.redis.clear() };
  return peer === 'loop' ? {} : { databaseUrl: await measurement.database() };
}

/** @returns jobs per second, with `producers` that each store one job after the other; p50 and p99 in ms */
export async function enqueueByPeer(measurement, peer, { jobs, producers }) {
  const place = await placeOf(measurement, peer);
  const process = await start(measurement, peer, 'producer', { ...place, concurrency: producers, nobodyWaits: true });
  // as long a warm-up as the webhooks have, so that everybody's code is compiled
  await process.call('enqueue', { prefix: 'first', jobs: Math.ceil(jobs / 4), producers });
  const cpu = measurement.countCpu(process.pid);
  const figures = await process.call('enqueue', { prefix: PREFIX, jobs, producers });
  const { own, postgres } = cpu();
  return {
    ...figures,
    relayUs: (own / jobs) * 1e6,
    postgresUs: PEERS[peer].redis ? undefined : (postgres / jobs) * 1e6,
  };
}

/** @returns jobs per second, and the processor time of a job in microseconds: the workers' and Postgres's */
export async function drainByPeer(measurement, peer, { jobs: asked, atOnce, instances, sameWork = false }) {
  const jobs = peer === 'naive' ? Math.min(asked, 5_000) : asked;
  const place = { ...(await placeOf(measurement, peer)), sameWork };
  const producer = await start(measurement, peer, 'producer', { ...place, concurrency: 4 });
  await producer.call('fill', { prefix: PREFIX, jobs });
  await producer.end();
  const receiver = await measurement.receiver();
  await receiver.call('expect', { prefix: PREFIX, count: jobs });
  const [first, full] = [receiver.next('first'), receiver.next('full')];
  full.catch(() => {});
  const workers = await Promise.all(
    Array.from({ length: instances }, () => start(measurement, peer, 'worker', { ...place, concurrency: atOnce })),
  );
  for (const worker of workers)
    await worker.call('work', { url: receiver.url, concurrency: atOnce, prefix: PREFIX, jobs });
  const ready = now();
  await within(LIMIT_MS, `the first order of ${peer}`, first);
  const cpu = measurement.countCpu(...workers.map(({ pid }) => pid));
  const before = await receiver.call('summary');
  await within(LIMIT_MS, `the last order of ${peer}`, full);
  const { own, postgres } = cpu();
  const summary = await receiver.call('summary', instances > 1 ? ready : undefined);
  const counted = summary.orders - before.orders;
  return {
    perSecond: summary.perSecond,
    warm: summary.warm,
    doubled: summary.doubled,
    relayUs: (own / counted) * 1e6,
    postgresUs: place.databaseUrl ? (postgres / counted) * 1e6 : undefined,
  };
}

/** Connections of a pool that stores what arrives at the webhook: for each peer the number with which it is fastest. */
const storersOf = (peer) => (peer === 'pg-boss' ? 50 : 20);

/**
 * Starts a peer behind a webhook, its workers in the same process.
 * @param how `awaited`: with its setting for latency
 * @returns the process, with its `url`
 */
export async function roadOfPeer(measurement, peer, { sameWork, awaited = false, senders, posUrl, atOnce }) {
  const place = { ...(await placeOf(measurement, peer)), sameWork, stores: senders.map(({ store }) => store) };
  // unless somebody waits for one order: pg-boss stores twice as fast without notifications, and polls
  const settings = { ...place, concurrency: storersOf(peer), nobodyWaits: !awaited };
  const process = await start(measurement, peer, 'both', settings);
  await process.call('work', { url: posUrl, concurrency: atOnce });
  process.url = await process.call('listen', { authorization: senders[0].authorization });
  return process;
}

/** Starts a worker on an empty queue. @returns its receiver, and `pace`: stores one job every `everyMs`; see the loader's */
export async function idlePeer(measurement, peer) {
  const place = await placeOf(measurement, peer);
  const producer = await start(measurement, peer, 'producer', { ...place, concurrency: 4 });
  await producer.call('fill', { prefix: PREFIX, jobs: 0 });
  const receiver = await measurement.receiver();
  const worker = await start(measurement, peer, 'worker', { ...place, concurrency: 20 });
  await worker.call('work', { url: receiver.url, concurrency: 20 });
  return { receiver, pace: (settings) => producer.call('pace', settings) };
}
