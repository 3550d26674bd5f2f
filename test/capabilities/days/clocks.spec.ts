import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from './restaurant-days.js';

const [FRIDAY, SATURDAY, SUNDAY] = ['2026-11-20', '2026-11-21', '2026-11-22'] as const;
/** Friday noon; the night; Saturday noon. */
const TIMES = ['2026-11-20T12:00:00Z', '2026-11-21T01:00:00Z', '2026-11-21T03:00:00Z', '2026-11-21T12:00:00Z'];

describe('a new closing time or time zone holds from the open day', () => {
  const scenario = Scenario.ofSuite();

  const CHANGES = [
    ['00:00 becomes 04:00', 'UTC', '00:00', { dayClosesAt: '04:00' }],
    ['04:00 becomes 00:00', 'UTC', '04:00', { dayClosesAt: '00:00' }],
    ['the zone moves west', 'UTC', '00:00', { timezone: 'America/Sao_Paulo' }],
    ['the zone moves east', 'America/Sao_Paulo', '00:00', { timezone: 'Asia/Tokyo' }],
    ['nothing changes', 'UTC', '04:00', {}],
  ] as const;

  test.each(CHANGES.flatMap((change) => [true, false].map((dated) => [...change, dated] as const)))(
    '%s: reports agree with the closings, and what was sold in a day is not late for another (B5, B15)',
    async (_, zone, closes, change, dated) => {
      const days = await RestaurantDays.open(scenario, '2026-11-20T12:00:00Z', zone, closes);
      const report = async (query: string) =>
        (await scenario.api.get(`/restaurants/${days.id}/statistics?${query}`, days.token).expect(200)).body;
      for (const [i, at] of TIMES.entries())
        await days.sold({ key: `s${i}`, at, soldAt: dated ? at : null, cents: 10 ** i });
      await days.closed(FRIDAY);
      await scenario.api.patch(`/restaurants/${days.id}`, days.token, change).expect(200);
      await days.sold({ key: 's4', at: '2026-11-22T12:00:00Z', cents: 10_000 });

      const agrees = async () => {
        const open = (await days.get().expect(200)).body;
        const closings = [...open.data, open.open];
        const sums = closings.map(({ day, sales }) => [day, sales.cents]).filter(([, cents]) => cents > 0);
        for (const { day, sales, beginsAt, endsAt } of closings) {
          const { amounts, from, to, receivedOnAnotherDay } = await report(`day=${day}`);
          expect([day, amounts.totalCents, from, to]).toEqual([day, sales.cents, beginsAt, endsAt]);
          expect(receivedOnAnotherDay).toBe(0);
        }
        const span = await report(`from=${FRIDAY}&to=${closings.at(-1)?.day}`);
        expect(
          span.amounts.byDay.filter(({ day }: { day: string }) => sums.some(([known]) => known === day)),
        ).toHaveLength(sums.length);
        for (const { day, cents } of span.amounts.byDay)
          expect(sums.find(([known]) => known === day) ?? [day, cents]).toEqual([day, cents]);
        const csv = await scenario.api.get(`/restaurants/${days.id}/takings.csv?day=${FRIDAY}`, days.token).expect(200);
        expect(csv.text.trim().split('\r\n')).toHaveLength(1 + closings.find(({ day }) => day === FRIDAY)?.sales.count);
        const orders = (await scenario.api.get(`/restaurants/${days.id}/orders`, days.token).expect(200)).body.data;
        expect(orders.map((order: { receivedOnAnotherDay: boolean }) => order.receivedOnAnotherDay)).toEqual(
          orders.map(() => false),
        );
      };
      await agrees();
      await days.closed(SATURDAY);
      await agrees();
      await days.closed(SUNDAY);
      await agrees();
      expect(await days.lines()).toEqual([]);
    },
  );

  test('a sale is late towards the closing that had its time, whatever the clock is now (B5, B15)', async () => {
    const days = await RestaurantDays.open(scenario, '2026-11-20T12:00:00Z', 'UTC', '00:00');
    await days.closed(FRIDAY);
    await scenario.api.patch(`/restaurants/${days.id}`, days.token, { dayClosesAt: '04:00' }).expect(200);
    const at = '2026-11-22T12:00:00Z';
    // by the clock of now the first is of Thursday, and the second of Friday
    await days.sold({ key: 'of-friday', at, soldAt: '2026-11-20T02:00:00Z' });
    await days.sold({ key: 'of-saturday', at, soldAt: '2026-11-21T02:00:00Z' });
    await days.closed(SATURDAY);
    await days.closed(SUNDAY);
    expect((await days.lines()).map(([on, of, kind, key]) => [on, of, kind, key])).toEqual([
      [SUNDAY, FRIDAY, 'LATE', 'of-friday'],
      [SUNDAY, SATURDAY, 'LATE', 'of-saturday'],
    ]);
    const { data } = (await scenario.api.get(`/restaurants/${days.id}/orders`, days.token).expect(200)).body;
    expect(data.map((order: { receivedOnAnotherDay: boolean }) => order.receivedOnAnotherDay)).toEqual([true, true]);
    const answer = await scenario.api
      .get(`/restaurants/${days.id}/statistics?day=${FRIDAY}&by=sale`, days.token)
      .expect(200);
    expect(answer.body).toMatchObject({ receivedOnAnotherDay: 1, amounts: { totalCents: 100 } });
  });
});
