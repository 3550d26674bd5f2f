// The sales of a restaurant while another founder's restaurants send what costs them little, by many connections.
import { randomUUID } from 'node:crypto';
import { keyOf, saleWriter } from '../../load/payload.mjs';
import { base62, digestOf, tokenOf } from '../../load/tokens.mjs';
import { withConnection } from '../../postgres/connection.ts';
import { addRestaurants, storeOf } from '../lib/relay.mjs';
import { saturate } from './ingest.mjs';

export const title = "Neighbour: a restaurant's sales by 8 connections, beside 200 connections of another founder";
export const ALONE = 'alone';
const CONNECTIONS = 200;
const OF_NEIGHBOUR = 8;
/** Restaurants of the other founder, after those of the template. */
const OTHERS = 20;
const FOUNDED = 200;
const SECRET = 'a-secret-of-a-till-of-the-benchmark';

/** What the other founder sends: whole requests, by the tokens of its senders and POSs. */
const KINDS = {
  'ordinary sales': ({ senders }) => [senders[0]].map((sender) => post(sender, sale(sender.store, '{counter}'))),
  'repeats by 200 keys': ({ senders }) => senders.map((sender) => post(sender, sale(sender.store, sender.store))),
  'refused sales': ({ senders }) => [post(senders[0], '{"transactionKey":""}')],
  'receipts that do not exist': ({ senders }) => [get(senders[0], `/webhooks/terminal/receipts/${randomUUID()}`)],
  'receipts after a wrong cursor': ({ senders }) => [get(senders[0], '/webhooks/terminal/receipts?after=wrong')],
  'receipts by 200 keys': ({ senders }) => senders.map((sender) => get(sender, '/webhooks/terminal/receipts')),
  'sales of 1 MB': ({ senders }) => [post(senders[0], large(1_000_000))],
  'bodies of 1.2 MB': ({ senders }) => [post(senders[0], large(1_200_000))],
  'polls by 200 POSs': ({ poses }) => poses.map((pos) => get(pos, '/v1/events:polling')),
  'orders that do not exist': ({ poses }) => poses.map((pos) => get(pos, `/v1/orders/${randomUUID()}`)),
};
export const settingOf = (kind) => `beside ${kind}`;

export function* measurements({ relays, quick }) {
  for (const version of relays) {
    const measure = (kind, isBare) => (measurement) => beside(measurement, version, { kind, isBare, quick });
    yield { setting: ALONE, contender: version.name, measure: measure() };
    for (const kind of Object.keys(KINDS)) {
      yield { setting: settingOf(kind), contender: version.name, measure: measure(kind) };
      if (version === relays[0])
        yield { setting: settingOf(kind), contender: 'bare 401', measure: measure(kind, true) };
    }
  }
}

/** @param isBare the other founder asks a bare server: what its requests take of the machine */
async function beside(measurement, version, { kind, isBare, quick }) {
  const database = await measurement.database(version.template);
  const all = await addSenders(database);
  const relay = await measurement.relay(version, { DATABASE_URL: database, WORKER_ENABLED: 'false' });
  const askers = measurement.helper(new URL('../../load/askers.mjs', import.meta.url));
  const bare = isBare && measurement.helper(new URL('../lib/bare-401.mjs', import.meta.url));
  let asked = {};
  const warmedUp = async () => {
    if (!kind) return;
    const poses = kind.includes('POS') || kind.includes('orders') ? await signInAll(relay, all.clients) : [];
    const requests = KINDS[kind]({ ...all, poses });
    await askers.call('ask', { url: bare ? await bare.call('listen') : relay.url, requests, connections: CONNECTIONS });
  };
  const figures = await saturate(measurement, relay, {
    ...{ senders: [all.neighbour], connections: OF_NEIGHBOUR, quick, warmedUp, spans: [4, 6] },
  });
  if (kind) asked = await askers.call('stop');
  return { ...figures, asked: Object.values(asked).reduce((sum, rate) => sum + rate, 0), asked503: asked['503'] ?? 0 };
}

/** A key of the neighbour; restaurants of one founder, each with a key and credentials of a POS. */
async function addSenders(database) {
  await addRestaurants(database, OTHERS + FOUNDED);
  const tokens = Array.from({ length: FOUNDED + 1 }, () => tokenOf(base62(8)));
  const clients = tokens.slice(1).map(() => randomUUID());
  await withConnection(database, async (query) => {
    await query(
      `UPDATE restaurants SET pulls = true, pos_vendor = 'open-delivery', currency = 'EUR',
         founded_by = (SELECT id FROM users WHERE role = 'USER' ORDER BY email LIMIT 1)
       WHERE slug LIKE 'restaurant-of-sql-%'`,
    );
    await query(
      `INSERT INTO sender_keys (id, restaurant_id, key_id, name, kind, scopes, token_hash)
       SELECT gen_random_uuid(), restaurants.id, key.key_id, 'Bar', 'TOKEN', ARRAY['sales:write','receipts:read'], key.token_hash
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS key(key_id, token_hash, n)
       JOIN restaurants ON code_store_terminal = 'STORE-' || ($3::int + n - 2)`,
      [tokens.map((token) => token.split('_')[1]), tokens.map(digestOf), OTHERS],
    );
    await query(
      `INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash)
       SELECT till.id, restaurants.id, 'Till', $2
       FROM unnest($1::uuid[]) WITH ORDINALITY AS till(id, n) JOIN restaurants ON code_store_terminal = 'STORE-' || ($3::int + n - 1)`,
      [clients, digestOf(SECRET), OTHERS],
    );
    await query('ANALYZE');
  });
  const [neighbour, ...senders] = tokens.map((token, n) => ({
    ...{ store: storeOf(OTHERS + n - 1), authorization: `Bearer ${token}` },
  }));
  return { neighbour, senders, clients };
}

async function signInAll({ url }, clients) {
  const signIn = async (id) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: SECRET });
    const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`a POS could not sign in: ${answer.status}`);
    return { authorization: `Bearer ${(await answer.json()).access_token ?? ''}` };
  };
  const poses = [];
  for (const id of clients) poses.push(await signIn(id));
  return poses;
}

const sale = (store, number) => saleWriter(store)(keyOf(`other-${store}`, number), 1);
const large = (bytes) => sale('x', 1).replace('{', `{"note":"${'x'.repeat(bytes)}",`);

const get = ({ authorization }, path) =>
  `GET ${path} HTTP/1.1\r\nHost: relay\r\nAuthorization: ${authorization}\r\n\r\n`;
const post = ({ authorization }, body) =>
  `POST /webhooks/terminal HTTP/1.1\r\nHost: relay\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
