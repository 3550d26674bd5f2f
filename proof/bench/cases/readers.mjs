// The same load on the webhook while nobody, and while the people of ten other restaurants read long lists of big sales without a pause.
import { withConnection } from '../../postgres/connection.ts';
import { settleDown } from '../lib/databases.mjs';
import { TABLES } from '../lib/preload.mjs';
import { saturate } from './ingest.mjs';

export const title = "Readers: a neighbour's sales while ten accounts read lists of 100 big sales, four at once each";
const ACCOUNTS = 10;
export const READING = [0, ACCOUNTS];
const LISTS = 4;
/** Sales of each restaurant that is read, and the items of each sale. */
const SALES = 100;
const ITEMS = 1_000;

export const settingOf = (accounts) => `20 connections, ${accounts} accounts read`;

export function* measurements({ relays, quick }) {
  for (const version of relays)
    for (const accounts of READING)
      yield {
        setting: settingOf(accounts),
        contender: version.name,
        measure: (measurement) => read(measurement, version, { accounts, quick }),
      };
}

/** @returns as `ingest`, with the lists that were read in a second as `lists` */
async function read(measurement, version, { accounts, quick }) {
  const database = await measurement.database(version.template);
  const restaurants = version.owners.slice(0, ACCOUNTS).map(({ restaurantId }) => restaurantId);
  await storeBigSales(database, restaurants);
  const relay = await measurement.relay(version, { DATABASE_URL: database, WORKER_ENABLED: 'false' });
  const readers = measurement.helper(new URL('../lib/readers.mjs', import.meta.url));
  const signedIn = [];
  for (const { restaurantId, ...owner } of version.owners.slice(0, accounts))
    signedIn.push({ restaurantId, token: await relay.signIn(owner) });
  await readers.call('read', { url: relay.url, accounts: signedIn, lists: LISTS });
  const senders = version.senders.static.slice(ACCOUNTS, ACCOUNTS + 1);
  const figures = await saturate(measurement, relay, { senders, connections: 20, quick });
  const { answered, seconds, refused } = await readers.call('stop');
  if (refused > 0) throw new Error(`${refused} of ${refused + answered} lists were refused`);
  return { ...figures, lists: answered / seconds };
}

/** Sales of ITEMS items each for every restaurant. */
const storeBigSales = (url, restaurants) =>
  withConnection(url, async (query) => {
    await query(
      `WITH items AS MATERIALIZED (
         SELECT jsonb_agg(jsonb_build_object('itemCode', 'PZ-' || n, 'itemName', 'Pizza number ' || n, 'quantity', 1, 'price', 12.5)) AS list
         FROM generate_series(1, $3::int) n
       ), sales AS (
         SELECT restaurant, 'big-' || place || '-' || n AS key, n FROM unnest($1::uuid[]) WITH ORDINALITY r(restaurant, place), generate_series(1, $2::int) n
       ), stored AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, paid_cents, paid_by_tender, payload, received_at)
         SELECT key, key, false, restaurant, n::text, 1250 * $3::bigint, jsonb_build_object('16', 1250 * $3::bigint),
           jsonb_build_object('transactionKey', key, 'totalAmount', 12.5 * $3, 'items', items.list, 'payments', '[]'::jsonb),
           now() - n * interval '1 second'
         FROM sales, items RETURNING transaction_key, restaurant_id, received_at
       )
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'PENDING', received_at, received_at, received_at FROM stored`,
      [restaurants, SALES, ITEMS],
    );
    await settleDown(query, ...TABLES);
  });
