import { FORMS } from '../../tools/simulator/answer-forms.js';
import type { Behaviour } from '../../tools/simulator/behaviour.js';
import { anOrder, answer, CREDENTIALS, open, refused } from './simulator-client.js';

/** A simulator with this behaviour. */
async function misbehaving(behaviour: Behaviour) {
  const opened = await open();
  opened.pos.behave(behaviour);
  return opened;
}

/** Sends an order and aborts the request once `predicate` holds. */
async function abandonOrder({ send, pos }: Awaited<ReturnType<typeof open>>, predicate: () => boolean): Promise<void> {
  const giveUp = new AbortController();
  const rejected = expect(send('/order', anOrder(), { signal: giveUp.signal })).rejects.toThrow();
  await pos.when(predicate);
  giveUp.abort();
  await rejected;
}

describe('misbehaviour', () => {
  test('slow: registers at once, answers late', async () => {
    const { order, pos } = await misbehaving({ mode: 'slow', delayMs: 100 });
    let answered = false;
    const pending = order().finally(() => {
      answered = true;
    });
    await pos.when(() => pos.orders.has('T-1'));
    expect(answered).toBe(false);
    expect((await pending)[0]).toBe(200);
    expect(Date.now() - Number(pos.requests.at(-1)?.at)).toBeGreaterThanOrEqual(99);
  });

  test('hang: takes the request, registers nothing; hang-after: registers, never answers', async () => {
    const opened = await misbehaving({ mode: 'hang' });
    const { pos } = opened;
    await abandonOrder(opened, () => pos.orderCalls === 1 && pos.requests.at(-1)?.path === '/order');
    expect(pos.orders.size).toBe(0);
    pos.behave({ mode: 'hang-after' });
    await abandonOrder(opened, () => pos.orders.has('T-1'));
  });

  // test/outbox/answers.spec.ts shows the answers
  test.each<[Behaviour, registered: number]>([
    [{ mode: 'status', status: 503 }, 0],
    [{ mode: 'status', status: 201 }, 1],
    [{ mode: 'reset' }, 0],
    [{ mode: 'reset-after' }, 1],
    [{ mode: 'html', status: 502 }, 0],
    [{ mode: 'redirect', location: 'http://elsewhere.example/' }, 0],
    [{ mode: 'truncated', status: 200 }, 1],
    [{ mode: 'truncated', status: 500 }, 0],
    [{ mode: 'trickle', everyMs: 1 }, 1],
    [{ mode: 'huge', status: 500, bytes: 1_000_000 }, 0],
  ])('%j: %i registered', async (behaviour, registered) => {
    const { send, pos } = await misbehaving(behaviour);
    await send('/order', anOrder())
      .then(({ body }) => body?.cancel())
      .catch(() => {});
    expect([pos.orderCalls, pos.orders.size]).toEqual([1, registered]);
  });

  test('any-form: registers; the answers are compressed, in UTF-16 and so on, in turn', async () => {
    const { send, pos } = await misbehaving({ mode: 'any-form' });
    const encodings = new Set<string | null>();
    for (const _ of Object.keys(FORMS)) {
      const answered = await send('/order', anOrder()).catch(() => undefined);
      await answered?.body?.cancel().catch(() => {});
      encodings.add(answered?.headers.get('content-encoding') ?? null);
    }
    expect(pos.orders.size).toBe(1);
    expect([...encodings]).toEqual(expect.arrayContaining([null, 'gzip', 'br', 'deflate']));
  });

  test("echo-secret: repeats the caller's secret and token", async () => {
    const { call, signedIn } = await misbehaving({ mode: 'echo-secret' });
    const headers = await signedIn();
    const [status, body] = await answer(await call('/order', { headers, body: '{}' }));
    expect(status).toBe(400);
    for (const secret of ['demo-secret', headers.authorization?.slice('Bearer '.length)])
      expect(JSON.stringify(body)).toContain(secret);
  });

  test.each([
    ['before', 1],
    ['after', 0],
  ] as const)('gate: holds the answer, and registers %s the wait', async (register, registered) => {
    const opened = await misbehaving({ mode: 'gate', register });
    const { order, pos } = opened;
    const pending = order();
    await pos.when(() => pos.waiting === 1);
    expect(pos.orders.size).toBe(registered);
    pos.release();
    expect((await pending)[0]).toBe(200);
    expect([pos.orders.size, pos.waiting]).toEqual([1, 0]);
  });

  test('times: applies to that number of calls', async () => {
    const { order, pos } = await misbehaving({ mode: 'status', status: 500, times: 2 });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await order())[0]);
    expect([statuses, pos.behaviour]).toEqual([[500, 500, 200], { mode: 'ok' }]);
  });

  test.each<[Behaviour, auth: number, order: number, cancel: number, lookUp: number]>([
    [{ mode: 'status', status: 500, paths: ['/auth'] }, 500, 200, 200, 200],
    [{ mode: 'status', status: 500, paths: ['/cancel-order'] }, 200, 200, 500, 200],
    [{ mode: 'status', status: 503, paths: ['/order/{order_id}'] }, 200, 200, 200, 503],
    [{ mode: 'status', status: 500, stores: ['0042'] }, 200, 500, 500, 404],
  ])('%j: applies to these calls only', async (behaviour, ...statuses) => {
    const { call, signedIn, pos } = await open();
    const headers = await signedIn();
    pos.behave(behaviour);
    const body = JSON.stringify(anOrder());
    const auth = await call('/auth', { headers: CREDENTIALS });
    const order = await call('/order', { headers, body });
    const lookUp = await call('/order/T-1?cod_store=0042', { method: 'GET', headers });
    const cancel = await call('/cancel-order', { headers, body });
    expect([auth.status, order.status, cancel.status, lookUp.status]).toEqual(statuses);
  });

  test('down: refuses connections and drops open ones; up: the same port, the same orders', async () => {
    const { order, call, pos } = await open();
    await order();
    pos.behave({ mode: 'gate', register: 'after' });
    const dropped = expect(order({ order_id: 'T-2' })).rejects.toThrow();
    await pos.when(() => pos.waiting === 1);
    const { url } = pos;
    await pos.down();
    await dropped;
    await expect(call('/auth')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    pos.behave({ mode: 'ok' });
    await pos.up();
    await Promise.all([pos.down(), pos.down(), pos.up()]);
    expect(pos.url).toBe(url);
    expect(await order()).toEqual([400, refused(904)]);
    expect([...pos.orders.keys()]).toEqual(['T-1']);
  });
});

test('an unknown path: 404; a wrong method: 405; without `control`, no control over HTTP', async () => {
  const { call } = await open();
  const asked = [call('/other'), call('/order', { method: 'GET' }), call('/simulator/orders', { method: 'GET' })];
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 405, 404]);
});

describe('control over HTTP', () => {
  async function controlled() {
    const opened = await open({ control: true });
    const put = async (body: unknown) =>
      answer(await opened.call('/simulator/behaviour', { method: 'PUT', body: JSON.stringify(body) }));
    const get = async (path: string) => answer(await opened.call(path, { method: 'GET' }));
    return { ...opened, put, get };
  }

  test('lists the orders, sets and shows the behaviour, and releases the calls that the gate holds', async () => {
    const { order, put, get, call, pos } = await controlled();
    await order();
    expect(await get('/simulator/orders')).toMatchObject([200, { orders: [{ order: anOrder(), cooked: 1 }] }]);
    const behaviour = { mode: 'status', status: 503, times: 2, paths: ['/order'], stores: ['0042'] };
    expect(await put(behaviour)).toEqual([200, behaviour]);
    expect(await get('/simulator/behaviour')).toEqual([200, behaviour]);
    expect((await order())[0]).toBe(503);
    await put({ mode: 'gate', register: 'after' });
    const pending = order({ order_id: 'T-2' });
    await pos.when(() => pos.waiting === 1);
    expect(await answer(await call('/simulator/release'))).toEqual([200, { released: 1 }]);
    expect((await pending)[0]).toBe(200);
  });

  test('another behaviour is refused with the reason', async () => {
    const { put, pos } = await controlled();
    for (const [body, reason] of [
      [[], 'body: must be a JSON object'],
      [{ mode: 'sleepy' }, 'mode: must be one of ok, slow, hang, hang-after, status, reset,'],
      [{ mode: 'slow' }, 'delayMs: must be a whole number'],
      [{ mode: 'hang', delayMs: 1 }, 'delayMs: unknown; mode hang takes: times, paths, stores'],
      [{ mode: 'hang', paths: ['/other'] }, 'paths: must be a list of /auth, /order, /cancel-order'],
    ])
      expect(await put(body)).toEqual([400, refused(100, expect.stringContaining(reason as string))]);
    expect(pos.behaviour).toEqual({ mode: 'ok' });
  });
});
