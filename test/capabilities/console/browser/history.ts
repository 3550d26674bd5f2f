import type { TestDatabase } from '../../../support/database.js';

/** So many orders are written by one statement. */
const STEP = 100_000;

/**
 * Orders of the year before, written by SQL: delivered, each with its attempt. Nine tenths are of one restaurant.
 * @param count of all of them
 */
export async function addHistory(database: TestDatabase, count: number, most: string, other: string): Promise<void> {
  for (let from = 0; from < count; from += STEP)
    await database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, received_at,
           paid_cents, paid_by_tender, payload)
         SELECT 'PAST-' || n, 'PAST-' || n, false, CASE WHEN n % 10 = 9 THEN $5::uuid ELSE $4::uuid END, 'P-' || n,
           now() - interval '2 days' - n * (interval '365 days' / $3::int), 7980, '{"16": 7980}',
           '{"items": [{"itemCode": "PZ-01", "quantity": 2, "price": 39.9}], "payments": [{"tenderType": 16, "amount": 79.8}]}'
         FROM generate_series($1::int, $2::int - 1) n
         RETURNING transaction_key, restaurant_id, received_at
       ), job AS (
         INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, created_at, updated_at)
         SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', 1, NULL, received_at, received_at + interval '1 second'
         FROM event RETURNING id, updated_at
       )
       INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, outcome, reach)
       SELECT gen_random_uuid(), id, 1, updated_at, 40, 200, 'SENT', 'ANSWERED' FROM job`,
      [from, Math.min(from + STEP, count), count, most, other],
    );
  // as the server's autovacuum has done in such a year
  await database.query('ANALYZE');
}
