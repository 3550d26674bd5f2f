// The usual hand-written outbox: look for 20 due jobs; for each lock it, read its event, send it, settle it; one after the other,
// without a pause between the rounds. Each statement is its own transaction.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const BATCH = 20;
const IDLE_MS = 10;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS event (id bigserial PRIMARY KEY, key text NOT NULL UNIQUE, payload jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS job (id bigserial PRIMARY KEY, event_id bigint NOT NULL, status text NOT NULL DEFAULT 'PENDING',
    next_attempt_at timestamptz NOT NULL DEFAULT now(), attempts int NOT NULL DEFAULT 0, locked_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now());
  CREATE INDEX IF NOT EXISTS job_due ON job (status, next_attempt_at)`;
const DUE = `SELECT * FROM job WHERE status = 'PENDING' AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT ${BATCH}`;
const LOCK = `UPDATE job SET status = 'PROCESSING', locked_at = now(), updated_at = now() WHERE id = $1 AND status = 'PENDING'`;
const SETTLE = `UPDATE job SET status = 'DONE', attempts = attempts + 1, locked_at = NULL, updated_at = now() WHERE id = $1`;

export async function open({ databaseUrl, concurrency, role }) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: concurrency });
  pool.on('error', (error) => console.error(error.message));
  if (role === 'producer') await pool.query(SCHEMA);
  return {
    async add(payload) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const insert = 'INSERT INTO event (key, payload) VALUES ($1, $2) RETURNING id';
        const { rows } = await client.query(insert, [payload.transactionKey, payload]);
        await client.query('INSERT INTO job (event_id) VALUES ($1)', [rows[0].id]);
        await client.query('COMMIT');
      } finally {
        client.release();
      }
    },
    addMany: (payloads) =>
      pool.query(
        `WITH stored AS (
           INSERT INTO event (key, payload) SELECT * FROM unnest($1::text[], $2::jsonb[]) RETURNING id
         ) INSERT INTO job (event_id) SELECT id FROM stored`,
        [payloads.map(({ transactionKey }) => transactionKey), payloads.map((payload) => JSON.stringify(payload))],
      ),
    async settleDown() {
      for (const sql of ['VACUUM ANALYZE event', 'VACUUM ANALYZE job', 'CHECKPOINT']) await pool.query(sql);
    },
    async work({ deliver }) {
      void deliverAll(pool, deliver);
    },
  };
}

async function deliverAll(pool, deliver) {
  for (;;) {
    const { rows: due } = await pool.query(DUE);
    for (const job of due) {
      const { rowCount } = await pool.query(LOCK, [job.id]);
      if (rowCount !== 1) continue;
      const { rows } = await pool.query('SELECT * FROM event WHERE id = $1', [job.event_id]);
      await deliver(rows[0].payload);
      await pool.query(SETTLE, [job.id]);
    }
    if (due.length === 0) await delay(IDLE_MS);
  }
}
