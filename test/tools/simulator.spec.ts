import { renderTicket } from '../../tools/simulator/ticket.js';
import { anOrder, answer, CREDENTIALS, open, refused, STORE } from './simulator-client.js';

describe('credentials and tokens', () => {
  test('partner id and secret get a token and its lifetime in seconds', async () => {
    const { call, pos } = await open({ tokenTtlSeconds: 60 });
    const granted = { token: expect.any(String), expires_in: 60 };
    expect(await answer(await call('/auth', { headers: CREDENTIALS }))).toEqual([200, granted]);
    expect(pos.authCalls).toBe(1);
  });

  test.each([
    ['a wrong secret', { ...CREDENTIALS, secret: 'other' }],
    ['an unknown partner', { ...CREDENTIALS, 'id-partner': 'constructor' }],
    ['no credentials', {}],
  ])('%s: 901 on every path', async (_, headers) => {
    const { call, signIn } = await open();
    const authorization = `Bearer ${await signIn()}`;
    for (const path of ['/auth', '/order', '/cancel-order'])
      expect(await answer(await call(path, { headers: { ...headers, authorization } }))).toEqual([401, refused(901)]);
  });

  test("no token, an unknown one, another partner's, and a revoked one: 902", async () => {
    const { call, signIn, signedIn, pos } = await open({
      partners: { 'demo-partner': 'demo-secret', other: 'secret' },
    });
    const anothers = await signIn({ 'id-partner': 'other', secret: 'secret' });
    const own = (await signedIn()).authorization as string;
    const ask = async (authorization: string) =>
      answer(await call('/order', { headers: { ...CREDENTIALS, authorization }, body: '{}' }));
    for (const authorization of ['', 'Bearer nonsense', `Bearer ${anothers}`])
      expect(await ask(authorization)).toEqual([401, refused(902)]);
    pos.revokeTokens();
    expect(await ask(own)).toEqual([401, refused(902)]);
  });

  test('an expired token: 902', async () => {
    let now = 0;
    const { call, signedIn } = await open({ tokenTtlSeconds: 10, now: () => new Date(now) });
    const headers = await signedIn();
    for (const [time, status] of [
      [9_999, 200],
      [10_000, 401],
    ] as const) {
      now = time;
      expect((await call('/order', { headers, body: JSON.stringify(anOrder()) })).status).toBe(status);
    }
  });

  test.each([
    [true, 401],
    [false, 200],
  ])('with singleSession %s, an earlier token gets %i after a second sign-in', async (singleSession, status) => {
    const { call, signIn, signedIn } = await open({ singleSession });
    const headers = await signedIn();
    await signIn();
    expect((await call('/order', { headers, body: JSON.stringify(anOrder()) })).status).toBe(status);
  });
});

describe('orders', () => {
  test('an order is accepted, counted as cooked once and passed to onOrder', async () => {
    const seen: unknown[] = [];
    const { order, pos } = await open({ onOrder: (...args) => seen.push(args) });
    expect(await order()).toEqual([200, { orderId: 'T-1', status: 'ACCEPTED' }]);
    const known = { order: anOrder(), cooked: 1, requests: 1, cancelled: false, acceptedAt: expect.any(Date) };
    expect(pos.orders.get('T-1')).toEqual(known);
    expect(seen).toEqual([[anOrder(), known]]);
    expect(pos.requests.at(-1)).toMatchObject({ method: 'POST', path: '/order', body: anOrder() });
  });

  test.each<[field: string, changes: object]>([
    ...Object.keys(anOrder()).map((field): [string, object] => [field, { [field]: undefined }]),
    ['created_at', { created_at: 'yesterday' }],
    ['total_amount', { total_amount: 23.451 }],
    ['total_discount', { total_discount: -1 }],
    ['items', { items: [] }],
    ['items[0].quantity', { items: [{ integration_code: 'A', desc_item: 'x', quantity: '1', unit_price: 1 }] }],
    ['payment_types[0].code', { payment_types: [{ amount: 23.45 }] }],
    ['payment_types[1]', { payment_types: [{ code: 'DIN', amount: 23.45 }, null] }],
  ])('%s is named when it is missing or bad: %j', async (field, changes) => {
    const { order, pos } = await open();
    expect(await order({ ...changes })).toEqual([400, refused(100, expect.stringContaining(`${field}: `))]);
    expect(pos.orders.size).toBe(0);
  });

  test('a body that is no JSON object, or has another content type, is refused', async () => {
    const { call, signedIn } = await open();
    const headers = await signedIn();
    for (const body of ['nonsense', '[]']) expect((await call('/order', { headers, body })).status).toBe(400);
    const asText = { headers: { ...headers, 'content-type': 'text/plain' }, body: JSON.stringify(anOrder()) };
    expect(await answer(await call('/order', asText))).toEqual([400, refused(100)]);
  });

  const free = { total_amount: 0, total_discount: 24, total_increase: 0, payment_types: [] };
  test.each<[what: string, options: object, changes: object, answered: unknown]>([
    ['a body above 1 MiB', {}, { padding: 'x'.repeat(1_048_576) }, [413, refused(413)]],
    ['an unknown store', { stores: ['0001'] }, {}, [400, refused(300, 'cod_store: 0042 is unknown')]],
    ['an unknown product', { products: ['A'] }, {}, [422, refused(310, 'unknown product B')]],
    ['payments a cent short', {}, { payment_types: [{ code: 'DIN', amount: 23.44 }] }, [400, refused(200)]],
    ['no payments', {}, { payment_types: [] }, [400, refused(200)]],
    ['a discount a cent too large', {}, { total_discount: 1.06 }, [400, refused(200)]],
    ['a surcharge a cent too small', {}, { total_increase: 0.49 }, [400, refused(200)]],
    ['a free order without payments', {}, free, [200, expect.anything()]],
  ])('%s: the answer', async (_, options, changes, answered) => {
    const { order } = await open(options);
    expect(await order({ ...changes })).toEqual(answered);
  });

  test.each([
    [1.005, 1, 1.01],
    [1e-7, 1, 0],
    [0.335, -1, -0.34],
    [-0.335, 1, -0.34],
  ])('a line of %d x %d is %d: half a cent is rounded away from zero', async (unit_price, quantity, sum) => {
    const { order } = await open();
    const line = { integration_code: 'A', desc_item: 'x', quantity: 1, unit_price: 10 };
    const items = [line, { ...line, quantity, unit_price }];
    const total_amount = Number((10 + sum).toFixed(2));
    const payment_types = [{ code: 'DIN', amount: total_amount }];
    expect((await order({ ...free, total_discount: 0, items, payment_types, total_amount }))[0]).toBe(200);
  });

  const OPTION = { integration_code: 'O', desc_item: 'Cheese', quantity: 2, unit_price: 0.004 };
  const whole = (options: unknown, notes: unknown = 'no onion') => ({
    ...{
      ...free,
      total_discount: 0,
      total_amount: 2.02,
      payment_types: [{ code: 'CRE', amount: 2.02, brand: 'VISA' }],
    },
    ...{
      notes: 'table 4',
      items: [{ integration_code: 'A', desc_item: 'x', quantity: 2, unit_price: 1, notes, options }],
    },
  });

  test('nested options count for the total of their line, rounded once; notes and evidence are read', async () => {
    const { order } = await open();
    expect((await order(whole([OPTION])))[0]).toBe(200);
  });

  test.each<[string, Record<string, unknown>]>([
    ['items[0].options[0].unit_price', whole([{ ...OPTION, unit_price: undefined }])],
    ['items[0].options', whole('cheese')],
    ['items[0].notes', whole([OPTION], 'no\nonion')],
    ['items[0].notes', whole([OPTION], 'x'.repeat(256))],
    ['payment_types[0].brand', { ...whole([OPTION]), payment_types: [{ code: 'CRE', amount: 2.02, brand: '' }] }],
  ])('%s is named when it is bad', async (field, changes) => {
    const { order } = await open();
    expect(await order(changes)).toEqual([400, refused(100, expect.stringContaining(`${field}: `))]);
  });

  test('an option that the POS does not know is an unknown product', async () => {
    const { order } = await open({ products: ['A'] });
    expect(await order(whole([OPTION]))).toEqual([422, refused(310, 'unknown product O')]);
  });

  test('a duplicate order_id is refused', async () => {
    const { order, pos } = await open();
    await order();
    expect(await order()).toEqual([400, refused(904, 'order_id: T-1 was already accepted')]);
    expect(pos.orders.get('T-1')).toMatchObject({ cooked: 1, requests: 2 });
  });
});

describe('cancelling', () => {
  test('an accepted order is cancelled once and passed to onCancel', async () => {
    const seen: unknown[] = [];
    const { order, cancel, pos } = await open({ onCancel: (...args) => seen.push(args) });
    await order();
    expect(await cancel()).toEqual([200, { orderId: 'T-1', status: 'CANCELLED' }]);
    expect(pos.orders.get('T-1')?.cancelled).toBe(true);
    expect(await cancel()).toEqual([400, refused(409)]);
    expect(seen).toEqual([[anOrder(), pos.orders.get('T-1')]]);
  });

  test('an unknown order, or one of another store: 404; a missing field is named', async () => {
    const { order, cancel } = await open();
    expect(await cancel()).toEqual([404, refused(404)]);
    await order();
    expect(await cancel({ ...STORE, cod_store: 'other' })).toEqual([404, refused(404)]);
    expect(await cancel({ order_id: 'T-1' })).toEqual([400, refused(100, 'cod_store: is required')]);
  });
});

describe('looking up an order', () => {
  test('200 for an accepted order, cancelled or not; 404 for any other', async () => {
    const { order, cancel, lookUp, pos } = await open();
    await order({ order_id: 'a/b ä' });
    const path = `/order/${encodeURIComponent('a/b ä')}`;
    const known = { order_id: 'a/b ä', cod_store: '0042' };
    expect(await lookUp(path)).toEqual([200, { ...known, status: 'ACCEPTED' }]);
    expect(await lookUp(`${path}?cod_store=0042`)).toEqual([200, { ...known, status: 'ACCEPTED' }]);
    expect(await lookUp(`${path}?cod_store=0043`)).toEqual([404, refused(404)]);
    expect(await lookUp('/order/other')).toEqual([404, refused(404)]);
    await cancel(known);
    expect(await lookUp(path)).toEqual([200, { ...known, status: 'CANCELLED' }]);
    expect(pos).toMatchObject({ lookupCalls: 5, orderCalls: 1, cancelCalls: 1 });
    expect(pos.requests.at(-1)).toMatchObject({ method: 'GET', path, body: undefined });
  });

  test('only a GET with credentials and a token', async () => {
    const { lookUp } = await open();
    expect(await lookUp('/order/T-1', { method: 'POST' })).toEqual([405, refused(405)]);
    expect(await lookUp('/order/T-1', { headers: {} })).toEqual([401, refused(901)]);
    expect(await lookUp('/order/T-1', { headers: CREDENTIALS })).toEqual([401, refused(902)]);
  });
});

describe('ticket', () => {
  test('has items, sums and payments in 42 columns; long names are wrapped, and control characters shown as ?', () => {
    const name = `\u001b[31m${'a rather long name '.repeat(3)}${'x'.repeat(50)}`;
    const [first, second] = anOrder().items;
    const lines = renderTicket(anOrder({ items: [first, { ...second, desc_item: name }] })).split('\n');
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([42]));
    expect(lines.join()).not.toContain('\u001b');
    for (const line of ['  2 x 5.50                       11.00', 'TOTAL                            23.45'])
      expect(lines).toContain(`│ ${line} │`);
    expect(lines).toContain('│ ?[31ma rather long name a rather long  │');
  });

  test('has options and notes under their item, and the notes of the order', () => {
    const [first] = anOrder().items;
    const option = { integration_code: 'O', desc_item: 'Cheese', quantity: 2, unit_price: 0.5 };
    const items = [{ ...(first as NonNullable<typeof first>), options: [option], notes: 'no onion' }];
    const text = renderTicket(anOrder({ items, notes: 'table 4' }));
    for (const line of ['  + 2 x Cheese, 0.50', '  > no onion', '> table 4'])
      expect(text).toContain(`│ ${line.padEnd(38)} │`);
  });
});
