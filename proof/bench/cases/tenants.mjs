// A thousand restaurants, one of whose POS never answers and has a thousand jobs, or some of one founder whose POSs answer quickly and hang by
// turns: how long the others' orders take.

import { percentiles } from '../../load/statistics.mjs';
import { withConnection } from '../../postgres/connection.ts';
import { storeDueJobs } from '../lib/preload.mjs';
import { addRestaurants, storeOf } from '../lib/relay.mjs';
import { arrivalsOf } from './latency.mjs';

export const title = "Tenants: 1,000 restaurants, and one whose POS never answers: the others' orders";
const RESTAURANTS = 1_000;
const HOLE = RESTAURANTS - 1;
const HOLE_JOBS = 1_000;
/** 50 sales a second. */
const EVERY_MS = 20;
/** Restaurants of one founder that hang by turns, and how often one of them sells: enough to keep 20 slots. */
const TURNING = Array.from({ length: 24 }, (_, n) => storeOf(HOLE - 1 - n));
const TURNING_EVERY_MS = 330;
/** The others' sales come in for longer than that takes to show. */
const TURNING_COUNT = { quick: 1_500, whole: 3_000 };

export function* measurements({ relays, quick }) {
  for (const atOnce of [20, 100])
    for (const version of relays)
      for (const hole of [false, true])
        yield {
          setting: `${hole ? 'one never answers' : 'all answer'}, ${atOnce} at once`,
          contender: version.name,
          measure: (measurement) => tenants(measurement, version, { hole, atOnce, count: quick ? 300 : 2_000 }),
        };
  for (const version of relays)
    yield {
      setting: 'some of one founder hang by turns, 20 at once',
      contender: version.name,
      measure: (measurement) => turning(measurement, version, TURNING_COUNT[quick ? 'quick' : 'whole']),
    };
}

async function tenants(measurement, version, { hole, atOnce, count }) {
  const database = await measurement.database(version.template);
  await addRestaurants(database, RESTAURANTS);
  if (hole) await storeDueJobs(database, { prefix: 'hole', count: HOLE_JOBS, restaurants: 1, from: HOLE });
  const receiver = await measurement.receiver();
  await receiver.call('expect', { prefix: 'none', count: 0, hole: storeOf(HOLE) });
  const { url } = await measurement.relay(version, {
    DATABASE_URL: database,
    POS_BASE_URL: receiver.url,
    OUTBOX_PACE: 'eager',
    OUTBOX_BATCH_SIZE: String(atOnce),
  });
  const [{ authorization }] = version.senders.static;
  const senders = Array.from({ length: HOLE }, (_, n) => ({ store: storeOf(n), authorization }));
  const loader = measurement.loader();
  const pace = (settings) => loader.call('pace', { url, senders, ...settings });
  const usual = { everyMs: EVERY_MS, hole: storeOf(HOLE) };
  await arrivalsOf(receiver, pace, { ...usual, prefix: 'first', count: 100 });
  const { times } = await arrivalsOf(receiver, pace, { ...usual, prefix: 'tenants', count });
  return percentiles(times);
}

async function turning(measurement, version, count) {
  const database = await measurement.database(version.template);
  await addRestaurants(database, RESTAURANTS);
  await withConnection(database, (query) =>
    query(
      `UPDATE restaurants SET founded_by = (SELECT id FROM users WHERE role = 'USER' ORDER BY email LIMIT 1)
       WHERE code_store_terminal = ANY ($1)`,
      [TURNING],
    ),
  );
  const receiver = await measurement.receiver();
  const { url } = await measurement.relay(version, {
    DATABASE_URL: database,
    POS_BASE_URL: receiver.url,
    OUTBOX_PACE: 'eager',
    OUTBOX_BATCH_SIZE: '20',
  });
  const [{ authorization }] = version.senders.static;
  const isOther = (store) => !TURNING.includes(store);
  const sendersOf = (stores) => stores.map((store) => ({ store, authorization }));
  const others = sendersOf(
    Array.from({ length: RESTAURANTS }, (_, n) => storeOf(n))
      .filter(isOther)
      .slice(0, 100),
  );
  const pace = (settings) => measurement.loader().call('pace', { url, senders: others, ...settings });
  // all are known to be quick
  await arrivalsOf(receiver, pace, { everyMs: EVERY_MS, prefix: 'first', count: 100 });
  const hanging = measurement.loader().call('pace', {
    ...{ url, senders: sendersOf(TURNING), prefix: 'turning', everyMs: TURNING_EVERY_MS },
    count: Math.ceil((count * EVERY_MS) / TURNING_EVERY_MS),
  });
  const { times } = await arrivalsOf(receiver, pace, { everyMs: EVERY_MS, prefix: 'tenants', count, turning: TURNING });
  await hanging;
  return percentiles(times);
}
