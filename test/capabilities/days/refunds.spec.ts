import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from './restaurant-days.js';

const [FRIDAY, SATURDAY, SUNDAY] = ['2026-11-20', '2026-11-21', '2026-11-22'] as const;

describe('refunds of closed days', () => {
  const scenario = Scenario.ofSuite();
  let days: RestaurantDays;

  beforeEach(async () => {
    days = await RestaurantDays.open(scenario, '2026-11-20T12:00:00Z');
    await days.sold({ key: 'sale', at: '2026-11-20T18:00:00Z', cents: 1_000 });
    for (const [key, cents] of [
      ['back-1', -1_250],
      ['back-2', -700],
    ] as const)
      await days.sold({ key, at: '2026-11-20T19:00:00Z', cents, status: 'DLQ' });
    // as the first attempt leaves a refund (M16)
    await scenario.database.query(
      `UPDATE outbox_jobs SET cause = 'refund', resolved_at = '2026-11-20T19:00:01Z' WHERE restaurant_id = $1 AND status = 'DLQ'`,
      [days.id],
    );
  });

  const sealed = () =>
    scenario.database.query<{ event_key: string; state: string }>(
      'SELECT event_key, state FROM day_sales WHERE restaurant_id = $1 ORDER BY number, line',
      [days.id],
    );
  const pending = () =>
    scenario.database.query<{ event_key: string }>('SELECT event_key FROM day_pending WHERE restaurant_id = $1', [
      days.id,
    ]);
  const file = async (format: 'csv' | 'json') =>
    (await scenario.api.get(`/restaurants/${days.id}/closings.${format}`, days.token).buffer().expect(200)).text;

  test('a refund is sealed as a refund, and nothing is reported of it later, of a cancel neither (B13, R48)', async () => {
    await days.closed(FRIDAY);
    expect(await sealed()).toEqual([
      { event_key: 'sale', state: 'delivered' },
      { event_key: 'back-1', state: 'refund' },
      { event_key: 'back-2', state: 'refund' },
    ]);
    expect(await pending()).toEqual([]);
    await days.cancelled('back-1', '2026-11-21T10:00:00Z');
    expect(await days.closed(SATURDAY)).toMatchObject({ linesCount: 0, netCents: 0, perpetualCents: -950 });
    await days.closed(SUNDAY);
    expect(await days.lines()).toEqual([]);
    expect(await pending()).toEqual([]);
    for (const format of ['csv', 'json'] as const) {
      const text = await file(format);
      expect(text).toContain('refund');
      expect(text).not.toContain('"state":"parked"');
      expect(text).not.toContain(',parked,');
    }
    expect(await days.check()).toMatchObject({ days: 3, firstBroken: null, wrongLines: 0 });
  });

  test('a refund that is cancelled before its day is closed is sealed as a refund (B13)', async () => {
    await days.cancelled('back-1', '2026-11-20T20:00:00Z');
    await days.closed(FRIDAY);
    expect((await sealed()).find(({ event_key }) => event_key === 'back-1')).toMatchObject({ state: 'refund' });
    await days.closed(SATURDAY);
    expect(await days.lines()).toEqual([]);
  });

  test('what a version before left of a refund is not told, and retention no longer waits for it (B13, B3)', async () => {
    await days.closed(FRIDAY);
    await scenario.database.query(`INSERT INTO day_pending VALUES ($1, 'back-1', 'parked')`, [days.id]);
    await days.closed(SATURDAY);
    expect(await days.lines()).toEqual([]);
    expect(await pending()).toEqual([]);
  });

  test('lines that a version before wrote about refunds stay, are marked, and do not count (B14)', async () => {
    await days.sold({ key: 'parked', at: '2026-11-20T18:00:00Z', cents: 300, status: 'DLQ' });
    await days.closed(FRIDAY);
    await scenario.database.query(
      `UPDATE outbox_jobs SET resolved_at = '2026-11-21T13:00:00Z' WHERE event_key = 'parked' AND restaurant_id = $1`,
      [days.id],
    );
    // the closing of Saturday seals what stands there already
    for (const [line, kind, key, cents] of [
      [1, 'NOTE', 'back-1', -1_250],
      [2, 'CANCELLED', 'back-2', -700],
    ] as const)
      await scenario.database.query(
        `INSERT INTO day_lines (restaurant_id, number, line, on_day, for_day, kind, amount_cents, event_key)
         VALUES ($1, 2, $2, $3, $4, $5, $6, $7)`,
        [days.id, line, SATURDAY, FRIDAY, kind, cents, key],
      );
    const { lines } = await days.closed(SATURDAY);
    const told = lines.map((line: { kind: string; transactionKey: string; wrong: boolean }) => [
      line.kind,
      line.transactionKey,
      line.wrong,
    ]);
    expect(told.toSorted()).toEqual([
      ['CANCELLED', 'back-2', true],
      ['NOTE', 'back-1', true],
      ['NOTE', 'parked', false],
    ]);
    expect(await days.check()).toMatchObject({ firstBroken: null, reason: null, wrongLines: 2 });
    const csv = (await file('csv')).split('\r\n').filter((row) => row.startsWith('line,'));
    expect(csv.filter((row) => row.includes(',wrong,'))).toHaveLength(2);
    expect(csv.filter((row) => /-1250|-700/.test(row))).toEqual([]);
    const [, saturday] = JSON.parse(await file('json')).closings;
    expect(saturday.lines.filter(({ wrong }: { wrong?: boolean }) => wrong)).toMatchObject([
      { kind: 'NOTE', transactionKey: 'back-1', cents: -1250 },
      { kind: 'CANCELLED', transactionKey: 'back-2', cents: -700 },
    ]);
  });
});
