import { sumCents } from '../../tools/simulator/amounts.js';
import type { Behaviour } from '../../tools/simulator/behaviour.js';
import { MISBEHAVIOURS } from '../../tools/simulator/command.js';
import { HELP, readOptions } from '../../tools/simulator/options.js';
import { PosSimulator, type PosSimulatorOptions } from '../../tools/simulator/simulator.js';
import { renderTicket } from '../../tools/simulator/ticket.js';
import type { PosOrder, PosPath } from '../../tools/simulator/wire.js';

const CREDENTIALS = { 'id-partner': 'demo-partner', secret: 'demo-secret' };
const STORE = { order_id: 'T-1', cod_store: '0042' };

let pos: PosSimulator;

afterEach(() => pos?.close());

async function open(options: PosSimulatorOptions = {}): Promise<void> {
  pos = new PosSimulator(options);
  await pos.listen();
}

/** 2 x 5.50 + 0.400 x 32.50 = 24.00, less 1.05, plus 0.50 = 23.45 */
function anOrder(changes: Record<string, unknown> = {}): PosOrder {
  return {
    ...STORE,
    created_at: '2026-02-03T14:05:00.000Z',
    total_amount: 23.45,
    total_discount: 1.05,
    total_increase: 0.5,
    items: [
      { integration_code: 'A', desc_item: 'Pão de queijo', quantity: 2, unit_price: 5.5 },
      { integration_code: 'B', desc_item: 'Feijoada', quantity: 0.4, unit_price: 32.5 },
    ],
    payment_types: [
      { code: 'DIN', amount: 20 },
      { code: 'CRE', amount: 3.45 },
    ],
    ...changes,
  };
}

function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${pos.url}${path}`, { method: 'POST', redirect: 'manual', ...init });
}

async function signIn(headers: Record<string, string> = CREDENTIALS): Promise<string> {
  const { token } = (await (await call('/auth', { headers })).json()) as { token: string };
  return token;
}

async function signedIn(): Promise<Record<string, string>> {
  return { ...CREDENTIALS, authorization: `Bearer ${await signIn()}`, 'content-type': 'application/json' };
}

async function send(path: PosPath, body: unknown, init: RequestInit = {}): Promise<Response> {
  return call(path, { headers: await signedIn(), body: JSON.stringify(body), ...init });
}

async function order(changes: Record<string, unknown> = {}): Promise<[status: number, body: unknown]> {
  return answer(await send('/order', anOrder(changes)));
}

async function cancel(body: unknown = STORE): Promise<[status: number, body: unknown]> {
  return answer(await send('/cancel-order', body));
}

async function answer(response: Response): Promise<[status: number, body: unknown]> {
  return [response.status, await response.json()];
}

/** Asks for an order, signed in. */
async function lookUp(path: string, init: RequestInit = {}): Promise<[status: number, body: unknown]> {
  return answer(await call(path, { method: 'GET', headers: await signedIn(), ...init }));
}

const refused = (errorCode: number, message: unknown = expect.any(String)) => ({ errorCode, message });

describe('credentials and tokens', () => {
  it('gives a token and its life in seconds for a partner id and its secret', async () => {
    await open({ tokenTtlSeconds: 60 });
    const response = await call('/auth', { headers: CREDENTIALS });
    expect(await answer(response)).toEqual([200, { token: expect.any(String), expires_in: 60 }]);
    expect(pos.authCalls).toBe(1);
  });

  it.each([
    ['a wrong secret', { ...CREDENTIALS, secret: 'other' }],
    ['an unknown partner', { ...CREDENTIALS, 'id-partner': 'constructor' }],
    ['no credentials', {}],
  ])('answers %s with 901 on every path', async (_, headers) => {
    await open();
    const token = await signIn();
    for (const path of ['/auth', '/order', '/cancel-order']) {
      const response = await call(path, { headers: { ...headers, authorization: `Bearer ${token}` } });
      expect(await answer(response)).toEqual([401, refused(901)]);
    }
  });

  it.each([
    ['no token', {}],
    ['an unknown token', { authorization: 'Bearer nonsense' }],
  ])('answers %s with 902', async (_, headers) => {
    await open();
    expect(await answer(await call('/order', { headers: { ...CREDENTIALS, ...headers } }))).toEqual([
      401,
      refused(902),
    ]);
  });

  it('answers an expired token with 902', async () => {
    let now = 0;
    await open({ tokenTtlSeconds: 10, now: () => new Date(now) });
    const headers = await signedIn();
    now = 9_999;
    expect((await call('/order', { headers, body: JSON.stringify(anOrder()) })).status).toBe(200);
    now = 10_000;
    expect(await answer(await call('/order', { headers, body: '{}' }))).toEqual([401, refused(902)]);
  });

  it('answers a revoked token with 902', async () => {
    await open();
    const headers = await signedIn();
    pos.revokeTokens();
    expect(await answer(await call('/order', { headers, body: '{}' }))).toEqual([401, refused(902)]);
  });

  it("answers another partner's token with 902", async () => {
    await open({ partners: { 'demo-partner': 'demo-secret', other: 'secret' } });
    const token = await signIn({ 'id-partner': 'other', secret: 'secret' });
    const headers = { ...CREDENTIALS, authorization: `Bearer ${token}` };
    expect(await answer(await call('/order', { headers }))).toEqual([401, refused(902)]);
  });

  it.each([
    [true, 401],
    [false, 200],
  ])('with singleSession %s, an earlier token gets %i after a second sign-in', async (singleSession, status) => {
    await open({ singleSession });
    const headers = await signedIn();
    await signIn();
    expect((await call('/order', { headers, body: JSON.stringify(anOrder()) })).status).toBe(status);
  });

  it('asks for no token when requireToken is false', async () => {
    await open({ requireToken: false });
    const headers = { ...CREDENTIALS, 'content-type': 'application/json' };
    expect((await call('/order', { headers, body: JSON.stringify(anOrder()) })).status).toBe(200);
  });
});

describe('orders', () => {
  it('accepts an order, cooks it once and tells onOrder', async () => {
    const told: unknown[] = [];
    await open({ onOrder: (...args) => told.push(args) });
    expect(await order()).toEqual([200, { orderId: 'T-1', status: 'ACCEPTED' }]);
    const known = pos.orders.get('T-1');
    expect(known).toEqual({
      order: anOrder(),
      cooked: 1,
      requests: 1,
      cancelled: false,
      acceptedAt: expect.any(Date),
    });
    expect(told).toEqual([[anOrder(), known]]);
    expect(pos.requests.at(-1)).toMatchObject({ method: 'POST', path: '/order', body: anOrder() });
  });

  it.each(Object.keys(anOrder()))('names the missing field %s', async (field) => {
    await open();
    expect(await order({ [field]: undefined })).toEqual([400, refused(100, `${field}: is required`)]);
    expect(pos.orders.size).toBe(0);
  });

  it.each([
    ['order_id', { order_id: 7 }],
    ['created_at', { created_at: 'yesterday' }],
    ['total_amount', { total_amount: 23.451 }],
    ['total_discount', { total_discount: -1 }],
    ['items', { items: [] }],
    ['items[0].unit_price', { items: [{ integration_code: 'A', desc_item: 'x', quantity: 1 }] }],
    ['items[0].quantity', { items: [{ integration_code: 'A', desc_item: 'x', quantity: '1', unit_price: 1 }] }],
    ['payment_types', { payment_types: 'cash' }],
    ['payment_types[0].code', { payment_types: [{ amount: 23.45 }] }],
    ['payment_types[1]', { payment_types: [{ code: 'DIN', amount: 23.45 }, null] }],
  ])('names the bad field %s', async (field, changes) => {
    await open();
    expect(await order(changes)).toEqual([400, refused(100, expect.stringContaining(`${field}: `))]);
  });

  it.each([
    ['a body that is not JSON', 'nonsense', 'application/json'],
    ['a JSON body that is no object', '[]', 'application/json'],
    ['a body of another content type', JSON.stringify(anOrder()), 'text/plain'],
  ])('refuses %s', async (_, body, type) => {
    await open();
    const headers = { ...(await signedIn()), 'content-type': type };
    expect(await answer(await call('/order', { headers, body }))).toEqual([400, refused(100, expect.any(String))]);
  });

  it('refuses a body above 1 MiB', async () => {
    await open();
    expect(await order({ padding: 'x'.repeat(1_048_576) })).toEqual([413, refused(413)]);
    expect(pos.orders.size).toBe(0);
  });

  it('refuses an unknown store', async () => {
    await open({ stores: ['0001'] });
    expect(await order()).toEqual([400, refused(300, 'cod_store: 0042 is unknown')]);
  });

  it('refuses an unknown product with 422', async () => {
    await open({ products: ['A'] });
    expect(await order()).toEqual([422, refused(310, 'unknown product B')]);
  });

  it.each([
    ['payments a cent short', { payment_types: [{ code: 'DIN', amount: 23.44 }] }],
    ['no payments', { payment_types: [] }],
    ['a discount a cent too large', { total_discount: 1.06 }],
    ['a surcharge a cent too small', { total_increase: 0.49 }],
  ])('refuses %s', async (_, changes) => {
    await open();
    expect(await order(changes)).toEqual([400, refused(200)]);
  });

  it.each([
    ['1.005', 1, 1.01],
    ['0.615', 1, 0.62],
    ['0.1', 3, 0.3],
    ['1e-7', 1, 0],
    ['9999999999.99', 1, 9999999999.99],
  ])('rounds a line of %s x %d half up to %d, without float errors', async (price, quantity, total) => {
    await open();
    const items = [{ integration_code: 'A', desc_item: 'x', quantity, unit_price: Number(price) }];
    const payment_types = total === 0 ? [] : [{ code: 'DIN', amount: total }];
    const changes = { items, payment_types, total_amount: total, total_discount: 0, total_increase: 0 };
    expect((await order(changes))[0]).toBe(200);
  });

  it.each([
    [-1, 0.335],
    [1, -0.335],
    [0, 7],
  ])('accepts a line of %s x %d: a return, a discount, nothing', async (quantity, unit_price) => {
    await open();
    const line = { integration_code: 'A', desc_item: 'x' };
    const items = [
      { ...line, quantity: 1, unit_price: 10 },
      { ...line, quantity, unit_price },
    ];
    const total_amount = quantity === 0 ? 10 : 9.66;
    const payment_types = [{ code: 'DIN', amount: total_amount }];
    const changes = { items, payment_types, total_amount, total_discount: 0, total_increase: 0 };
    expect((await order(changes))[0]).toBe(200);
  });

  it('accepts a free order without payments', async () => {
    await open();
    const free = { total_amount: 0, total_discount: 24, total_increase: 0, payment_types: [] };
    expect((await order(free))[0]).toBe(200);
  });

  it('refuses a duplicate order_id with 904 and cooks it once', async () => {
    await open();
    await order();
    expect(await order()).toEqual([400, refused(904, 'order_id: T-1 was already accepted')]);
    expect(pos.orders.get('T-1')).toMatchObject({ cooked: 1, requests: 2 });
  });

  it('cooks a duplicate twice when refuseDuplicates is false', async () => {
    await open({ refuseDuplicates: false });
    await order();
    expect((await order())[0]).toBe(200);
    expect(pos.orders.get('T-1')).toMatchObject({ cooked: 2, requests: 2 });
  });
});

describe('cancelling', () => {
  it('cancels an accepted order once and tells onCancel', async () => {
    const told: unknown[] = [];
    await open({ onCancel: (...args) => told.push(args) });
    await order();
    expect(await cancel()).toEqual([200, { orderId: 'T-1', status: 'CANCELLED' }]);
    expect(pos.orders.get('T-1')?.cancelled).toBe(true);
    expect(await cancel()).toEqual([400, refused(409)]);
    expect(told).toEqual([[anOrder(), pos.orders.get('T-1')]]);
  });

  it('answers an unknown order, or one of another store, with 404', async () => {
    await open();
    expect(await cancel()).toEqual([404, refused(404)]);
    await order();
    expect(await cancel({ ...STORE, cod_store: 'other' })).toEqual([404, refused(404)]);
  });

  it('names the missing field', async () => {
    await open();
    expect(await cancel({ order_id: 'T-1' })).toEqual([400, refused(100, 'cod_store: is required')]);
  });
});

describe('misbehaviour', () => {
  const behave = (behaviour: Behaviour) => pos.behave(behaviour);

  /** Sends an order and gives up on it once `predicate` holds. */
  async function abandonOrder(predicate: () => boolean): Promise<void> {
    const giveUp = new AbortController();
    const pending = send('/order', anOrder(), { signal: giveUp.signal });
    const rejected = expect(pending).rejects.toThrow();
    await pos.when(predicate);
    giveUp.abort();
    await rejected;
  }

  beforeEach(() => open());

  it('slow: registers at once, answers late', async () => {
    behave({ mode: 'slow', delayMs: 100 });
    let answered = false;
    const pending = order().finally(() => {
      answered = true;
    });
    await pos.when(() => pos.orders.has('T-1'));
    expect(answered).toBe(false);
    expect((await pending)[0]).toBe(200);
    expect(Date.now() - Number(pos.requests.at(-1)?.at)).toBeGreaterThanOrEqual(99);
  });

  it('hang: takes the request, registers nothing', async () => {
    behave({ mode: 'hang' });
    await abandonOrder(() => pos.orderCalls === 1 && pos.requests.at(-1)?.path === '/order');
    expect(pos.orders.size).toBe(0);
  });

  it('hang-after: registers, never answers', async () => {
    behave({ mode: 'hang-after' });
    await abandonOrder(() => pos.orders.has('T-1'));
    behave({ mode: 'ok' });
    expect(await order()).toEqual([400, refused(904)]);
  });

  it('status: answers so instead of registering', async () => {
    behave({ mode: 'status', status: 503, errorCode: 77, message: 'busy', retryAfter: 120 });
    const response = await send('/order', anOrder());
    expect(response.headers.get('retry-after')).toBe('120');
    expect(await answer(response)).toEqual([503, { errorCode: 77, message: 'busy' }]);
    expect(pos.orders.size).toBe(0);
  });

  it('status 2xx: registers, and refuses what the rules refuse', async () => {
    behave({ mode: 'status', status: 201 });
    expect((await order())[0]).toBe(201);
    expect(pos.orders.size).toBe(1);
    expect(await order()).toEqual([400, refused(904)]);
  });

  it('reset: breaks the connection, registers nothing', async () => {
    behave({ mode: 'reset' });
    await expect(order()).rejects.toThrow();
    behave({ mode: 'reset', stores: ['0042'] });
    await expect(order()).rejects.toThrow();
    expect([pos.orders.size, pos.orderCalls]).toEqual([0, 2]);
  });

  it('reset-after: registers, then breaks the connection', async () => {
    behave({ mode: 'reset-after' });
    await expect(order()).rejects.toThrow();
    expect(pos.orders.get('T-1')?.cooked).toBe(1);
  });

  it('html: answers a page', async () => {
    behave({ mode: 'html', status: 502 });
    const response = await send('/order', anOrder());
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect(await response.text()).toContain('<html>');
    expect(pos.orders.size).toBe(0);
  });

  it.each([
    [200, 1],
    [500, 0],
  ])('truncated: a body with status %i breaks off, %i registered', async (status, registered) => {
    behave({ mode: 'truncated', status });
    const response = await send('/order', anOrder());
    expect(response.status).toBe(status);
    await expect(response.text()).rejects.toThrow();
    expect(pos.orders.size).toBe(registered);
  });

  it('redirect: points elsewhere', async () => {
    behave({ mode: 'redirect', location: 'http://elsewhere.example/' });
    const response = await send('/order', anOrder());
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://elsewhere.example/']);
    expect(pos.orders.size).toBe(0);
  });

  it('trickle: sends a byte at a time, without end', async () => {
    behave({ mode: 'trickle', everyMs: 1 });
    const response = await send('/order', anOrder());
    const reader = response.body?.getReader();
    for (let i = 0; i < 3; i += 1) expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
    expect([response.status, pos.orders.size]).toEqual([200, 1]);
  });

  it('huge: sends that many bytes', async () => {
    behave({ mode: 'huge', status: 500, bytes: 1_000_000 });
    const body = await (await send('/order', anOrder())).text();
    expect(body).toHaveLength(1_000_000);
    expect(JSON.parse(body)).toEqual({ message: expect.stringMatching(/^x+$/) });
  });

  it("echo-secret: repeats the caller's secret and token", async () => {
    behave({ mode: 'echo-secret' });
    const headers = await signedIn();
    const [status, body] = await answer(await call('/order', { headers, body: '{}' }));
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('demo-secret');
    expect(JSON.stringify(body)).toContain(headers.authorization?.slice('Bearer '.length));
  });

  it.each([
    ['before', 1],
    ['after', 0],
  ] as const)('gate: holds the answer, registering %s the wait', async (register, registered) => {
    behave({ mode: 'gate', register });
    const pending = order();
    await pos.when(() => pos.waiting === 1);
    expect(pos.orders.size).toBe(registered);
    pos.release();
    expect((await pending)[0]).toBe(200);
    expect([pos.orders.size, pos.waiting]).toEqual([1, 0]);
  });

  it('gate: registers after the wait even if the caller has given up', async () => {
    behave({ mode: 'gate', register: 'after' });
    await abandonOrder(() => pos.waiting === 1);
    pos.release();
    expect(pos.orders.has('T-1')).toBe(true);
  });

  it('times: misbehaves for so many calls, then is ok', async () => {
    behave({ mode: 'status', status: 500, times: 2 });
    expect((await order())[0]).toBe(500);
    expect(pos.behaviour).toMatchObject({ mode: 'status', times: 1 });
    expect((await order())[0]).toBe(500);
    expect(pos.behaviour).toEqual({ mode: 'ok' });
    expect((await order())[0]).toBe(200);
    expect(pos.orders.get('T-1')?.requests).toBe(3);
  });

  it('paths: misbehaves there only', async () => {
    behave({ mode: 'status', status: 500, paths: ['/auth'] });
    expect((await call('/auth', { headers: CREDENTIALS })).status).toBe(500);
    behave({ mode: 'status', status: 500, paths: ['/cancel-order'] });
    expect((await order())[0]).toBe(200);
    expect((await cancel())[0]).toBe(500);
  });

  it('stores: misbehaves to orders of those stores only', async () => {
    behave({ mode: 'status', status: 500, stores: ['0042'] });
    expect((await order())[0]).toBe(500);
    expect((await order({ cod_store: '0001' }))[0]).toBe(200);
  });

  it('down: refuses connections and drops open ones; up: the same port, the same orders', async () => {
    await order();
    behave({ mode: 'gate', register: 'after' });
    const dropped = expect(order({ order_id: 'T-2' })).rejects.toThrow();
    await pos.when(() => pos.waiting === 1);
    const { url } = pos;
    await pos.down();
    await dropped;
    await expect(call('/auth')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    behave({ mode: 'ok' });
    await pos.up();
    await Promise.all([pos.down(), pos.down(), pos.up()]);
    expect(pos.url).toBe(url);
    expect(await order()).toEqual([400, refused(904)]);
    expect([...pos.orders.keys()]).toEqual(['T-1']);
  });
});

describe('watching', () => {
  it('when: gives up after its time and names the condition', async () => {
    await open();
    await expect(pos.when(() => pos.orders.has('never'), 1)).rejects.toThrow(
      "not within 1 ms: ()=>pos.orders.has('never')",
    );
  });

  it('keeps the last 10,000 requests', async () => {
    await open();
    const { requests } = pos;
    for (let i = 0; i < 10_000; i += 1)
      requests.push({ method: 'POST', path: `/${i}`, headers: {}, body: undefined, at: new Date() });
    await signIn();
    expect([requests.length, requests[0]?.path, requests.at(-1)?.path]).toEqual([10_000, '/1', '/auth']);
  });

  it('answers another path with 404 and another method with 405', async () => {
    await open();
    expect((await call('/other')).status).toBe(404);
    expect((await call('/order', { method: 'GET' })).status).toBe(405);
    expect((await call('/simulator/orders', { method: 'GET' })).status).toBe(404);
  });
});

describe('control over HTTP', () => {
  const put = async (body: unknown) =>
    answer(await call('/simulator/behaviour', { method: 'PUT', body: JSON.stringify(body) }));
  const get = async (path: string) => answer(await call(path, { method: 'GET' }));

  beforeEach(() => open({ control: true }));

  it('lists the orders', async () => {
    await order();
    expect(await get('/simulator/orders')).toMatchObject([200, { orders: [{ order: anOrder(), cooked: 1 }] }]);
  });

  it('sets and shows the behaviour', async () => {
    const behaviour = { mode: 'status', status: 503, times: 2, paths: ['/order'], stores: ['0042'] };
    expect(await put(behaviour)).toEqual([200, behaviour]);
    expect(await get('/simulator/behaviour')).toEqual([200, behaviour]);
    expect((await order())[0]).toBe(503);
  });

  it.each([
    [[], 'body: must be a JSON object'],
    [{ mode: 'sleepy' }, 'mode: must be one of ok, slow, hang, hang-after, status, reset,'],
    [{ mode: 'slow' }, 'delayMs: must be a whole number'],
    [{ mode: 'status', status: 1_000 }, 'status: must be a whole number from 200 to 599'],
    [{ mode: 'gate', register: 'now' }, 'register: must be "before" or "after"'],
    [{ mode: 'hang', delayMs: 1 }, 'delayMs: unknown; mode hang takes: times, paths, stores'],
    [{ mode: 'hang', paths: ['/other'] }, 'paths: must be a list of /auth, /order, /cancel-order'],
    [{ mode: 'down' }, 'seconds: must be'],
  ])('refuses %j and says why', async (body, message) => {
    expect(await put(body)).toEqual([400, refused(100, expect.stringContaining(message))]);
    expect(pos.behaviour).toEqual({ mode: 'ok' });
  });

  it('releases what the gate holds', async () => {
    await put({ mode: 'gate', register: 'after' });
    const pending = order();
    await pos.when(() => pos.waiting === 1);
    expect(await answer(await call('/simulator/release'))).toEqual([200, { released: 1 }]);
    expect((await pending)[0]).toBe(200);
  });

  it('down: refuses connections for so many seconds', async () => {
    expect(await put({ mode: 'down', seconds: 1 })).toEqual([200, { mode: 'down', seconds: 1 }]);
    await pos.when(() => !pos.isUp);
    await expect(call('/auth')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await pos.when(() => pos.isUp);
    expect((await order())[0]).toBe(200);
  });
});

describe('ticket', () => {
  it('shows an order at a glance, 42 columns wide', () => {
    expect(renderTicket(anOrder()).split('\n')).toEqual([
      '┌────────────────────────────────────────┐',
      '│ Store 0042                             │',
      '│ Order T-1                              │',
      '│ 2026-02-03 14:05:00 UTC                │',
      '├────────────────────────────────────────┤',
      '│ Pão de queijo                          │',
      '│   2 x 5.50                       11.00 │',
      '│ Feijoada                               │',
      '│   0.4 x 32.50                    13.00 │',
      '├────────────────────────────────────────┤',
      '│ Discount                         -1.05 │',
      '│ Surcharge                        +0.50 │',
      '│ TOTAL                            23.45 │',
      '├────────────────────────────────────────┤',
      '│ DIN                              20.00 │',
      '│ CRE                               3.45 │',
      '└────────────────────────────────────────┘',
    ]);
  });

  it('wraps long names and shows control characters as ?', () => {
    const name = `\u001b[31m${'a rather long name '.repeat(3)}${'x'.repeat(50)}`;
    const items = [{ integration_code: 'A', desc_item: name, quantity: 1, unit_price: 24 }];
    const ticket = renderTicket(anOrder({ items }));
    expect(new Set(ticket.split('\n').map((line) => line.length))).toEqual(new Set([42]));
    expect(ticket).not.toContain('\u001b');
    expect(ticket).toContain('│ ?[31ma rather long name a rather long  │');
  });

  it('colours when asked to, without changing the text', () => {
    const coloured = renderTicket(anOrder(), { colour: true });
    expect(coloured).toContain('\u001b[1m');
    const plain = ['\u001b[0m', '\u001b[1m', '\u001b[2m'].reduce((text, style) => text.replaceAll(style, ''), coloured);
    expect(plain).toBe(renderTicket(anOrder()));
  });
});

describe('the question for an order', () => {
  it('says 200 of an order that it accepted, cancelled or not, and 404 of any other', async () => {
    await open();
    await order({ order_id: 'a/b ä' });
    const path = `/order/${encodeURIComponent('a/b ä')}`;
    const told = { order_id: 'a/b ä', cod_store: '0042' };
    expect(await lookUp(path)).toEqual([200, { ...told, status: 'ACCEPTED' }]);
    expect(await lookUp(`${path}?cod_store=0042`)).toEqual([200, { ...told, status: 'ACCEPTED' }]);
    expect(await lookUp(`${path}?cod_store=0043`)).toEqual([404, refused(404)]);
    expect(await lookUp('/order/other')).toEqual([404, refused(404)]);
    await cancel({ order_id: 'a/b ä', cod_store: '0042' });
    expect(await lookUp(path)).toEqual([200, { ...told, status: 'CANCELLED' }]);
    expect(pos).toMatchObject({ lookupCalls: 5, orderCalls: 1, cancelCalls: 1 });
    expect(pos.requests.at(-1)).toMatchObject({ method: 'GET', path, body: undefined });
  });

  it('takes a GET with credentials and a token, nothing else', async () => {
    await open();
    expect(await lookUp('/order/T-1', { method: 'POST' })).toEqual([405, refused(405)]);
    expect(await lookUp('/order/T-1', { headers: {} })).toEqual([401, refused(901)]);
    expect(await lookUp('/order/T-1', { headers: CREDENTIALS })).toEqual([401, refused(902)]);
  });

  it('in-progress: so it says of an order that it has, and of one that it has not; orders are taken as ever', async () => {
    await open();
    pos.behave({ mode: 'in-progress', times: 2 });
    expect(await order()).toEqual([200, { orderId: 'T-1', status: 'ACCEPTED' }]);
    for (const id of ['T-1', 'T-2']) expect(await lookUp(`/order/${id}`)).toEqual([200, { status: 'IN_PROGRESS' }]);
    expect(await lookUp('/order/T-2')).toEqual([404, refused(404)]);
  });

  it('misbehaves when told so by its path or its store, and orders do not', async () => {
    await open();
    pos.behave({ mode: 'status', status: 503, paths: ['/order/{order_id}'] });
    expect(await order()).toEqual([200, expect.anything()]);
    expect(await lookUp('/order/T-1')).toEqual([503, refused(503)]);
    pos.behave({ mode: 'in-progress', stores: ['0042'] });
    expect(await lookUp('/order/T-1?cod_store=0042')).toEqual([200, { status: 'IN_PROGRESS' }]);
    expect(await lookUp('/order/T-1?cod_store=0043')).toEqual([404, refused(404)]);
  });
});

describe('the command', () => {
  it('names every misbehaviour in its help, with the fields it takes', () => {
    for (const mode of Object.keys(MISBEHAVIOURS)) expect(HELP).toMatch(new RegExp(`^  ${mode} `, 'm'));
    expect(HELP).toMatch(/^ {2}status .*\n +status, errorCode\?, message\?, retryAfter\?$/m);
  });

  it('refuses what it does not know in one line', () => {
    expect(readOptions(['--store', '1', '--store', '2'])).toMatchObject({ port: 4010, store: ['1', '2'] });
    expect(() => readOptions(['--prot', '1'])).toThrow("Unknown option '--prot'; try --help");
    expect(() => readOptions(['--port', '65536'])).toThrow('--port must be at most 65535');
  });
});

it('adds amounts up exactly and rounds once', () => {
  expect(sumCents([])).toBe(0n);
  expect(sumCents([0.1, 0.2])).toBe(30n);
  expect(sumCents([0.005, 0.005, 1e-7])).toBe(1n);
});
