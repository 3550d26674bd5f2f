// The road of 50 restaurants with codes at their POS (I4) and with catalogues (I16), against that of restaurants without.
import { withConnection } from '../../postgres/connection.ts';
import { addRestaurants, storeOf } from '../lib/relay.mjs';
import { road } from './road.mjs';

export const title = 'Catalogue: the road of 50 restaurants with 500 codes and a catalogue of 20,000 products each';
const RESTAURANTS = 50;
const CODES = 500;
const PRODUCTS = 20_000;
const CONNECTIONS = 100;

/** What the restaurants have. In the last one each sale has warnings. */
export const SETTINGS = {
  none: 'neither codes nor catalogue',
  codes: '500 codes',
  known: '500 codes, catalogue of 20,000 products',
  lacking: '500 codes, catalogue of 20,000 others',
};

export function* measurements({ relays, quick }) {
  for (const [name, setting] of Object.entries(SETTINGS))
    for (const version of relays)
      yield {
        setting,
        contender: version.name,
        measure: (measurement) => measured(measurement, version, name, quick),
      };
}

/** @returns as `road` @throws when the sales do not have the warnings that the setting is to make */
async function measured(measurement, version, name, quick) {
  let database;
  const start = async (_, posUrl) => {
    database = await measurement.database(version.template);
    return startRelay(measurement, version, { name, database, posUrl });
  };
  const figures = await road(measurement, start, {
    ...{ version, senders: sendersOf(version), connections: CONNECTIONS, quick },
  });
  const [{ share }] = await withConnection(database, (query) =>
    query(`SELECT avg((warnings <> '{}')::int)::float8 AS share FROM terminal_events`),
  );
  // the first sales have none: the catalogue is read beside them
  if (name === 'lacking' ? share < 0.9 : share > 0) throw new Error(`${share} of the sales have warnings`);
  return figures;
}

function sendersOf({ senders }) {
  const [{ authorization }] = senders.static;
  return Array.from({ length: RESTAURANTS }, (_, n) => ({ store: storeOf(n), authorization }));
}

async function startRelay(measurement, version, { name, database, posUrl }) {
  await addRestaurants(database, RESTAURANTS);
  const relay = await measurement.relay(version, {
    ...{ DATABASE_URL: database, POS_BASE_URL: posUrl, OUTBOX_PACE: 'eager', OUTBOX_BATCH_SIZE: '100' },
  });
  if (name !== 'none') await addCodes(database);
  if (name === 'known') await addCatalogues(relay, version, database, 'P-');
  if (name === 'lacking') await addCatalogues(relay, version, database, 'Q-');
  return relay;
}

/** Each restaurant has codes, among them those of all that is sold. */
const addCodes = (database) =>
  withConnection(database, (query) =>
    query(
      `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code)
       SELECT restaurants.id, 'ITEM', 'SKU-10' || n || '4', 'P-' || n FROM restaurants, generate_series(0, $1::int - 1) AS n`,
      [CODES],
    ),
  );

/** One catalogue is uploaded, and copied to the other restaurants. */
async function addCatalogues(relay, { owners, senders }, database, prefix) {
  const lines = Array.from({ length: PRODUCTS }, (_, n) => `${prefix}${n},Product number ${n},${n}.50`);
  const [{ restaurantId }] = owners;
  const { authorization } = senders.jwt[0];
  const answer = await fetch(`${relay.url}/restaurants/${restaurantId}/catalogue`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'text/csv' },
    body: `code,name,price\n${lines.join('\n')}\n`,
  });
  if (!answer.ok) throw new Error(`the catalogue was not accepted: ${answer.status} ${await answer.text()}`);
  await withConnection(database, async (query) => {
    await query(
      `INSERT INTO pos_catalogues (restaurant_id, products, code_digests, replaced_at)
       SELECT restaurants.id, products, code_digests, now() FROM pos_catalogues, restaurants WHERE restaurants.catalogue_id = 0`,
    );
    await query(
      `INSERT INTO pos_catalogue (catalogue_id, code, name, price_cents, search)
       SELECT others.id, code, name, price_cents, search FROM pos_catalogue, pos_catalogues others WHERE others.restaurant_id <> $1`,
      [restaurantId],
    );
    await query(
      `UPDATE restaurants SET catalogue_id = others.id FROM pos_catalogues others WHERE restaurant_id = restaurants.id AND catalogue_id = 0`,
    );
    await query('ANALYZE pos_catalogue');
  });
}
