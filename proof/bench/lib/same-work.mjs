// What the relay does for an order beside the queue, for peers that do the same work. Sales that wait at the same time share a
// statement, as in the relay.
import pg from 'pg';
import { columnsOf, gathered } from './gathered.mjs';

const LANES = 2;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS restaurant (code text PRIMARY KEY, pos_code text NOT NULL);
  CREATE TABLE IF NOT EXISTS event (key text PRIMARY KEY, payload jsonb NOT NULL, received_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS attempt (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), event_key text NOT NULL,
    started_at timestamptz NOT NULL, duration_ms int NOT NULL, http_status int NOT NULL, sent_body json NOT NULL);
  CREATE INDEX IF NOT EXISTS attempt_of_event ON attempt (event_key, started_at)`;

/**
 * @param stores the codes of the restaurants that sell
 * @returns `accept`: the job of a sale at the door; `keep`: stores sales as events, and returns their jobs; `deliverBy`: the
 *   worker's function, from one that sends a body and returns the status of the answer
 */
export async function openSameWork({ databaseUrl, stores = [] }) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 * LANES });
  pool.on('error', (error) => console.error(error.message));
  await pool.query(SCHEMA);
  await pool.query('INSERT INTO restaurant SELECT code, code FROM unnest($1::text[]) code', [stores]);
  const query = async (name, text, values) => (await pool.query({ name, text, values })).rows;

  const restaurantOf = gathered(
    async (codes) => {
      const rows = await query('restaurants', 'SELECT * FROM restaurant WHERE code = ANY($1::text[])', [codes]);
      const found = new Map(rows.map((row) => [row.code, row]));
      return codes.map((code) => found.get(code));
    },
    { lanes: LANES },
  );
  const eventOf = gathered(
    async (keys) => {
      const rows = await query('events', 'SELECT key, payload FROM event WHERE key = ANY($1::text[])', [keys]);
      const found = new Map(rows.map(({ key, payload }) => [key, payload]));
      return keys.map((key) => found.get(key));
    },
    { lanes: LANES },
  );
  const record = gathered(
    (attempts) =>
      query(
        'attempts',
        `INSERT INTO attempt (event_key, started_at, duration_ms, http_status, sent_body)
         SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::int[], $4::int[], $5::json[])`,
        columnsOf(attempts),
      ),
    { lanes: LANES },
  );

  return {
    async accept(sale) {
      const restaurant = await restaurantOf(sale.storeCode);
      return restaurant && { sale, store: restaurant.pos_code };
    },
    async keep(sales) {
      await pool.query(
        'INSERT INTO event (key, payload) SELECT * FROM unnest($1::text[], $2::jsonb[])',
        columnsOf(sales.map((sale) => [sale.transactionKey, JSON.stringify(sale)])),
      );
      return sales.map(({ transactionKey, storeCode }) => ({ key: transactionKey, store: storeCode }));
    },
    settleDown: () => pool.query('VACUUM ANALYZE event'),
    deliverBy: (send) => async (job) => {
      const sale = job.sale ?? (await eventOf(job.key));
      const body = JSON.stringify(orderOf(sale, job.store));
      const startedAt = new Date();
      const status = await send(body);
      await record([sale.transactionKey, startedAt, Date.now() - startedAt.getTime(), status, body]);
    },
  };
}

/** The body that the POS expects, in currency units; computed in cents. */
function orderOf(sale, store) {
  const items = sale.items.map(({ itemCode, itemName, quantity, price }) => ({
    integration_code: itemCode,
    desc_item: itemName,
    quantity,
    unit_price: price,
  }));
  const payments = sale.payments.filter(({ amount }) => amount > 0);
  const itemsTotal = sumOf(items.map((item) => centsOf(item.quantity * item.unit_price)));
  const total = sumOf(payments.map(({ amount }) => centsOf(amount)));
  return {
    order_id: sale.transactionKey,
    cod_store: store,
    created_at: new Date(sale.transactionDate).toISOString(),
    total_amount: total / 100,
    total_discount: Math.max(0, itemsTotal - total) / 100,
    total_increase: Math.max(0, total - itemsTotal) / 100,
    items,
    payment_types: payments.map(({ tenderType, amount }) => ({
      code: String(tenderType),
      amount: centsOf(amount) / 100,
    })),
  };
}

const centsOf = (amount) => Math.round(amount * 100);
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);
