// POSs that fetch their orders: the time from a sale to the poll that has it, and what polls without events take.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { keyOf } from '../../load/payload.mjs';
import { percentiles } from '../../load/statistics.mjs';
import { digestOf } from '../../load/tokens.mjs';
import { withConnection } from '../../postgres/connection.ts';
import { addRestaurants, storeOf } from '../lib/relay.mjs';

export const title = 'Polls: POSs fetch their orders';
export const SELLING = '200 POSs poll each second, 50 sales a second';
const IDLE = '10,000 POSs poll each 5 s, no sales';
const BUSY = 'polls without events, as fast as they are answered';
/** Restaurants that the template has; those of the case are added after them. */
const OTHERS = 20;
const SALE_MS = 20;
const LIMIT_MS = 60_000;
const SECRET = 'secret-of-a-pos-of-the-benchmark';

export function* measurements({ relays, quick }) {
  const ways = {
    [SELLING]: (...of) => sell(...of, { poses: 200, everyMs: 1_000, count: quick ? 200 : 1_500 }),
    [IDLE]: (...of) =>
      wait(...of, { poses: quick ? 2_000 : 10_000, everyMs: quick ? 1_000 : 5_000, seconds: quick ? 5 : 20 }),
    [BUSY]: (...of) => saturate(...of, { poses: 200, seconds: quick ? 3 : 10 }),
  };
  for (const [setting, way] of Object.entries(ways))
    for (const version of relays)
      yield { setting, contender: version.name, measure: (measurement) => way(measurement, version) };
}

/**
 * @returns p50 and p99 of the polls that have orders, in ms; `saleP99`: from sending a sale to the answer of the poll that has it, which includes
 *   the wait for the next poll
 */
async function sell(measurement, version, { poses, everyMs, count }) {
  const { relay, tills } = await start(measurement, version, poses);
  const [{ authorization }] = version.senders.static;
  const senders = Array.from({ length: poses }, (_, n) => ({ store: storeOf(OTHERS + n), authorization }));
  const loader = measurement.loader();
  await loader.call('warmUp', { url: relay.url, senders });
  await tills.call('open', { everyMs });
  await loader.call('pace', { url: relay.url, senders, everyMs: SALE_MS, count: 300, prefix: 'warm-up' });
  await tills.call('forget');
  const cpu = measurement.countCpu(relay.pid);
  const { sentAt, refused } = await loader.call('pace', {
    ...{ url: relay.url, senders, everyMs: SALE_MS, count, prefix: 'polls' },
  });
  const { own, postgres } = cpu();
  if (refused > 0) throw new Error(`${refused} of ${count} sales were not accepted`);
  await allFetched(relay.databaseUrl);
  const { arrivals, withEvents, refused: refusedPolls } = await tills.call('close');
  if (refusedPolls > 0) throw new Error(`${refusedPolls} polls or acknowledgements were refused`);
  const times = sentAt.map((at, number) => arrivals[keyOf('polls', number)] - at);
  if (times.some(Number.isNaN)) throw new Error('not every order came to its POS');
  return {
    ...withEvents,
    saleP99: percentiles(times).p99,
    relayUs: (own / count) * 1e6,
    postgresUs: (postgres / count) * 1e6,
  };
}

/** @returns polls answered per second, p50 and p99 in ms, processor time of a poll; `refused` and `skipped` polls a second */
async function wait(measurement, version, { poses, everyMs, seconds }) {
  const { relay, tills } = await start(measurement, version, poses);
  await tills.call('open', { everyMs });
  await delay(everyMs);
  await tills.call('close');
  await tills.call('open', { everyMs });
  const cpu = measurement.countCpu(relay.pid);
  await delay(seconds * 1_000);
  const { own, postgres, seconds: taken } = cpu();
  const { polls, refused, skipped, all } = await tills.call('close');
  return {
    ...{ perSecond: (polls - refused) / taken, pollsRefused: refused / taken, pollsSkipped: skipped / taken, ...all },
    ...{ relayUs: (own / polls) * 1e6, postgresUs: (postgres / polls) * 1e6 },
  };
}

/** @returns as {@link wait}, of connections that poll without a pause */
async function saturate(measurement, version, { poses, seconds }) {
  const { relay, tills } = await start(measurement, version, poses);
  await tills.call('saturate', { connections: 50, seconds: 2 });
  const cpu = measurement.countCpu(relay.pid);
  const { polls, refused, perSecond, p50, p99 } = await tills.call('saturate', { connections: 50, seconds });
  const { own, postgres } = cpu();
  const figures = { perSecond, pollsRefused: refused / seconds, p50, p99 };
  return { ...figures, relayUs: (own / polls) * 1e6, postgresUs: (postgres / polls) * 1e6 };
}

/** A relay, restaurants whose POS pulls, and these POSs, signed in. */
async function start(measurement, version, poses) {
  const databaseUrl = await measurement.database(version.template);
  const credentials = await addPoses(databaseUrl, poses);
  const relay = await measurement.relay(version, { DATABASE_URL: databaseUrl, OUTBOX_PACE: 'eager' });
  relay.databaseUrl = databaseUrl;
  const tills = measurement.helper(new URL('../lib/pulling-poses.mjs', import.meta.url));
  await tills.call('signIn', { url: relay.url, credentials });
  return { relay, tills };
}

async function addPoses(databaseUrl, poses) {
  await addRestaurants(databaseUrl, OTHERS + poses);
  const credentials = Array.from({ length: poses }, () => ({ clientId: randomUUID(), clientSecret: SECRET }));
  await withConnection(databaseUrl, async (query) => {
    await query(
      `UPDATE restaurants SET pulls = true, pos_vendor = 'open-delivery', currency = 'EUR'
       WHERE slug LIKE 'restaurant-of-sql-%'`,
    );
    await query(
      `INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash)
       SELECT till.id, restaurants.id, 'Till', $2
       FROM unnest($1::uuid[]) WITH ORDINALITY AS till(id, n) JOIN restaurants ON code_store_terminal = 'STORE-' || ($3::int + n - 1)`,
      [credentials.map(({ clientId }) => clientId), digestOf(SECRET), OTHERS],
    );
    await query('ANALYZE');
  });
  return credentials;
}

/** Waits until every order is acknowledged. */
const allFetched = (databaseUrl) =>
  withConnection(databaseUrl, async (query) => {
    for (const begin = performance.now(); performance.now() - begin < LIMIT_MS; await delay(100)) {
      const [{ open }] = await query(`SELECT count(*)::int AS open FROM outbox_jobs WHERE status <> 'SENT'`);
      if (open === 0) return;
    }
    throw new Error('not every order was acknowledged');
  });
