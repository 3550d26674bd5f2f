import { loadConfig } from '../../../src/platform/config/config.js';
import { TestRelay } from '../../support/relay.js';
import { type Caller, Scenario } from '../../support/scenario.js';

interface Sent {
  readonly items: readonly { readonly integration_code: string; readonly desc_item: string }[];
}

const items = (...codes: (string | number | undefined)[]) =>
  codes.map((itemCode) => ({ itemCode, itemName: 'Coffee', quantity: 1, price: 10 }));

describe('the codes of a restaurant at its POS', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });
  let id: string;
  let owner: Caller;
  let sell: (changes?: object) => Promise<string>;
  let stores = 0;

  beforeEach(async () => {
    ({ id, owner, sell } = await scenario.restaurant(`CODES-${++stores}`));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
  });

  const codePath = (kind: string, code: string) => `/restaurants/${id}/codes/${kind}/${encodeURIComponent(code)}`;
  const put = (kind: string, code: string, body: object, { token } = owner) =>
    scenario.api.put(codePath(kind, code), token, body);
  const remove = (kind: string, code: string, { token } = owner) => scenario.api.delete(codePath(kind, code), token);
  const get = async (path: string, { token } = owner) =>
    (await scenario.api.get(`/restaurants/${id}${path}`, token).expect(200)).body;
  const codes = async () =>
    (await get('/codes')).data.map(({ kind, terminalCode, posCode, name }: Record<string, unknown>) => [
      ...[kind, terminalCode, posCode, name],
    ]);
  const entries = async (action: string) => (await get(`/audit?action=${action}`)).data;
  const bodyOf = async (job: string) => scenario.pos.orders.get(await scenario.keyOf(job))?.order as unknown as Sent;
  const delivered = async (job: string) => {
    await scenario.settle(job, 'SENT');
    return (await bodyOf(job)).items.map(({ integration_code }) => integration_code);
  };
  const refused = async (message: string, ...of: (string | number | undefined)[]) =>
    scenario.settle(await sell({ items: items(...of) }), 'DLQ', message);
  const mapPath = async (job: string) =>
    `/restaurants/${id}/orders/${encodeURIComponent(await scenario.keyOf(job))}/map`;
  const map = async (job: string, body: object, { token } = owner) =>
    scenario.api.post(await mapPath(job), token, body);
  const statusOf = async (job: string) => (await scenario.jobs.get(job)).status;

  test('a code is set, changed, listed and removed; each change is audited, and one that changes nothing is not (I7)', async () => {
    const { status, body } = await put('ITEM', 'A', { posCode: ' P-1 ' });
    expect([status, body]).toEqual([
      201,
      {
        message: 'the code is set: it holds for the next order',
        data: {
          ...{ kind: 'ITEM', terminalCode: 'A', posCode: 'P-1', name: null },
          changedBy: expect.any(String),
          changedAt: expect.any(String),
        },
      },
    ]);
    expect((await put('ITEM', 'A', { posCode: 'P-2', name: 'Espresso' })).status).toBe(200);
    expect((await put('ITEM', 'A', { posCode: 'P-2', name: 'Espresso' })).status).toBe(200);
    expect((await put('TENDER', '16|VISA', { posCode: 'VIS' })).status).toBe(201);
    expect(await codes()).toEqual([
      ['ITEM', 'A', 'P-2', 'Espresso'],
      ['TENDER', '16|VISA', 'VIS', null],
    ]);
    expect((await get('/codes?kind=TENDER')).data).toHaveLength(1);
    expect(await entries('code.set')).toMatchObject([
      { target: '16|VISA', details: { kind: 'TENDER', posCode: 'VIS' } },
      { target: 'A', details: { kind: 'ITEM', posCode: 'P-2' } },
      { target: 'A', details: { kind: 'ITEM', posCode: 'P-1' } },
    ]);
    await remove('ITEM', 'A').expect(200);
    await remove('ITEM', 'A').expect(404);
    expect(await codes()).toEqual([['TENDER', '16|VISA', 'VIS', null]]);
    expect(await entries('code.removed')).toMatchObject([{ target: 'A', details: { kind: 'ITEM' } }]);
    const [row] = await scenario.database.query(`SELECT codes_version FROM restaurants WHERE id = $1`, [id]);
    expect(row).toEqual({ codes_version: 4 });
  });

  test.each(['a/b', 'ção 🍕', '%2F', ' spaced ', 'ünï|côdé', 'a?b#c'])('the code %j in a path (I7)', async (code) => {
    await put('ITEM', code, { posCode: 'P' }).expect(201);
    expect(await codes()).toEqual([['ITEM', code, 'P', null]]);
    expect(await delivered(await sell({ items: items(code) }))).toEqual(['P']);
    await remove('ITEM', code).expect(200);
  });

  test.each(['.', '..'])('the code %j, which no path can carry, in the query (I7)', async (code) => {
    const path = `/restaurants/${id}/codes/ITEM/code?code=${encodeURIComponent(code)}`;
    await scenario.api.put(path, owner.token, { posCode: 'P' }).expect(201);
    expect(await codes()).toEqual([['ITEM', code, 'P', null]]);
    await scenario.api.delete(path, owner.token).expect(200);
  });

  test.each([
    ['ITEM', 'A', {}, 'posCode must'],
    ['ITEM', 'A', { posCode: '' }, 'posCode must'],
    ['ITEM', 'A', { posCode: 'x'.repeat(256) }, 'posCode must'],
    ['ITEM', 'A', { posCode: 'a\u0000b' }, 'posCode must'],
    ['ITEM', 'A', { posCode: 'a\u202eb' }, 'posCode must'],
    ['ITEM', 'A', { posCode: 7 }, 'posCode must'],
    ['ITEM', 'A', { posCode: 'P', name: '' }, 'name must'],
    ['ITEM', 'A', { posCode: 'P', colour: 'red' }, 'colour'],
    ['ITEM', 'x'.repeat(256), { posCode: 'P' }, 'terminalCode must be a code of the terminal: 1 to 255 characters'],
    ['ITEM', 'a\u0000b', { posCode: 'P' }, 'terminalCode must'],
    ['item', 'A', { posCode: 'P' }, 'kind must be one of: ITEM, TENDER'],
  ] as const)('%s %j %j: 400, %s (I7, L231)', async (kind, code, body, message) => {
    const answer = await put(kind, code, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(answer.body.message).toContainEqual(expect.stringContaining(message));
  });

  test('a restaurant has 5,000 codes of each kind at most; one that it has is changed all the same (I7, L230)', async () => {
    await scenario.database.query(
      `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code)
       SELECT $1, 'ITEM', 'N' || n, 'P' FROM generate_series(1, 4999) AS n`,
      [id],
    );
    await put('ITEM', 'A', { posCode: 'P' }).expect(201);
    expect(await put('ITEM', 'B', { posCode: 'P' })).toMatchObject({ status: 409, body: { code: 'TOO_MANY_CODES' } });
    await put('ITEM', 'A', { posCode: 'Q' }).expect(200);
    await put('TENDER', '16', { posCode: 'P' }).expect(201);
    expect((await get('/codes')).data).toHaveLength(5_001);
    expect(await entries('code.set')).toHaveLength(3);
  });

  test.each([
    ['VIEWER', 403, 403, 403],
    ['EMPLOYEE', 403, 403, 403],
    ['MANAGER', 200, 403, 202],
    ['ADMIN', 200, 201, 202],
  ] as const)('%s: reads the codes %i, sets one %i, maps an order %i (I7, I8)', async (role, reads, sets, maps) => {
    const caller = await scenario.staff(id, role);
    expect((await scenario.api.get(`/restaurants/${id}/codes`, caller.token)).status).toBe(reads);
    expect((await put('ITEM', 'A', { posCode: 'P' }, caller)).status).toBe(sets);
    const job = await refused('unknown product B', 'B');
    expect((await map(job, { items: [{ terminalCode: 'B', posCode: 'P' }] }, caller)).status).toBe(maps);
  });

  test('defaultItemCode is set and cleared by PATCH, audited by its name, and sent (I3)', async () => {
    const patch = (defaultItemCode: unknown) =>
      scenario.api.patch(`/restaurants/${id}`, owner.token, { defaultItemCode });
    expect((await patch('MISC').expect(200)).body.data).toMatchObject({ defaultItemCode: 'MISC' });
    expect(await delivered(await sell({ items: items(undefined, 'A') }))).toEqual(['MISC', 'A']);
    await patch('').expect(400);
    await patch('a\nb').expect(400);
    expect((await patch(null).expect(200)).body.data).toMatchObject({ defaultItemCode: null });
    expect(await delivered(await sell({ items: items(undefined, 'A') }))).toEqual(['', 'A']);
    expect(await entries('restaurant.changed')).toMatchObject([
      { details: { fields: ['defaultItemCode'] } },
      { details: { fields: ['defaultItemCode'] } },
    ]);
  });

  test('an order that waits is shown with the codes of now, one that was sent as it was sent (I1, R4)', async () => {
    const sent = await scenario.settle(await sell({ items: items('A') }), 'SENT');
    const waits = await sell({ items: items('A') });
    await put('ITEM', 'A', { posCode: 'P-1' }).expect(201);
    const shown = async (job: string) =>
      (await get(`/orders/${encodeURIComponent(await scenario.keyOf(job))}`)).order.items[0].integration_code;
    expect([await shown(waits), await shown(sent)]).toEqual(['P-1', 'A']);
  });

  describe('map and send again', () => {
    test('sets the codes, sends the order with them, and says how many others have one of them (I8)', async () => {
      const job = await refused('unknown product A', 'A', 'B', 'A', 'C');
      const [same, other] = [await refused('unknown product A', 'A'), await refused('unknown product C', 'C')];
      const body = {
        items: [
          { terminalCode: 'A', posCode: 'P-1', name: 'Espresso' },
          { terminalCode: 'B', posCode: 'B' },
        ],
      };
      const answer = await map(job, body);
      expect([answer.status, answer.body]).toEqual([
        202,
        { message: 'the codes are set, and the order will be sent', data: { jobId: job, saved: 2, others: 1 } },
      ]);
      expect(await codes()).toEqual([
        ['ITEM', 'A', 'P-1', 'Espresso'],
        ['ITEM', 'B', 'B', null],
      ]);
      expect(await scenario.jobs.get(job)).toMatchObject({ status: 'PENDING', attempts: 0 });
      expect(await delivered(job)).toEqual(['P-1', 'B', 'P-1', 'C']);
      expect(await Promise.all([same, other].map(statusOf))).toEqual(['DLQ', 'DLQ']);
      expect(await entries('order.mapped')).toMatchObject([
        {
          actorEmail: owner.email,
          target: await scenario.keyOf(job),
          details: {
            count: 2,
            codes: [
              { terminalCode: 'A', posCode: 'P-1' },
              { terminalCode: 'B', posCode: 'B' },
            ],
          },
        },
      ]);
    });

    test('the others are sent by one call, and orders refused for another code or reason are not (I9)', async () => {
      const same = [await refused('unknown product A', 'A'), await refused('unknown product 7', 7, 'A')];
      const otherCode = await refused('unknown product C', 'C');
      const otherReason = await refused('unknown store', 'A');
      const waits = await scenario.settle(await sell({ items: items('A') }), 'FAILED');
      await put('ITEM', 'A', { posCode: 'P-1' }).expect(201);
      const resend = (body: object) => scenario.api.post(`/restaurants/${id}/resend`, owner.token, body).expect(200);
      expect((await resend({ itemCodes: ['A', 'X'], dryRun: true })).body.data).toEqual({ matched: 2, reset: 0 });
      expect((await resend({ itemCodes: ['X'] })).body.data).toEqual({ matched: 0, reset: 0 });
      expect((await resend({ itemCodes: ['A'], cause: 'unanswered' })).body.data).toEqual({ matched: 0, reset: 0 });
      expect((await resend({ itemCodes: ['A'] })).body.data).toEqual({ matched: 2, reset: 2 });
      expect(await Promise.all([...same, otherCode, otherReason, waits].map(statusOf))).toEqual([
        ...['PENDING', 'PENDING', 'DLQ', 'DLQ', 'FAILED'],
      ]);
    });

    test('the newest refused orders are looked through, until the bound of their number or of their size (I9, L233)', async () => {
      const oldest = await refused('unknown product A', 'A');
      const key = await scenario.keyOf(oldest);
      const copies = (name: string, count: number, more: string) =>
        scenario.database.query(
          `WITH copy AS (SELECT n, '${name}' || n AS key FROM generate_series(1, $2::int) AS n),
           event AS (
             INSERT INTO terminal_events SELECT (jsonb_populate_record(event, jsonb_build_object('transaction_key', key, 'source_key', key) || ${more})).*
             FROM terminal_events event, copy WHERE transaction_key = $1 RETURNING transaction_key)
           INSERT INTO outbox_jobs
           SELECT (jsonb_populate_record(job, jsonb_build_object('id', gen_random_uuid(), 'event_key', transaction_key, 'updated_at', now()))).*
           FROM outbox_jobs job, event WHERE event_key = $1`,
          [key, count],
        );
      const matched = async () => {
        const body = { itemCodes: ['A'], dryRun: true };
        return (await scenario.api.post(`/restaurants/${id}/resend`, owner.token, body).expect(200)).body.data.matched;
      };
      await copies('few-', 999, `'{}'`);
      expect(await matched()).toBe(1_000);
      await copies('more-', 1, `'{}'`);
      expect(await matched()).toBe(1_000);
      // texts that do not compress
      const noise = `(SELECT string_agg(md5(i::text), '') FROM generate_series(1, 40000) AS i)`;
      await copies('large-', 5, `jsonb_build_object('payload', event.payload || jsonb_build_object('note', ${noise}))`);
      const found = await matched();
      expect([found > 0, found < 10]).toEqual([true, true]);
    });

    test.each([[{ itemCodes: [] }], [{ itemCodes: [7] }], [{ itemCodes: 'A' }], [{ itemCodes: Array(51).fill('A') }]])(
      'resend %j: 400 (I9)',
      async (body) => {
        expect((await scenario.api.post(`/restaurants/${id}/resend`, owner.token, body)).status).toBe(400);
      },
    );

    test('a wrong code is mapped again: the POS is asked with the newest one (I8)', async () => {
      const job = await refused('unknown product A', 'A');
      await map(job, { items: [{ terminalCode: 'A', posCode: 'WRONG' }] });
      await scenario.settle(job, 'DLQ', 'unknown product WRONG');
      expect((await get(`/orders/${encodeURIComponent(await scenario.keyOf(job))}/map`)).data).toEqual({
        mayMap: true,
        lastError: 'HTTP 422, POS error 310: unknown product WRONG',
        items: [{ terminalCode: 'A', name: 'Coffee', posCode: 'WRONG', posName: null, refused: true }],
        withoutCode: 0,
      });
      expect((await map(job, { items: [{ terminalCode: 'A', posCode: 'P-1' }] })).body.data).toMatchObject({
        saved: 1,
      });
      expect(await delivered(job)).toEqual(['P-1']);
    });

    test('the products of an order: each code once, what the POS named first (I8)', async () => {
      await put('ITEM', 'B', { posCode: 'P-2', name: 'Brioche' }).expect(201);
      const job = await refused('unknown product 310', 'A', 'B', 'A', 310, undefined, ' ');
      const line = (terminalCode: string, posCode: string | null = null, posName: string | null = null) => ({
        ...{ terminalCode, name: 'Coffee', posCode, posName, refused: terminalCode === '310' },
      });
      expect((await get(`/orders/${encodeURIComponent(await scenario.keyOf(job))}/map`)).data).toEqual({
        mayMap: true,
        lastError: 'HTTP 422, POS error 310: unknown product 310',
        items: [line('310'), line('A'), line('B', 'P-2', 'Brioche')],
        withoutCode: 2,
      });
      const sent = await scenario.settle(await sell(), 'SENT');
      const { data } = await get(`/orders/${encodeURIComponent(await scenario.keyOf(sent))}/map`);
      expect(data).toMatchObject({ mayMap: false, lastError: null });
    });

    test('409 for what the POS has not refused, or that is not parked; nothing is set (I8, R35)', async () => {
      const body = { items: [{ terminalCode: 'A', posCode: 'P-1' }] };
      const sold = () => sell({ items: items('A') });
      const sent = await scenario.settle(await sold(), 'SENT');
      const waits = await scenario.settle(await sold(), 'FAILED');
      const unmappable = await scenario.settle(await sell({ items: items('A'), payments: [] }), 'DLQ');
      const cancelled = await refused('unknown product A', 'A');
      await scenario.cancel(id, await scenario.keyOf(cancelled), owner.token).expect(202);
      const entered = await refused('unknown product A', 'A');
      await scenario.api.post((await mapPath(entered)).replace(/map$/, 'entered'), owner.token, {}).expect(202);
      const pending = await sold();
      for (const [job, code] of [
        [sent, 'ORDER_DELIVERED'],
        [waits, 'ORDER_NOT_REFUSED'],
        [pending, 'ORDER_UNDER_WAY'],
        [unmappable, 'ORDER_NOT_REFUSED'],
        [cancelled, 'ORDER_CANCELLED'],
        [entered, 'ORDER_ENTERED'],
      ] as const) {
        const { status, attempts, next_run_at } = await scenario.jobs.get(job);
        const answer = await map(job, body);
        expect([answer.status, answer.body.code]).toEqual([409, code]);
        expect(await scenario.jobs.get(job)).toMatchObject({ status, attempts, next_run_at });
      }
      expect(await codes()).toEqual([]);
      expect(await entries('order.mapped')).toEqual([]);
      expect((await map(entered, { ...body, entered: true })).status).toBe(202);
      const missing = `/restaurants/${id}/orders/none/map`;
      await scenario.api.post(missing, owner.token, body).expect(404);
      await scenario.api.get(missing, owner.token).expect(404);
    });

    test.each([
      [{}, 'items must'],
      [{ items: [] }, 'items must contain'],
      [{ items: [{ terminalCode: 'Z', posCode: 'P' }] }, 'items.0.terminalCode must be an itemCode of this order'],
      [{ items: [{ terminalCode: 'A' }] }, 'items.0.posCode must'],
      [{ items: [{ posCode: 'P' }] }, 'items.0.terminalCode must'],
      [
        {
          items: [
            { terminalCode: 'A', posCode: 'P' },
            { terminalCode: 'A', posCode: 'Q' },
          ],
        },
        'must stand once',
      ],
      [{ items: [{ terminalCode: 'A', posCode: 'P' }], remember: false }, 'remember must be true'],
      [{ items: Array(51).fill({ terminalCode: 'A', posCode: 'P' }) }, 'items must contain no more than 50'],
    ])('%j: 400, %s; the order stays parked (I8, L234)', async (body, message) => {
      const job = await refused('unknown product A', 'A');
      const answer = await map(job, body);
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(answer.body.message).toContainEqual(expect.stringContaining(message));
      expect(await statusOf(job)).toBe('DLQ');
    });

    test('of two presses at once one sends the order, and the other is told that it is under way (I8)', async () => {
      const job = await refused('unknown product A', 'A');
      const answers = await Promise.all(
        ['P-1', 'P-2'].map((posCode) => map(job, { items: [{ terminalCode: 'A', posCode }] })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409]);
      expect(await codes()).toHaveLength(1);
      expect(await entries('order.mapped')).toHaveLength(1);
    });

    test('where RESEND does not allow it, staff set codes and do not send (I8, R35)', async () => {
      const job = await refused('unknown product A', 'A');
      const relay = await TestRelay.start(loadConfig({ ...scenario.environment, RESEND: 'operators' }));
      const path = await mapPath(job);
      const body = { items: [{ terminalCode: 'A', posCode: 'P' }] };
      expect(await relay.api.post(path, owner.token, body)).toMatchObject({
        status: 403,
        body: { code: 'RESEND_OFF' },
      });
      expect((await relay.api.get(path, owner.token).expect(200)).body.data.mayMap).toBe(false);
      await relay.api.put(codePath('ITEM', 'A'), owner.token, { posCode: 'P' }).expect(201);
      await relay.close();
    });
  });
});
