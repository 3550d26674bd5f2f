import { Scenario } from '../../support/scenario.js';

const LIMIT = 10_000;

describe('a call over more parked orders of earlier days than its limit', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants', OUTBOX_RETENTION_DAYS: '30' });
  let id: string;
  let token: string;

  beforeAll(async () => {
    ({ id, token } = await scenario.restaurant());
    await scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
         SELECT 'MANY-' || n, 'MANY-' || n, false, $1, '{"transactionKey": "MANY"}', now() - interval '90 days'
         FROM generate_series(1, $2::int) n RETURNING transaction_key
       )
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, last_error, updated_at)
       SELECT gen_random_uuid(), transaction_key, $1, 'DLQ', 'HTTP 422: no', now() - interval '90 days' FROM event`,
      [id, LIMIT + 1],
    );
  });

  const ask = async (path: string, body = {}) =>
    (await scenario.api.post(`/restaurants/${id}/parked/${path}`, token, body).expect(200)).body;
  /** the rows of each audited batch, the first batch first */
  const batches = async (action: string) =>
    (
      await scenario.database.query<{ rows: number }>(
        `SELECT coalesce(details->>'erased', details->>'resolved')::int AS rows FROM audit_entries
         WHERE restaurant_id = $1 AND action = $2 ORDER BY at`,
        [id, action],
      )
    ).map(({ rows }) => rows);

  test('settles at most 10,000 jobs, in audited batches of 500; the next call settles the rest (L50)', async () => {
    const reason = 'entered by hand';
    const first = { message: '10000 of 10001 jobs settled', data: { matched: LIMIT + 1, resolved: LIMIT } };
    expect(await ask('resolve', { reason })).toEqual(first);
    expect((await scenario.api.get(`/restaurants/${id}/state`, token)).body.parked.earlier.orders).toBe(1);
    expect((await ask('resolve', { reason })).data).toEqual({ matched: 1, resolved: 1 });
    expect(await batches('orders.resolved')).toEqual([...Array(20).fill(500), 1]);
  });

  test('erases at most 10,000 orders, in audited batches of 500; the next call erases the rest (W41, L86)', async () => {
    await scenario.database.query(`UPDATE outbox_jobs SET updated_at = now() - interval '90 days'`);
    expect((await ask('erase')).data).toEqual({ days: 30, matched: LIMIT, erased: LIMIT });
    expect((await ask('erase')).data).toEqual({ days: 30, matched: 1, erased: 1 });
    expect(await batches('orders.erased')).toEqual([...Array(20).fill(500), 1]);
  });
});
