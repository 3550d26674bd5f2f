import { Retention } from '../../../src/outbox/retention.js';
import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from './restaurant-days.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The day on which the clock was right again. */
const NOON = Date.parse('2026-10-12T12:00:00Z');

const at = (ms: number) => new Date(NOON + ms).toISOString();
const dayAt = (ms: number) => at(ms).slice(0, 10);

describe('sales of before the first business day', () => {
  const scenario = Scenario.ofSuite();

  /** A restaurant that was made at this time, and whose days are closed since `since`. */
  async function made(madeMs: number, sinceMs = madeMs): Promise<RestaurantDays> {
    const days = await RestaurantDays.open(scenario, at(sinceMs), 'UTC', '00:00');
    await scenario.database.query('UPDATE restaurants SET created_at = $2 WHERE id = $1', [days.id, at(madeMs)]);
    return days;
  }

  /** The sales of the restaurant, and the days of the closings that they are in. */
  const closings = async ({ id }: RestaurantDays) => {
    const rows = await scenario.database.query<{ key: string; days: string[] }>(
      `SELECT transaction_key AS key, coalesce(json_agg(to_char(day, 'YYYY-MM-DD') ORDER BY number) FILTER (WHERE day IS NOT NULL), '[]') AS days
       FROM terminal_events event
       LEFT JOIN (day_sales sealed JOIN business_days USING (restaurant_id, number))
         ON sealed.event_key = transaction_key AND sealed.restaurant_id = event.restaurant_id
       WHERE event.restaurant_id = $1 GROUP BY 1`,
      [id],
    );
    return Object.fromEntries(rows.map(({ key, days }) => [key, days]));
  };

  test.each([
    ['an hour over midnight', 13 * HOUR_MS],
    ['24 h', DAY_MS],
    ['30 days', 30 * DAY_MS],
  ])(
    'made while the clock was ahead, by %s: the sales of until then are in the first closing, as late (B1, B3, B5)',
    async (_, ahead) => {
      const days = await made(ahead);
      await days.sold({ key: 'first', at: at(60_000), cents: 700 });
      await days.sold({ key: 'test', at: at(60_000), testMode: true });
      await days.sold({ key: 'second', at: at(HOUR_MS), cents: 30 });
      const [first, next] = [dayAt(ahead), dayAt(ahead + DAY_MS)];
      expect((await days.get().expect(200)).body.open).toMatchObject({ day: first, sales: { count: 2, cents: 730 } });
      expect(await days.closed(first)).toMatchObject({ sales: { count: 2, cents: 730 }, perpetualCents: 730 });
      await days.sold({ key: 'after', at: at(ahead + DAY_MS), cents: 1 });
      expect(await days.closed(next)).toMatchObject({ sales: { count: 1, cents: 1 }, perpetualCents: 731 });
      expect(await closings(days)).toEqual({ first: [first], test: [], second: [first], after: [next] });
      expect(await days.lines()).toEqual([
        [first, dayAt(0), 'LATE', 'first', 700],
        [first, dayAt(0), 'LATE', 'second', 30],
      ]);
      expect(await days.check()).toMatchObject({ firstBroken: null, wrongLines: 0 });
    },
  );

  test.each([
    ['an hour', 13 * HOUR_MS],
    ['24 h', DAY_MS],
    ['30 days', 30 * DAY_MS],
  ])(
    'the clock goes back by %s after it: a sale of then is in the next closing, whether a day was closed or not (B1, B3)',
    async (_, back) => {
      const days = await made(0);
      await days.sold({ key: 'before', at: at(-back), cents: 5 });
      const [first, second, third] = [dayAt(0), dayAt(DAY_MS), dayAt(2 * DAY_MS)];
      await days.closed(first);
      await days.sold({ key: 'later', at: at(HOUR_MS - back), cents: 6 });
      await days.closed(second);
      await days.closed(third);
      expect(await closings(days)).toEqual({ before: [first], later: [second] });
    },
  );

  test('a closing that was sealed without such a sale stays as it is: the next one has the sale (B3, B6)', async () => {
    const days = await made(0);
    await days.closed(dayAt(0));
    const before = await days.rows();
    // stored long ago, and left out by a version before
    await days.sold({ key: 'left', at: at(-9 * DAY_MS), cents: 8 });
    for (let n = 1; n <= 10; n++) await days.closed(dayAt(n * DAY_MS));
    expect((await days.rows()).slice(0, 1)).toEqual(before);
    expect(await closings(days)).toEqual({ left: [dayAt(DAY_MS)] });
    expect(await days.check()).toMatchObject({ days: 11, firstBroken: null });
  });

  test('what a restaurant had sold before closings were introduced is in none (B2, B3)', async () => {
    const days = await made(-90 * DAY_MS, 0);
    await days.sold({ key: 'history', at: at(-2 * DAY_MS) });
    await days.sold({ key: 'hour-before', at: at(-13 * HOUR_MS) });
    await days.sold({ key: 'today', at: at(HOUR_MS), cents: 9 });
    expect((await days.get().expect(200)).body.open).toMatchObject({ sales: { count: 1, cents: 9 } });
    expect(await days.closed(dayAt(0))).toMatchObject({ sales: { count: 1, cents: 9 } });
    await days.closed(dayAt(DAY_MS));
    expect(await closings(days)).toEqual({ history: [], 'hour-before': [], today: [dayAt(0)] });
  });

  test('retention keeps a sale of before the first day until it is in a closing, and does not wait for what is in none (B3, O22)', async () => {
    const relay = await scenario.start({ OUTBOX_RETENTION_DAYS: '1' });
    const [ahead, old] = [await made(30 * DAY_MS), await made(-90 * DAY_MS, 0)];
    await ahead.sold({ key: 'of-ahead', at: at(0) });
    await old.sold({ key: 'history', at: at(-2 * DAY_MS) });
    const removed = async () => {
      await relay.get(Retention).remove();
      const ids = `SELECT source_key AS key FROM spent_keys WHERE restaurant_id = ANY ($1) ORDER BY 1`;
      return (await scenario.database.query<{ key: string }>(ids, [[ahead.id, old.id]])).map(({ key }) => key);
    };
    expect(await removed()).toEqual(['history']);
    await ahead.closed(dayAt(30 * DAY_MS));
    expect(await removed()).toEqual(['history', 'of-ahead']);
    await relay.close();
  });

  test('as the API makes a restaurant, its days are closed since its creation (B2)', async () => {
    const { id } = await scenario.restaurant('MADE');
    const [row] = await scenario.database.query<{ near: boolean }>(
      `SELECT abs(extract(epoch FROM days_since - created_at)) < 1 AS near FROM restaurants WHERE id = $1`,
      [id],
    );
    expect(row).toEqual({ near: true });
  });
});
