import { connected } from '../../../runner/template.js';

/**
 * A long history in the schema of a released version: sales of its restaurants, delivered, one in fifty parked.
 * @param events how many
 */
export async function fillUp(url: string, events: number): Promise<void> {
  await connected(url, async (client) => {
    await client.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, transaction_date, payload,
         received_at, paid_cents, paid_by_tender)
       SELECT 'HISTORY-' || i, 'HISTORY-' || i, false, (ARRAY(SELECT id FROM restaurants ORDER BY id))[1 + i % (SELECT count(*) FROM restaurants)],
              i::text, at, jsonb_build_object('transactionKey', 'HISTORY-' || i, 'totalAmount', 79.8, 'filler', repeat('x', 300)), at, 7980, '{"16": 7980}'
       FROM (SELECT i, now() - ($1 - i) * interval '10 seconds' - interval '1 hour' AS at FROM generate_series(1, $1::int) AS i) AS history`,
      [events],
    );
    await client.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, last_error, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, CASE WHEN is_parked THEN 'DLQ' ELSE 'SENT' END::job_status, 1, NULL,
              CASE WHEN is_parked THEN 'HTTP 422, POS error 310: unknown product ' || transaction_number END, received_at, received_at
       FROM (SELECT *, transaction_number::int % 50 = 0 AS is_parked FROM terminal_events WHERE transaction_key LIKE 'HISTORY-%') AS event`,
    );
    await client.query(
      `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, outcome, reach, error)
       SELECT gen_random_uuid(), id, 1, updated_at, 12, CASE status WHEN 'SENT' THEN 200 ELSE 422 END, status::text::attempt_outcome, 'ANSWERED', last_error
       FROM outbox_jobs WHERE event_key LIKE 'HISTORY-%'`,
    );
    await client.query('ANALYZE');
  });
}
