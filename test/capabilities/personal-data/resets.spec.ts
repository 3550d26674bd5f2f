import pg from 'pg';
import { NEEDS_SERVER, untilWaiting, whereServer } from '../../support/database.js';
import { type Caller, Scenario } from '../../support/scenario.js';

describe('a reset skips orders whose content was erased (W42)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });
  let admin: Caller;
  let id: string;
  let owner: Caller;
  let sell: Awaited<ReturnType<Scenario['restaurant']>>['sell'];
  let stores = 0;

  beforeAll(async () => {
    admin = await scenario.person('ADMIN');
  });
  beforeEach(async () => {
    ({ id, owner, sell } = await scenario.restaurant(`RESET-${++stores}`));
  });

  const parked = async () => scenario.settle(await sell(), 'DLQ', 'HTTP 422: no');
  const erased = async (job: string) => {
    const key = encodeURIComponent(await scenario.keyOf(job));
    await scenario.api.post(`/restaurants/${id}/orders/${key}/erase`, owner.token, {}).expect(200);
    return job;
  };
  const statuses = (...jobs: string[]) => Promise.all(jobs.map(async (job) => (await scenario.jobs.get(job)).status));
  const reset = async (body: object) =>
    (await scenario.api.post('/admin/jobs/reset', admin.token, body).expect(200)).body;

  test('of many: they are not counted and stay parked, the others are reset, and the answer says so', async () => {
    const kept = await parked();
    const [gone, other] = [await erased(await parked()), await erased(await parked())];
    const all = { restaurantId: id };
    const LEFT = /; 2 orders were left out, because the content was erased: enter them in the POS by hand$/;
    expect(await reset({ ...all, dryRun: true })).toMatchObject({
      message: expect.stringMatching(LEFT),
      data: { matched: 1, reset: 0 },
      meta: { errors: [expect.stringContaining('HTTP 422: no')] },
    });
    expect(await reset(all)).toMatchObject({ message: expect.stringMatching(LEFT), data: { matched: 1, reset: 1 } });
    expect(await statuses(kept, gone, other)).toEqual(['PENDING', 'DLQ', 'DLQ']);
    expect((await scenario.jobs.get(gone)).last_error).toBe('the content of this sale was erased');
  });

  test('a batch that is full of them ends, and the orders behind them are reset', async () => {
    await scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, erased_at)
         SELECT 'GONE-' || n, 'GONE-' || n, false, $1, '{"erased": true}', now() FROM generate_series(1, 600) n RETURNING transaction_key)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, last_error, updated_at)
       SELECT gen_random_uuid(), transaction_key, $1, 'DLQ', 'HTTP 422: no', now() - interval '1 hour' FROM event`,
      [id],
    );
    const kept = await parked();
    expect((await reset({ restaurantId: id })).data).toEqual({ matched: 1, reset: 1 });
    expect(await statuses(kept)).toEqual(['PENDING']);
  });

  whereServer(
    `of one that is erased while the call waits for it: 409, nothing is reset or audited (R11)${NEEDS_SERVER}`,
    async () => {
      const job = await parked();
      const key = await scenario.keyOf(job);
      const other = new pg.Client({ connectionString: scenario.database.url });
      await other.connect();
      try {
        await other.query('BEGIN');
        await other.query('SELECT erase_orders($1, $2, $3)', [id, [key], 'somebody']);
        const path = `/restaurants/${id}/orders/${encodeURIComponent(key)}/resend`;
        const answer = Promise.resolve(scenario.api.post(path, owner.token));
        await untilWaiting(scenario.database);
        await other.query('COMMIT');
        const { status, body } = await answer;
        expect([status, body.code]).toEqual([409, 'ORDER_ERASED']);
      } finally {
        await other.end();
      }
      expect(await statuses(job)).toEqual(['DLQ']);
      const { body } = await scenario.api.get(`/restaurants/${id}/audit?action=order.resent`, owner.token).expect(200);
      expect(body.data).toEqual([]);
    },
  );

  test('of one: 409 to staff; by id, the answer says why nothing was reset', async () => {
    const gone = await erased(await parked());
    const key = encodeURIComponent(await scenario.keyOf(gone));
    const { body } = await scenario.api.post(`/restaurants/${id}/orders/${key}/resend`, owner.token).expect(409);
    expect(body).toMatchObject({ code: 'ORDER_ERASED' });
    expect(await reset({ jobIds: [gone] })).toEqual({
      message: '0 of 0 jobs reset; 1 order was left out, because the content was erased: enter it in the POS by hand',
      data: { matched: 0, reset: 0 },
    });
    expect(await scenario.database.query('SELECT FROM reset_jobs(ARRAY[$1::uuid])', [gone])).toEqual([]);
    expect(await statuses(gone)).toEqual(['DLQ']);
  });

  test('a parked cancel of an erased order is reset: it names the order by its key', async () => {
    const job = await scenario.settle(await sell(), 'SENT');
    const key = await scenario.keyOf(job);
    await scenario.database.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, last_error)
       VALUES (gen_random_uuid(), $1, $2, 'CANCEL', 'DLQ', 'HTTP 422: no')`,
      [key, id],
    );
    await erased(job);
    expect((await reset({ restaurantId: id })).data).toEqual({ matched: 1, reset: 1 });
    const [cancel] = await scenario.database.query(
      `SELECT id FROM outbox_jobs WHERE event_key = $1 AND action = 'CANCEL'`,
      [key],
    );
    expect(await statuses((cancel as { id: string }).id)).toEqual(['PENDING']);
  });
});
