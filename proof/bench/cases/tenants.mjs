// A thousand restaurants, one of whose POS never answers and has a thousand jobs: how long the others' orders take.

import { percentiles } from '../../load/statistics.mjs';
import { storeDueJobs } from '../lib/preload.mjs';
import { addRestaurants, storeOf } from '../lib/relay.mjs';
import { arrivalsOf } from './latency.mjs';

export const title = "Tenants: 1,000 restaurants, and one whose POS never answers: the others' orders";
const RESTAURANTS = 1_000;
const HOLE = RESTAURANTS - 1;
const HOLE_JOBS = 1_000;
/** 50 sales a second. */
const EVERY_MS = 20;

export function* measurements({ relays, quick }) {
  for (const atOnce of [20, 100])
    for (const version of relays)
      for (const hole of [false, true])
        yield {
          setting: `${hole ? 'one never answers' : 'all answer'}, ${atOnce} at once`,
          contender: version.name,
          measure: (measurement) => tenants(measurement, version, { hole, atOnce, count: quick ? 300 : 2_000 }),
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
