import { Scenario } from '../../support/scenario.js';

describe('L22: tender types in reports have a bound', () => {
  const scenario = Scenario.ofSuite();

  const statistics = async (id: string, token: string) =>
    (await scenario.api.get(`/restaurants/${id}/statistics`, token).expect(200)).body.amounts;
  const sum = (rows: { cents: number }[]) => rows.reduce((total, { cents }) => total + cents, 0);

  test('of a sale the 20 largest are stored, each by its first 100 characters; the payload has all', async () => {
    const { id, token, sell } = await scenario.restaurant('STORE-1');
    const nameOf = (i: number) => `${i}-`.padEnd(1_900, 'x');
    const payments = Array.from({ length: 500 }, (_, i) => ({ tenderType: nameOf(i), amount: i + 1 }));
    await sell({ transactionKey: 'many', payments, totalAmount: 125_250 });
    const { byTender, totalCents } = await statistics(id, token);
    expect(byTender).toHaveLength(21);
    expect(byTender[0]).toMatchObject({ tenderType: nameOf(499).slice(0, 100), cents: 50_000 });
    expect(byTender.at(-1)).toMatchObject({ tenderType: 'others', cents: 11_544_000 });
    expect(sum(byTender)).toBe(totalCents);
    const order = (await scenario.api.get(`/restaurants/${id}/orders/many`, token).expect(200)).body;
    expect(order.event.payments).toEqual(payments);
    expect(order.warnings).toContain(
      'payments: have more than 20 tender types; reports sum all but the largest 20 as one',
    );
    const { data } = (await scenario.api.get(`/restaurants/${id}/orders`, token).expect(200)).body;
    expect(data[0].warnings).toEqual(order.warnings.slice(0, 10));
  });

  test('a report has the 100 largest and `others`, also of sales that were stored with all tenders', async () => {
    const { id, token, sell } = await scenario.restaurant('STORE-2');
    await sell({ transactionKey: 'first', payments: [{ tenderType: 'others', amount: 0.01 }], totalAmount: undefined });
    await scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, paid_cents, paid_by_tender)
         SELECT 'old-' || sale, 'old-' || sale, false, $1, '{}', sum(sale * 300 + n),
                jsonb_object_agg(rpad(sale || '-' || n || '-', 1900, 'y'), sale * 300 + n)
         FROM generate_series(1, 10) sale, generate_series(1, 300) n GROUP BY sale
         RETURNING transaction_key, restaurant_id, received_at)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, created_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, received_at FROM event`,
      [id],
    );
    const { byTender, totalCents } = await statistics(id, token);
    expect(byTender).toHaveLength(101);
    expect(byTender[0]).toMatchObject({ tenderType: '10-300-'.padEnd(100, 'y'), cents: 3_300 });
    expect(byTender[99]).toMatchObject({ cents: 3_201 });
    expect(byTender[100].tenderType).toBe('others');
    expect(sum(byTender)).toBe(totalCents);
    const [{ cents }] = (await scenario.database.query(
      `SELECT sum(paid_cents)::int AS cents FROM terminal_events WHERE restaurant_id = $1`,
      [id],
    )) as [{ cents: number }];
    expect(totalCents).toBe(cents);
  });
});
