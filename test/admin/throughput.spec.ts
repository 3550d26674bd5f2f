import { type Caller, Scenario } from '../support/scenario.js';

interface Bucket {
  at: string;
  accepted: number;
  delivered: number;
  failed: number;
  parked: number;
  waiting: number;
  medianMs: number | null;
  p95Ms: number | null;
}

describe('GET /admin/throughput (R22)', () => {
  const scenario = Scenario.ofSuite();
  let admin: Caller;

  beforeAll(async () => {
    admin = await scenario.person('ADMIN');
    const { id } = await scenario.restaurant('STORE-1');
    // at 10, 20 and 30 minutes ago, 20 sales each: sent after 1 s to 20 s; failed; parked. And two that wait.
    await scenario.database.query(
      `WITH sale AS (
         SELECT n, 'T-' || n AS key, now() - (n / 20 + 1) * interval '10 minutes' AS at,
                (ARRAY['SENT', 'FAILED', 'DLQ', 'PENDING'])[n / 20 + 1]::job_status AS status
         FROM generate_series(0, 61) n
       ), event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, received_at, payload)
         SELECT key, key, false, $1, at, '{}' FROM sale
       ), job AS (
         INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at)
         SELECT gen_random_uuid(), key, $1, status, now() + interval '1 hour', at FROM sale
         RETURNING id, event_key, status, created_at
       )
       INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach)
       SELECT gen_random_uuid(), id, 1, created_at, 1000 * (n % 20 + 1), job.status::text::attempt_outcome, 'ANSWERED'
       FROM job JOIN sale ON key = event_key WHERE job.status <> 'PENDING'`,
      [id],
    );
  });

  const read = async (minutes?: number) =>
    (await scenario.api.get(`/admin/throughput${minutes ? `?minutes=${minutes}` : ''}`, admin.token).expect(200)).body;
  const sum = (buckets: Bucket[], of: 'accepted' | 'delivered' | 'failed' | 'parked') =>
    buckets.reduce((total, bucket) => total + bucket[of], 0);

  test('an hour in minutes, without gaps: sales, delivered orders, failed and parked attempts', async () => {
    const { bucketSeconds, data } = await read();
    expect(bucketSeconds).toBe(60);
    const times = data.map(({ at }: Bucket) => Date.parse(at));
    expect(times).toEqual(times.map((_: number, n: number) => times[0] + n * 60_000));
    expect(times).toHaveLength(60);
    expect(['accepted', 'delivered', 'failed', 'parked'].map((of) => sum(data, of as 'accepted'))).toEqual([
      62, 20, 20, 20,
    ]);
    const delivered = data.filter((bucket: Bucket) => bucket.delivered > 0);
    expect(delivered).toMatchObject([{ accepted: 20, delivered: 20, medianMs: 10_500, p95Ms: 19_050 }]);
    const empty = data.find((bucket: Bucket) => bucket.accepted === 0);
    expect(empty).toMatchObject({ delivered: 0, medianMs: null, p95Ms: null });
  });

  test('a longer span has longer buckets', async () => {
    for (const [minutes, seconds, buckets] of [
      [5, 60, 5],
      [120, 60, 120],
      [360, 300, 72],
      [1_440, 900, 96],
    ] as const) {
      const { bucketSeconds, data } = await read(minutes);
      expect([bucketSeconds, data.length]).toEqual([seconds, buckets]);
      if (minutes >= 120) expect(sum(data, 'accepted')).toBe(62);
    }
  });

  test('the backlog now, and at the end of each bucket', async () => {
    const { backlog, data } = await read();
    expect(backlog).toEqual({
      waiting: 22,
      processing: 0,
      parked: 20,
      late: 0,
      lateAfterFailure: 0,
      oldestDueSeconds: 0,
    });
    expect(data.at(-1).waiting).toBe(22);
    // before the first sale, 40 minutes ago
    expect(data[0].waiting).toBe(0);
  });

  test('a job that is due for longer than ALARM_LATE_MS is late', async () => {
    await scenario.database.query(
      `UPDATE outbox_jobs SET next_run_at = now() - interval '3 minutes' WHERE event_key IN ('T-60', 'T-20')`,
    );
    const { backlog } = await read();
    expect(backlog).toMatchObject({ late: 2 });
    expect(backlog.oldestDueSeconds).toBeGreaterThanOrEqual(180);
  });

  test.each(['minutes=4', 'minutes=1441', 'minutes=x', 'minutes=1.5', 'from=2026-01-01'])('?%s: 400', async (query) => {
    await scenario.api.get(`/admin/throughput?${query}`, admin.token).expect(400);
  });
});

describe('the restaurants whose POS refuses everything (R22, R14)', () => {
  const scenario = Scenario.ofSuite();

  test('since: the first failure after the last delivered order', async () => {
    const admin = await scenario.person('ADMIN');
    const list = async () => (await scenario.api.get('/admin/refusing', admin.token).expect(200)).body.data;
    const { id, sell } = await scenario.restaurant('STORE-1');
    const happy = await scenario.restaurant('STORE-2');
    const delivered = await scenario.settle(await sell(), 'SENT');
    await scenario.jobs.receivedAt(delivered, new Date(Date.now() - 3_600_000).toISOString());
    await scenario.jobs.passes(delivered, 3_600_000);
    const refused = await sell();
    for (let i = 0; i < 3; i++) await scenario.settle(refused, 'FAILED', 'closed');
    await scenario.settle(await happy.sell(), 'SENT');
    const [first] = await scenario.jobs.attempts(refused);
    expect(await list()).toEqual([
      {
        ...{ restaurantId: id, name: expect.stringMatching(/^r-/), attempts: 3, waiting: 1 },
        cause: 'failing',
        lastError: expect.stringContaining('closed'),
        since: (first as { started_at: Date }).started_at.toISOString(),
        lastDeliveredAt: expect.any(String),
      },
    ]);
    await scenario.settle(refused, 'SENT');
    expect(await list()).toEqual([]);
  });
});
