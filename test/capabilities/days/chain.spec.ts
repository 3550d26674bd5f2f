import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from './restaurant-days.js';

const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'] as const;
const [FIRST, SECOND, THIRD, FOURTH, LAST] = DAYS;

describe('the chain of closings is recomputed, and the first day that breaks is named (B7)', () => {
  const scenario = Scenario.ofSuite();
  let days: RestaurantDays;

  beforeEach(async () => {
    days = await RestaurantDays.open(scenario, `${FIRST}T12:00:00Z`);
    for (const day of DAYS) {
      await days.sold({ key: `a-${day}`, at: `${day}T18:00:00Z`, cents: 1_000, status: 'PENDING' });
      await days.sold({ key: `b-${day}`, at: `${day}T19:00:00Z`, cents: 250 });
      await days.closed(day);
      await days.cancelled(`a-${day}`, `${day.slice(0, 8)}${Number(day.slice(8)) + 1}T08:00:00Z`);
    }
  });

  const of = (table: string, rest: string) => `${table} WHERE restaurant_id = '${days.id}' AND ${rest}`;
  const found = async (query = '') => {
    const { firstBroken, reason } = await days.check(query);
    return [firstBroken, reason];
  };

  test('a chain that nobody has touched holds', async () => {
    const [, , , , last] = await days.rows();
    expect(await days.check()).toEqual({
      ...{ days: 5, head: { number: 5, day: LAST, hash: last?.hash }, firstBroken: null, reason: null, wrongLines: 0 },
    });
    expect(await days.lines()).toHaveLength(4);
  });

  test.each([
    [
      'one cent of a closing',
      (at: string) => `UPDATE business_days SET content = replace(content, '1250', '1251') WHERE ${at}`,
      'CHANGED',
    ],
    ['one cent of a sale', (at: string) => `UPDATE day_sales SET cents = cents + 1 WHERE ${at} AND line = 2`, 'SALES'],
    ['one cent of a line', (at: string) => `UPDATE day_lines SET amount_cents = amount_cents - 1 WHERE ${at}`, 'LINES'],
    [
      'the state of a sale',
      (at: string) => `UPDATE day_sales SET state = 'delivered' WHERE ${at} AND line = 1`,
      'SALES',
    ],
    ['a line that is removed', (at: string) => `DELETE FROM day_lines WHERE ${at}`, 'LINES'],
    ['a sale that is removed', (at: string) => `DELETE FROM day_sales WHERE ${at} AND line = 1`, 'SALES'],
    ['two sales that are swapped', (at: string) => `UPDATE day_sales SET line = 3 - line + 10 WHERE ${at}`, 'SALES'],
    ['who closed it', (at: string) => `UPDATE business_days SET closed_by = NULL WHERE ${at}`, 'CHANGED'],
    [
      'when it was closed',
      (at: string) => `UPDATE business_days SET closed_at = closed_at + interval '1 ms' WHERE ${at}`,
      'CHANGED',
    ],
    ['a closing that is no JSON', (at: string) => `UPDATE business_days SET content = '{' WHERE ${at}`, 'CHANGED'],
    ['a closing that is removed', (at: string) => `DELETE FROM business_days WHERE ${at}`, 'MISSING'],
    [
      'a whole day that is removed',
      (at: string) =>
        `DELETE FROM business_days WHERE ${at}; DELETE FROM day_sales WHERE ${at}; DELETE FROM day_lines WHERE ${at}`,
      'MISSING',
    ],
  ])('%s', async (_, change, reason) => {
    await days.tamper(change(`restaurant_id = '${days.id}' AND number = 3`));
    expect(await found()).toEqual([THIRD, reason]);
  });

  test('a closing that was changed and hashed again breaks at the next day', async () => {
    await days.tamper(
      `UPDATE business_days SET content = replace(content, '1250', '1251') WHERE restaurant_id = '${days.id}' AND number = 3;
       UPDATE business_days SET hash = encode(sha256(convert_to('relay-day-1' || chr(10) || previous || chr(10) || content, 'UTF8')), 'hex')
       WHERE restaurant_id = '${days.id}' AND number = 3`,
    );
    expect(await found()).toEqual([FOURTH, 'CHANGED']);
  });

  test('two closings that are swapped', async () => {
    await days.tamper(
      `UPDATE business_days SET number = 102, day = day + 1000 WHERE restaurant_id = '${days.id}' AND number = 2;
         UPDATE business_days SET number = 2, day = '${SECOND}' WHERE restaurant_id = '${days.id}' AND number = 3;
         UPDATE business_days SET number = 3, day = '${THIRD}' WHERE restaurant_id = '${days.id}' AND number = 102`,
    );
    expect(await found()).toEqual([SECOND, 'CHANGED']);
  });

  test('the first days are removed', async () => {
    await days.tamper(`DELETE FROM ${of('business_days', 'number <= 2')}`);
    expect(await found()).toEqual([FIRST, 'MISSING']);
  });

  test('the end is cut: its sales without a closing show it', async () => {
    await days.tamper(`DELETE FROM ${of('business_days', 'number >= 4')}`);
    expect(await found()).toEqual([FOURTH, 'MISSING']);
    await days.tamper(`DELETE FROM ${of('business_days', 'number >= 1')}`);
    expect(await found()).toEqual([FIRST, 'MISSING']);
  });

  test('the end is cut with all that belongs to it: a head that was noted shows it, and nothing else', async () => {
    const [, , , , last] = await days.rows();
    const noted = `?day=${LAST}&hash=${last?.hash}`;
    expect(await found(noted)).toEqual([null, null]);
    for (const table of ['business_days', 'day_sales', 'day_lines'])
      await days.tamper(`DELETE FROM ${of(table, 'number >= 4')}`);
    expect(await found()).toEqual([null, null]);
    expect(await found(noted)).toEqual([FOURTH, 'HEAD']);
  });

  test('a day that was closed again differs from the head that was noted', async () => {
    expect(await found(`?day=${THIRD}&hash=${'0'.repeat(64)}`)).toEqual([THIRD, 'HEAD']);
  });

  test('a head is a day and a hash', async () => {
    await days.get(`/check?day=${THIRD}`).expect(400);
    await days.get(`/check?hash=${'0'.repeat(64)}`).expect(400);
    await days.get(`/check?day=${THIRD}&hash=abc`).expect(400);
  });
});
