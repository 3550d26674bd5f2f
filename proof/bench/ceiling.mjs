// The most that a webhook in front of these tables can take: bare Fastify and `pg`. It stores the same rows as the relay, those
// that arrive together in one statement, and checks nothing but the token. Its database is a copy of the relay's, made by the
// migrations: the same tables, indexes and constraints. With a POS it also sends each sale, and records the attempt: a job is claimed by
// the statement that stores it, and settled together with the others that end meanwhile, as in the relay. The relay is measured by it.
import fastify from 'fastify';
import pg from 'pg';
import { Pool } from 'undici';
import { serve } from '../load/processes.mjs';
import { columnsOf, gathered } from './lib/gathered.mjs';

/** Statements under way that store, and as many that settle; what arrives meanwhile waits for the next. */
const LANES = 2;
/** The triggers let only sessions of this name settle. */
const APPLICATION_NAME = 'relay';

/** @param job the columns and values of a job */
const storing = (job) => `
  WITH event AS (
    INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number,
      transaction_date, amount_mismatch_cents, paid_cents, paid_by_tender, payload, warnings, received_at)
    SELECT key, key, false, restaurant, store, number, date, NULL, paid, tenders, payload, '{}', now()
    FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[], $7::jsonb[], $8::jsonb[])
      AS sale(key, restaurant, store, number, date, paid, tenders, payload)
    ON CONFLICT DO NOTHING
    RETURNING transaction_key, restaurant_id
  )
  INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, next_run_at, created_at, updated_at, ${job.columns})
  SELECT gen_random_uuid(), transaction_key, restaurant_id, 'CREATE', now(), now(), now(), ${job.values} FROM event
  RETURNING id, event_key, locked_by`;

const STORE = { name: 'store', text: storing({ columns: 'status', values: `'PENDING'` }) };
const STORE_AND_CLAIM = {
  name: 'store_and_claim',
  text: storing({
    columns: 'status, attempts, processing_at, locked_by',
    values: `'PROCESSING', 1, now(), 'ceiling/' || gen_random_uuid()`,
  }),
};

const SETTLE = {
  name: 'settle',
  text: `
  WITH ended AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::int[], $5::int[], $6::text[])
      AS ended(job_id, locked_by, started_at, duration_ms, http_status, sent_body)
  ), settled AS (
    UPDATE outbox_jobs job
    SET status = 'SENT', next_run_at = NULL, processing_at = NULL, locked_by = NULL, updated_at = now()
    FROM ended WHERE job.id = ended.job_id AND job.locked_by = ended.locked_by
    RETURNING ended.*
  )
  INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, outcome, reach, sent_body)
  SELECT right(locked_by, 36)::uuid, job_id, 1, started_at, duration_ms, http_status, 'SENT', 'ANSWERED', sent_body::json
  FROM settled`,
};

let pool;
let storeStatement = STORE;

serve({
  /**
   * @param posUrl with it each sale is sent to the POS too
   * @param atOnce the most calls at once
   * @returns its URL
   */
  async listen({ databaseUrl, authorization, posUrl, atOnce }) {
    pool = new pg.Pool({ connectionString: databaseUrl, max: 2 * LANES, application_name: APPLICATION_NAME });
    pool.on('error', (error) => console.error(error.message));
    const { rows } = await pool.query('SELECT code_store_terminal AS store, id FROM restaurants');
    const restaurants = new Map(rows.map(({ store, id }) => [store, id]));
    const deliver = posUrl && deliverTo(posUrl, atOnce);
    if (deliver) storeStatement = STORE_AND_CLAIM;
    const app = fastify();
    app.post('/webhooks/terminal', async (request, reply) => {
      if (request.headers.authorization !== authorization) return reply.code(401).send();
      const row = rowOf({ sale: request.body, restaurant: restaurants.get(request.body.storeCode) });
      const job = await store(row);
      if (!job) return reply.code(400).send();
      // after the answer, as in the relay
      if (deliver) setImmediate(() => deliver(job, row.at(-1)));
      return { success: true, jobId: job.id };
    });
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
});

/** @returns its job, once it is committed; undefined of a key that is stored already */
const store = gathered(
  async (rows) => {
    const { rows: jobs } = await pool.query({ ...storeStatement, values: columnsOf(rows) });
    const byKey = new Map(jobs.map((job) => [job.event_key, job]));
    return rows.map(([key]) => byKey.get(key));
  },
  { lanes: LANES },
);

const settle = gathered((attempts) => pool.query({ ...SETTLE, values: columnsOf(attempts) }).then(() => []), {
  lanes: LANES,
});

/** @returns a function that sends the text of a sale, and records the attempt of its job */
function deliverTo(posUrl, atOnce) {
  const connections = new Pool(posUrl, { connections: atOnce, pipelining: 1 });
  const headers = { 'content-type': 'application/json' };
  return async ({ id, locked_by: lockedBy }, body) => {
    const startedAt = new Date();
    const { statusCode, body: answer } = await connections.request({ path: '/order', method: 'POST', headers, body });
    await answer.dump();
    await settle([id, lockedBy, startedAt, Date.now() - startedAt.getTime(), statusCode, body]);
  };
}

function rowOf({ sale, restaurant }) {
  const byTender = {};
  for (const { tenderType, amount } of sale.payments)
    byTender[tenderType] = (byTender[tenderType] ?? 0) + Math.round(amount * 100);
  const paid = Object.values(byTender).reduce((sum, cents) => sum + cents, 0);
  const { transactionKey, storeCode, transactionNumber, transactionDate } = sale;
  const json = [byTender, sale].map((value) => JSON.stringify(value));
  return [transactionKey, restaurant, storeCode, transactionNumber, transactionDate, paid, ...json];
}
