import { Scenario } from '../../support/scenario.js';

const ZONE = { timezone: 'America/Sao_Paulo', dayClosesAt: '04:00' };

describe('by=sale: sales count by their own date (R28, R29)', () => {
  const scenario = Scenario.ofSuite();
  let id: string;
  let token: string;
  let sell: Awaited<ReturnType<Scenario['restaurant']>>['sell'];

  /** A sale of this amount, with the time of its receipt and its date by the terminal. */
  async function sold(transactionKey: string, cents: number, receivedAt: string, transactionDate: string | null) {
    const job = await sell({
      transactionKey,
      transactionNumber: `N-${cents}`,
      transactionDate,
      payments: [{ tenderType: 1, amount: cents / 100 }],
    });
    await scenario.jobs.receivedAt(job, receivedAt);
  }
  const get = async (path: string) => (await scenario.api.get(`/restaurants/${id}${path}`, token).expect(200)).body;
  const days = async (query: string) => {
    const { amounts } = await get(`/statistics?${query}`);
    return amounts.byDay.map(({ day, cents }: { day: string; cents: number }) => [day, cents]);
  };

  beforeAll(async () => {
    ({ id, token, sell } = await scenario.restaurant('STORE-1'));
    await scenario.api.patch(`/restaurants/${id}`, token, ZONE).expect(200);
    // the business day of 19 November ends at 07:00Z on the 20th
    await sold('in-time', 1, '2026-11-20T20:00:00Z', '2026-11-20T19:59:58Z');
    await sold('before-closing', 2, '2026-11-20T07:00:05Z', '2026-11-20T06:59:59Z');
    await sold('uploaded-late', 4, '2026-11-20T21:00:00Z', '2026-10-30T20:00:00Z');
    await sold('clock-ahead', 8, '2026-11-20T22:00:00Z', '2026-11-21T20:00:00Z');
    await sold('too-old', 16, '2026-11-20T22:00:00Z', '2026-10-20T21:59:59Z');
    await sold('too-far-ahead', 32, '2026-11-20T22:00:00Z', '2027-11-20T22:00:00Z');
    await sold('without', 64, '2026-11-20T22:00:00Z', null);
  });

  test('by=receipt, the default: each sale counts on the day of its receipt', async () => {
    expect(await days('from=2026-10-01&to=2026-12-31')).toEqual([['2026-11-20', 127]]);
    expect(await days('from=2026-10-01&to=2026-12-31&by=receipt')).toEqual([['2026-11-20', 127]]);
  });

  test('by=sale: each sale counts on the day of its date; an implausible date counts as none', async () => {
    const expected = [
      ['2026-10-30', 4],
      ['2026-11-19', 2],
      ['2026-11-20', 113],
      ['2026-11-21', 8],
    ];
    expect(await days('from=2026-10-01&to=2026-12-31&by=sale')).toEqual(expected);
    for (const [day, cents] of expected) expect(await days(`day=${day}&by=sale`)).toEqual([[day, cents]]);
    expect(await get('/statistics?day=2026-10-30&by=sale')).toMatchObject({
      by: 'sale',
      orders: { PENDING: 1 },
      amounts: { totalCents: 4, byHour: [{ start: '2026-10-30T17:00:00-03:00', cents: 4 }] },
    });
  });

  test('takings.csv?by=sale has the rows of that day, with both times', async () => {
    const { text } = await scenario.api.get(`/restaurants/${id}/takings.csv?day=2026-10-30&by=sale`, token).expect(200);
    expect(text.split('\r\n').slice(1)).toEqual([
      'uploaded-late,N-4,2026-11-20T18:00:00-03:00,2026-10-30,waiting,1=0.04,cash,4,0.04,2026-10-30T17:00:00-03:00,SALE,,true,0,0,0.00,0.00',
      '',
    ]);
    await scenario.api.get(`/restaurants/${id}/takings.csv?by=hour`, token).expect(400);
  });

  test('lists and orders have the date, and whether the receipt is of another business day', async () => {
    const { data } = await get('/orders?sort=receivedAt');
    const dateOf = (order: {
      transactionKey: string;
      transactionDate: string | null;
      receivedOnAnotherDay: boolean;
    }) => [...[order.transactionKey, order.transactionDate, order.receivedOnAnotherDay]];
    const expected = [
      ['before-closing', '2026-11-20T06:59:59.000Z', true],
      ['in-time', '2026-11-20T19:59:58.000Z', false],
      ['uploaded-late', '2026-10-30T20:00:00.000Z', true],
      ['clock-ahead', '2026-11-21T20:00:00.000Z', true],
      ['too-old', '2026-10-20T21:59:59.000Z', true],
      ['too-far-ahead', '2027-11-20T22:00:00.000Z', true],
      ['without', null, false],
    ];
    expect(data.map(dateOf).toSorted()).toEqual(expected.toSorted());
    for (const row of expected) expect(dateOf(await get(`/orders/${row[0]}`))).toEqual(row);
  });
});
