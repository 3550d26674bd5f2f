import { Scenario } from '../../support/scenario.js';
import { soldAt } from './sold-at.js';

type Hour = { start: string; orders: number; cents: number; waitingCents: number };

describe('takings by hour (R24)', () => {
  const scenario = Scenario.ofSuite();

  /** [start, orders, cents] of each hour; it sums to the total */
  async function hours(zone: string, closes: string, query: string, times: readonly string[]) {
    const { amounts } = await (await soldAt(scenario, zone, closes, times)).statistics(query);
    const rows = amounts.byHour as Hour[];
    expect(rows.reduce((sum, { cents }) => sum + cents, 0)).toBe(amounts.totalCents);
    for (const { cents, waitingCents } of rows) expect(waitingCents).toBe(cents);
    return rows.map(({ start, orders, cents }) => [start, orders, cents]);
  }

  test("hours of the restaurant's clock with its offset; those without a sale are left out", async () => {
    const times = ['2026-11-20T22:00:00.000Z', '2026-11-20T22:59:59.999Z', '2026-11-21T06:59:59.999Z'];
    expect(await hours('America/Sao_Paulo', '04:00', 'day=2026-11-20', times)).toEqual([
      ['2026-11-20T19:00:00-03:00', 2, 3],
      ['2026-11-21T03:00:00-03:00', 1, 3],
    ]);
  });

  test('a zone of quarter hours: its hours begin when its clock says so', async () => {
    const times = ['2026-11-20T06:14:59Z', '2026-11-20T06:15:00Z', '2026-11-20T07:14:59Z'];
    expect(await hours('Asia/Kathmandu', '00:00', 'day=2026-11-20', times)).toEqual([
      ['2026-11-20T11:00:00+05:45', 1, 1],
      ['2026-11-20T12:00:00+05:45', 2, 5],
    ]);
  });

  test('UTC has an offset too', async () => {
    expect(await hours('UTC', '00:00', 'day=2026-11-20', ['2026-11-20T12:30:00Z'])).toEqual([
      ['2026-11-20T12:00:00+00:00', 1, 1],
    ]);
  });

  test('the hour that the clock shows twice is two, in order', async () => {
    const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00Z'];
    expect(await hours('Europe/Berlin', '00:00', 'day=2026-10-25', times)).toEqual([
      ['2026-10-25T02:00:00+02:00', 1, 1],
      ['2026-10-25T02:00:00+01:00', 1, 2],
      ['2026-10-25T03:00:00+01:00', 1, 3],
    ]);
  });

  test('a clock that goes back by half an hour gives two half hours', async () => {
    const times = ['2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z', '2026-04-04T15:45:00Z'];
    expect(await hours('Australia/Lord_Howe', '00:00', 'day=2026-04-05', times)).toEqual([
      ['2026-04-05T01:00:00+11:00', 1, 1],
      ['2026-04-05T01:00:00+10:30', 1, 2],
      ['2026-04-05T02:00:00+10:30', 1, 3],
    ]);
  });

  test('a day that begins within an hour: the hour has its full start', async () => {
    expect(await hours('UTC', '04:30', 'day=2026-11-20', ['2026-11-20T04:30:00Z', '2026-11-21T04:29:59Z'])).toEqual([
      ['2026-11-20T04:00:00+00:00', 1, 1],
      ['2026-11-21T04:00:00+00:00', 1, 2],
    ]);
  });

  test('48 hours have hours; a millisecond more has none', async () => {
    const { statistics } = await soldAt(scenario, 'UTC', '00:00', ['2026-11-20T12:00:00Z']);
    const byHour = async (to: string) => (await statistics(`from=2026-11-19T00:00:00Z&to=${to}`)).amounts.byHour;
    expect(await byHour('2026-11-21T00:00:00Z')).toHaveLength(1);
    expect(await byHour('2026-11-21T00:00:00.001Z')).toBeNull();
  });
});
