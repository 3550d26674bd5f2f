import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import type { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

const LEASE_MS = 120_000;

/** What the POS does in an attempt. A crash is an attempt whose lease expires before it settles; a late settle changes nothing. */
const ENDINGS = {
  arrives: { mode: 'ok' },
  'is refused with 422': { mode: 'status', status: 422, errorCode: 310 },
  'meets a 503': { mode: 'status', status: 503 },
  'is reset before it arrives': { mode: 'reset' },
  'arrives, its answer is lost': { mode: 'reset-after' },
  'crashes before it arrives': { mode: 'gate', register: 'after' },
  'crashes after it arrived': { mode: 'gate', register: 'before' },
} as const satisfies Record<string, Behaviour>;
type Ending = keyof typeof ENDINGS;

const CREATE_ENDINGS = Object.keys(ENDINGS) as Ending[];
const CANCEL_ENDINGS = CREATE_ENDINGS.filter((ending) => ending !== 'is refused with 422');
const TIMES = ['before', 'during', 'after'] as const;

/** Each time of the cancel, with each ending of the order's attempt and of the first attempt of the cancel. */
const INTERLEAVINGS = TIMES.flatMap((time) =>
  (time === 'before' ? (['arrives'] as Ending[]) : CREATE_ENDINGS).flatMap((create) =>
    CANCEL_ENDINGS.map((cancel) => [time, create, cancel] as const),
  ),
);

describe('CANCEL', () => {
  const scenario = Scenario.ofSuite();
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;
  let other: TestRelay;
  let token: string;
  let restaurantId: string;

  beforeAll(async () => {
    ({ database, jobs, pos, relay } = scenario);
    other = await scenario.start({ POS_BASE_URL: pos.url });
    restaurantId = await relay.createRestaurant();
    token = await relay.login();
  });
  afterEach(() => pos.behave({ mode: 'ok' }));

  function cancel(transactionKey: string) {
    const path = `/restaurants/${restaurantId}/orders/${encodeURIComponent(transactionKey)}/cancel`;
    return relay.http.post(path).auth(token, { type: 'bearer' });
  }

  /** One tick in which the attempt of this job ends so; `meanwhile` runs while the request is at the POS. */
  async function tick(
    jobId: string,
    ending: Ending,
    meanwhile: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    const crashes = ending.startsWith('crashes');
    pos.behave(ENDINGS[ending]);
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

  /** Ticks until the jobs are SENT or DLQ. */
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
    'requested %s the attempt, the order %s, the cancel %s: no order stays at the POS that is not cancelled',
    async (time, createEnding, cancelEnding) => {
      const id = await relay.accept(sale());
      const { event_key: key } = await jobs.get(id);
      let cancelId = '';
      const ask = async () => {
        cancelId = (await cancel(key).expect(202)).body.data.jobId;
      };
      if (time === 'before') await ask();
      else if (time === 'during' && !createEnding.startsWith('crashes')) await whileAtPos(createEnding, ask);
      else await tick(id, createEnding, time === 'during' ? ask : undefined);
      if (time === 'after') await ask();

      await tick(cancelId, cancelEnding);
      await settleAll([id, cancelId]);

      const order = pos.orders.get(key);
      expect(order === undefined || order.cancelled).toBe(true);
      const create = await jobs.get(id);
      expect(create.status === 'SENT' || (create.status === 'DLQ' && create.withdrawn)).toBe(true);
      // DLQ: the first cancel arrived but its answer was lost, and the POS refuses the second
      expect(['SENT', 'DLQ']).toContain((await jobs.get(cancelId)).status);
      await relay.tick();
      expect(pos.orders.get(key)?.cancelled ?? true).toBe(true);
    },
  );

  /** The cancel is requested while the POS holds the order; then the attempt ends. */
  async function whileAtPos(ending: Ending, ask: () => Promise<void>): Promise<void> {
    pos.behave({ mode: 'gate', register: ending === 'arrives, its answer is lost' ? 'before' : 'after', times: 1 });
    const ticking = relay.tick();
    await pos.when(() => pos.waiting === 1);
    await ask();
    await relay.tick();
    if (ending === 'arrives') pos.release();
    else await dropWaiting();
    await ticking;
  }

  /** Requests that the POS holds get no answer; it never registers those that it has not registered yet. */
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

  test('a cancel is not claimed while its order is PROCESSING (C3)', async () => {
    const id = await relay.accept(sale());
    const { event_key: key } = await jobs.get(id);
    pos.behave({ mode: 'gate', register: 'before', times: 1 });
    const ticking = relay.tick();
    await pos.when(() => pos.waiting === 1);
    const { body } = await cancel(key).expect(202);
    // the tick of this instance waits for the POS
    await other.tick();
    pos.release();
    await ticking;
    const released = { event: 'outbox.released', job: body.data.jobId };
    expect(other.logged).not.toContainEqual(expect.objectContaining(released));
    await relay.tick();
    expect(pos.orders.get(key)).toMatchObject({ cancelled: true });
  });

  const twentyTimes = (key: string) => Promise.all(Array.from({ length: 20 }, () => cancel(key)));
  const ONE_ACCEPTED = [...Array(19).fill(200), 202];

  test('requested twenty times at once: one job, one 202 (C2)', async () => {
    const { event_key: key } = await jobs.get(await relay.accept(sale()));
    const answers = await twentyTimes(key);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(ONE_ACCEPTED);
    expect(new Set(answers.map(({ body }) => body.data.jobId)).size).toBe(1);
    await relay.tick();
  });

  test('a cancel that the POS refuses is parked; requested twenty times again: one 202 with the same job, due now with all its attempts (C12)', async () => {
    const id = await relay.accept(sale());
    await relay.tick();
    const { event_key: key } = await jobs.get(id);
    const cancelId: string = (await cancel(key).expect(202)).body.data.jobId;
    pos.behave({ mode: 'status', status: 422, message: 'too late' });
    await relay.tick();
    pos.behave({ mode: 'ok' });
    const parked = { status: 'DLQ', attempts: 1, last_error: expect.stringContaining('too late') };
    expect(await jobs.get(cancelId)).toMatchObject(parked);

    const answers = await twentyTimes(key);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(ONE_ACCEPTED);
    for (const { body } of answers) expect(body.data).toEqual({ jobId: cancelId });
    const job = await jobs.get(cancelId);
    expect(job).toMatchObject({ status: 'PENDING', attempts: 0, last_error: null, action: 'CANCEL' });
    expect(job.due_in_ms).toBeLessThanOrEqual(0);
    await relay.tick();
    expect(pos.orders.get(key)).toMatchObject({ cancelled: true });
    expect((await jobs.get(cancelId)).status).toBe('SENT');
    expect(await jobs.attempts(cancelId)).toMatchObject([{ outcome: 'DLQ' }, { outcome: 'SENT' }]);
    expect((await jobs.get(id)).status).toBe('SENT');
    expect((await cancel(key).expect(200)).body.data).toEqual({ jobId: cancelId });
  });

  test('requested with Content-Type JSON and no body: 202', async () => {
    const { event_key: key } = await jobs.get(await relay.accept(sale()));
    await cancel(key).set('Content-Type', 'application/json').expect(202);
    await relay.tick();
  });

  test('a key that no event has: 404', async () => {
    await cancel('no such key').expect(404);
  });
});

const DUE = `UPDATE outbox_jobs SET next_run_at = now() - interval '1 second' WHERE id = $1 AND status IN ('PENDING', 'FAILED')`;
