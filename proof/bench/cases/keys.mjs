// The ways of a sender with a key of its own, and what goes on beside sales: requests that wait for receipts, traces.
import { setTimeout as delay } from 'node:timers/promises';
import { base62, digestOf, tokenOf } from '../../load/tokens.mjs';
import { withConnection } from '../../postgres/connection.ts';
import { addRestaurants } from '../lib/relay.mjs';
import { saturate } from './ingest.mjs';

export const title = 'Keys: sales are accepted by keys, beside waiting requests and traces';
export const SETTINGS = {
  plain: 'static token',
  token: 'token of a key',
  signed: 'signed by a key',
  polls: 'static token, 1,000 senders wait for receipts',
  traced: 'static token, traces are exported',
};
/** Restaurants that sell, and those whose senders wait. */
const SELLING = 20;
const WAITING = 1_000;
const LIMIT_MS = 60_000;
/** How often one looks at the connections, and the pause between two looks; ms. */
const LOOKS = 30;
const LOOK_MS = 100;
/** Seconds of warm-up and measurement. */
const SPANS = [3, 5];

export function* measurements({ relays, quick }) {
  for (const [name, setting] of Object.entries(SETTINGS))
    for (const version of relays)
      yield {
        setting,
        contender: version.name,
        measure: (measurement) => WAYS[name](measurement, version, { connections: 100, quick, spans: SPANS }),
      };
}

const WAYS = {
  plain: async (measurement, version, settings) =>
    saturate(measurement, await start(measurement, version), { senders: version.senders.static, ...settings }),

  token: async (measurement, version, settings) => {
    const relay = await start(measurement, version);
    const senders = await makeKeys(relay, version, ({ token }) => ({ authorization: `Bearer ${token}` }), 'TOKEN');
    return saturate(measurement, relay, { senders, ...settings });
  },

  signed: async (measurement, version, settings) => {
    const relay = await start(measurement, version);
    const senders = await makeKeys(relay, version, ({ keyId, secret }) => ({ keyId, secret }), 'SIGNING');
    return saturate(measurement, relay, { senders, ...settings });
  },

  polls: async (measurement, version, settings) => {
    const database = await measurement.database(version.template);
    const tokens = await addKeys(database);
    const relay = await measurement.relay(version, { DATABASE_URL: database, WORKER_ENABLED: 'false' });
    const pollers = measurement.helper(new URL('../lib/pollers.mjs', import.meta.url));
    await pollers.call('open', { url: relay.url, tokens });
    await allRead(database);
    const busyConnections = await mostBusy(database);
    const figures = await saturate(measurement, relay, { senders: version.senders.static, ...settings });
    const { asked, refused } = await pollers.call('close');
    if (refused > 0) throw new Error(`${refused} of ${asked} requests for receipts were refused`);
    return { ...figures, busyConnections };
  },

  traced: async (measurement, version, settings) => {
    const { url } = await measurement.receiver();
    const relay = await start(measurement, version, { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    return saturate(measurement, relay, { senders: version.senders.static, ...settings });
  },
};

const start = async (measurement, version, environment) =>
  measurement.relay(version, {
    DATABASE_URL: await measurement.database(version.template),
    WORKER_ENABLED: 'false',
    ...environment,
  });

/** A key of each restaurant. @returns the senders, with what `credentialsOf` makes of a key */
async function makeKeys(relay, { owners, senders }, credentialsOf, kind) {
  const made = owners.map(async ({ restaurantId }, n) => {
    const token = senders.jwt[n].authorization.replace('Bearer ', '');
    const body = { name: 'Bar', kind };
    const { data } = await relay.api('POST', `/restaurants/${restaurantId}/sender-keys`, { token, body });
    return { store: senders.jwt[n].store, ...credentialsOf(data) };
  });
  return Promise.all(made);
}

/** Adds restaurants that sell nothing, each with a key that reads receipts. @returns the tokens */
async function addKeys(database) {
  await addRestaurants(database, SELLING + WAITING);
  const tokens = Array.from({ length: WAITING }, () => tokenOf(base62(8)));
  await withConnection(database, (query) =>
    query(
      `INSERT INTO sender_keys (id, restaurant_id, key_id, name, kind, scopes, token_hash)
       SELECT gen_random_uuid(), restaurants.id, key.key_id, 'Bar', 'TOKEN', ARRAY['receipts:read'], key.token_hash
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS key(key_id, token_hash, n)
       JOIN restaurants ON code_store_terminal = 'STORE-' || ($3::int + n - 1)`,
      [tokens.map((token) => token.split('_')[1]), tokens.map(digestOf), SELLING],
    ),
  );
  return tokens;
}

/** Waits until the request of each key was let in. */
const allRead = (database) =>
  withConnection(database, async (query) => {
    for (const begin = performance.now(); performance.now() - begin < LIMIT_MS; await delay(LOOK_MS)) {
      const [{ unread }] = await query(`SELECT count(*)::int AS unread FROM sender_keys WHERE last_used_at IS NULL`);
      if (unread === 0) return;
    }
    throw new Error('not every request for receipts was let in');
  });

/** The most connections to a database that were at work at a time, but for the one that looks. */
const mostBusy = (database) =>
  withConnection(database, async (query) => {
    let most = 0;
    for (let looks = 0; looks < LOOKS; looks++) {
      const [{ busy }] = await query(
        `SELECT count(*)::int AS busy FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'`,
      );
      most = Math.max(most, busy);
      await delay(LOOK_MS);
    }
    return most;
  });
