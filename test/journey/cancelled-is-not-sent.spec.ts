import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import type { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

const LEASE_MS = 120_000;

/**
 * What can become of one attempt, as the world sees it. A crash is an attempt whose lease expires before it settles: the
 * late settling of the old worker, if there is one, changes nothing.
 */
const FATES = {
  arrives: { mode: 'ok' },
  'is refused with 422': { mode: 'status', status: 422, errorCode: 310 },
  'meets a 503': { mode: 'status', status: 503 },
  'is reset before it arrives': { mode: 'reset' },
  'arrives, its answer is lost': { mode: 'reset-after' },
  'crashes before it arrives': { mode: 'gate', register: 'after' },
  'crashes after it arrived': { mode: 'gate', register: 'before' },
} as const satisfies Record<string, Behaviour>;
type Fate = keyof typeof FATES;

const CREATE_FATES = Object.keys(FATES) as Fate[];
const CANCEL_FATES = CREATE_FATES.filter((fate) => fate !== 'is refused with 422');
const TIMES = ['before', 'during', 'after'] as const;

/** Every cancel time x every fate of the order x every first fate of the cancel. */
const INTERLEAVINGS = TIMES.flatMap((time) =>
  (time === 'before' ? (['arrives'] as Fate[]) : CREATE_FATES).flatMap((create) =>
    CANCEL_FATES.map((cancel) => [time, create, cancel] as const),
  ),
);

describe('CANCEL', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;
  let other: TestRelay;
  let token: string;
  let restaurantId: string;

  beforeAll(async () => {
    scenario = await Scenario.open();
    ({ database, jobs, pos, relay } = scenario);
    other = await scenario.start({ POS_BASE_URL: pos.url });
    restaurantId = await relay.createRestaurant();
    token = await relay.login();
  });
  afterEach(() => pos.behave({ mode: 'ok' }));
  afterAll(() => scenario.close());

  function cancel(transactionKey: string) {
    const path = `/restaurants/${restaurantId}/orders/${encodeURIComponent(transactionKey)}/cancel`;
    return relay.http.post(path).auth(token, { type: 'bearer' });
  }

  /** One tick in which the attempt of this job meets its fate; `meanwhile` happens while it is at the POS. */
  async function tick(jobId: string, fate: Fate, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
    const crashes = fate.startsWith('crashes');
    pos.behave(FATES[fate]);
    const ticking = relay.tick();
    if (crashes && (await reachesGate(ticking))) {
      await meanwhile();
      await jobs.ageLease(jobId, LEASE_MS + 1_000);
      await relay.reap();
      await dropWaiting();
    }
    await ticking;
    pos.behave({ mode: 'ok' });
  }

  /** Whether the tick sends anything at all. */
  async function reachesGate(ticking: Promise<void>): Promise<boolean> {
    let done = false;
    void ticking.then(() => {
      done = true;
    });
    await jobs.until(async () => done || pos.waiting === 1);
    return pos.waiting === 1;
  }

  /** Everybody behaves from now on: until nothing waits any more. */
  async function settleAll(ids: string[]): Promise<void> {
    for (let round = 0; round < 10; round++) {
      const open = (await Promise.all(ids.map((id) => jobs.get(id)))).filter(({ status }) =>
        ['PENDING', 'PROCESSING', 'FAILED'].includes(status),
      );
      if (open.length === 0) return;
      for (const { id } of open) await database.query(DUE, [id]);
      await relay.tick();
    }
    throw new Error('the jobs did not settle');
  }

  test.each(INTERLEAVINGS)(
    'asked for %s the attempt, the order %s, the cancel %s: no living order stays at the POS',
    async (time, createFate, cancelFate) => {
      const id = await relay.accept(sale());
      const { event_key: key } = await jobs.get(id);
      let cancelId = '';
      const ask = async () => {
        cancelId = (await cancel(key).expect(202)).body.data.jobId;
      };
      if (time === 'before') await ask();
      else if (time === 'during' && !createFate.startsWith('crashes')) await whileAtPos(createFate, ask);
      else await tick(id, createFate, time === 'during' ? ask : undefined);
      if (time === 'after') await ask();

      await tick(cancelId, cancelFate);
      await settleAll([id, cancelId]);

      const order = pos.orders.get(key);
      expect(order === undefined || order.cancelled).toBe(true);
      const create = await jobs.get(id);
      expect(create.status === 'SENT' || (create.status === 'DLQ' && create.withdrawn)).toBe(true);
      // a cancel that arrived, without our learning of it, is refused the second time: somebody looks at it
      expect(['SENT', 'DLQ']).toContain((await jobs.get(cancelId)).status);
      await relay.tick();
      expect(pos.orders.get(key)?.cancelled ?? true).toBe(true);
    },
  );

  /** The cancel is asked for while the order waits at the POS's door; then it meets its fate. */
  async function whileAtPos(fate: Fate, ask: () => Promise<void>): Promise<void> {
    pos.behave({ mode: 'gate', register: fate === 'arrives, its answer is lost' ? 'before' : 'after', times: 1 });
    const ticking = relay.tick();
    await pos.when(() => pos.waiting === 1);
    await ask();
    await relay.tick();
    if (fate === 'arrives') pos.release();
    else await dropWaiting();
    await ticking;
  }

  /** What waits at the POS gets no answer; what has not been registered yet never is. */
  async function dropWaiting(): Promise<void> {
    await pos.down();
    await pos.up();
  }

  test('an order that was never sent is withdrawn: the CANCEL is SENT without a call, the CREATE rests in DLQ (C6, C8)', async () => {
    const calls = pos.cancelCalls;
    const id = await relay.accept(sale());
    const { event_key: key } = await jobs.get(id);
    const { body } = await cancel(key).expect(202);
    expect(await jobs.get(id)).toMatchObject({
      status: 'DLQ',
      withdrawn: true,
      last_error: 'withdrawn: order cancelled before it was sent',
    });
    await relay.tick();
    expect(await jobs.get(body.data.jobId)).toMatchObject({ status: 'SENT', attempts: 1 });
    expect(pos.cancelCalls).toBe(calls);
    expect(pos.orders.has(key)).toBe(false);
  });

  test('a delivered order is cancelled at the POS with order_id and cod_store', async () => {
    const id = await relay.accept(sale());
    await relay.tick();
    const { event_key: key } = await jobs.get(id);
    const { body } = await cancel(key).expect(202);
    await relay.tick();
    expect((await jobs.get(body.data.jobId)).status).toBe('SENT');
    expect(pos.orders.get(key)).toMatchObject({ cooked: 1, cancelled: true });
    const request = pos.requests.findLast(({ path }) => path === '/cancel-order');
    expect(request?.body).toEqual({ order_id: key, cod_store: '1001' });
  });

  test('while its order is being sent, a cancel is not even locked', async () => {
    const id = await relay.accept(sale());
    const { event_key: key } = await jobs.get(id);
    pos.behave({ mode: 'gate', register: 'before', times: 1 });
    const ticking = relay.tick();
    await pos.when(() => pos.waiting === 1);
    const { body } = await cancel(key).expect(202);
    // another instance's tick: this one's waits for its order
    await other.tick();
    pos.release();
    await ticking;
    const released = { event: 'outbox.released', job: body.data.jobId };
    expect(other.logged).not.toContainEqual(expect.objectContaining(released));
    await relay.tick();
    expect(pos.orders.get(key)).toMatchObject({ cancelled: true });
  });

  test('asked for again: 200 with the same job (C2)', async () => {
    const id = await relay.accept(sale());
    const { event_key: key } = await jobs.get(id);
    const first = await cancel(key).expect(202);
    const again = await cancel(key).expect(200);
    expect(again.body.data.jobId).toBe(first.body.data.jobId);
    await relay.tick();
  });

  /** A delivered order whose cancel the POS has refused. */
  async function parkedCancel() {
    const id = await relay.accept(sale());
    await relay.tick();
    const { event_key: key } = await jobs.get(id);
    const cancelId: string = (await cancel(key).expect(202)).body.data.jobId;
    pos.behave({ mode: 'status', status: 422, message: 'too late' });
    await relay.tick();
    pos.behave({ mode: 'ok' });
    expect(await jobs.get(cancelId)).toMatchObject({ status: 'DLQ', attempts: 1 });
    return { id, key, cancelId };
  }

  test('a parked cancel asked for again (C12): 202 with the same job, due now with all its attempts', async () => {
    const { id, key, cancelId } = await parkedCancel();
    const { body } = await cancel(key).expect(202);
    expect(body).toEqual({ message: 'the order will be cancelled', data: { jobId: cancelId } });
    const job = await jobs.get(cancelId);
    expect(job).toMatchObject({ status: 'PENDING', attempts: 0, last_error: null, action: 'CANCEL' });
    expect(job.due_in_ms).toBeLessThanOrEqual(0);
    await cancel(key).expect(200);
    await relay.tick();
    expect(pos.orders.get(key)).toMatchObject({ cancelled: true });
    expect((await jobs.get(cancelId)).status).toBe('SENT');
    expect(await jobs.attempts(cancelId)).toMatchObject([{ outcome: 'DLQ' }, { outcome: 'SENT' }]);
    expect((await jobs.get(id)).status).toBe('SENT');
    expect((await cancel(key).expect(200)).body.data).toEqual({ jobId: cancelId });
  });

  test('a parked cancel asked for twenty times at once (C12): one 202', async () => {
    const { key, cancelId } = await parkedCancel();
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(key)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 202]);
    for (const { body } of answers) expect(body.data.jobId).toBe(cancelId);
    await relay.tick();
  });

  test('asked for with JSON announced and nothing sent: 202', async () => {
    const { event_key: key } = await jobs.get(await relay.accept(sale()));
    await cancel(key).set('Content-Type', 'application/json').expect(202);
    await relay.tick();
  });

  test('twenty at once: one job, one 202', async () => {
    const id = await relay.accept(sale());
    const { event_key: key } = await jobs.get(id);
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(key)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(new Set(answers.map(({ body }) => body.data.jobId)).size).toBe(1);
    await relay.tick();
  });

  test('an order of nobody, or of another restaurant: 404', async () => {
    await cancel('no such key').expect(404);
  });

  test('a refused cancel of a delivered order: DLQ with the error text', async () => {
    const id = await relay.accept(sale());
    await relay.tick();
    const { body } = await cancel((await jobs.get(id)).event_key).expect(202);
    pos.behave({ mode: 'status', status: 422, message: 'too late' });
    await relay.tick();
    expect(await jobs.get(body.data.jobId)).toMatchObject({
      status: 'DLQ',
      last_error: expect.stringContaining('too late'),
    });
  });

  test('a reset of a withdrawn CREATE is skipped by the database (C8, O28)', async () => {
    const id = await relay.accept(sale());
    await cancel((await jobs.get(id)).event_key).expect(202);
    const reset = `UPDATE outbox_jobs SET status = 'PENDING', next_run_at = now(), attempts = 0 WHERE id = $1 RETURNING id`;
    expect(await database.query(reset, [id])).toEqual([]);
    expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', withdrawn: true });
    await relay.tick();
  });
});

const DUE = `UPDATE outbox_jobs SET next_run_at = now() - interval '1 second' WHERE id = $1 AND status IN ('PENDING', 'FAILED')`;
