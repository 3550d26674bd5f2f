// The most that a webhook in front of these tables can take: bare Fastify and `pg`. It stores the same rows as the relay, those
// that arrive together in one statement, and checks nothing but the token. Its database is a copy of the relay's, made by the
// migrations: the same tables, indexes and constraints. The relay is measured by it.
import fastify from 'fastify';
import pg from 'pg';
import { serve } from '../load/processes.mjs';
import { columnsOf, gathered } from './lib/gathered.mjs';

/** Statements under way; what arrives meanwhile waits for the next. */
const LANES = 2;

const STATEMENT = `
  WITH event AS (
    INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number,
      transaction_date, amount_mismatch_cents, paid_cents, paid_by_tender, payload, warnings, received_at)
    SELECT key, key, false, restaurant, store, number, date, NULL, paid, tenders, payload, '{}', now()
    FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[], $7::jsonb[], $8::jsonb[])
      AS sale(key, restaurant, store, number, date, paid, tenders, payload)
    ON CONFLICT DO NOTHING
    RETURNING transaction_key, restaurant_id
  )
  INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
  SELECT gen_random_uuid(), transaction_key, restaurant_id, 'CREATE', 'PENDING', now(), now(), now() FROM event
  RETURNING id, event_key`;

let pool;

serve({
  /** @returns its URL */
  async listen({ databaseUrl, authorization }) {
    pool = new pg.Pool({ connectionString: databaseUrl, max: LANES });
    pool.on('error', (error) => console.error(error.message));
    const { rows } = await pool.query('SELECT code_store_terminal AS store, id FROM restaurants');
    const restaurants = new Map(rows.map(({ store, id }) => [store, id]));
    const app = fastify();
    app.post('/webhooks/terminal', async (request, reply) => {
      if (request.headers.authorization !== authorization) return reply.code(401).send();
      const jobId = await store({ sale: request.body, restaurant: restaurants.get(request.body.storeCode) });
      return jobId ? { success: true, jobId } : reply.code(400).send();
    });
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
});

/** @returns the id of its job, once it is committed; undefined of a key that is stored already */
const store = gathered(
  async (sales) => {
    const values = columnsOf(sales.map(rowOf));
    const { rows } = await pool.query({ name: 'store', text: STATEMENT, values });
    const ids = new Map(rows.map(({ id, event_key: key }) => [key, id]));
    return sales.map(({ sale }) => ids.get(sale.transactionKey));
  },
  { lanes: LANES },
);

function rowOf({ sale, restaurant }) {
  const byTender = {};
  for (const { tenderType, amount } of sale.payments)
    byTender[tenderType] = (byTender[tenderType] ?? 0) + Math.round(amount * 100);
  const paid = Object.values(byTender).reduce((sum, cents) => sum + cents, 0);
  const { transactionKey, storeCode, transactionNumber, transactionDate } = sale;
  const json = [byTender, sale].map((value) => JSON.stringify(value));
  return [transactionKey, restaurant, storeCode, transactionNumber, transactionDate, paid, ...json];
}
