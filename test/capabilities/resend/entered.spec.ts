import type { NeedView } from '../../../src/restaurants/reports/needs.dto.js';
import { type Caller, Scenario } from '../../support/scenario.js';

describe('what people entered in the till by hand (R65, R66)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants', SALE_LABEL_FIELD: 'table' });
  let id: string;
  let owner: Caller;
  let sell: (changes?: object) => Promise<string>;
  let stores = 0;

  beforeEach(async () => {
    ({ id, owner, sell } = await scenario.restaurant(`ENTERED-${++stores}`));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
  });

  const parked = async (message = 'unknown product X1') => scenario.settle(await sell(), 'DLQ', message);
  const pathOf = async (job: string) => `/restaurants/${id}/orders/${await scenario.keyOf(job)}`;
  const enter = async (job: string, body: object = {}, token = owner.token) =>
    scenario.api.post(`${await pathOf(job)}/entered`, token, body);
  const get = async (path: string) => (await scenario.api.get(path, owner.token).expect(200)).body;
  const order = async (job: string) => get(await pathOf(job));
  const state = () => get(`/restaurants/${id}/state`);
  const entries = async () => (await get(`/restaurants/${id}/audit?action=order.entered`)).data;
  const needs = async () => ((await state()).needs as NeedView[]).map(({ kind, count }) => [kind, count]);

  test.each(['parked', 'waiting'] as const)(
    'an order that is %s becomes resolved, is not sent, and counts as such; it says who, when and why',
    async (was) => {
      const job = was === 'parked' ? await parked() : await sell();
      const body = { message: 'recorded: the order was entered in the till by hand', data: { jobId: job } };
      expect((await enter(job, { note: 'at the bar' })).body).toEqual(body);
      const entered = { enteredAt: expect.any(String), enteredBy: expect.any(String), enteredNote: 'at the bar' };
      expect(await order(job)).toMatchObject({ state: 'resolved', resolvedAt: expect.any(String), ...entered });
      const [listed] = (await get(`/restaurants/${id}/orders?state=resolved`)).data;
      expect(listed).toMatchObject({ transactionKey: await scenario.keyOf(job), state: 'resolved', ...entered });
      for (const other of ['parked', 'waiting', 'delivered'])
        expect((await get(`/restaurants/${id}/orders?state=${other}`)).data).toEqual([]);
      expect((await state()).today).toMatchObject({ orders: 1, parked: 0, waiting: 0, delivered: 0, resolved: 1 });
      expect(await needs()).toEqual([]);
      await scenario.relay.tick();
      expect(scenario.pos.orders.has(await scenario.keyOf(job))).toBe(false);
      expect(await entries()).toMatchObject([
        { actorEmail: owner.email, target: await scenario.keyOf(job), details: { note: 'at the bar' } },
      ]);
    },
  );

  test('what was entered is told apart from what is parked in the amounts of its day, its hour and its tender (R17)', async () => {
    const entered = await parked();
    await enter(entered);
    await parked();
    const { amounts } = await get(`/restaurants/${id}/statistics`);
    const [byTender, byDay, byHour] = [amounts.byTender[0], amounts.byDay[0], amounts.byHour?.[0] ?? amounts];
    const half = amounts.totalCents / 2;
    for (const split of [amounts, byTender, byDay, byHour])
      expect(split).toMatchObject({ parkedCents: 2 * half, resolvedCents: half });
  });

  test('a second call changes nothing and is not audited', async () => {
    const job = await parked();
    await enter(job, { note: 'first' });
    const { enteredAt } = await order(job);
    expect((await enter(job, { note: 'second' })).status).toBe(202);
    expect(await order(job)).toMatchObject({ enteredAt, enteredNote: 'first' });
    expect(await entries()).toHaveLength(1);
  });

  test('of calls that wait for the same order one records it; the others change nothing and are not audited', async () => {
    const job = await parked();
    const notes = ['1', '2', '3', '4', '5', '6'];
    const answers = await Promise.all(notes.map((note) => enter(job, { note })));
    expect(answers.map(({ status }) => status)).toEqual(notes.map(() => 202));
    const { enteredNote } = await order(job);
    expect(await entries()).toMatchObject([{ details: { note: enteredNote } }]);
  });

  test('a cancel of what was entered waits until it was voided by hand; cancelled, it is not entered any more (C14)', async () => {
    const job = await parked();
    await enter(job);
    const cancel = async (body?: object) => scenario.api.post(`${await pathOf(job)}/cancel`, owner.token, body);
    expect(await cancel({ entered: 'yes' })).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    for (const body of [undefined, {}, { entered: false }, { reason: 'a field of a sender' }])
      expect(await cancel(body)).toMatchObject({ status: 409, body: { code: 'ORDER_ENTERED' } });
    expect(await order(job)).toMatchObject({ state: 'resolved', cancellation: null });
    expect((await cancel({ entered: true })).status).toBe(202);
    await scenario.relay.tick();
    expect(await order(job)).toMatchObject({ state: 'cancelled', cancellation: 'SENT' });
    expect((await cancel()).status).toBe(200);
    expect(await enter(job)).toMatchObject({ status: 409, body: { code: 'ORDER_CANCELLED' } });
  });

  test('of an entry and a cancel at once one is refused (C14)', async () => {
    for (let time = 0; time < 6; time++) {
      const job = await parked();
      const path = await pathOf(job);
      const answers = await Promise.all([enter(job), scenario.api.post(`${path}/cancel`, owner.token)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409]);
    }
  });

  test('409 for an order that is delivered, cancelled or being sent; 404 for one of another restaurant; nothing changes', async () => {
    const sent = await scenario.settle(await sell(), 'SENT');
    const cancelled = await parked();
    await scenario.cancel(id, await scenario.keyOf(cancelled), owner.token).expect(202);
    const sending = await scenario.jobs.take(await sell());
    // a worker still gets its answer
    const again = await scenario.jobs.take(await sell());
    await scenario.jobs.ageLease(again, 3_600_000);
    await scenario.relay.reap();
    await scenario.jobs.take(again);
    await scenario.database.query('UPDATE outbox_jobs SET attempts = 2 WHERE id = $1::uuid', [again]);
    for (const [job, code] of [
      [sent, 'ORDER_DELIVERED'],
      [cancelled, 'ORDER_CANCELLED'],
      [sending, 'ORDER_UNDER_WAY'],
      [again, 'ORDER_UNDER_WAY'],
    ] as const) {
      const { body, status } = await enter(job);
      expect([status, body.code]).toEqual([409, code]);
      expect((await order(job)).enteredAt).toBeNull();
    }
    const other = await scenario.restaurant(`ENTERED-OTHER-${stores}`);
    const job = await parked();
    await scenario.api
      .post(`/restaurants/${other.id}/orders/${await scenario.keyOf(job)}/entered`, other.token, {})
      .expect(404);
    expect((await order(job)).state).toBe('parked');
    expect(await entries()).toEqual([]);
  });

  test.each([
    ['EMPLOYEE', 403],
    ['VIEWER', 403],
    ['MANAGER', 202],
    ['ADMIN', 202],
  ] as const)('%s: %i', async (role, status) => {
    const job = await parked();
    expect((await enter(job, {}, (await scenario.staff(id, role)).token)).status).toBe(status);
  });

  test.each([[{ note: '' }], [{ note: 'x'.repeat(201) }], [{ note: 7 }]])('%j: 400', async (body) => {
    expect((await enter(await parked(), body)).status).toBe(400);
  });

  test.each(['\ud800', 'a\0b', 'a\nb', 'a\u202eb', ' \t '])(
    'a note that is no text for people, %j: 400',
    async (note) => {
      const { status, body } = await enter(await parked(), { note });
      expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(body.message).toContainEqual(expect.stringMatching(/^note must/));
    },
  );

  test.each(['over the API', 'by SQL'] as const)('sent again %s, it is not entered any more', async (how) => {
    const job = await parked();
    await enter(job);
    if (how === 'by SQL')
      await scenario.database.query(
        `SET relay.force = 'on'; UPDATE outbox_jobs SET status = 'PENDING', next_run_at = now() WHERE id = '${job}'; RESET relay.force`,
      );
    else await scenario.api.post(`${await pathOf(job)}/resend`, owner.token, { entered: true }).expect(202);
    expect(await order(job)).toMatchObject({ state: 'waiting', enteredAt: null, enteredBy: null, enteredNote: null });
  });

  test('sent again by somebody who has not seen the entry: 409, also when both come at once; what was entered stays so', async () => {
    const entered = await parked();
    await enter(entered);
    const resend = async (job: string) => scenario.api.post(`${await pathOf(job)}/resend`, owner.token);
    expect((await resend(entered)).body.code).toBe('ORDER_ENTERED');
    for (let time = 0; time < 6; time++) {
      const job = await parked();
      const [recorded, sent] = await Promise.all([enter(job), resend(job)]);
      expect([recorded.status, sent.status]).toContain(202);
      if (recorded.status === 202) expect((await order(job)).state).toBe('resolved');
    }
    expect((await order(entered)).state).toBe('resolved');
  });

  test('a refund has the state refund, needs somebody until it is ticked, and keeps its state', async () => {
    const job = await sell({ totalAmount: -12.34, payments: [], items: [], table: 'Table 7' });
    await scenario.relay.tick();
    expect((await order(job)).state).toBe('refund');
    const [need] = (await state()).needs;
    expect(need).toMatchObject({ kind: 'REFUND_TO_ENTER', count: 1, cents: -1_234, cause: null });
    expect(need.orders).toMatchObject([{ transactionKey: await scenario.keyOf(job), label: 'Table 7', cents: -1_234 }]);
    expect((await enter(job)).status).toBe(202);
    expect(await order(job)).toMatchObject({ state: 'refund', enteredAt: expect.any(String) });
    expect((await get(`/restaurants/${id}/orders?state=refund`)).data).toHaveLength(1);
    expect(await needs()).toEqual([]);
  });
});

describe('what needs somebody, by cause (R67, L206)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });

  test('three causes are three entries, each with its orders, sum and what the POS said', async () => {
    const { id, owner, sell } = await scenario.restaurant('NEEDS-1');
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
    const park = async (message: string) => scenario.keyOf(await scenario.settle(await sell(), 'DLQ', message));
    const product = await park('unknown product NH-09');
    const store = await park('cod_store 7O01 is unknown');
    const other = await park('the kitchen is closed');
    const { needs } = (await scenario.api.get(`/restaurants/${id}/state`, owner.token).expect(200)).body;
    const found = (needs as NeedView[]).map(({ kind, cause, subject, count, orders: [order] }) => [
      ...[kind, cause, subject, count],
      order?.transactionKey,
    ]);
    expect(found.toSorted()).toEqual(
      [
        ['ORDER_PARKED', 'refused', 'product', 1, product],
        ['ORDER_PARKED', 'refused', 'store', 1, store],
        ['ORDER_PARKED', 'refused', 'other', 1, other],
      ].toSorted(),
    );
  });

  test('a test sale is in no sum: it is not money (R61)', async () => {
    const { id, owner, sell } = await scenario.restaurant('NEEDS-3');
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
    const needs = async () =>
      (await scenario.api.get(`/restaurants/${id}/state`, owner.token).expect(200)).body.needs as NeedView[];
    for (const isTestTransaction of [false, true])
      await scenario.settle(await sell({ isTestTransaction }), 'DLQ', 'unknown product X1');
    const [parked] = (await needs()) as [NeedView];
    const { cents } = parked.orders.find(
      ({ transactionKey }) => !transactionKey.startsWith('TEST'),
    ) as NeedView['orders'][0];
    expect([parked.count, parked.cents]).toEqual([2, cents]);
    const failing = async (isTestTransaction: boolean) =>
      scenario.settle(await sell({ isTestTransaction }), 'FAILED', 'HTTP 503');
    for (const isTest of [false, true]) await failing(isTest);
    await scenario.database.query(
      'INSERT INTO pos_outages (restaurant_id, began_at, failed_at) VALUES ($1, now(), now())',
      [id],
    );
    const waiting = (await needs()).find(({ kind }) => kind === 'POS_REFUSES');
    expect([waiting?.count, waiting?.cents]).toEqual([2, cents]);
  });

  test('a cause has its five newest orders, and counts all of them; one that was sent again in vain says when', async () => {
    const { id, owner, sell } = await scenario.restaurant('NEEDS-2');
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
    const needs = async () =>
      (await scenario.api.get(`/restaurants/${id}/state`, owner.token).expect(200)).body.needs as NeedView[];
    let last = '';
    for (let order = 0; order < 6; order++) last = await scenario.settle(await sell(), 'DLQ', 'unknown product X1');
    const [{ count, cents, orders }] = (await needs()) as [NeedView];
    expect([count, orders.length, orders[0]?.triedAgainAt]).toEqual([6, 5, null]);
    expect(cents).toBe(6 * (orders[0]?.cents as number));
    const key = await scenario.keyOf(last);
    await scenario.api.post(`/restaurants/${id}/orders/${key}/resend`, owner.token, {}).expect(202);
    await scenario.settle(last, 'DLQ', 'unknown product X1');
    const [need] = await needs();
    expect(need?.orders[0]).toMatchObject({ transactionKey: key, triedAgainAt: expect.any(String) });
  });
});
