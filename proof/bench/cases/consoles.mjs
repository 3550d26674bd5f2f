// The same load on the webhook while nobody, and while fifty people, look at the console.
import { setTimeout as delay } from 'node:timers/promises';
import { addRestaurants, storeOf } from '../lib/relay.mjs';
import { saturate } from './ingest.mjs';

export const title = 'Consoles: sales of 1,000 restaurants are accepted while people look at the console';
export const OPEN = [0, 50];
/** Consoles are open for an evening: what is compiled at the first looks is not counted; ms. */
const LOOKED_MS = 20_000;
/** So many restaurants take turns: what one of them sells is what a page has to count. */
const RESTAURANTS = 1_000;

export const settingOf = (count) => `100 connections, ${count === 0 ? 'no console' : `${count} consoles`} open`;

export function* measurements({ relays, quick }) {
  for (const version of relays)
    for (const count of OPEN)
      yield {
        setting: settingOf(count),
        contender: version.name,
        measure: (measurement) => watched(measurement, version, { count, quick }),
      };
}

/** @returns as `ingest` */
async function watched(measurement, version, { count, quick }) {
  const database = await measurement.database(version.template);
  await addRestaurants(database, RESTAURANTS);
  const relay = await measurement.relay(version, { DATABASE_URL: database, WORKER_ENABLED: 'false' });
  const viewers = measurement.helper(new URL('../lib/viewers.mjs', import.meta.url));
  await viewers.call('open', { url: relay.url, owners: version.owners, count });
  await delay(quick ? LOOKED_MS / 10 : LOOKED_MS);
  const [{ authorization }] = version.senders.static;
  const senders = Array.from({ length: RESTAURANTS }, (_, n) => ({ store: storeOf(n), authorization }));
  const figures = await saturate(measurement, relay, { senders, connections: 100, quick });
  const { answered, refused } = await viewers.call('close');
  if (refused > 0) throw new Error(`${refused} of ${refused + answered} reads of the consoles were refused`);
  if (count > 0 && answered < count) throw new Error(`the consoles read only ${answered} times`);
  return figures;
}
