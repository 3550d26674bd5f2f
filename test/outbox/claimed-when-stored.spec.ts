import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { LossyLine } from '../platform/database/lossy-line.js';
import { sale } from '../support/client.js';
import { OWN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { ASKS } from './ask-first.js';
import type { Jobs } from './jobs.js';

/** No tick of the schedule during a test. */
const NEVER = '3600000';
const SLOTS = 4;

describe('O32: with OUTBOX_PACE=eager a sale is claimed by the statement that stores it', () => {
  let scenario: Scenario;
  let jobs: Jobs;
  let pos: PosSimulator;
  let line: LossyLine;
  let relay: TestRelay;

  beforeEach(async () => {
    scenario = await Scenario.ofProcesses();
    ({ jobs, pos } = scenario);
    line = new LossyLine();
    relay = await scenario.start({
      ...ASKS,
      DATABASE_URL: await line.listen(scenario.database),
      // one test waits for it; a slow machine must not reach it
      DATABASE_TIMEOUT_MS: '2000',
      WORKER_ENABLED: 'true',
      OUTBOX_PACE: 'eager',
      OUTBOX_TICK_MS: NEVER,
      OUTBOX_BATCH_SIZE: String(SLOTS),
    });
    // a statement of a schedule would be counted
    await relay.quiet();
    await relay.createRestaurant();
    await delivered();
    await delivered();
  });
  afterEach(async () => {
    pos.release();
    await relay.close();
    line.close();
    await scenario.close();
  });

  const sell = (changes: Record<string, unknown> = {}) => relay.accept(sale(changes));
  const isSent = (id: string) => jobs.until(async () => (await jobs.get(id)).status === 'SENT');
  const delivered = async () => isSent(await sell());
  /** Sells until calls occupy this many slots. */
  const occupy = async (slots: number, changes: Record<string, unknown> = {}) => {
    const occupied = pos.waiting;
    pos.behave({ mode: 'gate', register: 'before', times: slots });
    const ids = await Promise.all(Array.from({ length: slots }, () => sell(changes)));
    await pos.when(() => pos.waiting === occupied + slots);
    return ids;
  };

  test('an order takes two statements: one that stores and claims, one that settles', async () => {
    const before = line.statements;
    await delivered();
    expect(line.statements - before).toBe(2);
  });

  test('the job is PROCESSING with attempt 1 when the sale is answered, under a claim of this instance', async () => {
    const [id] = await occupy(1);
    expect(await jobs.get(id as string)).toMatchObject({
      ...{ status: 'PROCESSING', attempts: 1 },
      locked_by: expect.stringMatching(new RegExp(`^${relay.config.instance}/[0-9a-f]{8}-[0-9a-f]{4}-7`)),
    });
  });

  test('without a free slot it is PENDING, and is claimed when a call ends', async () => {
    await relay.createRestaurant({ codeStoreTerminal: 'OTHER' });
    await occupy(SLOTS - 1);
    await occupy(1, { storeCode: 'OTHER' });
    const id = await sell({ storeCode: 'OTHER' });
    expect((await jobs.get(id)).status).toBe('PENDING');
    pos.release();
    await isSent(id);
  });

  test('of a restaurant at its cap it is PENDING, although a slot is free (O11)', async () => {
    await occupy(SLOTS - 1);
    const id = await sell();
    expect((await jobs.get(id)).status).toBe('PENDING');
    pos.release();
    await isSent(id);
  });

  test('more sales of a restaurant than its cap in one statement: what gets no slot is released, and claimed when a call ends', async () => {
    pos.behave({ mode: 'gate', register: 'before', times: SLOTS - 1 });
    const ids = await Promise.all(Array.from({ length: SLOTS }, () => sell()));
    await jobs.until(async () => {
      const { PROCESSING, PENDING } = await jobs.countByStatus();
      return PROCESSING === SLOTS - 1 && PENDING === 1;
    });
    pos.release();
    await Promise.all(ids.map(isSent));
  });

  test('it overtakes no due job of its restaurant', async () => {
    pos.behave({ mode: 'status', status: 503, times: 1 });
    const first = await sell();
    await jobs.until(async () => (await jobs.get(first)).status === 'FAILED');
    await jobs.makeDue(first);
    await scenario.database.query(`UPDATE delivery_attempts SET reach = 'NOT_SENT' WHERE job_id = $1`, [first]);
    const second = await sell();
    await Promise.all([first, second].map(isSent));
    const [claims] = await scenario.database.query<{ inOrder: boolean }>(
      `SELECT max(started_at) FILTER (WHERE job_id = $1) <= max(started_at) FILTER (WHERE job_id = $2) AS "inOrder"
       FROM delivery_attempts`,
      [first, second],
    );
    expect(claims).toEqual({ inOrder: true });
  });

  test('a claim whose call has not begun when the process stops is untried: the next attempt looks up nothing (D19)', async () => {
    await relay.createRestaurant({ codeStoreTerminal: 'OWN', ...OWN });
    pos.behave({ mode: 'gate', register: 'before', times: 1, paths: ['/auth'] });
    const id = await sell({ storeCode: 'OWN' });
    await pos.when(() => pos.waiting === 1);
    const closed = relay.close();
    pos.release();
    await closed;
    expect(await jobs.get(id)).toMatchObject({ status: 'PENDING', attempts: 0 });
    const next = await scenario.start({ ...ASKS });
    await next.tick();
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 1 });
    expect(pos.lookupCalls).toBe(0);
  });

  test('when the answer of the statement is lost, the sender gets 503, and the order is sent once', async () => {
    line.lose = /sourceKey/;
    const body = sale();
    expect((await relay.post(body)).status).toBe(503);
    const [job] = await scenario.database.query<{ id: string }>('SELECT id FROM outbox_jobs WHERE event_key = $1', [
      body.transactionKey,
    ]);
    expect(await jobs.get(job?.id as string)).toMatchObject({ status: 'PROCESSING', attempts: 1 });
    await relay.tick();
    await isSent(job?.id as string);
    expect(pos.orders.get(body.transactionKey as string)?.cooked).toBe(1);
    expect(pos.lookupCalls).toBe(0);
  });
});
