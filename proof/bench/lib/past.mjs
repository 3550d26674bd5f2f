// The history of a relay that has run for long, written by SQL.

import { withConnection } from '../../postgres/connection.ts';
import { settleDown } from './databases.mjs';
import { insertEvents, TABLES } from './preload.mjs';

/** Microseconds between two events of the past: a million in six days. */
const APART = 500_000;

/** `status` of the jobs, and by which expression the columns that depend on it are filled. */
const KINDS = {
  SENT: { attempts: 1, nextRunAt: 'NULL', error: 'NULL' },
  // a day from now and later: they wait in the same indexes as what is due
  FAILED: { attempts: 3, nextRunAt: `now() + interval '1 day' + n * interval '10 ms'`, error: `'HTTP 503'` },
  DLQ: { attempts: 3, nextRunAt: 'NULL', error: `'HTTP 422, POS error 12: unknown product'` },
};

/** Fills a database with finished, waiting and parked orders, by counts `{ SENT, FAILED, DLQ }`; one attempt is kept of each. */
export const fillPast = (url, counts) =>
  withConnection(url, async (query) => {
    // neither foreign keys nor indexes are looked at row by row; what is filled is correct, and indexes are built afterwards
    await query('SET session_replication_role = replica');
    await query(`SET maintenance_work_mem = '512MB'`);
    const indexes = await query(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE tablename = ANY($1) AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
      [TABLES],
    );
    for (const { name } of indexes) await query(`DROP INDEX "${name}"`);
    for (const [status, count] of Object.entries(counts)) await fill(query, status, count);
    for (const { definition } of indexes) await query(definition);
    await settleDown(query, ...TABLES);
  });

async function fill(query, status, count) {
  const { attempts, nextRunAt, error } = KINDS[status];
  const prefix = `past-${status}`;
  await insertEvents(query, { prefix, count, restaurants: 20, apart: APART });
  await query(
    `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, last_error, created_at, updated_at)
     SELECT gen_random_uuid(), transaction_key, restaurant_id, $1::text::job_status, ${attempts}, ${nextRunAt}, ${error},
       received_at, received_at + interval '1 second'
     FROM (SELECT *, transaction_number::int AS n FROM terminal_events WHERE starts_with(transaction_key, $2)) event`,
    [status, `${prefix}-`],
  );
  await query(
    `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, outcome, reach, error)
     SELECT gen_random_uuid(), id, attempts, updated_at, 40, CASE WHEN status = 'SENT' THEN 200 ELSE 503 END,
       $1::text::attempt_outcome, 'ANSWERED', last_error
     FROM outbox_jobs WHERE status = $1::text::job_status AND starts_with(event_key, $2)`,
    [status, `${prefix}-`],
  );
}
