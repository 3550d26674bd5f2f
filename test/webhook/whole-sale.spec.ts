import { sale } from '../support/client.js';
import { Scenario } from '../support/scenario.js';

const CHEESE = { itemCode: 'CH', itemName: 'Cheese', quantity: 2, price: 2.5 };
const EVIDENCE = { authorizationCode: '004213', acquirerDocument: '01027058000191', brand: 'VISA', installments: 2 };
const WHOLE = {
  ...{ totalAmount: 34, tipAmount: 3, serviceFeeAmount: 1, notes: 'table 4\nquick' },
  items: [{ itemCode: 'PZ', itemName: 'Pizza', quantity: 2, price: 10, options: [CHEESE], notes: 'no 🧅' }],
  payments: [{ tenderType: 16, amount: 34, terminalId: 'PX-7', ...EVIDENCE }],
};
const BODY = {
  ...{ total_amount: 34, total_discount: 0, total_increase: 4, remark: 'table 4 quick' },
  items: [
    { integration_code: 'PZ', desc_item: 'Pizza', quantity: 2, unit_price: 10, remark: 'no 🧅' },
    { integration_code: 'CH', desc_item: '+ Cheese', quantity: 4, unit_price: 2.5 },
  ],
  payment_types: [{ code: 'CRE', amount: 34, auth: '004213', tid: 'PX-7' }],
};

describe('a sale with options, notes, tip, fee and evidence, from the terminal to the POS', () => {
  const scenario = Scenario.ofSuite({
    ...{ POS_ITEM_NOTES_FIELD: 'remark', POS_ORDER_NOTES_FIELD: 'remark' },
    POS_PAYMENT_FIELDS: '{"authorizationCode":"auth","terminalId":"tid"}',
  });
  /** A sale of a new restaurant. */
  async function sell(changes: Record<string, unknown>): Promise<{ jobId: string; warnings?: string[] }> {
    const { id, token } = await scenario.restaurant();
    return (
      await scenario.api
        .post('/webhooks/terminal', token, { ...sale(changes), storeCode: undefined, restaurantId: id })
        .expect(200)
    ).body;
  }
  const state = async (jobId: string) => (await scenario.jobs.get(jobId)).status;
  const stored = async (jobId: string) =>
    scenario.database.query(
      `SELECT tip_cents::int AS tip, service_fee_cents::int AS fee, payload, warnings FROM terminal_events WHERE transaction_key = $1`,
      [await scenario.keyOf(jobId)],
    );

  test('the POS gets it whole, the payload stays as sent, tip and fee are stored (M19 to M22)', async () => {
    const { jobId } = await sell({ transactionKey: 'WHOLE-1', ...WHOLE });
    await scenario.relay.tick();
    expect(await state(jobId)).toBe('SENT');
    expect(scenario.pos.orders.get('WHOLE-1')?.order).toMatchObject(BODY);
    const [row] = await stored(jobId);
    expect(row).toEqual({ tip: 300, fee: 100, payload: expect.objectContaining(WHOLE), warnings: [] });
  });

  test('an order that was refused and is sent again has the same body', async () => {
    scenario.pos.behave({ mode: 'status', status: 503, times: 1 });
    const { jobId } = await sell({ transactionKey: 'WHOLE-2', ...WHOLE });
    await scenario.relay.tick();
    expect(await state(jobId)).toBe('FAILED');
    await scenario.jobs.makeDue(jobId);
    await scenario.relay.tick();
    expect(await state(jobId)).toBe('SENT');
    expect(scenario.pos.orders.get('WHOLE-2')?.order).toMatchObject(BODY);
  });

  test('fields that cannot be read: the sale is accepted and sent, with warnings (W52)', async () => {
    const items = [{ itemCode: 'PZ', itemName: 'Pizza', quantity: 1, price: 34, options: 'cheese', notes: ['x'] }];
    const odd = { ...WHOLE, tipAmount: '3', serviceFeeAmount: undefined, items };
    const { jobId, warnings } = await sell({ transactionKey: 'WHOLE-3', ...odd });
    expect(warnings).toEqual([
      'items[0].notes: must be text; the order has none',
      'items[0].options: must be a list of objects; the order has none of them',
      'tipAmount: must be a number from 0 to below 10000000000; it is left out',
    ]);
    await scenario.relay.tick();
    expect(await state(jobId)).toBe('SENT');
    expect(await stored(jobId)).toEqual([
      { tip: null, fee: null, payload: expect.objectContaining({ items }), warnings },
    ]);
  });

  test('without the fields both are null, and of a refund they are below zero (M20)', async () => {
    const plain = await sell({ transactionKey: 'PLAIN-1' });
    expect(await stored(plain.jobId)).toMatchObject([{ tip: null, fee: null }]);
    const refund = {
      ...sale(),
      transactionKey: 'REFUND-1',
      totalAmount: -34,
      tipAmount: 3,
      serviceFeeAmount: 0,
      payments: [],
    };
    const { jobId } = await sell({ ...refund, items: WHOLE.items });
    expect(await stored(jobId)).toMatchObject([{ tip: -300, fee: 0 }]);
  });
});
