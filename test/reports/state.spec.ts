import { Scenario } from '../support/scenario.js';

const SAO_PAULO = 'America/Sao_Paulo';

describe('GET /restaurants/:id/state (R19)', () => {
  let scenario: Scenario;
  let stores = 0;

  beforeAll(async () => {
    scenario = await Scenario.open();
  });
  afterAll(() => scenario.close());

  async function opened() {
    const { id, token, sell } = await scenario.restaurant(`STATE-${++stores}`);
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
    const state = async () => (await scenario.api.get(`/restaurants/${id}/state`, token).expect(200)).body;
    /** the keys of the orders in a state, or of their cancels; each says so, in the list and alone */
    const keys = async (wanted: string, action = 'CREATE') => {
      const path = `/restaurants/${id}/orders`;
      const { body } = await scenario.api.get(`${path}?state=${wanted}&action=${action}`, token).expect(200);
      for (const { transactionKey, state } of body.data) {
        const { body: order } = await scenario.api.get(`${path}/${transactionKey}`, token).expect(200);
        expect([state, order.state]).toEqual([wanted, wanted]);
      }
      return (body.data as { transactionKey: string }[]).map(({ transactionKey }) => transactionKey);
    };
    const cancel = async (job: string): Promise<string> =>
      (await scenario.cancel(id, await scenario.keyOf(job), token).expect(202)).body.data.jobId;
    return { id, token, sell, state, keys, cancel };
  }
  const moveAttempts = (job: string, by: string) =>
    scenario.database.query(`UPDATE delivery_attempts SET started_at = started_at - $2::interval WHERE job_id = $1`, [
      job,
      by,
    ]);

  test('a restaurant without orders has nothing of anything', async () => {
    const { id, state } = await opened();
    expect(await state()).toEqual({
      restaurantId: id,
      now: expect.any(String),
      timezone: 'UTC',
      dayClosesAt: '00:00',
      today: {
        day: expect.any(String),
        from: expect.any(String),
        to: expect.any(String),
        ...{ orders: 0, delivered: 0, waiting: 0, parked: 0, cancelled: 0 },
      },
      waiting: { orders: 0, cancels: 0, late: 0, oldestReceivedAt: null, nextTryAt: null, failing: null },
      parked: { orders: 0, cancels: 0, causes: [] },
    });
  });

  test("the day is the restaurant's business day, which holds the present", async () => {
    const { id, state } = await opened();
    await scenario.database.query(`UPDATE restaurants SET timezone = $2, day_closes_at = '04:00' WHERE id = $1`, [
      id,
      SAO_PAULO,
    ]);
    const { now, timezone, dayClosesAt, today } = await state();
    expect([timezone, dayClosesAt]).toEqual([SAO_PAULO, '04:00']);
    expect([today.from <= now, now < today.to]).toEqual([true, true]);
    const date = new Intl.DateTimeFormat('en-CA', { timeZone: SAO_PAULO }).format(new Date(today.from));
    const time = new Intl.DateTimeFormat('en-GB', { timeZone: SAO_PAULO, timeStyle: 'short' }).format(
      new Date(today.from),
    );
    expect([date, time]).toEqual([today.day, '04:00']);
  });

  test('every order of the day is in one state, which it carries (R33), and the list of a state holds those that are counted in it', async () => {
    const { state, keys, cancel, sell } = await opened();
    const delivered = await scenario.settle(await sell(), 'SENT');
    const parked = await scenario.settle(await sell(), 'DLQ', 'unknown product PZ-01');
    const withdrawn = await sell();
    await scenario.settle(await cancel(withdrawn), 'SENT');
    const cancelled = await scenario.settle(await sell(), 'SENT');
    await scenario.settle(await cancel(cancelled), 'SENT');
    const notCancelled = await scenario.settle(await sell(), 'SENT');
    await scenario.settle(await cancel(notCancelled), 'DLQ', 'unknown order 12');
    const waiting = await sell();
    const { today, waiting: now } = await state();
    expect(today).toMatchObject({ orders: 6, delivered: 1, waiting: 1, parked: 2, cancelled: 2 });
    expect(now).toMatchObject({ orders: 1, cancels: 0 });
    const keysOf = async (...jobs: string[]) => (await Promise.all(jobs.map(scenario.keyOf))).toSorted();
    expect((await keys('delivered')).toSorted()).toEqual(await keysOf(delivered));
    expect((await keys('parked')).toSorted()).toEqual(await keysOf(parked, notCancelled));
    expect((await keys('cancelled')).toSorted()).toEqual(await keysOf(withdrawn, cancelled));
    expect((await keys('waiting')).toSorted()).toEqual(await keysOf(waiting));
    // the state of a cancel is that of its order
    expect(await keys('delivered', 'CANCEL')).toEqual([]);
    expect(await keys('parked', 'CANCEL')).toEqual(await keysOf(notCancelled));
    expect((await keys('cancelled', 'CANCEL')).toSorted()).toEqual(await keysOf(withdrawn, cancelled));
  });

  test('orders of days before are not of today; those that wait or are parked are told all the same', async () => {
    const { id, state, sell } = await opened();
    await scenario.settle(await sell(), 'SENT');
    await scenario.settle(await sell(), 'DLQ', 'unknown product PZ-01');
    await sell();
    await scenario.database.query(
      `UPDATE outbox_jobs SET created_at = created_at - interval '3 days' WHERE restaurant_id = $1`,
      [id],
    );
    const { today, waiting, parked } = await state();
    expect(today).toMatchObject({ orders: 0, delivered: 0, waiting: 0, parked: 0 });
    expect([waiting.orders, parked.orders]).toEqual([1, 1]);
  });

  test('failing: since the first attempt that failed after the last delivery; a delivery ends it', async () => {
    const { state, sell } = await opened();
    const before = await scenario.settle(await sell(), 'SENT');
    await scenario.database.query(`UPDATE outbox_jobs SET updated_at = updated_at - interval '1 hour' WHERE id = $1`, [
      before,
    ]);
    const first = await scenario.settle(await sell(), 'FAILED', 'busy');
    await moveAttempts(first, '40 minutes');
    await scenario.settle(await sell(), 'FAILED', 'busy');
    const [attempt] = await scenario.database.query(`SELECT started_at FROM delivery_attempts WHERE job_id = $1`, [
      first,
    ]);
    const { waiting } = await state();
    expect(waiting).toMatchObject({ orders: 2, nextTryAt: expect.any(String) });
    expect(waiting.failing).toEqual({
      since: (attempt as { started_at: Date }).started_at.toISOString(),
      httpStatus: 503,
      errorCode: '310',
      cause: 'failing',
      error: expect.stringContaining('busy'),
    });
    await scenario.settle(await sell(), 'SENT');
    expect((await state()).waiting).toMatchObject({ orders: 2, failing: null });
  });

  test('late: orders that have been due for longer than ALARM_LATE_MS', async () => {
    const { id, state, sell } = await opened();
    await sell();
    await sell();
    await scenario.database.query(
      `UPDATE outbox_jobs SET next_run_at = now() - interval '5 minutes'
       WHERE id = (SELECT id FROM outbox_jobs WHERE restaurant_id = $1 LIMIT 1)`,
      [id],
    );
    expect((await state()).waiting).toMatchObject({ orders: 2, late: 1, oldestReceivedAt: expect.any(String) });
  });

  test('parked: each cause with how many it parked, and the newest of them as its example', async () => {
    const { state, sell, cancel } = await opened();
    await scenario.settle(await sell({ transactionNumber: '1' }), 'DLQ', 'unknown product X1');
    const newest = await scenario.settle(await sell({ transactionNumber: '2' }), 'DLQ', 'unknown product X1');
    const kept = await scenario.settle(await sell({ transactionNumber: '3' }), 'SENT');
    await scenario.settle(await cancel(kept), 'DLQ', 'the kitchen has begun');
    expect((await state()).parked).toEqual({
      orders: 2,
      cancels: 1,
      causes: [
        {
          cause: expect.stringContaining('unknown product X1'),
          kind: 'refused',
          action: 'CREATE',
          count: 2,
          newestAt: expect.any(String),
          transactionKey: await scenario.keyOf(newest),
          transactionNumber: '2',
        },
        {
          cause: expect.stringContaining('the kitchen has begun'),
          kind: 'refused',
          action: 'CANCEL',
          count: 1,
          newestAt: expect.any(String),
          transactionKey: await scenario.keyOf(kept),
          transactionNumber: '3',
        },
      ],
    });
  });
});
