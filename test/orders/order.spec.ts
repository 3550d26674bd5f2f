import { randomUUID } from 'node:crypto';
import { bytesRead } from '../support/bytes-read.js';
import { sale } from '../support/client.js';
import { ADMIN, OWN, PARTNER, TERMINAL_TOKEN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';

describe('GET /restaurants/:id/orders/:transactionKey (R4)', () => {
  const scenario = Scenario.ofSuite({ POS_ORDER_EXTRA: '{"order_method":{"mode":"TICKET"}}' });
  let stores = 0;

  afterEach(() => scenario.pos.behave({ mode: 'ok' }));

  /** A new restaurant, and its orders one by one. */
  async function restaurant() {
    const code = `STORE-${++stores}`;
    const { id, token, sell } = await scenario.restaurant(code);
    const path = (key: string) => `/restaurants/${id}/orders/${encodeURIComponent(key)}`;
    const order = async (jobId: string) => {
      const { body } = await scenario.api.get(path(await scenario.keyOf(jobId)), token).expect(200);
      return body;
    };
    return { id, code, token, path, sell, order };
  }

  test.each(['.', '..'])(
    'a key of "%s", which clients drop from a path: opened and cancelled by ?key=',
    async (key) => {
      const { id, token, sell } = await restaurant();
      await sell({ transactionKey: key });
      const path = `/restaurants/${id}/orders/key`;
      const { body } = await scenario.api.get(`${path}?key=${key}`, token).expect(200);
      expect(body.transactionKey).toBe(key);
      await scenario.api.post(`${path}/cancel?key=${key}`, token).expect(202);
    },
  );

  describe('the event', () => {
    test('as it was received, with unknown fields', async () => {
      const { code, sell, order } = await restaurant();
      const sent = sale({ storeCode: code, waiter: { name: 'João', tables: [4, 7] }, note: null, tip: 1.1 });
      const got = await order(await sell(sent));
      expect(got.event).toEqual(sent);
      expect(got).toMatchObject({ transactionKey: sent.transactionKey, sourceKey: sent.transactionKey, test: false });
      expect(got.receivedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    test('in test mode: stored under the key with its suffix, the key as sent beside it', async () => {
      const { sell, order } = await restaurant();
      const key = `T-${randomUUID()}`;
      const got = await order(await sell({ transactionKey: key, isTestTransaction: true }));
      expect(got).toMatchObject({ sourceKey: key, test: true, event: { transactionKey: key } });
      expect(got.transactionKey).toMatch(new RegExp(`^${key}-\\d{13}$`));
      expect(got.order.order_id).toBe(got.transactionKey);
    });

    test('without the credentials that came in its body', async () => {
      const { token } = await restaurant();
      const id = await scenario.relay.createRestaurant({ name: 'Body', codeStoreTerminal: 'BODY', codeStorePos: '1' });
      const sent = sale({ storeCode: 'BODY' });
      const { body } = await scenario.relay.http
        .post('/webhooks/terminal')
        .send({ ...sent, ...ADMIN })
        .expect(200);
      const key = await scenario.keyOf(body.jobId);
      const answer = await scenario.api
        .get(`/restaurants/${id}/orders/${key}`, await scenario.relay.login())
        .expect(200);
      expect(answer.body.event).toEqual(sent);
      expect(answer.text).not.toContain(ADMIN.password);
      await scenario.api.get(`/restaurants/${id}/orders/${key}`, token).expect(403);
    });

    test.each([
      [80, 20],
      [79.8, null],
      [79, -80],
      ['many', null],
    ])('a totalAmount of %p differs from what was paid by %p cents', async (totalAmount, cents) => {
      const { sell, order } = await restaurant();
      expect((await order(await sell({ totalAmount }))).amountMismatchCents).toBe(cents);
    });
  });

  describe('the order', () => {
    const items = [
      { itemCode: 'PZ', itemName: 'Pizza', quantity: 2, price: 10 },
      { itemCode: 'AG', itemName: 'Água', quantity: 0.5, price: 3.33 },
    ];

    test.each([
      ['exact', [21.67], { total_amount: 21.67, total_discount: 0, total_increase: 0 }],
      ['paid less', [20], { total_amount: 20, total_discount: 1.67, total_increase: 0 }],
      ['free', [], { total_amount: 0, total_discount: 21.67, total_increase: 0 }],
      ['paid more', [20, 5], { total_amount: 25, total_discount: 0, total_increase: 3.33 }],
    ])('%s: total, discount, increase, payments; it is what the POS gets', async (_, amounts, totals) => {
      const { sell, order } = await restaurant();
      const payments = amounts.map((amount, i) => ({ tenderType: i === 0 ? 16 : 1, amount }));
      const jobId = await sell({ items, payments, totalAmount: totals.total_amount });
      const { order: shown, unmappable } = await order(jobId);
      expect(unmappable).toBeNull();
      expect(shown).toEqual({
        ...totals,
        order_id: await scenario.keyOf(jobId),
        cod_store: '1001',
        created_at: '2026-01-31T20:15:00.000Z',
        order_method: { mode: 'TICKET' },
        items: [
          { integration_code: 'PZ', desc_item: 'Pizza', quantity: 2, unit_price: 10 },
          { integration_code: 'AG', desc_item: 'Água', quantity: 0.5, unit_price: 3.33 },
        ],
        payment_types: amounts.map((amount, i) => ({ code: i === 0 ? 'CRE' : 'DIN', amount })),
      });
      await scenario.settle(jobId, 'SENT');
      expect(scenario.pos.orders.get(shown.order_id)?.order).toEqual(shown);
    });

    describe('is what was sent, after any change of settings (O19)', () => {
      test('after the delivery the settings change', async () => {
        const { id, token, sell, order } = await restaurant();
        const jobId = await sell({ items });
        expect(await order(jobId)).toMatchObject({ sent: false, order: { cod_store: '1001' } });
        await scenario.settle(jobId, 'SENT');
        await scenario.api.patch(`/restaurants/${id}`, token, { codeStorePos: '2002' }).expect(200);
        const got = await order(jobId);
        expect(got).toMatchObject({ sent: true, unmappable: null, order: { cod_store: '1001' } });
        expect(JSON.stringify(got.order)).toBe(
          JSON.stringify(scenario.pos.orders.get(await scenario.keyOf(jobId))?.order),
        );
        await scenario.api.patch(`/restaurants/${id}`, token, { codeStorePos: null }).expect(200);
        expect(await order(jobId)).toEqual(got);
      });

      test('of several attempts, the last body that was sent; an unchanged body is stored once', async () => {
        const { id, token, sell, order } = await restaurant();
        const jobId = await sell({ items });
        await scenario.settle(jobId, 'FAILED');
        for (const codeStorePos of ['1001', '2002', null]) {
          await scenario.api.patch(`/restaurants/${id}`, token, { codeStorePos }).expect(200);
          await scenario.settle(jobId, 'FAILED');
        }
        const rows = await scenario.database.query(
          `SELECT sent_body->>'cod_store' AS store, http_status FROM delivery_attempts WHERE job_id = $1 ORDER BY number`,
          [jobId],
        );
        expect(rows).toEqual([
          { store: '1001', http_status: 503 },
          { store: null, http_status: 503 },
          { store: '2002', http_status: 503 },
          { store: null, http_status: null },
        ]);
        expect(await order(jobId)).toMatchObject({ sent: true, unmappable: null, order: { cod_store: '2002' } });
      });

      test('of 600 attempts with large bodies, the newest 500 are listed, and one body is read', async () => {
        const { sell, order } = await restaurant();
        const jobId = await sell({ items });
        await scenario.database.query(
          `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach, sent_body)
           SELECT gen_random_uuid(), $1, number, now() + number * interval '1 second', 1, 'FAILED', 'ANSWERED',
                  json_build_object('cod_store', number::text, 'note', repeat('x', 200000))
           FROM generate_series(1, 600) AS number`,
          [jobId],
        );
        let got = await order(jobId);
        const read = await bytesRead(async () => {
          got = await order(jobId);
        });
        expect(read).toBeGreaterThan(200_000);
        expect(read).toBeLessThan(2 * 200_000);
        expect(got.order.cod_store).toBe('600');
        expect(got.jobs[0].history.map(({ number }: { number: number }) => number)).toEqual(
          Array.from({ length: 500 }, (_, i) => i + 101),
        );
        await scenario.database.query('DELETE FROM delivery_attempts WHERE job_id = $1', [jobId]);
      });

      test('a request that never left is not shown as sent', async () => {
        const { sell, order } = await restaurant();
        const jobId = await sell({ items });
        await scenario.pos.down();
        await scenario.relay.tick();
        await scenario.pos.up();
        expect(await order(jobId)).toMatchObject({ sent: false, order: { cod_store: '1001' } });
      });

      test('the body that was sent is in no log line and in no history', async () => {
        const { sell, order } = await restaurant();
        const jobId = await scenario.settle(await sell({ items: [{ ...items[0], itemName: 'secret-dish' }] }), 'SENT');
        expect(JSON.stringify(scenario.relay.logged)).not.toContain('secret-dish');
        expect(JSON.stringify((await order(jobId)).jobs)).not.toContain('secret-dish');
      });
    });

    test.each([
      ['items[1].price', { items: [items[0], { ...items[1], price: '3.33' }] }],
      ['items[0].quantity', { items: [{ ...items[0], quantity: null }] }],
      ['totalAmount', { payments: [{ tenderType: 1, amount: -5 }], totalAmount: -5 }],
      ['items', { items: [] }],
      ['payments', { payments: [], totalAmount: 5 }],
      ['payments[0].amount', { payments: [{ tenderType: 1, amount: 1e10 }] }],
    ])('that cannot be mapped: no order, and the field at fault: %s', async (field, changes) => {
      const { sell, order } = await restaurant();
      const jobId = await sell(changes);
      const got = await order(jobId);
      expect(got.order).toBeNull();
      expect(got.unmappable.split(':')[0]).toBe(field);
      await scenario.relay.tick();
      expect((await order(jobId)).jobs[0]).toMatchObject({
        status: 'DLQ',
        lastError: `cannot be mapped: ${got.unmappable}`,
      });
    });
  });

  describe('its jobs', () => {
    test('before the first attempt: one CREATE, due, without a history', async () => {
      const { sell, order } = await restaurant();
      const id = await sell();
      const { jobs } = await order(id);
      expect(jobs).toMatchObject([
        { id, action: 'CREATE', status: 'PENDING', attempts: 0, cause: null, lastError: null, history: [] },
      ]);
      expect(jobs[0].nextRunAt).toEqual(expect.any(String));
    });

    test('every attempt, oldest first: status, error code, text, reach', async () => {
      const { sell, order } = await restaurant();
      const jobId = await sell();
      // the first worker dies: the earliest attempt
      await scenario.jobs.take(jobId);
      await scenario.jobs.ageLease(jobId, 200_000);
      await scenario.relay.reap();
      await scenario.settle(jobId, 'FAILED', 'kitchen on fire');
      scenario.pos.behave({ mode: 'reset-after' });
      await scenario.jobs.makeDue(jobId);
      await scenario.relay.tick();
      await scenario.settle(jobId, 'DLQ', 'unknown product “ñ”');
      const [job] = (await order(jobId)).jobs;
      expect(job).toMatchObject({ status: 'DLQ', attempts: 4, nextRunAt: null });
      expect(job.lastError).toBe('HTTP 422, POS error 310: unknown product “ñ”');
      const attempt = { startedAt: expect.stringMatching(/Z$/), durationMs: expect.any(Number) };
      const unanswered = { ...attempt, httpStatus: null, reach: 'UNKNOWN' };
      const answered = { ...attempt, errorCode: '310', reach: 'ANSWERED' };
      const lost = expect.stringMatching(/^lease of worker-7\/.* expired$/);
      const reset = expect.stringMatching(/^no answer from the POS: ECONNRESET/);
      const fire = 'HTTP 503, POS error 310: kitchen on fire';
      expect(job.history).toEqual([
        { ...unanswered, number: 1, outcome: 'LOST', errorCode: null, cause: 'lost', error: lost },
        { ...answered, number: 2, outcome: 'FAILED', httpStatus: 503, cause: 'failing', error: fire },
        { ...unanswered, number: 3, outcome: 'FAILED', errorCode: 'ECONNRESET', cause: 'unanswered', error: reset },
        { ...answered, number: 4, outcome: 'DLQ', httpStatus: 422, cause: 'refused', error: job.lastError },
      ]);
    });

    test('the CANCEL beside the CREATE it withdrew', async () => {
      const { id, token, sell, order } = await restaurant();
      const jobId = await sell();
      const { body } = await scenario.cancel(id, await scenario.keyOf(jobId), token).expect(202);
      expect((await order(jobId)).jobs).toMatchObject([
        {
          id: jobId,
          action: 'CREATE',
          status: 'DLQ',
          withdrawn: true,
          lastError: 'withdrawn: order cancelled before it was sent',
        },
        { id: body.data.jobId, action: 'CANCEL', status: 'PENDING', withdrawn: false },
      ]);
      await scenario.relay.tick();
      expect((await order(jobId)).jobs[1]).toMatchObject({
        status: 'SENT',
        attempts: 1,
        history: [{ outcome: 'SENT', reach: 'NOT_SENT' }],
      });
    });
  });

  test.each([
    ['slashes', '/a//b/../c/cancel'],
    ['spaces', ' Mesa 4 – conta 2 '],
    ['percent signs', '100%25%2F%'],
    ['characters that are special in a URL', '?a=b&c#d;e+f:g@h'],
    ['unicode', 'São João 🍕 الطلب ١'],
    ['quotes', `'"\`\\--`],
    ['255 characters', 'k'.repeat(255)],
    ['255 characters of four bytes', '🍕'.repeat(255)],
    ['the name of a route', 'cancel'],
  ])('a key with %s, percent-encoded, is the key that was sent; it can be cancelled', async (_, transactionKey) => {
    const { id, token, sell, order } = await restaurant();
    const jobId = await sell({ transactionKey });
    expect(await order(jobId)).toMatchObject({ transactionKey, event: { transactionKey }, jobs: [{ id: jobId }] });
    await scenario.cancel(id, transactionKey, token).expect(202);
    expect((await order(jobId)).jobs).toHaveLength(2);
  });

  test.each(['%', '%zz', '%ED%A0%80', '%00'])('a key that cannot be decoded or stored is a 400: %s', async (key) => {
    const { id, token } = await restaurant();
    await scenario.api.get(`/restaurants/${id}/orders/${key}`, token).expect(400);
  });

  test('no secret is in a list or a detail, whatever the POS answered', async () => {
    const { id, token, path, sell } = await restaurant();
    await scenario.api.patch(`/restaurants/${id}`, token, OWN).expect(200);
    const jobId = await sell();
    scenario.pos.behave({ mode: 'echo-secret' });
    await scenario.relay.tick();
    const { headers } = scenario.pos.requests.findLast(({ path: called }) => called === '/order') ?? {};
    const posToken = String(headers?.authorization).replace('Bearer ', '');
    for (const address of [path(await scenario.keyOf(jobId)), `/restaurants/${id}/orders`]) {
      const { text } = await scenario.api.get(address, token).expect(200);
      expect(text).toContain('[secret]');
      for (const secret of [OWN.posSecret, posToken, PARTNER.secret, TERMINAL_TOKEN])
        expect(text).not.toContain(secret);
      for (const internal of ['lockedBy', 'processingAt', 'passwordHash', 'posSecret', 'posIdPartner'])
        expect(text).not.toContain(internal);
    }
  });

  test('a caller who is no longer MANAGER cannot cancel with an earlier token', async () => {
    const { id, sell } = await restaurant();
    const manager = await scenario.staff(id, 'MANAGER');
    await scenario.database.query(`UPDATE user_restaurants SET role = 'VIEWER' WHERE user_id = $1`, [manager.id]);
    await scenario.cancel(id, await scenario.keyOf(await sell()), manager.token).expect(403);
  });

  test("another restaurant's key, a test key as sent, and an unknown key: the same 404, also for a cancel", async () => {
    const [ours, theirs] = [await restaurant(), await restaurant()];
    const source = `T-${randomUUID()}`;
    await ours.sell({ transactionKey: source, isTestTransaction: true });
    const keys = [await scenario.keyOf(await theirs.sell()), source, 'nobody'];
    for (const key of keys) {
      const { body } = await scenario.api.get(ours.path(key), ours.token).expect(404);
      expect(body).toMatchObject({ code: 'NOT_FOUND', message: 'this restaurant has no such order' });
      await scenario.cancel(ours.id, key, ours.token).expect(404);
    }
  });
});
