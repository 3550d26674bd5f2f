import type { TestRelay } from '../../support/relay.js';
import { type Caller, Scenario } from '../../support/scenario.js';

const OPERATOR_CONTACT = 'mailto:ops@example.com';

describe('sending an order again (R35)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants', OPERATOR_CONTACT });
  /** relays with other values of RESEND, which goes before OPERATOR_ACTIONS */
  let others: { readonly off: TestRelay; readonly operators: TestRelay };
  let id: string;
  let owner: Caller;
  let sell: (changes?: object) => Promise<string>;

  beforeAll(async () => {
    others = {
      off: await scenario.start({ RESEND: 'off', OPERATOR_ACTIONS: 'true', OPERATOR_CONTACT: '' }),
      operators: await scenario.start({ RESEND: 'operators' }),
    };
    ({ id, owner, sell } = await scenario.restaurant('STORE-1'));
  });
  afterEach(() => scenario.database.query('DELETE FROM outbox_jobs'));

  const parked = async (message = 'unknown product X1') => scenario.settle(await sell(), 'DLQ', message);
  const pathOf = async (job: string, restaurantId = id) =>
    `/restaurants/${restaurantId}/orders/${encodeURIComponent(await scenario.keyOf(job))}/resend`;
  const resend = async (job: string, status: number, api = scenario.api) =>
    (await api.post(await pathOf(job), owner.token, {}).expect(status)).body;
  const all = (body: object, token = owner.token) => scenario.api.post(`/restaurants/${id}/resend`, token, body);
  const entries = async (action: string) =>
    (await scenario.api.get(`/restaurants/${id}/audit?action=${action}`, owner.token).expect(200)).body.data;
  const job = (jobId: string) => scenario.jobs.get(jobId);

  test('a parked order is due now with 0 attempts, and is delivered; audited', async () => {
    const order = await parked();
    expect(await resend(order, 202)).toEqual({ message: 'the order will be sent', data: { jobId: order } });
    expect(await job(order)).toMatchObject({ status: 'PENDING', attempts: 0, last_error: null, cause: null });
    await scenario.relay.tick();
    expect((await job(order)).status).toBe('SENT');
    const [entry] = await entries('order.resent');
    expect(entry).toMatchObject({ actorEmail: owner.email, target: await scenario.keyOf(order) });
  });

  test('an order that waits for a retry is tried now', async () => {
    const order = await scenario.settle(await sell(), 'FAILED');
    await resend(order, 202);
    expect(await job(order)).toMatchObject({ status: 'PENDING', attempts: 0 });
  });

  test('409 for an order that is delivered, cancelled or under way; nothing changes, nothing is audited', async () => {
    const before = (await entries('order.resent')).length;
    const sent = await scenario.settle(await sell(), 'SENT');
    const cancelled = await parked();
    await scenario.cancel(id, await scenario.keyOf(cancelled), owner.token).expect(202);
    const waiting = await sell();
    const sending = await scenario.jobs.take(await sell());
    for (const [order, code] of [
      [sent, 'ORDER_DELIVERED'],
      [cancelled, 'ORDER_CANCELLED'],
      [waiting, 'ORDER_UNDER_WAY'],
      [sending, 'ORDER_UNDER_WAY'],
    ] as const) {
      const status = (await job(order)).status;
      expect((await resend(order, 409)).code).toBe(code);
      expect((await job(order)).status).toBe(status);
    }
    expect(await entries('order.resent')).toHaveLength(before);
  });

  test('an order of another restaurant: 404, and it stays parked', async () => {
    const order = await parked();
    const other = await scenario.restaurant('STORE-OTHER');
    const path = await pathOf(order, other.id);
    await scenario.api.post(path, other.token, {}).expect(404);
    expect((await job(order)).status).toBe('DLQ');
  });

  test.each([
    ['off', 'nobody sends'],
    ['operators', 'only the operator sends'],
  ] as const)('RESEND=%s: 403 for staff', async (RESEND, text) => {
    const closed = others[RESEND];
    const order = await parked();
    const body = await resend(order, 403, closed.api);
    expect(body).toMatchObject({ code: 'RESEND_OFF', message: expect.stringContaining(text) });
    await closed.api.post(`/restaurants/${id}/resend`, owner.token, {}).expect(403);
    expect((await job(order)).status).toBe('DLQ');
  });

  test('RESEND=operators is OPERATOR_ACTIONS=true, and RESEND goes before it (R9)', async () => {
    const admin = await scenario.person('ADMIN');
    for (const [relay, status] of [
      [others.operators, 200],
      [await scenario.start({ RESEND: '', OPERATOR_ACTIONS: 'true' }), 200],
      [others.off, 404],
    ] as const)
      await relay.api.post('/admin/jobs/reset', admin.token, { restaurantId: id, dryRun: true }).expect(status);
  });

  test('all of a cause: by its word, and by a text of the state (R19)', async () => {
    for (const cause of ['refused', 'text'] as const) {
      const orders = [await parked('unknown product 11'), await parked('unknown product 11')];
      const waiting = await scenario.settle(await sell(), 'FAILED');
      const { body: state } = await scenario.api.get(`/restaurants/${id}/state`, owner.token).expect(200);
      const body = { cause: cause === 'text' ? state.parked.causes[0].cause : cause };
      expect((await all({ ...body, dryRun: true }).expect(200)).body).toMatchObject({
        data: { matched: 2, reset: 0 },
        meta: { paidCents: 15_960, restaurants: 1, errors: [expect.stringContaining('unknown product 11')] },
      });
      expect((await all(body).expect(200)).body.data).toEqual({ matched: 2, reset: 2 });
      for (const order of orders) expect((await job(order)).status).toBe('PENDING');
      expect((await job(waiting)).status).toBe('FAILED');
      await scenario.database.query('DELETE FROM outbox_jobs');
    }
  });

  test('without a cause: parked orders and those that wait for a retry, of this restaurant only', async () => {
    const mine = [await parked(), await scenario.settle(await sell(), 'FAILED')];
    const other = await scenario.restaurant('STORE-2');
    const theirs = await scenario.settle(await other.sell(), 'DLQ', 'unknown product X1');
    expect((await all({}).expect(200)).body.data).toEqual({ matched: 2, reset: 2 });
    for (const order of mine) expect((await job(order)).status).toBe('PENDING');
    expect((await job(theirs)).status).toBe('DLQ');
  });

  test('since: only what was parked then or later', async () => {
    const [old, fresh] = [await parked(), await parked()];
    await scenario.database.query(`UPDATE outbox_jobs SET updated_at = now() - interval '2 days' WHERE id = $1`, [old]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await all({ since }).expect(200)).body.data).toEqual({ matched: 1, reset: 1 });
    expect([(await job(old)).status, (await job(fresh)).status]).toEqual(['DLQ', 'PENDING']);
  });

  test('bad fields are named', async () => {
    for (const [body, field] of [
      [{ cause: '' }, 'cause'],
      [{ since: 'yesterday' }, 'since'],
      [{ dryRun: 'yes' }, 'dryRun'],
      [{ jobIds: [] }, 'jobIds'],
    ] as const)
      expect((await all(body).expect(400)).body.message.join()).toContain(field);
  });

  test('who may: the people of the restaurant by name, and how to reach the operator (R36)', async () => {
    const employee = await scenario.person();
    await scenario.people.link(employee.id, id, 'EMPLOYEE');
    await scenario.database.query(`UPDATE users SET name = 'Rosa' WHERE id = $1`, [owner.id]);
    const read = async (token: string, from = scenario.relay) =>
      (await from.api.get(`/restaurants/${id}/resend`, token).expect(200)).body.data;
    const people = [{ name: 'Rosa', role: 'OWNER' }];
    expect(await read(owner.token)).toEqual({
      allowed: true,
      resend: 'restaurants',
      people,
      operatorContact: OPERATOR_CONTACT,
    });
    expect(await read(employee.token)).toEqual({
      allowed: false,
      resend: 'restaurants',
      people,
      operatorContact: OPERATOR_CONTACT,
    });
    expect(await read(owner.token, others.off)).toEqual({
      allowed: false,
      resend: 'off',
      people: [],
      operatorContact: null,
    });
  });
});
