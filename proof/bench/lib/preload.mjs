// Sales that are stored already when a measurement begins, written by SQL: an event and a job each, as the webhook stores them.

import { PAID_CENTS, TEMPLATE, TENDER_TYPE } from '../../load/payload.mjs';
import { withConnection } from '../../postgres/connection.ts';
import { settleDown } from './databases.mjs';

export const TABLES = ['terminal_events', 'outbox_jobs', 'delivery_attempts'];

/**
 * Stores `count` sales that are due, and lets the database settle down.
 * @param restaurants how many restaurants they belong to, in turns
 * @param from the number of the first of these restaurants
 */
export const storeDueJobs = (url, { prefix, count, restaurants = 20, from = 0 }) =>
  withConnection(url, async (query) => {
    await insertEvents(query, { prefix, count, restaurants, from });
    await query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'PENDING', received_at, received_at, received_at
       FROM terminal_events WHERE starts_with(transaction_key, $1)`,
      [`${prefix}-`],
    );
    await settleDown(query, ...TABLES);
  });

/** Stores events only, `apart` microseconds between two, the last of them now. */
export async function insertEvents(query, { prefix, count, restaurants, from = 0, apart = 1 }) {
  await query(
    `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number,
       transaction_date, paid_cents, paid_by_tender, payload, received_at)
     SELECT key, key, false, ids[store], codes[store], n::text, '2026-01-15T10:20:30.456Z', $4::bigint,
       jsonb_build_object($5::text, $4::bigint),
       replace(replace(replace($6, '{key}', key), '{number}', n::text), '{store}', codes[store])::jsonb,
       now() - ($2::int - n) * interval '1 microsecond' * $8::float8
     FROM generate_series(0, $2::int - 1) n
     CROSS JOIN LATERAL (SELECT $1::text || '-' || n AS key, 1 + $7::int + n % $3::int AS store) sale
     CROSS JOIN (SELECT array_agg(id ORDER BY number) AS ids, array_agg(code ORDER BY number) AS codes FROM (
       SELECT id, code_store_terminal AS code, substr(code_store_terminal, 7)::int AS number FROM restaurants
     ) numbered) stores`,
    [prefix, count, restaurants, PAID_CENTS, String(TENDER_TYPE), TEMPLATE, from, apart],
  );
}
