import { messageOf } from '../../../src/capabilities/days/closing-message.js';
import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from './restaurant-days.js';

const HOUR_MS = 3_600_000;
const CLOSES = 4;

/** A zone in which it is early afternoon now, so that no business day ends while the test runs. */
function afternoonZone(): string {
  const ahead = 14 - new Date().getUTCHours();
  // the signs of these names are reversed
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

interface Money {
  readonly takenCents: number;
  readonly cancelledCents: number;
  readonly refundedCents: number;
  readonly netCents: number;
  readonly tipCents: number;
  readonly serviceFeeCents: number;
}
type Counts = { readonly sales: number; readonly refunds: number; readonly tests: number | null; cancelled: number };
type Row = Record<string, string>;

/** What an answer says; fails where one of the fields is not there. */
const said = ({ counts, ...money }: Money & { counts?: Counts }) => {
  const { takenCents, cancelledCents, refundedCents, netCents, tipCents, serviceFeeCents } = money;
  return {
    ...{ takenCents, cancelledCents, refundedCents, netCents, tipCents, serviceFeeCents },
    ...(counts && { counts }),
  };
};

function rowsOf(csv: string): Row[] {
  const [head = '', ...lines] = csv.replace('\ufeff', '').trimEnd().split('\r\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell])));
}

/** The money of a file with a row for each sale and refund, by its state and cents. */
function moneyIn(rows: readonly Row[], cents: string): Money {
  const sum = (wanted: (row: Row) => boolean, column = cents) =>
    rows.filter(wanted).reduce((total, row) => total + Number(row[column]), 0);
  const isTaken = ({ kind, state }: Row) => kind === 'SALE' && state !== 'cancelled';
  const [taken, cancelled] = [sum(isTaken), sum(({ state }) => state === 'cancelled')];
  const refunded = 0 - sum(({ state }) => state === 'refund');
  return {
    ...{ takenCents: taken, cancelledCents: cancelled, refundedCents: refunded },
    netCents: taken - refunded,
    ...{ tipCents: sum(isTaken, 'tipCents'), serviceFeeCents: sum(isTaken, 'serviceFeeCents') },
  };
}

interface Tips {
  readonly tenderType: string;
  readonly tipCents: number;
  readonly serviceFeeCents: number;
}
const tipsOf = (tenders: readonly Tips[]) =>
  Object.fromEntries(
    tenders.map(({ tenderType, tipCents, serviceFeeCents }) => [tenderType, [tipCents, serviceFeeCents]]),
  );
/** What the evening has by tender: the card alone; and of the sale that was paid with cash and card (R69). */
const TIPS = { '1': [0, 200], '16': [300, 100] };
const SEVERAL = { tipCents: 50, serviceFeeCents: 7 };

describe('one money, one count: every answer and file says the same of a day (R61, R68, R69, B20, B22)', () => {
  const scenario = Scenario.ofSuite();
  let days: RestaurantDays;
  let yesterday: string;
  let today: string;

  const get = async (path: string) => (await scenario.api.get(path, days.token).expect(200)).body;
  const file = async (name: string) =>
    (await scenario.api.get(`/restaurants/${days.id}/${name}`, days.token).buffer().expect(200)).text;

  /**
   * Sales, one that was entered in the till by hand, a refund, tests, three cancelled orders, of which the cancel of one is parked, an order of
   * the POS whose cancel is parked, and a sale that is received when the day is over. With tips and service fees, also of those that do not
   * count: tests, refunds, and cancelled orders.
   */
  async function evening(day: string, beginsAt: number, cents: number) {
    const at = (hours: number) => new Date(beginsAt + hours * HOUR_MS).toISOString();
    const sold = (name: string, sale: object) => days.sold({ key: `${day}-${name}`, at: at(1), cents, ...sale });
    await sold('cash', { fee: 200, tip: 0 });
    await sold('card', { tender: '16', tip: 300, fee: 100 });
    await sold('back', { cents: -549, status: 'DLQ', tip: -40, fee: -9 });
    await sold('test', { testMode: true, tip: 1_000, fee: 1_000 });
    await sold('test-back', { testMode: true, cents: -100, status: 'DLQ', tip: -10 });
    await sold('taken-back', { cents: 1_900, tip: 190, fee: 19, tender: '16' });
    await days.cancelled(`${day}-taken-back`, at(2));
    await sold('parked', { cents: 70, status: 'DLQ' });
    await days.cancelled(`${day}-parked`, at(2));
    await sold('withdrawn', { cents: 40, status: 'FAILED', tenders: { '1': 30, '16': 10 }, tip: 5 });
    await days.cancelled(`${day}-withdrawn`, at(2), 'DLQ');
    await sold('by-hand', { cents: 60, tenders: { '1': 20, '16': 40 }, status: 'DLQ', tip: 50, fee: 7 });
    await scenario.api.post(`/restaurants/${days.id}/orders/${day}-by-hand/entered`, days.token).send({}).expect(202);
    await sold('cancel-parked', {});
    await days.cancelled(`${day}-cancel-parked`, at(2), 'DLQ');
    await sold('next-day', { cents: 11, at: at(24) });
  }

  const moneyOf = (cents: number, before: number) => ({
    takenCents: 3 * cents + 60 + before,
    cancelledCents: 2_010,
    refundedCents: 549,
    netCents: 3 * cents + 60 - 549 + before,
    ...{ tipCents: 350, serviceFeeCents: 307 },
  });
  const countsOf = (before: number) => ({ sales: 4 + before, refunds: 1, tests: 2, cancelled: 3 });
  const YESTERDAY = moneyOf(4_000, 0);
  const TODAY = moneyOf(500, 11);

  beforeAll(async () => {
    const zone = afternoonZone();
    const [begin] = await scenario.database.query<{ at: Date; today: string; yesterday: string }>(
      `SELECT (day + $2::time) AT TIME ZONE $1 AS at, day::text AS today, (day - 1)::text AS yesterday
       FROM (SELECT (now() AT TIME ZONE $1)::date AS day) AS clock`,
      [zone, `0${CLOSES}:00`],
    );
    const { at, ...names } = begin as { at: Date; today: string; yesterday: string };
    ({ today, yesterday } = names);
    days = await RestaurantDays.open(scenario, new Date(at.getTime() - HOUR_MS).toISOString(), zone, `0${CLOSES}:00`);
    await evening(yesterday, at.getTime() - 24 * HOUR_MS, 4_000);
    await evening(today, at.getTime(), 500);
    await days.closed(yesterday);
  });

  test('the current day: state, overview, statistics and the open day', async () => {
    const wanted = { ...TODAY, counts: countsOf(1) };
    expect(said((await get(`/restaurants/${days.id}/state`)).today)).toEqual(wanted);
    const { data } = await get('/restaurants/overview');
    expect(said(data.find(({ id }: { id: string }) => id === days.id))).toEqual(wanted);
    const statistics = await get(`/restaurants/${days.id}/statistics?day=${today}`);
    expect(said(statistics)).toEqual(wanted);
    expect([said(statistics.amounts), ...statistics.amounts.byDay.map(said)]).toEqual([TODAY, TODAY]);
    expect([tipsOf(statistics.amounts.byTender), statistics.amounts.severalTenders]).toEqual([TIPS, SEVERAL]);
    const { open } = await get(`/restaurants/${days.id}/days`);
    expect([open.day, said(open)]).toEqual([today, wanted]);
  });

  test('a closed day: statistics, the closing in the list and alone, without tests, which no closing has', async () => {
    const statistics = await get(`/restaurants/${days.id}/statistics?day=${yesterday}`);
    expect(said(statistics)).toEqual({ ...YESTERDAY, counts: countsOf(0) });
    const sealed = { ...YESTERDAY, counts: { ...countsOf(0), tests: null } };
    expect((await get(`/restaurants/${days.id}/days`)).data.map(said)).toEqual([sealed]);
    const { data } = await get(`/restaurants/${days.id}/days/${yesterday}`);
    expect(said(data)).toEqual(sealed);
    for (const [tenders, several] of [
      [data.tenders, data.severalTenders],
      [statistics.amounts.byTender, statistics.amounts.severalTenders],
    ])
      expect([tipsOf(tenders), several]).toEqual([TIPS, SEVERAL]);
  });

  test('the sealed net of a closing has cancelled orders, and stays (B20)', async () => {
    const [row] = await days.rows();
    const sealed = JSON.parse((row as { content: string }).content);
    expect(sealed).toMatchObject({
      netCents: YESTERDAY.takenCents + YESTERDAY.cancelledCents - YESTERDAY.refundedCents,
    });
    expect(sealed).not.toHaveProperty('takenCents');
    expect((await days.check()).firstBroken).toBeNull();
  });

  test('takings.csv of both days; a refund has the state refund', async () => {
    for (const [day, money] of [
      [yesterday, YESTERDAY],
      [today, TODAY],
    ] as const) {
      const rows = rowsOf(await file(`takings.csv?day=${day}`));
      expect(moneyIn(rows, 'paidCents')).toEqual(money);
    }
  });

  test('closings.csv with all records; a refund has the state refund', async () => {
    const records = rowsOf(await file('closings.csv'));
    const rows = records.filter(({ record }) => record === 'sale');
    expect(moneyIn(rows, 'cents')).toEqual(YESTERDAY);
    expect(records.find(({ record }) => record === 'closing')).toMatchObject({
      tipCents: '350',
      serviceFeeCents: '307',
    });
  });

  test('closings.csv?format=days: one row a day, local times, tenders in the language (B21)', async () => {
    const rows = rowsOf(await file('closings.csv?format=days'));
    expect(rows).toHaveLength(1);
    const [row] = rows as [Row];
    const cents = ['takenCents', 'cancelledCents', 'refundedCents', 'netCents', 'tipCents', 'serviceFeeCents'] as const;
    expect(Object.fromEntries(cents.map((name) => [name, Number(row[name])]))).toEqual(YESTERDAY);
    expect(row).toMatchObject({
      ...{ day: yesterday, sales: '4', refunds: '1', cancelledSales: '3' },
      ...{ taken: '120.60', cancelled: '20.10', refunded: '5.49', net: '115.11' },
      tenders: 'Cash (1)=81.20 + Credit card (16)=59.50',
      ...{ tip: '3.50', serviceFee: '3.07', tips: 'Credit card (16)=3.00 + Several tenders=0.50' },
      serviceFees: 'Cash (1)=2.00 + Credit card (16)=1.00 + Several tenders=0.07',
    });
    const begin = new RegExp(`^${yesterday}T0${CLOSES}:00:00[+-]\\d{2}:00$`);
    expect([begin.test(row.beginsAt as string), row.endsAt?.startsWith(`${today}T0${CLOSES}:00:00`)]).toEqual([
      true,
      true,
    ]);
    const portuguese = await file('closings.csv?format=days&lang=pt-BR&separator=semicolon');
    expect(portuguese).toContain('"Dinheiro (1)=81,20 + Cartão de crédito (16)=59,50"');
    expect(rowsOf(await file(`closings.csv?format=days&from=${today}`))).toEqual([]);
    for (const query of ['format=day', 'format=days&lang=de'])
      await scenario.api.get(`/restaurants/${days.id}/closings.csv?${query}`, days.token).expect(400);
  });

  test('the mail of the closing', async () => {
    const [row] = await days.rows();
    const { number, content, hash } = row as { number: number; content: string; hash: string };
    const closing = { id: 'x', restaurantId: days.id, restaurantName: 'R', number, content, hash, toldBefore: null };
    const { title, text } = messageOf([closing], 'en', { tenderName: () => null });
    expect(text).toContain(
      '4 sales, 3 cancelled, 1 refund\nTaken 120.60 · cancelled 20.10 · refunded 5.49 · net 115.11\n' +
        'Included in what was taken: tip 3.50, service fee 3.07\n',
    );
    for (const line of [
      '- Tender 1: 81.20 (5), service fee 2.00',
      '- Tender 16: 59.50 (4), tip 3.00, service fee 1.00',
      '- Several tenders: tip 0.50, service fee 0.07',
    ])
      expect(text).toContain(line);
    expect(title).toMatch(/ is closed, 115\.11$/);
  });
});
