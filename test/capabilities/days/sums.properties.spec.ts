import fc from 'fast-check';
import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from './restaurant-days.js';

/** Histories in each zone: one in ten thousand of the random sales that other properties are tried with, so ten in .ci/run. */
const RUNS = Math.max(1, Math.round(Number(process.env.PROPERTY_RUNS ?? 10_000) / 10_000));
const HOUR = 3_600_000;
/** The days that a history closes. */
const CLOSED = 4;

/** Zones whose clock changes, or does not, within these days; and two days of which one has 23 or 25 hours. */
const ZONES = [
  ['UTC', '2026-03-28'],
  ['Europe/Berlin', '2026-03-28'],
  ['Europe/Berlin', '2026-10-24'],
  ['Europe/London', '2026-03-28'],
  ['America/New_York', '2026-03-07'],
  ['America/New_York', '2026-10-31'],
  ['America/Los_Angeles', '2026-10-31'],
  ['America/Sao_Paulo', '2026-10-24'],
  ['America/St_Johns', '2026-03-07'],
  ['Asia/Kathmandu', '2026-10-24'],
  ['Asia/Kolkata', '2026-10-24'],
  ['Asia/Tokyo', '2026-10-24'],
  ['Australia/Lord_Howe', '2026-10-03'],
  ['Pacific/Auckland', '2026-09-26'],
  ['Pacific/Kiritimati', '2026-10-24'],
  ['Pacific/Chatham', '2026-04-04'],
] as const;

/** A sale: when it was received, after how many closings it is stored, what becomes of it, and after how many closings. */
const anySale = fc.record({
  atHours: fc.double({ min: 0, max: 119, noNaN: true }),
  cents: fc.integer({ min: -5_000, max: 100_000 }).filter((cents) => cents !== 0),
  storedAfter: fc.integer({ min: 0, max: CLOSED }),
  soldDaysBefore: fc.option(fc.double({ min: -0.9, max: 40, noNaN: true })),
  status: fc.constantFrom('PENDING' as const, 'SENT' as const, 'DLQ' as const, 'FAILED' as const),
  becomes: fc.constantFrom('same', 'delivered', 'cancelled', 'cancel parked'),
  movedAfter: fc.integer({ min: 0, max: CLOSED }),
});
type AnySale = typeof anySale extends fc.Arbitrary<infer Sale> ? Sale : never;

/** What of a sale happens after so many closings. */
async function happens(
  days: RestaurantDays,
  key: string,
  { atHours, cents, soldDaysBefore, status, ...sale }: AnySale,
  closed: number,
  time: (hours: number) => string,
): Promise<void> {
  if (closed === sale.storedAfter) {
    const soldAt = soldDaysBefore === null ? null : time(atHours - 24 * soldDaysBefore);
    // a refund never becomes an order
    await days.sold({ key, at: time(atHours), cents, status: cents < 0 ? 'DLQ' : status, soldAt });
  }
  if (closed !== Math.max(sale.movedAfter, sale.storedAfter) || cents < 0) return;
  const at = time(24 * closed + 1);
  if (sale.becomes === 'delivered') await days.delivered(key, at);
  if (sale.becomes === 'cancelled') await days.cancelled(key, at);
  if (sale.becomes === 'cancel parked' && status === 'SENT') await days.cancelled(key, at, 'DLQ');
}

describe('the sum of the closed days and of the open day is the sum of the sales', () => {
  const scenario = Scenario.ofSuite();

  test.each(ZONES.map(([zone, from], i) => [zone, from, i] as const))(
    '%s from %s: with late sales, deliveries and cancels; each sale is in one day (B3, B5)',
    async (zone, from, i) => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('00:00', '02:30', '04:00'),
          fc.array(anySale, { minLength: 6, maxLength: 12 }),
          async (closes, sales) => {
            const [begin] = await scenario.database.query<{ at: Date }>(
              'SELECT ($1::date + $2::time) AT TIME ZONE $3 AS at',
              [from, closes, zone],
            );
            const start = (begin as { at: Date }).at.getTime();
            const time = (hours: number) => new Date(start + Math.round(hours * HOUR)).toISOString();
            const days = await RestaurantDays.open(scenario, time(0), zone, closes);
            for (let closed = 0; ; closed++) {
              for (const [i, sale] of sales.entries()) await happens(days, `sale-${i}`, sale, closed, time);
              if (closed === CLOSED) break;
              await days.closed((await days.get('?limit=1').expect(200)).body.open.day);
            }
            const { data, open } = (await days.get().expect(200)).body;
            const total = sales.reduce((sum, { cents }) => sum + cents, 0);
            // what is sealed as netCents
            const kept = (day: { takenCents: number; cancelledCents: number; refundedCents: number }) =>
              day.takenCents + day.cancelledCents - day.refundedCents;
            const inDays = data.reduce((sum: number, day: Parameters<typeof kept>[0]) => sum + kept(day), 0);
            // what was received beyond the open day is not shown yet
            const [beyond] = await scenario.database.query<{ cents: number }>(
              `SELECT coalesce(sum(CASE WHEN paid_cents = 0 THEN amount_mismatch_cents ELSE paid_cents END), 0)::float8 AS cents
             FROM terminal_events WHERE restaurant_id = $1 AND received_at >= $2`,
              [days.id, open.endsAt],
            );
            expect(inDays + kept(open) + (beyond as { cents: number }).cents).toBe(total);
            expect(data[0].perpetualCents).toBe(inDays);
            const counted = await scenario.database.query<{ number: number; cents: string }>(
              'SELECT number, sum(cents)::text AS cents FROM day_sales WHERE restaurant_id = $1 GROUP BY number',
              [days.id],
            );
            for (const { number, cents } of counted)
              expect(kept(data.find((day: { number: number }) => day.number === number))).toBe(Number(cents));
            for (const { states, sales: sold } of data)
              expect(
                Object.values(states as Record<string, { cents: number }>).reduce((sum, { cents }) => sum + cents, 0),
              ).toBe(sold.cents);
            // each sale that was received before the open day and is not in it, is in one closing, once
            const [told] = await scenario.database.query<{ sealed: number; keys: number; beyond: number }>(
              `SELECT count(*)::int AS sealed, count(DISTINCT event_key)::int AS keys,
                 (SELECT count(*)::int FROM terminal_events WHERE restaurant_id = $1 AND received_at >= $2) AS beyond
               FROM day_sales WHERE restaurant_id = $1`,
              [days.id, open.endsAt],
            );
            const { sealed, keys, beyond: later } = told as { sealed: number; keys: number; beyond: number };
            expect(keys).toBe(sealed);
            const inOpenDay = open.sales.count + open.refunds.count;
            expect(sealed + inOpenDay + later).toBe(sales.length);
            const closedCount = data.reduce(
              (sum: number, day: { sales: { count: number }; refunds: { count: number } }) =>
                sum + day.sales.count + day.refunds.count,
              0,
            );
            expect(closedCount).toBe(sealed);
            for (const [on, forDay] of await days.lines()) expect(forDay < on).toBe(true);
            expect(await days.check()).toMatchObject({ days: CLOSED, firstBroken: null });
          },
        ),
        // another history in each zone
        { numRuns: RUNS, seed: 22 + i },
      );
    },
  );
});
