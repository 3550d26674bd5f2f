import { WARNING_KINDS } from '../../src/domain/warnings.js';
import { sale } from '../support/client.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';

describe('warnings of a webhook (W26)', () => {
  const scenario = Scenario.ofSuite({ POS_ODD_LINES: 'fold' });
  let stores = 0;

  /** A new restaurant, and the calls of its terminal and its OWNER. */
  async function restaurant() {
    const code = `STORE-${++stores}`;
    const { id, token } = await scenario.restaurant(code);
    const send = async (changes: object = {}) => {
      const { body } = await scenario.api
        .post('/webhooks/terminal', TERMINAL_TOKEN, sale({ storeCode: code, ...changes }))
        .expect(200);
      return body as { success: true; jobId: string; warnings?: string[] };
    };
    const detail = async (jobId: string) => {
      const key = encodeURIComponent(await scenario.keyOf(jobId));
      return (await scenario.api.get(`/restaurants/${id}/orders/${key}`, token).expect(200)).body;
    };
    return { id, token, send, detail };
  }

  const counted = async (kind: string) => {
    const { text } = await scenario.api.get('/admin/metrics/prometheus', await scenario.relay.login()).expect(200);
    return Number(new RegExp(`^relay_webhook_warnings_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  };

  test('a correct sale has none: the answer is {success, jobId}', async () => {
    const { send, detail } = await restaurant();
    const answer = await send();
    expect(answer).toEqual({
      success: true,
      jobId: expect.any(String),
      traceId: expect.any(String),
      receipt: expect.any(String),
    });
    expect((await detail(answer.jobId)).warnings).toEqual([]);
  });

  test('a payment sent as text: in the answer, on the order, in the list and in the metrics', async () => {
    const { id, token, send, detail } = await restaurant();
    const before = await counted('ignored_payment');
    const payments = [
      { tenderType: 1, amount: 10 },
      { tenderType: 16, amount: '25.50' },
    ];
    const answer = await send({ payments, totalAmount: 10 });
    const warnings = ['payments[1].amount: is text, not a number; the payment is ignored'];
    expect(answer).toEqual({
      success: true,
      jobId: expect.any(String),
      traceId: expect.any(String),
      receipt: expect.any(String),
      warnings,
    });
    expect((await detail(answer.jobId)).warnings).toEqual(warnings);
    const { body: list } = await scenario.api.get(`/restaurants/${id}/orders`, token).expect(200);
    expect(list.data[0].warnings).toEqual(warnings);
    expect(await counted('ignored_payment')).toBe(before + 1);
  });

  test('a restaurant without codeStorePos: the warning is the last one', async () => {
    const { id, token, send } = await restaurant();
    await scenario.api.patch(`/restaurants/${id}`, token, { codeStorePos: null }).expect(200);
    const { warnings } = await send({ transactionDate: 'yesterday' });
    expect(warnings).toEqual([
      'transactionDate: cannot be read; stored as null, and the order carries the time of receipt',
      'restaurant has no codeStorePos: the order waits until it is set',
    ]);
  });

  test('POS_ODD_LINES=fold: odd lines are left out, and their amounts are in the discount (M14)', async () => {
    const { send, detail } = await restaurant();
    const item = { itemCode: 'A', itemName: 'B', quantity: 1, price: 90 };
    const answer = await send({ items: [item, { ...item, price: -8.2 }, { ...item, quantity: 0 }] });
    expect(answer.warnings).toEqual([
      'items[1].price: is negative; the line is left out and counts in total_discount or total_increase',
      'items[2].quantity: is zero; the line is left out',
    ]);
    await scenario.relay.tick();
    expect(await scenario.jobs.get(answer.jobId)).toMatchObject({ status: 'SENT' });
    const { order } = await detail(answer.jobId);
    expect(order).toMatchObject({ total_amount: 79.8, total_discount: 10.2, total_increase: 0 });
    expect(order.items).toEqual([{ integration_code: 'A', desc_item: 'B', quantity: 1, unit_price: 90 }]);
  });

  test('a refund is accepted with the warning, and parked with the same text (M15)', async () => {
    const { send } = await restaurant();
    const { jobId, warnings } = await send({ totalAmount: -79.8, payments: [{ tenderType: 1, amount: -79.8 }] });
    const text = 'totalAmount: is negative, and nothing was paid: a refund is entered in the POS';
    expect(warnings?.[0]).toBe(text);
    await scenario.relay.tick();
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'DLQ', last_error: `cannot be mapped: ${text}` });
  });

  test('a duplicate in test mode is answered with the same warnings, and they are counted once', async () => {
    const { send } = await restaurant();
    const before = await counted('unreadable_date');
    const changes = { transactionKey: 'W-1', isTestTransaction: true, transactionDate: 'yesterday' };
    const first = await send(changes);
    expect(first.warnings).toHaveLength(1);
    expect(await send(changes)).toEqual(first);
    expect(await counted('unreadable_date')).toBe(before + 1);
  });

  test('every kind is a metric series from the start, so that its first increase is visible', async () => {
    for (const kind of WARNING_KINDS) expect(await counted(kind)).not.toBeNaN();
  });

  test('a card number reaches neither the database, the log, the POS nor the answer, whatever warns of it (W38)', async () => {
    const { send, detail } = await restaurant();
    const before = await counted('masked_card');
    const number = '4111111111111111';
    const [item] = sale().items as object[];
    const items = [{ ...item, itemName: 'Coffee 4111 1111 1111 1111' }];
    const answer = await send({ customer: { [number]: Number(number) }, note: `card ${number}`, items });
    const after = 'looked like a card number; its first six and last four digits are stored';
    expect(answer.warnings).toEqual(
      ['items[0].itemName', 'customer.411111******1111', 'customer.411111******1111', 'note'].map(
        (field) => `${field}: ${after}`,
      ),
    );
    await scenario.relay.tick();
    const order = await detail(answer.jobId);
    expect(order).toMatchObject({ event: { note: 'card 411111******1111' }, sent: true });
    const rows = await scenario.database.query(
      'SELECT terminal_events::text, delivery_attempts::text FROM terminal_events, delivery_attempts',
    );
    const told = JSON.stringify([order, rows, scenario.relay.logged, scenario.pos.requests, answer]);
    expect(told).not.toMatch(/4111 ?1111 ?1111 ?1111/);
    expect(told).toContain('Coffee 411111******1111');
    expect(await counted('masked_card')).toBe(before + 4);
  });

  test('the log names the kinds, never the texts', async () => {
    const { send } = await restaurant();
    const { jobId } = await send({ payments: [{ tenderType: 'an-unknown-tender', amount: 79.8 }] });
    const line = scenario.relay.logged.find((each) => each.event === 'webhook.accepted' && each.job === jobId);
    expect(line).toMatchObject({ warnings: ['unknown_tender'] });
    expect(JSON.stringify(scenario.relay.logged)).not.toContain('an-unknown-tender');
  });
});
