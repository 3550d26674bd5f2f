// The year of one restaurant, written by SQL through the socket of a running relay.

import { PAID_CENTS, TEMPLATE } from '../../load/payload.mjs';
import { withConnection } from '../../postgres/connection.ts';

/** One row at a time would take minutes, all at once a minute of the one thread. */
const BATCH = 5_000;

/**
 * Stores `orders`, spread over the days before now: one in 97 parked, one in 211 waiting till tomorrow, one in 101 cancelled after
 * delivery; an attempt each.
 */
export const fillYear = (url, { restaurantId, orders, days }) =>
  withConnection(url, async (query) => {
    for (let from = 0; from < orders; from += BATCH) {
      const upTo = Math.min(from + BATCH, orders) - 1;
      await query(
        `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number,
           transaction_date, paid_cents, paid_by_tender, payload, received_at)
         SELECT 'year-' || n, 'year-' || n, false, $1, 'YEAR', n::text, at - interval '2 seconds', $2::bigint,
           jsonb_build_object((ARRAY['1', '16', '28', '50'])[1 + n % 4], $2::bigint), $3::jsonb, at
         FROM generate_series($4::int, $5::int) n,
           LATERAL (SELECT now() - ($6::int - n) * ($7::int * interval '24 hours' / $6::int) AS at) AS time`,
        [restaurantId, PAID_CENTS, TEMPLATE, from, upTo, orders, days],
      );
      const batch = [restaurantId, from, upTo];
      const ofBatch = `restaurant_id = $1 AND event_key IN (SELECT 'year-' || n FROM generate_series($2::int, $3::int) n)`;
      await query(
        `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, last_error, created_at, updated_at)
         SELECT gen_random_uuid(), transaction_key, restaurant_id, status, 1,
           CASE WHEN status = 'FAILED' THEN now() + interval '1 day' END, CASE WHEN status <> 'SENT' THEN 'HTTP 503' END,
           received_at, received_at + interval '1 second'
         FROM generate_series($2::int, $3::int) n
         JOIN terminal_events ON transaction_key = 'year-' || n AND restaurant_id = $1,
           LATERAL (SELECT (CASE WHEN n % 97 = 0 THEN 'DLQ' WHEN n % 211 = 0 THEN 'FAILED' ELSE 'SENT' END)::job_status AS status) AS state`,
        batch,
      );
      await query(
        `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, attempts, next_run_at, created_at, updated_at)
         SELECT gen_random_uuid(), event_key, restaurant_id, 'CANCEL', 'SENT', 1, NULL, created_at, updated_at
         FROM outbox_jobs WHERE ${ofBatch} AND status = 'SENT' AND substr(event_key, 6)::int % 101 = 0`,
        batch,
      );
      await query(
        `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, outcome, reach)
         SELECT gen_random_uuid(), id, 1, created_at, 40, 200, status::text::attempt_outcome, 'ANSWERED' FROM outbox_jobs WHERE ${ofBatch}`,
        batch,
      );
    }
  });
