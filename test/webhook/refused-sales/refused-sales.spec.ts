import { RefusedSales } from '../../../src/webhook/refused-sales/refused-sales.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { type Caller, Scenario } from '../../support/scenario.js';

const NAME = 'Maria Aparecida';

describe('another sale under the key of a stored one', () => {
  const scenario = Scenario.ofSuite({ PAYLOAD_HIDE: 'customer.name', OUTBOX_RETENTION_DAYS: '30' });
  let id: string;
  let owner: Caller;
  let code: string;
  let stores = 0;

  beforeEach(async () => {
    code = `REUSED-${++stores}`;
    ({ id, owner } = await scenario.restaurant(code));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
  });

  const post = (transaction: object) => scenario.api.post('/webhooks/terminal', TERMINAL_TOKEN, transaction);
  const first = (changes: object = {}) => sale({ storeCode: code, ...changes });
  const cheaper = (transaction: object, amount = 12.5) => ({
    ...transaction,
    ...{ totalAmount: amount, items: [{ itemCode: 'CF-01', itemName: 'Espresso', quantity: 1, price: amount }] },
    payments: [{ tenderType: 1, amount }],
  });
  const list = async (query = '', { token } = owner) =>
    (await scenario.api.get(`/restaurants/${id}/refused-sales${query}`, token).expect(200)).body;
  const get = async (saleId: string, { token } = owner) =>
    (await scenario.api.get(`/restaurants/${id}/refused-sales/${saleId}`, token).expect(200)).body;
  const stored = (key: unknown) =>
    scenario.database.query('SELECT paid_cents FROM terminal_events WHERE source_key = $1', [key]);

  test('it is a 400 TRANSACTION_KEY_REUSED that names what differs, and nothing is registered of it (W45)', async () => {
    const transaction = first();
    const { jobId } = (await post(transaction).expect(200)).body;
    const { body } = await post(cheaper(transaction)).expect(400);
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request', code: 'TRANSACTION_KEY_REUSED', jobId });
    expect(body.message).toMatch(/^transactionKey: .*totalAmount, items, payments/);
    expect(await stored(transaction.transactionKey)).toEqual([{ paid_cents: '7980' }]);
    const { body: again } = await post({ ...transaction, transactionDate: '2026-02-01T00:00:00Z', sentAt: 2 }).expect(
      400,
    );
    expect(again).toEqual({
      ...{ statusCode: 400, error: 'Bad Request', code: 'DUPLICATE_TRANSACTION', jobId },
      ...{ message: expect.stringContaining('transactionKey'), requestId: expect.any(String) },
    });
  });

  test('a true repeat has the warnings of the first answer (W20)', async () => {
    const odd = first({ totalAmount: 80, note: '4111 1111 1111 1111' });
    const { warnings } = (await post(odd).expect(200)).body;
    expect(warnings).toHaveLength(2);
    expect((await post(odd).expect(400)).body).toMatchObject({ code: 'DUPLICATE_TRANSACTION', warnings });
  });

  test('it is kept, masked and without credentials, and people can read it; the same again is counted (W46, S22)', async () => {
    const transaction = first();
    await post(transaction).expect(200);
    const other = {
      ...cheaper(transaction),
      ...{ transactionNumber: '77', customer: { name: NAME }, note: '4111111111111111' },
    };
    for (const sent of [other, { ...other, transactionDate: '2026-02-02' }, cheaper(transaction, 13)])
      expect((await post(sent).expect(400)).body.code).toBe('TRANSACTION_KEY_REUSED');
    const { data, meta } = await list();
    expect(meta).toEqual({ limit: 20, next: null });
    expect(data).toMatchObject([
      { netCents: 1300, times: 1, differs: ['totalAmount', 'items', 'payments'], erased: false },
      { netCents: 1250, times: 2, transactionKey: transaction.transactionKey, transactionNumber: '77' },
    ]);
    const saleId = data[1].id;
    expect(await get(saleId)).toMatchObject({
      ...{ netCents: 1250, hidden: [] },
      event: { customer: { name: NAME }, note: '411111******1111', totalAmount: 12.5 },
    });
    const viewer = await scenario.staff(id, 'VIEWER');
    expect(await get(saleId, viewer)).toMatchObject({
      event: { customer: { name: '[hidden]' } },
      hidden: ['customer.name'],
    });
    const page = await list('?limit=1');
    expect((await list(`?limit=1&after=${page.meta.next}`)).data).toMatchObject([{ id: saleId }]);
    const elsewhere = await scenario.restaurant(`OTHER-${stores}`);
    await scenario.api.get(`/restaurants/${elsewhere.id}/refused-sales/${saleId}`, elsewhere.owner.token).expect(404);
  });

  test('of two sales that race for one key one is stored, and the other is refused as another sale (W45)', async () => {
    const transaction = first();
    const sales = [
      ...Array.from({ length: 10 }, () => transaction),
      ...Array.from({ length: 10 }, () => cheaper(transaction)),
    ];
    const answers = await Promise.all(sales.map((each) => post(each)));
    const codes = answers.map(({ status, body }) => (status === 200 ? 'stored' : body.code));
    expect(codes.filter((each) => each === 'stored')).toHaveLength(1);
    const [same, other] =
      codes.indexOf('stored') < 10 ? [codes.slice(0, 10), codes.slice(10)] : [codes.slice(10), codes.slice(0, 10)];
    expect(new Set(same)).toEqual(new Set(['stored', 'DUPLICATE_TRANSACTION']));
    expect(new Set(other)).toEqual(new Set(['TRANSACTION_KEY_REUSED']));
    expect((await list()).data).toMatchObject([{ times: 10 }]);
  });

  test('at most 100 of a restaurant in a day are kept, and all are refused; after 30 days they are removed (L120)', async () => {
    const transaction = first();
    await post(transaction).expect(200);
    const key = transaction.transactionKey;
    await scenario.database.query(
      `INSERT INTO refused_sales (id, restaurant_id, transaction_key, digest, differs, net_cents, payload)
       SELECT gen_random_uuid(), $1, $2, md5(i::text) || md5(i::text), '{items}', i, '{}' FROM generate_series(1, 98) AS i`,
      [id, key],
    );
    const answers = await Promise.all([1, 2, 3, 4, 5].map((amount) => post(cheaper(transaction, amount))));
    expect(answers.map(({ body }) => body.code)).toEqual(Array(5).fill('TRANSACTION_KEY_REUSED'));
    expect((await list('?limit=100')).data).toHaveLength(100);
    const lines = scenario.relay.logged.filter(
      ({ event, eventKey }) => event === 'webhook.key_reused' && eventKey === key,
    );
    expect(lines.filter(({ kept }) => !kept)).toHaveLength(3);
    await scenario.database.query(
      `UPDATE refused_sales SET received_at = received_at - interval '25 hours' WHERE restaurant_id = $1`,
      [id],
    );
    await post(cheaper(transaction, 500)).expect(400);
    await scenario.database.query(
      `UPDATE refused_sales SET received_at = now() - interval '31 days' WHERE net_cents < 50000 AND restaurant_id = $1`,
      [id],
    );
    expect(await scenario.relay.get(RefusedSales).removeOld()).toBe(100);
    expect((await list()).data).toMatchObject([{ netCents: 50_000 }]);
  });

  test('erasing the stored sale erases its content, and a later repeat cannot be compared: it is a duplicate (W40, W45, W46)', async () => {
    const transaction = first();
    const { jobId } = (await post(transaction).expect(200)).body;
    const other = { ...cheaper(transaction), customer: { name: NAME } };
    await post(other).expect(400);
    await scenario.relay.tick();
    await scenario.api
      .post(`/restaurants/${id}/orders/${transaction.transactionKey}/erase`, owner.token, {})
      .expect(200);
    const [kept] = (await list()).data;
    expect(kept).toMatchObject({ erased: true, netCents: 1250 });
    expect((await get(kept.id)).event).toMatchObject({ erased: true, totalAmount: 12.5 });
    const rows = await scenario.database.query('SELECT payload FROM refused_sales WHERE restaurant_id = $1', [id]);
    expect(JSON.stringify(rows)).not.toContain(NAME);
    expect((await post(other).expect(400)).body).toMatchObject({ code: 'DUPLICATE_TRANSACTION', jobId });
  });

  test('a stored sale that retention has removed cannot be compared either (O22, W45)', async () => {
    const transaction = first();
    const { jobId } = (await post(transaction).expect(200)).body;
    await scenario.relay.tick();
    await scenario.database.query(
      `WITH job AS (DELETE FROM outbox_jobs WHERE id = $2),
         event AS (DELETE FROM terminal_events WHERE transaction_key = $1)
       INSERT INTO spent_keys (transaction_key, source_key, test_mode, restaurant_id, job_id, event_removed)
       VALUES ($1, $1, false, $3, $2, true)`,
      [transaction.transactionKey, jobId, id],
    );
    expect((await post(cheaper(transaction)).expect(400)).body).toMatchObject({ code: 'DUPLICATE_TRANSACTION', jobId });
    expect((await list()).data).toEqual([]);
  });

  test('in test mode it is a duplicate, with a warning, and it is not kept (W23, W47)', async () => {
    const transaction = first({ isTestTransaction: true });
    const { jobId } = (await post(transaction).expect(200)).body;
    expect((await post(transaction).expect(200)).body).not.toHaveProperty('warnings');
    const { body } = await post(cheaper(transaction)).expect(200);
    expect(body).toMatchObject({ jobId, warnings: [expect.stringMatching(/^transactionKey: another test sale/)] });
    expect((await list()).data).toEqual([]);
  });

  test('the state of the restaurant has how many came within a day (R50)', async () => {
    const state = async () => (await scenario.api.get(`/restaurants/${id}/state`, owner.token).expect(200)).body;
    expect((await state()).refusedSales).toBe(0);
    const transaction = first();
    await post(transaction).expect(200);
    for (const amount of [1, 2]) await post(cheaper(transaction, amount)).expect(400);
    expect((await state()).refusedSales).toBe(2);
    await scenario.database.query(
      `UPDATE refused_sales SET received_at = now() - interval '25 hours' WHERE net_cents = 100`,
    );
    expect((await state()).refusedSales).toBe(1);
  });
});
