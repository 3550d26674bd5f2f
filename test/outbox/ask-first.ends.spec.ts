import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { LOOKUP } from '../../tools/simulator/wire.js';
import { sale } from '../support/client.js';
import { Scenario } from '../support/scenario.js';
import { AskingScenario, SETTLE_MS } from './ask-first.js';
import type { Jobs } from './jobs.js';

const MAYBE = 'the order may have arrived';

describe('how an order that may have arrived ends with POS_AFTER_UNKNOWN=ask (O25, C13)', () => {
  let asking: AskingScenario;
  let jobs: Jobs;
  let pos: PosSimulator;
  let restaurantId: string;
  let token: string;

  beforeAll(async () => {
    asking = await AskingScenario.open({ OUTBOX_MAX_ATTEMPTS: '3' });
    ({ jobs, pos } = asking);
    token = await asking.relay.login();
    const { body } = await asking.relay.api.get('/users/me/restaurants', token).expect(200);
    restaurantId = body.restaurants[0].id;
  });
  afterEach(async () => {
    pos.behave({ mode: 'ok' });
    await asking.scenario.database.query('TRUNCATE terminal_events, outbox_jobs, delivery_attempts CASCADE');
  });
  afterAll(() => asking.close());

  describe('attempts used up', () => {
    /** An order with its last two attempts, while the POS answers look-ups like this. */
    async function parkedWhile(arrived: boolean, behaviour: Behaviour) {
      const unknown = await asking.unknown(arrived);
      pos.behave({ ...behaviour, paths: [LOOKUP] });
      const by = asking.relayFor(behaviour);
      await asking.later(unknown.id, by);
      await asking.later(unknown.id, by);
      pos.behave({ mode: 'ok' });
      return { ...unknown, job: await jobs.get(unknown.id) };
    }

    test.each<[string, Behaviour, string]>([
      ['a 503', { mode: 'status', status: 503 }, `${MAYBE}, and the POS could not be asked: HTTP 503`],
      ['no answer', { mode: 'hang' }, `${MAYBE}, and the POS could not be asked: no answer from the POS: TIMEOUT`],
      ['"in progress"', { mode: 'in-progress' }, 'the POS is still working on the order'],
    ])('%s to the last look-up: DLQ says why; after a reset it is looked up and found', async (_, behaviour, why) => {
      const { id, key, job } = await parkedWhile(true, behaviour);
      expect(job).toMatchObject({ status: 'DLQ', attempts: 3 });
      expect(job.last_error).toMatch(new RegExp(`^gave up after 3 attempts: ${why}`));
      await jobs.reset(id);
      expect(await asking.callsOf(asking.relay.tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
      expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 1 });
      expect(pos.orders.get(key)).toMatchObject({ cooked: 1, requests: 1 });
    });

    test('the first 404 in the last attempt: DLQ says so; after a reset it is looked up before it is sent', async () => {
      const { id, job, key } = await parkedWhile(false, { mode: 'status', status: 503, times: 1 });
      expect(job).toMatchObject({ status: 'DLQ', attempts: 3 });
      expect(job.last_error).toMatch(
        new RegExp(`^gave up after 3 attempts: ${MAYBE}, though the POS does not know it yet \\(HTTP 404`),
      );
      await jobs.passes(id, SETTLE_MS);
      await jobs.reset(id);
      expect(await asking.callsOf(asking.relay.tick)).toEqual({ orders: 1, lookups: 1, cancels: 0 });
      expect(pos.orders.get(key)).toMatchObject({ cooked: 1 });
    });

    test('the last attempt sent it again and got no answer: DLQ says that it may have arrived', async () => {
      const { id } = await asking.unknown(false);
      await asking.later(id);
      const silent = { mode: 'hang-after', times: 1 } as const;
      pos.behave(silent);
      await asking.later(id, asking.relayFor(silent));
      const job = await jobs.get(id);
      expect(job).toMatchObject({ status: 'DLQ', attempts: 3 });
      expect(job.last_error).toMatch(
        /^gave up after 3 attempts: no answer from the POS: TIMEOUT.*; the order may have arrived/,
      );
      await jobs.reset(id);
      expect(await asking.callsOf(asking.relay.tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
      expect(await jobs.get(id)).toMatchObject({ status: 'SENT' });
    });

    test('every attempt lost with its worker: DLQ says that it may have arrived', async () => {
      const id = await asking.relay.accept(sale());
      await asking.crash(id, '/order');
      await asking.crash(id, LOOKUP);
      await asking.crash(id, LOOKUP);
      await asking.relay.tick();
      expect(await jobs.get(id)).toMatchObject({
        status: 'DLQ',
        last_error: `gave up after 3 attempts: ${MAYBE}, and the POS was not asked since`,
      });
    });

    test('an order that cannot have arrived: DLQ does not say that it may have', async () => {
      const id = await asking.relay.accept(sale());
      pos.behave({ mode: 'status', status: 429 });
      for (let attempt = 1; attempt <= 3; attempt++) await asking.later(id);
      expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', last_error: expect.not.stringContaining(MAYBE) });
    });
  });

  test('at another store code: parked after the second 404, and sent after a reset (Q31)', async () => {
    const { query } = asking.scenario.database;
    const { id } = await asking.unknown(false);
    await query(`UPDATE restaurants SET code_store_pos = '1002'`);
    const later = async () => {
      await asking.later(id);
      // the attempts were moved back: the change with them
      await query(
        `UPDATE restaurants SET pos_since = (SELECT min(started_at) + interval '1 ms' FROM delivery_attempts)`,
      );
    };
    for (const orders of [0, 0]) expect(await asking.callsOf(later)).toEqual({ orders, lookups: 1, cancels: 0 });
    expect(await jobs.get(id)).toMatchObject({
      status: 'DLQ',
      cause: 'unconfirmed',
      last_error: expect.stringMatching(/the order may have arrived at the store or POS of before/),
    });
    await query('SELECT reset_jobs(ARRAY[$1::uuid])', [id]);
    await later();
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT' });
    await query(`UPDATE restaurants SET code_store_pos = '1001'`);
    await query('UPDATE restaurants SET pos_since = NULL');
  });

  describe('a CANCEL of an order that may have arrived looks it up first', () => {
    const cancel = async (key: string): Promise<string> =>
      (await asking.scenario.cancel(restaurantId, key, token).expect(202)).body.data.jobId;
    test('found: it is cancelled at the POS', async () => {
      const { id, key } = await asking.unknown(true);
      const cancelId = await cancel(key);
      expect(await asking.callsOf(() => asking.relay.tick())).toEqual({ orders: 0, lookups: 1, cancels: 1 });
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'SENT', attempts: 1, last_error: null });
      expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', withdrawn: true });
      expect(pos.orders.get(key)).toMatchObject({ cooked: 1, cancelled: true });
    });

    test('found, and the POS refuses the cancel: parked, since the order is there; requested again it is cancelled (C12)', async () => {
      const { key } = await asking.unknown(true);
      const cancelId = await cancel(key);
      pos.behave({ mode: 'status', status: 422, paths: ['/cancel-order'], times: 1 });
      expect(await asking.callsOf(() => asking.relay.tick())).toEqual({ orders: 0, lookups: 1, cancels: 1 });
      expect(await jobs.get(cancelId)).toMatchObject({
        ...{ status: 'DLQ', cause: 'refused' },
        last_error: expect.stringContaining('HTTP 422'),
      });
      expect(await asking.scenario.database.query('SELECT id FROM parked_jobs')).toEqual([{ id: cancelId }]);
      expect(await cancel(key)).toBe(cancelId);
      expect(await asking.callsOf(() => asking.relay.tick())).toEqual({ orders: 0, lookups: 1, cancels: 1 });
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'SENT' });
      expect(pos.orders.get(key)).toMatchObject({ cancelled: true });
    });

    test('404 twice: nothing to cancel, SENT without a cancel call', async () => {
      const { id, key } = await asking.unknown(false);
      await jobs.passes(id, 2 * SETTLE_MS);
      const cancelId = await cancel(key);
      expect(await asking.callsOf(asking.relay.tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'FAILED', attempts: 1 });
      expect(await asking.callsOf(() => asking.later(cancelId))).toEqual({ orders: 0, lookups: 1, cancels: 0 });
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'SENT', attempts: 2, last_error: null });
      expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', withdrawn: true });
      expect(pos.orders.has(key)).toBe(false);
    });

    test('a 404 of an attempt of the CREATE job counts', async () => {
      const { id, key } = await asking.unknown(false);
      await asking.later(id);
      await jobs.passes(id, SETTLE_MS);
      const cancelId = await cancel(key);
      expect(await asking.callsOf(asking.relay.tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'SENT', attempts: 1 });
    });

    test.each<[string, Behaviour]>([
      ['a 500', { mode: 'status', status: 500 }],
      ['no answer', { mode: 'hang' }],
      ['"in progress"', { mode: 'in-progress' }],
    ])('%s: FAILED with backoff and no cancel call; then as found', async (_, behaviour) => {
      const { key } = await asking.unknown(true);
      const cancelId = await cancel(key);
      pos.behave({ ...behaviour, paths: [LOOKUP], times: 1 });
      expect(await asking.callsOf(asking.relayFor(behaviour).tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'FAILED', attempts: 1 });
      await asking.later(cancelId);
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'SENT' });
      expect(pos.orders.get(key)).toMatchObject({ cooked: 1, cancelled: true });
    });

    test('a cancel whose answer was lost: looked up, found, cancelled again; a refusal counts as cancelled', async () => {
      const { key } = await asking.unknown(true);
      const cancelId = await cancel(key);
      pos.behave({ mode: 'reset-after', paths: ['/cancel-order'], times: 1 });
      await asking.relay.tick();
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'FAILED' });
      expect(await asking.callsOf(() => asking.later(cancelId))).toEqual({ orders: 0, lookups: 1, cancels: 1 });
      expect(await jobs.get(cancelId)).toMatchObject({ status: 'SENT' });
      expect(pos.orders.get(key)).toMatchObject({ cancelled: true });
    });

    test('no look-up for an order that was never sent, nor for a delivered one', async () => {
      const unsent = await asking.relay.accept(sale());
      const first = await cancel((await jobs.get(unsent)).event_key);
      expect(await asking.callsOf(asking.relay.tick)).toEqual({ orders: 0, lookups: 0, cancels: 0 });
      const sent = await asking.relay.accept(sale());
      await asking.relay.tick();
      const second = await cancel((await jobs.get(sent)).event_key);
      expect(await asking.callsOf(asking.relay.tick)).toEqual({ orders: 0, lookups: 0, cancels: 1 });
      for (const id of [first, second]) expect((await jobs.get(id)).status).toBe('SENT');
    });
  });
});

describe('POS_AFTER_UNKNOWN=resend, the default: at-least-once (D19)', () => {
  test('an order that may have arrived is sent again without a look-up', async () => {
    const scenario = await Scenario.open({ POS_ORDER_LOOKUP_PATH: '/order/{order_id}' });
    const { jobs, pos, relay } = scenario;
    await relay.createRestaurant();
    const id = await relay.accept(sale());
    pos.behave({ mode: 'reset-after', times: 1 });
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({ last_error: expect.not.stringContaining(MAYBE) });
    await jobs.makeDue(id);
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 2 });
    expect(pos).toMatchObject({ orderCalls: 2, lookupCalls: 0 });
    await scenario.close();
  });
});
