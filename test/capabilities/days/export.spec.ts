import { createHash } from 'node:crypto';
import { sale } from '../../support/client.js';
import { Scenario } from '../../support/scenario.js';
import { RestaurantDays, sealOf } from './restaurant-days.js';

describe("the accountant's export (B10)", () => {
  const scenario = Scenario.ofSuite();
  let days: RestaurantDays;

  beforeAll(async () => {
    days = await RestaurantDays.open(scenario, '2026-11-20T12:00:00Z', 'UTC', '00:00');
    const [row] = await scenario.database.query<{ code: string }>(
      'SELECT code_store_terminal AS code FROM restaurants WHERE id = $1',
      [days.id],
    );
    const sold = sale({
      ...{ transactionKey: '=FIRST', transactionNumber: '42', storeCode: row?.code, totalAmount: 18 },
      items: [{ itemCode: 'P1', itemName: '=Pizza, "big"', price: 10.5, quantity: 2 }],
      payments: [
        { tenderType: 16, amount: 10 },
        { tenderType: 1, amount: 8 },
      ],
    });
    await scenario.jobs.receivedAt(await scenario.relay.accept(sold), '2026-11-20T18:00:00Z');
    for (let i = 0; i < 120; i++)
      await days.sold({ key: `sale-${i}`, at: '2026-11-21T18:00:00Z', soldAt: '2026-11-20T22:00:00Z', cents: i });
    await days.sold({ key: 'refund', at: '2026-11-21T19:00:00Z', cents: -250, status: 'DLQ' });
    for (const day of ['2026-11-20', '2026-11-21', '2026-11-22']) await days.closed(day);
  });

  const textOf = async (rest: string) => {
    const answer = await fetch(`${scenario.relay.url}/restaurants/${days.id}/closings.${rest}`, {
      headers: { authorization: `Bearer ${days.token}` },
    });
    return { answer, text: await answer.text() };
  };

  test('CSV: closings, lines, sales with discount and surcharge, payments with the code of the POS, items; no formula', async () => {
    const { answer, text } = await textOf('csv?to=2026-11-20');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="closings-[a-z0-9-]+-2026-11-20.csv"$/,
    );
    const [head, ...lines] = text.replace('\ufeff', '').trimEnd().split('\r\n');
    expect(head?.split(',')).toHaveLength((lines[0] as string).split(',').length);
    expect(lines.map((line) => line.split(',')[0])).toEqual(['closing', 'sale', 'payment', 'payment', 'item']);
    expect(lines[1]).toMatch(
      /^sale,1,2026-11-20,,SALE,'=FIRST,42,2026-11-20T18:00:00.000Z,\w+,,1800,18.00,,3.00,0.00,/,
    );
    expect(lines[2]).toMatch(/,1,cash,DIN,/);
    expect(lines[3]).toMatch(/,16,credit card,CRE,/);
    expect(lines[4]).toContain(`P1,"'=Pizza, ""big""",2,10.5`);
  });

  test('a payment at a POS of Open Delivery has the name of its tender, and no code (B10, Q1)', async () => {
    const change = (posVendor: string | null) =>
      scenario.api.patch(`/restaurants/${days.id}`, days.token, { posVendor }).expect(200);
    await change('open-delivery');
    const lines = (await textOf('csv?to=2026-11-20')).text.split('\r\n');
    const { closings } = JSON.parse((await textOf('json?to=2026-11-20')).text);
    await change(null);
    expect(lines[4]).toMatch(/,16,credit card,,/);
    expect(closings[0].sales[0].payments).toContainEqual({
      tender: '16',
      name: 'credit card',
      posCode: null,
      cents: 1_000,
    });
  });

  test('CSV with semicolons has decimal commas; a period without closings has only the names of the columns', async () => {
    expect((await textOf('csv?separator=semicolon&to=2026-11-20')).text).toMatch(/;1800;"18,00";/);
    expect((await textOf('csv?from=2026-12-01')).text.trimEnd().split('\r\n')).toHaveLength(1);
    expect((await textOf('csv?from=2026-11-21&to=2026-11-20')).answer.status).toBe(400);
    expect((await textOf('json?from=2026-11-21x')).answer.status).toBe(400);
  });

  test('JSON: the whole chain can be recomputed from the file, sale by sale', async () => {
    const { text } = await textOf('json');
    const { closings } = JSON.parse(text);
    expect(closings.map(({ sales }: { sales: unknown[] }) => sales.length)).toEqual([1, 121, 0]);
    let before = '';
    for (const { closing, previous, hash, lines, sales } of closings) {
      expect(previous).toBe(before);
      const content = JSON.stringify(closing);
      expect(hash).toBe(createHash('sha256').update(`relay-day-1\n${previous}\n${content}`).digest('hex'));
      expect(closing.salesHash).toBe(
        sealOf(
          sales.map((one: Record<string, string>) => [
            one.transactionKey,
            one.kind,
            one.cents,
            one.state,
            one.receivedAt,
          ]),
        ),
      );
      expect(closing.linesHash).toBe(
        sealOf(
          lines.map((one: Record<string, string>) => [one.onDay, one.forDay, one.kind, one.transactionKey, one.cents]),
        ),
      );
      before = hash;
    }
    expect(closings[0].sales[0]).toMatchObject({
      ...{
        transactionNumber: '42',
        discountCents: 300,
        surchargeCents: 0,
        items: [{ code: 'P1', quantity: 2, unitPrice: 10.5 }],
      },
      payments: expect.arrayContaining([{ tender: '16', name: 'credit card', posCode: 'CRE', cents: 1_000 }]),
    });
    expect(closings[1].lines).toHaveLength(120);
  });

  test('a sale that retention has removed keeps its amount', async () => {
    await scenario.database.query(`DELETE FROM outbox_jobs WHERE restaurant_id = $1 AND event_key = 'sale-7'`, [
      days.id,
    ]);
    await scenario.database.query(
      `DELETE FROM terminal_events WHERE restaurant_id = $1 AND transaction_key = 'sale-7'`,
      [days.id],
    );
    const { closings } = JSON.parse((await textOf('json?from=2026-11-21&to=2026-11-21')).text);
    expect(closings).toHaveLength(1);
    const removed = closings[0].sales.find((one: Record<string, string>) => one.transactionKey === 'sale-7');
    expect(removed).toMatchObject({ cents: 7, items: null, payments: [] });
    expect(await days.check()).toMatchObject({ firstBroken: null });
  });
});
