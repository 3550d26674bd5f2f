import { sale } from '../../support/client.js';
import { type Caller, Scenario } from '../../support/scenario.js';

/** A sale of these payments, as [tenderType, cents], and on which day before today. */
interface Sold {
  readonly paid: readonly [tender: number, amount: number][];
  readonly daysAgo: number;
}

/** Amounts whose float sums are not exact. */
// biome-ignore format: a sale a line
const HISTORY: readonly Sold[] = [
  { daysAgo: 0, paid: [[1, 0.1], [16, 0.2]] },
  { daysAgo: 0, paid: [[16, 0.7]] },
  { daysAgo: 0, paid: [[16, 0.1]] },
  { daysAgo: 1, paid: [[1, 1.1], [1, 2.2]] },
  { daysAgo: 1, paid: [[50, 4.35]] },
  { daysAgo: 2, paid: [[28, 1_234_567.89]] },
  { daysAgo: 2, paid: [[28, 90_071_992.55], [99, 0.01]] },
  { daysAgo: 3, paid: [[1, 19.99], [16, -5], [50, 0]] },
];
const DAY_MS = 86_400_000;

describe('GET /restaurants/:id/statistics (R1)', () => {
  const scenario = Scenario.ofSuite();
  let owner: Caller;
  let path: string;
  let id: string;
  const days: string[] = [];

  beforeAll(async () => {
    ({ id, owner } = await scenario.restaurant('STORE-1'));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
    path = `/restaurants/${id}/statistics`;
    // noon, so that no run crosses a day
    const noon = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`).getTime() - DAY_MS / 2;
    for (let ago = 0; ago < 4; ago++) days.push(new Date(noon - ago * DAY_MS).toISOString());
    for (const { paid, daysAgo } of HISTORY) {
      const payments = paid.map(([tenderType, amount]) => ({ tenderType, amount }));
      await scenario.jobs.receivedAt(await accept({ payments, totalAmount: undefined }), days[daysAgo] as string);
    }
    await accept({ isTestTransaction: true, payments: [{ tenderType: 1, amount: 1_000 }] });
    await accept({ totalAmount: 99, payments: [{ tenderType: 16, amount: 100 }], transactionKey: 'MISMATCH' });
  });

  const accept = (fields: object) => scenario.relay.accept(sale(fields as Record<string, unknown>));
  const ask = (query: Record<string, string> = {}) =>
    scenario.api.get(`${path}?${new URLSearchParams(query)}`, owner.token);
  const cents = (amount: number) => Math.max(0, Math.round(amount * 100));

  /** What the history says, in whole cents. */
  function summed(history: readonly Sold[]) {
    const byTender: Record<string, number> = {};
    const byDay: Record<string, { orders: number; cents: number }> = {};
    for (const { paid, daysAgo } of history) {
      const day = (days[daysAgo] as string).slice(0, 10);
      byDay[day] ??= { orders: 0, cents: 0 };
      byDay[day].orders++;
      for (const [tender, amount] of paid.filter(([, amount]) => amount > 0)) {
        byTender[tender] = (byTender[tender] ?? 0) + cents(amount);
        byDay[day].cents += cents(amount);
      }
    }
    const total = Object.values(byTender).reduce((sum, tender) => sum + tender, 0);
    return { byTender, byDay, total };
  }

  test('amounts by tender, with its name (R18), and by day are those of the history, to the cent', async () => {
    const { body } = await ask({
      from: days[3] as string,
      to: new Date(Date.parse(days[0] as string) + 1).toISOString(),
    }).expect(200);
    const { byTender, byDay, total } = summed(HISTORY);
    const read = (rows: Record<string, unknown>[], key: string) =>
      Object.fromEntries(rows.map(({ [key]: name, ...rest }) => [name, rest]));
    // nothing has been sent yet
    const waiting = (cents: number) => ({
      deliveredCents: 0,
      waitingCents: cents,
      parkedCents: 0,
      resolvedCents: 0,
      cancelledCents: 0,
    });
    const noTips = { tipCents: 0, serviceFeeCents: 0 };
    const noRefunds = (cents: number) => ({
      ...{ takenCents: cents, refunds: 0, refundCents: 0, refundedCents: 0, netCents: cents, ...noTips },
    });
    const names: Record<string, string> = { 1: 'cash', 16: 'credit card', 28: 'credit card', 50: 'instant payment' };
    expect(read(body.amounts.byTender, 'tenderType')).toEqual(
      Object.fromEntries(
        Object.entries(byTender).map(([type, cents]) => [
          type,
          { name: names[type] ?? null, cents, ...waiting(cents), ...noTips },
        ]),
      ),
    );
    expect(read(body.amounts.byDay, 'day')).toEqual(
      Object.fromEntries(
        Object.entries(byDay).map(([day, sold]) => [
          day,
          { ...sold, ...waiting(sold.cents), ...noRefunds(sold.cents), receivedOnAnotherDay: sold.orders },
        ]),
      ),
    );
    expect(body.amounts).toMatchObject({ totalCents: total, ...waiting(total) });
    expect(body.orders).toMatchObject({ PENDING: HISTORY.length });
  });

  test('from is inclusive, to is exclusive', async () => {
    const { body } = await ask({ from: days[2] as string, to: days[1] as string }).expect(200);
    expect(body.amounts.totalCents).toBe(summed(HISTORY.filter(({ daysAgo }) => daysAgo === 2)).total);
    expect(body).toMatchObject({ from: days[2], to: days[1] });
  });

  test('without from and to: the last 30 days', async () => {
    const job = await accept({ payments: [{ tenderType: 1, amount: 7 }] });
    await scenario.jobs.receivedAt(job, new Date(Date.now() - 31 * DAY_MS).toISOString());
    const { body } = await ask().expect(200);
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(30 * DAY_MS);
    expect(body.amounts.totalCents).toBe(summed(HISTORY).total + 10_000);
  });

  test('R2: a test transaction is counted in `tests` only', async () => {
    const from = new Date(Date.parse(days[0] as string) + 1).toISOString();
    const { body } = await ask({ from }).expect(200);
    expect(body.orders.PENDING).toBe(1);
    expect(body.tests).toBe(1);
    expect(body.amounts).toMatchObject({ totalCents: 10_000, byTender: [{ tenderType: '16', cents: 10_000 }] });
    expect(body.amountMismatches).toBe(1);
  });

  test('oldestUndelivered, and the delivery times once there is a delivery', async () => {
    const before = await ask().expect(200);
    expect(before.body).toMatchObject({ delivery: { medianMs: null, p95Ms: null }, oldestUndelivered: days[3] });
    scenario.pos.behave({ mode: 'status', status: 503, times: 1 });
    await scenario.relay.tick();
    const { body } = await ask().expect(200);
    expect(body.orders).toMatchObject({ PENDING: 0, PROCESSING: 0, FAILED: 1, cancelled: 0 });
    const { SENT, DLQ } = body.orders;
    expect(SENT + DLQ + 1).toBe(HISTORY.length + 1);
    expect(body.delivery.medianMs).toBeGreaterThan(0);
    expect(body.delivery.p95Ms).toBeGreaterThanOrEqual(body.delivery.medianMs);
    const rows = await scenario.database.query<{ at: Date }>(
      `SELECT min(created_at) AS at FROM outbox_jobs WHERE status = 'FAILED'`,
    );
    expect(body.oldestUndelivered).toBe(rows[0]?.at.toISOString());
  });

  test('no orders: zeros, nulls and empty lists', async () => {
    const { body } = await ask({ from: '2001-01-01', to: '2001-02-01' }).expect(200);
    expect(body).toEqual({
      restaurantId: id,
      from: '2001-01-01T00:00:00.000Z',
      to: '2001-02-02T00:00:00.000Z',
      timezone: 'UTC',
      dayClosesAt: '00:00',
      currency: null,
      by: 'receipt',
      orders: { PENDING: 0, PROCESSING: 0, SENT: 0, FAILED: 0, DLQ: 0, cancelled: 0 },
      tests: 0,
      ...{ takenCents: 0, cancelledCents: 0, refundedCents: 0, netCents: 0, tipCents: 0, serviceFeeCents: 0 },
      counts: { sales: 0, refunds: 0, tests: 0, cancelled: 0 },
      amounts: {
        ...{ totalCents: 0, deliveredCents: 0, waitingCents: 0, parkedCents: 0, resolvedCents: 0, cancelledCents: 0 },
        ...{ takenCents: 0, refunds: 0, refundCents: 0, refundedCents: 0, netCents: 0 },
        ...{ tipCents: 0, serviceFeeCents: 0, severalTenders: { tipCents: 0, serviceFeeCents: 0 } },
        ...{ byTender: [], byDay: [], byHour: null },
      },
      delivery: { medianMs: null, p95Ms: null },
      oldestUndelivered: null,
      amountMismatches: 0,
      receivedOnAnotherDay: 0,
    });
  });

  test('C11: each order is counted once, in its state or as cancelled, delivered before or not', async () => {
    const { id, owner } = await scenario.restaurant('STORE-2');
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1002' WHERE id = $1`, [id]);
    const [delivered, kept] = [await accept({ storeCode: 'STORE-2' }), await accept({ storeCode: 'STORE-2' })];
    await scenario.relay.tick();
    const waiting = await accept({ storeCode: 'STORE-2' });
    for (const job of [delivered, waiting])
      await scenario.cancel(id, await scenario.keyOf(job), owner.token).expect(202);
    const counts = async (query = '') =>
      (await scenario.api.get(`/restaurants/${id}/statistics${query}`, owner.token).expect(200)).body.orders;
    const expected = { PENDING: 0, PROCESSING: 0, SENT: 1, FAILED: 0, DLQ: 0, cancelled: 2 };
    expect(await counts()).toEqual(expected);
    await scenario.relay.tick();
    expect(await counts()).toEqual(expected);
    await scenario.jobs.receivedAt(waiting, days[1] as string);
    await scenario.jobs.receivedAt(kept, days[1] as string);
    expect(await counts(`?from=${days[2]}&to=${days[0]}`)).toMatchObject({ SENT: 1, cancelled: 1 });
  });

  test('a tender may have the name of a property of every JavaScript object', async () => {
    const names = ['toString', 'constructor', 'valueOf', 'hasOwnProperty', '__proto__'];
    const { id, owner } = await scenario.restaurant('STORE-3');
    const payments = names.map((tenderType, i) => ({ tenderType, amount: i + 1 }));
    await accept({ storeCode: 'STORE-3', payments: [...payments, { tenderType: '__proto__', amount: 10 }] });
    const { body } = await scenario.api.get(`/restaurants/${id}/statistics`, owner.token).expect(200);
    expect(body.amounts).toMatchObject({
      totalCents: 2_500,
      byTender: [1_500, 400, 300, 200, 100].map((cents, i) => ({ tenderType: names[4 - i], cents })),
    });
  });

  const INVALID =
    'from=yesterday from= from=2026-02-30 from=2026-13-01 to=12 from=2026-W05 from=2026-W05-3 from=2026-032 from=20260101 ' +
    'from=2026-01-01T24:30:00Z from=%2B275760-09-14 from=-271822-01-01 from=2026-01-01&from=2026-01-02 ' +
    'since=2026-01-01 from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z from=2026-01-03&to=2026-01-02 ' +
    'from=2026-01-03&to=2026-01-03T00:00:00Z day= day=today day=2026-02-30 day=2026-01-02T00:00:00Z ' +
    'day=2026-01-02&day=2026-01-03 day=2026-01-02&from=2026-01-02 day=2026-01-02&to=2026-01-02T10:00:00Z from=2999-01-01';
  test.each(INVALID.split(' '))('?%s: 400', async (query) => {
    await scenario.api.get(`${path}?${query}`, owner.token).expect(400);
  });
});
