// The most that a webhook in front of these tables can take: bare Fastify and `pg`. It stores the same rows as the relay, those
// that arrive together in one statement, and checks nothing but the token. It is no relay: it is what the relay is measured by.
import fastify from 'fastify';
import pg from 'pg';
import { serve } from '../load/processes.mjs';

/** Statements under way; what arrives meanwhile waits for the next. */
const LANES = 2;
const MAX_ROWS = 200;

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
let free = LANES;
let waiting = [];

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
      const jobId = await store(request.body, restaurants.get(request.body.storeCode));
      return jobId ? { success: true, jobId } : reply.code(400).send();
    });
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
});

/** @returns the id of its job, once it is committed; undefined of a key that is stored already */
function store(sale, restaurant) {
  return new Promise((resolve, reject) => {
    waiting.push({ sale, restaurant, resolve, reject });
    if (free > 0) void commit();
  });
}

async function commit() {
  free--;
  while (waiting.length > 0) {
    const batch = waiting.slice(0, MAX_ROWS);
    waiting = waiting.slice(MAX_ROWS);
    try {
      const { rows } = await pool.query({ name: 'store', text: STATEMENT, values: columnsOf(batch) });
      const ids = new Map(rows.map(({ id, event_key: key }) => [key, id]));
      for (const { sale, resolve } of batch) resolve(ids.get(sale.transactionKey));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  free++;
}

function columnsOf(batch) {
  const rows = batch.map(({ sale, restaurant }) => {
    const byTender = {};
    for (const { tenderType, amount } of sale.payments)
      byTender[tenderType] = (byTender[tenderType] ?? 0) + Math.round(amount * 100);
    const paid = Object.values(byTender).reduce((sum, cents) => sum + cents, 0);
    const { transactionKey, storeCode, transactionNumber, transactionDate } = sale;
    const json = [byTender, sale].map((value) => JSON.stringify(value));
    return [transactionKey, restaurant, storeCode, transactionNumber, transactionDate, paid, ...json];
  });
  return rows[0].map((_, column) => rows.map((row) => row[column]));
}
