import { JobStore } from '../../../src/outbox/job-store.js';
import { Scenario } from '../../support/scenario.js';

const SAO_PAULO = 'America/Sao_Paulo';

describe('GET /restaurants/:id/state (R19)', () => {
  const scenario = Scenario.ofSuite();

  async function opened() {
    const { id, token, sell } = await scenario.store();
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
    const state = async () => (await scenario.api.get(`/restaurants/${id}/state`, token).expect(200)).body;
    /** the keys of the orders in a state, or of their cancels; list and detail have that state */
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
  test('a restaurant without orders: zeros, nulls and empty lists', async () => {
    const { id, state } = await opened();
    expect(await state()).toMatchObject({
      ...{ restaurantId: id, timezone: 'UTC', dayClosesAt: '00:00' },
      today: { orders: 0, refunds: 0, delivered: 0, waiting: 0, parked: 0, cancelled: 0 },
      waiting: {
        orders: 0,
        cancels: 0,
        late: 0,
        oldestReceivedAt: null,
        nextTryAt: null,
        failing: null,
        recovery: null,
      },
      parked: { orders: 0, cancels: 0, earlier: { orders: 0, cancels: 0 }, causes: [] },
    });
  });

  test("the day is the restaurant's current business day", async () => {
    const { id, state } = await opened();
    await scenario.database.query(`UPDATE restaurants SET timezone = $2, day_closes_at = '04:00' WHERE id = $1`, [
      id,
      SAO_PAULO,
    ]);
    const { now, timezone, dayClosesAt, today } = await state();
    expect([timezone, dayClosesAt]).toEqual([SAO_PAULO, '04:00']);
    expect([today.from <= now, now < today.to]).toEqual([true, true]);
    const date = new Intl.DateTimeFormat('en-CA', { timeZone: SAO_PAULO }).format(new Date(today.from));
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: SAO_PAULO, timeStyle: 'short' });
    expect([date, clock.format(new Date(today.from))]).toEqual([today.day, '04:00']);
  });

  test('each order of the day has one state (R33); the list of a state has the orders that are counted in it', async () => {
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

  test('orders of earlier days are not of today; those that wait or are parked are counted', async () => {
    const { id, state, sell } = await opened();
    await scenario.settle(await sell(), 'SENT');
    await scenario.settle(await sell(), 'DLQ', 'unknown product PZ-01');
    await sell();
    for (const [table, column] of [
      ['terminal_events', 'received_at'],
      ['outbox_jobs', 'created_at'],
    ])
      await scenario.database.query(
        `UPDATE ${table} SET ${column} = ${column} - interval '3 days' WHERE restaurant_id = $1`,
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
    await scenario.jobs.passes(first, 40 * 60_000);
    await scenario.settle(await sell(), 'FAILED', 'busy');
    const [attempt] = await scenario.jobs.attempts(first);
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

  test.each([
    ['a refusal by the POS ends it, too (O46)', 310, true],
    ['not a 404 that a proxy may have sent', undefined, false],
  ])('failing: %s', async (_, errorCode, isEnd) => {
    const { state, sell } = await opened();
    await scenario.settle(await sell(), 'FAILED', 'busy');
    const refused = await sell();
    if (errorCode === undefined) scenario.pos.behave({ mode: 'html', status: 404 });
    else scenario.pos.behave({ mode: 'status', status: 404, errorCode });
    await scenario.jobs.makeDue(refused);
    await scenario.relay.tick();
    scenario.pos.behave({ mode: 'ok' });
    expect((await scenario.jobs.get(refused)).status).toBe('DLQ');
    expect((await state()).waiting.failing === null).toBe(isEnd);
  });

  test('recovery: while orders of an ended outage are being sent (O33)', async () => {
    const { id, state, sell } = await opened();
    const job = await scenario.settle(await sell(), 'FAILED', 'busy');
    await scenario.database.query(
      `INSERT INTO pos_outages VALUES ($1, now() - interval '1 hour', now() - interval '1 minute')`,
      [id],
    );
    expect((await state()).waiting).toMatchObject({ orders: 1, recovery: null });
    const { endOutage } = scenario.relay.get(JobStore);
    expect(await endOutage(id)).toBe(1);
    expect((await state()).waiting.recovery).toEqual({ at: expect.any(String), orders: 1 });
    await scenario.settle(job, 'SENT');
    expect((await state()).waiting.recovery).toBeNull();
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

  test('parked: the causes with the number of their jobs, and the newest job as an example', async () => {
    const { state, sell, cancel } = await opened();
    await scenario.settle(await sell({ transactionNumber: '1' }), 'DLQ', 'unknown product X1');
    const newest = await scenario.settle(await sell({ transactionNumber: '2' }), 'DLQ', 'unknown product X1');
    const kept = await scenario.settle(await sell({ transactionNumber: '3' }), 'SENT');
    await scenario.settle(await cancel(kept), 'DLQ', 'the kitchen has begun');
    const cause = { newestAt: expect.any(String) };
    const ofOrder = async (job: string, transactionNumber: string) => ({
      ...{ transactionKey: await scenario.keyOf(job), transactionNumber, label: null },
    });
    expect((await state()).parked).toEqual({
      orders: 2,
      cancels: 1,
      earlier: { orders: 0, cancels: 0 },
      causes: [
        {
          ...cause,
          action: 'CREATE',
          cause: expect.stringContaining('unknown product X1'),
          kind: 'refused',
          count: 2,
          today: 2,
          ...(await ofOrder(newest, '2')),
        },
        {
          ...cause,
          action: 'CANCEL',
          cause: expect.stringContaining('kitchen has begun'),
          kind: 'refused',
          count: 1,
          today: 1,
          ...(await ofOrder(kept, '3')),
        },
      ],
    });
  });
});
