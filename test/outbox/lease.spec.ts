import { PosTokens } from '../../src/pos/tokens.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

const LEASE_MS = 120_000;
const POS_TIMEOUT_MS = 20_000;

/** The process hangs between claim and call: here, at the sign-in. */
describe('a worker that wakes up late', () => {
  const scenario = Scenario.ofSuite({ POS_TIMEOUT_MS: String(POS_TIMEOUT_MS), PROCESSING_TTL_MS: String(LEASE_MS) });
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;

  beforeAll(() => {
    ({ database, jobs, pos, relay } = scenario);
  });
  beforeEach(async () => {
    await scenario.empty();
    // so that each test has a sign-in
    await relay.get(PosTokens).forgetReplaced();
    pos.orderCalls = 0;
    await scenario.restaurant('STORE-1');
  });

  /** A tick that hangs at the sign-in for `ms` by the instance's clock. @param meanwhile runs before it continues */
  async function tickHanging(ms: number, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
    pos.behave({ mode: 'gate', register: 'before', times: 1, paths: ['/auth'] });
    const ticking = relay.tick();
    await pos.when(() => pos.waiting === 1);
    await meanwhile();
    const { now } = performance;
    performance.now = () => now.call(performance) + ms;
    pos.release();
    await ticking.finally(() => {
      performance.now = now;
    });
  }

  test('the rest of the lease is longer than a call: it sends', async () => {
    const id = await relay.accept(sale());
    await tickHanging(LEASE_MS - POS_TIMEOUT_MS - 10_000);
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 1 });
  });

  test('the rest of the lease is shorter than a call: nothing is sent, the job is FAILED', async () => {
    const id = await relay.accept(sale());
    await tickHanging(LEASE_MS - POS_TIMEOUT_MS);
    expect(pos.orderCalls).toBe(0);
    expect(await jobs.get(id)).toMatchObject({
      status: 'FAILED',
      attempts: 1,
      last_error: 'the lease was too short for another call',
    });
    expect(await jobs.attempts(id)).toMatchObject([{ outcome: 'FAILED', reach: 'NOT_SENT' }]);
  });

  test('the lease has expired and another instance has sent the job: nothing is sent or changed', async () => {
    const id = await relay.accept(sale());
    const other = await scenario.start();
    await tickHanging(LEASE_MS, async () => {
      await jobs.ageLease(id, LEASE_MS + 1_000);
      await relay.reap();
      // so that the other instance signs in itself
      await database.query('DELETE FROM pos_tokens');
      await other.tick();
    });
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'SENT', attempts: 2 });
    expect(pos.orders.get(job.event_key)).toMatchObject({ cooked: 1, requests: 1 });
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'outbox.lock_lost', job: id }));
  });
});
