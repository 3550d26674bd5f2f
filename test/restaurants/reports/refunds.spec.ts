import { OrderMapper } from '../../../src/outbox/order-mapper.js';
import { IS_REFUND, SALE_KIND, SIGNED_CENTS } from '../../../src/outbox/sale-kind.sql.js';
import { Scenario } from '../../support/scenario.js';

const DAY = '2026-11-20';
const REFUND = { totalAmount: -12.34, payments: [{ tenderType: 16, amount: -12.34 }] };

describe('refunds that a terminal reports', () => {
  const scenario = Scenario.ofSuite();

  async function opened() {
    const restaurant = await scenario.store();
    const { id, token, sell } = restaurant;
    const get = async (path: string) => (await scenario.api.get(`/restaurants/${id}${path}`, token).expect(200)).body;
    const csv = async (query = '') =>
      (await scenario.api.get(`/restaurants/${id}/takings.csv?${query}`, token).expect(200)).text;
    /** A sale that is settled, and its key. */
    const done = async (changes: object = {}) => {
      const job = await sell(changes);
      await scenario.relay.tick();
      return { job, key: await scenario.keyOf(job) };
    };
    return { ...restaurant, get, csv, done };
  }

  describe('M16: a refund is recorded, and nobody has to act', () => {
    test.each([
      ['of items', {}],
      ['without items', { items: [] }],
      ['with items that cannot be mapped', { items: [{ quantity: 'x', price: null }] }],
      ['without payments', { payments: [] }],
      ['a test', { isTestTransaction: true }],
    ])('%s: its job is settled at once, and nothing is sent', async (_, changes) => {
      const { done } = await opened();
      const sent = scenario.pos.requests.length;
      const { job } = await done({ ...REFUND, ...changes });
      expect(await scenario.jobs.get(job)).toMatchObject({
        ...{ status: 'DLQ', attempts: 1, cause: 'refund', resolved_at: expect.any(Date) },
        last_error: 'cannot be mapped: totalAmount: is negative, and nothing was paid: a refund is entered in the POS',
      });
      expect(scenario.pos.requests).toHaveLength(sent);
    });

    test('it needs no setting of the restaurant', async () => {
      const { id, token, sell } = await opened();
      await scenario.api.patch(`/restaurants/${id}`, token, { codeStorePos: null }).expect(200);
      const job = await sell(REFUND);
      await scenario.relay.tick();
      expect(await scenario.jobs.get(job)).toMatchObject({ status: 'DLQ', resolved_at: expect.any(Date) });
    });

    test('it is in no list, count, alarm or metric of parked orders, and lights no lamp', async () => {
      const { id, token, get, done } = await opened();
      const metric = async () => {
        const { text } = await scenario.api.get('/admin/metrics/prometheus', await scenario.relay.login()).expect(200);
        return /^relay_parked_total (\d+)$/m.exec(text)?.[1];
      };
      const before = await metric();
      const { job } = await done(REFUND);
      expect(await metric()).toBe(before);
      const state = await get('/state');
      expect(state.today).toMatchObject({ orders: 0, refunds: 1, parked: 0, waiting: 0 });
      expect(state.parked).toMatchObject({ orders: 0, causes: [] });
      for (const filter of ['state=parked', 'status=DLQ']) expect((await get(`/orders?${filter}`)).data).toEqual([]);
      const { body } = await scenario.api.get('/restaurants/overview', token).expect(200);
      const row = body.data.find((each: { id: string }) => each.id === id);
      expect(row).toMatchObject({ light: 'idle', orders: 0, takenCents: 0, refundCents: 1_234, notInPos: 0 });
      const told = scenario.relay.logged.filter((line) => line.job === job).map(({ event }) => event);
      expect(told).toContain('outbox.attempt');
      expect(told).not.toContain('alarm.job_parked');
      expect(await scenario.database.query('SELECT 1 FROM parked_jobs WHERE id = $1', [job])).toEqual([]);
    });

    test('a reset by key makes it an open job, which is recorded again', async () => {
      const { done } = await opened();
      const { job } = await done(REFUND);
      await scenario.jobs.reset(job);
      expect(await scenario.jobs.get(job)).toMatchObject({ status: 'PENDING', resolved_at: null });
      await scenario.relay.tick();
      expect(await scenario.jobs.get(job)).toMatchObject({ status: 'DLQ', resolved_at: expect.any(Date) });
    });

    test.each([-10_000_000_000, -1e300, -0.004])(
      'of %p nobody knows the amount: it stays parked',
      async (totalAmount) => {
        const { done, get } = await opened();
        const { job } = await done({ totalAmount, payments: [] });
        expect(await scenario.jobs.get(job)).toMatchObject({ status: 'DLQ', cause: 'refund', resolved_at: null });
        expect((await get('/state')).parked).toMatchObject({ orders: 1, causes: [{ kind: 'refund', count: 1 }] });
        expect((await get('/statistics')).amounts).toMatchObject({ refunds: 0, refundCents: 0 });
      },
    );
  });

  test('M16: what SQL says is a refund, and its cents, is what the mapper says', async () => {
    const { id, sell } = await opened();
    const amounts = [
      -1e300,
      -10_000_000_000,
      -9_999_999_999.99,
      -12.34,
      -0.015,
      -0.005,
      -0.004,
      0,
      0.004,
      12.34,
      '-5',
      null,
    ];
    const paid = [[], [-12.34], [0.004], [0.005], [12.34], [10_000_000_000], ['5']];
    for (const totalAmount of amounts)
      for (const payments of paid)
        await sell({ totalAmount, payments: payments.map((amount) => ({ tenderType: 1, amount })) });
    const rows = await scenario.database.query<{
      payload: object;
      refund: boolean;
      kind: string;
      cents: string;
      paid: string;
    }>(
      `SELECT payload, ${IS_REFUND.sql} AS refund, ${SALE_KIND.sql} AS kind, (${SIGNED_CENTS.sql})::text AS cents, paid_cents::text AS paid
       FROM terminal_events WHERE restaurant_id = $1`,
      [id],
    );
    expect(rows).toHaveLength(amounts.length * paid.length);
    const mapper = scenario.relay.get(OrderMapper);
    for (const { payload, refund, kind, cents, paid: paidCents } of rows) {
      const { order, mismatchCents } = mapper.parse(payload) as Extract<
        ReturnType<typeof mapper.parse>,
        { order: object }
      >;
      expect([payload, refund, kind]).toEqual([payload, 'recorded' in order, 'recorded' in order ? 'REFUND' : 'SALE']);
      expect([payload, cents]).toEqual([payload, refund ? String(mismatchCents) : paidCents]);
    }
    expect(rows.filter(({ refund }) => refund)).not.toHaveLength(0);
  });

  describe('R48: refunds are lines of their own', () => {
    test('in the statistics: in no figure of the sales, and subtracted in the net amount', async () => {
      const { get, done } = await opened();
      await done();
      await done(REFUND);
      await done({ ...REFUND, totalAmount: -0.66 });
      await done({ ...REFUND, isTestTransaction: true });
      const { amounts, orders, amountMismatches, tests, oldestUndelivered } = await get('/statistics');
      const net = { refunds: 2, refundCents: 1_300, netCents: 6_680 };
      expect(amounts).toMatchObject({ totalCents: 7_980, deliveredCents: 7_980, parkedCents: 0, ...net });
      expect(amounts.byDay).toMatchObject([{ orders: 1, cents: 7_980, ...net }]);
      expect(amounts.byTender).toMatchObject([{ tenderType: '16', cents: 7_980 }]);
      expect(orders).toMatchObject({ SENT: 1, DLQ: 0, cancelled: 0 });
      expect([amountMismatches, tests, oldestUndelivered]).toEqual([0, 1, null]);
    });

    test('a day of refunds alone is a day, with a net amount below zero', async () => {
      const { get, sell } = await opened();
      await scenario.jobs.receivedAt(await sell(REFUND), `${DAY}T12:00:00Z`);
      const { amounts } = await get(`/statistics?day=${DAY}`);
      expect(amounts.byDay).toMatchObject([{ day: DAY, orders: 0, cents: 0, refunds: 1, netCents: -1_234 }]);
      expect(amounts).toMatchObject({ totalCents: 0, netCents: -1_234, byHour: [], byTender: [] });
    });

    test('in the CSV: a row with a minus, which is a number, and the sum of the file is the net amount', async () => {
      const { get, csv, done } = await opened();
      await done();
      await done({ ...REFUND, transactionKey: 'BACK', transactionDate: null });
      const [head = '', ...rows] = (await csv()).trimEnd().split('\r\n');
      expect(head).toContain(',paidCents,paid,transactionDate,kind,currency,receivedOnAnotherDay');
      const back = rows.find((row) => row.startsWith('BACK,')) as string;
      expect(back).toMatch(/,refund,,,-1234,-12\.34,,REFUND,,false,0,0,0\.00,0\.00$/);
      const at = head.split(',').indexOf('paidCents');
      const sum = rows.reduce((total, row) => total + Number(row.split(',')[at]), 0);
      expect(sum).toBe((await get('/statistics')).amounts.netCents);
      expect(await csv('separator=semicolon')).toContain(
        ';refund;;;-1234;"-12,34";;REFUND;;false;0;0;"0,00";"0,00"\r\n',
      );
    });

    test('a cancel by staff changes nothing in them', async () => {
      const { id, token, get, done } = await opened();
      const { key } = await done(REFUND);
      await scenario.cancel(id, key, token).expect(202);
      await scenario.relay.tick();
      expect(await get(`/orders/${key}`)).toMatchObject({ state: 'refund', kind: 'REFUND', netCents: -1_234 });
      expect((await get('/statistics')).amounts).toMatchObject({ refunds: 1, refundCents: 1_234, cancelledCents: 0 });
      expect((await get('/statistics')).orders).toMatchObject({ cancelled: 0 });
    });

    test('orders say what they are, and what they add to the takings', async () => {
      const { get, done } = await opened();
      const { key } = await done(REFUND);
      await done();
      expect((await get('/orders?sort=receivedAt')).data).toMatchObject([
        { kind: 'REFUND', paidCents: 0, netCents: -1_234, resolvedAt: expect.any(String) },
        { kind: 'SALE', paidCents: 7_980, netCents: 7_980, resolvedAt: null },
      ]);
      expect(await get(`/orders/${key}`)).toMatchObject({ kind: 'REFUND', netCents: -1_234, order: null, sent: false });
    });

    test('the refunds of the history are known, without a payload and before this was recorded', async () => {
      const { id, get, done } = await opened();
      const { job } = await done(REFUND);
      const { query } = scenario.database;
      await query('UPDATE outbox_jobs SET resolved_at = NULL WHERE id = $1', [job]);
      await query(`UPDATE terminal_events SET payload = '{}' WHERE restaurant_id = $1`, [id]);
      expect((await get('/statistics')).amounts).toMatchObject({ refunds: 1, refundCents: 1_234, parkedCents: 0 });
      expect((await get('/state')).parked.orders).toBe(1);
    });
  });

  test('R49: a day says how many of its sales and refunds have a date of another business day', async () => {
    const { id, token, get, sell } = await opened();
    await scenario.api.patch(`/restaurants/${id}`, token, { timezone: 'America/Sao_Paulo', dayClosesAt: '04:00' });
    const sold = async (transactionDate: string | null, receivedAt: string, changes = {}) =>
      scenario.jobs.receivedAt(await sell({ transactionDate, ...changes }), receivedAt);
    // the business day ends at 07:00Z
    await sold(`${DAY}T20:00:00Z`, `${DAY}T20:00:02Z`);
    await sold(`${DAY}T06:59:59Z`, `${DAY}T07:00:01Z`);
    await sold(`${DAY}T06:00:00Z`, `${DAY}T21:00:00Z`, REFUND);
    await sold(null, `${DAY}T21:00:00Z`);
    const told = async (by: string) => {
      const { receivedOnAnotherDay, amounts } = await get(`/statistics?from=2026-11-01&to=2026-11-30&by=${by}`);
      const days = amounts.byDay.map((day: Record<string, unknown>) => [day.day, day.orders, day.receivedOnAnotherDay]);
      return { receivedOnAnotherDay, days };
    };
    expect(await told('receipt')).toEqual({ receivedOnAnotherDay: 2, days: [[DAY, 3, 2]] });
    const days = [
      ['2026-11-19', 1, 2],
      [DAY, 2, 0],
    ];
    expect(await told('sale')).toEqual({ receivedOnAnotherDay: 2, days });
  });
});
