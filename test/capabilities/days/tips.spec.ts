import { messageOf } from '../../../src/capabilities/days/closing-message.js';
import { dayHash } from '../../../src/capabilities/days/day-chain.js';
import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from './restaurant-days.js';

const [FRIDAY, SATURDAY, SUNDAY, MONDAY] = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'] as const;
const AT_NOON = (day: string) => `${day}T12:00:00Z`;
/** What a closing has at the end of its content since tip and service fee are sealed. */
const SEALED = /,"tipCents":-?\d+,"serviceFeeCents":-?\d+,"tipTenders":\[.*\]\}$/;

describe('tip and service fee of closed days', () => {
  const scenario = Scenario.ofSuite();
  let days: RestaurantDays;

  beforeEach(async () => {
    days = await RestaurantDays.open(scenario, '2026-11-20T04:00:00Z');
  });

  const file = async (name: string) =>
    (await scenario.api.get(`/restaurants/${days.id}/${name}`, days.token).buffer().expect(200)).text;
  const cells = async (name: string, column: string) => {
    const [head = '', ...lines] = (await file(name)).replace('\ufeff', '').trimEnd().split('\r\n');
    return lines.map((line) => line.split(',')[head.split(',').indexOf(column)]);
  };
  const mailOf = async (number: number) => {
    const row = (await days.rows())[number - 1] as { content: string; hash: string };
    const closing = { id: 'x', restaurantId: days.id, restaurantName: 'R', number, ...row, toldBefore: null };
    return messageOf([closing], 'en', { tenderName: () => null }).text;
  };

  /** Leaves the last closing as an instance of the version before writes it: without the fields at the end. */
  async function asVersionBefore(): Promise<void> {
    const { number, content, previous } = (await days.rows()).at(-1) as Awaited<ReturnType<typeof days.rows>>[number];
    const before = content.replace(SEALED, '}');
    expect(before).not.toBe(content);
    await days.tamper(
      `UPDATE business_days SET content = $content$${before}$content$, hash = '${dayHash(previous, before)}'
       WHERE restaurant_id = '${days.id}' AND number = ${number}`,
    );
  }

  test('B22: the content of a closing ends with tip and service fee, also where there is none, and what becomes of a sale later changes nothing in it', async () => {
    await days.sold({ key: 'tip', at: AT_NOON(FRIDAY), cents: 2_000, tip: 200, fee: 20 });
    await days.sold({ key: 'both', at: AT_NOON(FRIDAY), cents: 30, tenders: { '1': 10, '16': 20 }, tip: 3 });
    const closed = await days.closed(FRIDAY);
    expect(closed).toMatchObject({ tipCents: 203, serviceFeeCents: 20 });
    const content = (await days.rows())[0]?.content as string;
    expect(content).toMatch(
      /"linesHash":"[0-9a-f]{64}","tipCents":203,"serviceFeeCents":20,"tipTenders":\[\["1",200,20\]\]\}$/,
    );
    await days.cancelled('tip', AT_NOON(SATURDAY));
    expect(await days.closed(SATURDAY)).toMatchObject({ tipCents: 0, serviceFeeCents: 0, linesCount: 1 });
    const [friday, saturday] = await days.rows();
    expect([friday?.content, SEALED.test(saturday?.content as string)]).toEqual([content, true]);
    expect((await days.get(`/${FRIDAY}`).expect(200)).body.data).toMatchObject({ tipCents: 203, netCents: 2_030 });
    expect(await days.check()).toMatchObject({ days: 2, firstBroken: null });
  });

  test('B22: days that a version before closes, before the upgrade and beside newer instances, keep their seal; their tip is not known', async () => {
    const sold = (day: string) => days.sold({ key: day, at: AT_NOON(day), cents: 1_000, tip: 100, fee: 10 });
    for (const day of [FRIDAY, SATURDAY, SUNDAY, MONDAY]) await sold(day);
    await days.closed(FRIDAY);
    await asVersionBefore();
    const [friday] = await days.rows();
    await days.closed(SATURDAY);
    await days.closed(SUNDAY);
    await asVersionBefore();
    await days.closed(MONDAY);
    const [KNOWN, UNKNOWN] = [
      { tipCents: 100, serviceFeeCents: 10 },
      { tipCents: null, serviceFeeCents: null },
    ];
    const NONE = { tipCents: 0, serviceFeeCents: 0 };
    const { data } = (await days.get().expect(200)).body;
    for (const [i, [day, tips, ofSeveral]] of [
      [MONDAY, KNOWN, NONE],
      [SUNDAY, UNKNOWN, UNKNOWN],
      [SATURDAY, KNOWN, NONE],
      [FRIDAY, UNKNOWN, UNKNOWN],
    ].entries())
      expect(data[i]).toMatchObject({ day, ...(tips as object), tenders: [tips], severalTenders: ofSeveral });
    expect(await days.check()).toMatchObject({ days: 4, firstBroken: null });
    expect(await days.check(`?day=${FRIDAY}&hash=${friday?.hash}`)).toMatchObject({ firstBroken: null });
    // byte for byte
    expect((await days.rows())[0]).toEqual(friday);
    expect(await file('closings.json')).toContain(`{"closing":${friday?.content},"previous":""`);
    expect(await cells('closings.csv?format=days', 'tipCents')).toEqual(['', '100', '', '100']);
    expect(await cells('closings.csv?format=days', 'serviceFee')).toEqual(['', '0.10', '', '0.10']);
    const records = await cells('closings.csv', 'record');
    const tips = await cells('closings.csv', 'tipCents');
    expect(tips.filter((_, i) => records[i] === 'closing')).toEqual(['', '100', '', '100']);
    // what is stored of a sale is known whoever closed its day
    expect(tips.filter((_, i) => records[i] === 'sale')).toEqual(['100', '100', '100', '100']);
    expect(await mailOf(1)).not.toContain('tip');
    expect(await mailOf(2)).toContain('Included in what was taken: tip 1.00, service fee 0.10\n');
  });

  test('B22: a sale that came late has its tip in the closing that has the sale; the open day has what is stored', async () => {
    await days.closed(FRIDAY);
    await days.sold({ key: 'late', at: AT_NOON(FRIDAY), cents: 900, tip: 90 });
    expect((await days.get().expect(200)).body.open).toMatchObject({ day: SATURDAY, tipCents: 90, serviceFeeCents: 0 });
    expect(await days.closed(SATURDAY)).toMatchObject({ tipCents: 90, linesCount: 1 });
  });

  test('B23, R71: a restaurant that never has a tip or a service fee has zeros in the files, and nothing in its mail', async () => {
    await days.sold({ key: 'plain', at: AT_NOON(FRIDAY) });
    await days.sold({ key: 'zero', at: AT_NOON(FRIDAY), tip: 0, fee: 0 });
    await days.closed(FRIDAY);
    for (const [column, cell] of [
      ['tipCents', '0'],
      ['serviceFeeCents', '0'],
      ['tip', '0.00'],
      ['serviceFee', '0.00'],
      ['tips', ''],
      ['serviceFees', ''],
    ] as const)
      expect(await cells('closings.csv?format=days', column)).toEqual([cell]);
    expect(await cells('closings.csv', 'tipCents')).toEqual(['0', '0', '', '0', '']);
    expect(await cells(`takings.csv?day=${FRIDAY}`, 'tipCents')).toEqual(['0', '0']);
    expect(await cells(`takings.csv?day=${FRIDAY}`, 'serviceFee')).toEqual(['0.00', '0.00']);
    expect(await mailOf(1)).not.toMatch(/tip|service fee|Several/);
  });

  test('R69: by tender of those with one tender; of several, of none, and of more tenders than are shown, all are counted once', async () => {
    await days.sold({ key: 'free', at: AT_NOON(FRIDAY), cents: 0, tenders: {}, tip: 7 });
    await days.sold({
      key: 'two',
      at: AT_NOON(FRIDAY),
      cents: 5_000,
      tenders: { '1': 2_500, '16': 2_500 },
      tip: 500,
      fee: 50,
    });
    await scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at, paid_cents, paid_by_tender,
           tip_cents)
         SELECT 'many-' || n, 'many-' || n, false, $1, '{}', '2026-11-20T12:00:00Z', n, jsonb_build_object('t' || n, n), 1
         FROM generate_series(1, 120) n)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), 'many-' || n, $1, 'SENT', NULL, '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z' FROM generate_series(1, 120) n`,
      [days.id],
    );
    const closed = await days.closed(FRIDAY);
    const path = `/restaurants/${days.id}/statistics?day=${FRIDAY}`;
    const { amounts } = (await scenario.api.get(path, days.token).expect(200)).body;
    for (const { tipCents, tenders, severalTenders } of [closed, { ...amounts, tenders: amounts.byTender }]) {
      expect([tipCents, severalTenders]).toEqual([627, { tipCents: 507, serviceFeeCents: 50 }]);
      expect(tenders).toHaveLength(101);
      const ofTenders = tenders.map((tender: { tipCents: number }) => tender.tipCents);
      // 1 and 16 have none, and 22 of the 120 are not shown
      expect(ofTenders.toSorted()).toEqual([0, 0, ...Array(98).fill(1), 22]);
    }
  });
});
