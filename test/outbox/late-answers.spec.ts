import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { DatabaseSwitch } from '../platform/health/line.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

const LEASE_MS = 120_000;

describe('an answer of the POS that is settled after its lease has expired (O12, O13)', () => {
  const scenario = Scenario.ofSuite();
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;
  let line: DatabaseSwitch;
  /** its connection to the database can be cut */
  let cutOff: TestRelay;
  /** its worker runs, and a test stops it */
  let stopping: TestRelay;

  beforeAll(async () => {
    ({ database, jobs, pos, relay } = scenario);
    stopping = await scenario.start({ WORKER_ENABLED: 'true', OUTBOX_TICK_MS: '3600000' });
    line = await DatabaseSwitch.before(database);
    cutOff = await scenario.start({ DATABASE_URL: line.url, DATABASE_TIMEOUT_MS: '300' });
  });
  beforeEach(async () => {
    await scenario.empty();
    cutOff.logged.length = 0;
    pos.orderCalls = 0;
    await scenario.restaurant('STORE-1');
  });
  afterAll(async () => {
    await cutOff.close();
    await line.close();
  });

  /** Orders that the POS has accepted, and that their instance cannot settle for two leases. */
  async function held(count: number) {
    const ids = await Promise.all(Array.from({ length: count }, () => relay.accept(sale())));
    pos.behave({ mode: 'gate', register: 'after', times: count });
    const ticking = cutOff.tick();
    await pos.when(() => pos.waiting === count);
    await line.cut();
    pos.release();
    await cutOff.hasLogged('outbox.settle_delayed');
    for (const id of ids) await jobs.ageLease(id, 2 * LEASE_MS);
    return { ids, ticking };
  }

  const expectSentOnce = async (ids: readonly string[]) => {
    for (const id of ids) {
      const job = await jobs.get(id);
      expect(job).toMatchObject({ status: 'SENT', attempts: 1, locked_by: null, next_run_at: null });
      expect(job).toMatchObject({ last_error: null, cause: null });
      expect(await jobs.attempts(id)).toMatchObject([
        { number: 1, outcome: 'SENT', reach: 'ANSWERED', http_status: 200, cause: null },
      ]);
      expect(pos.orders.get(job.event_key)).toMatchObject({ cooked: 1, requests: 1 });
    }
  };

  test('an outage of twice the lease: the reaper waits until the unsettled attempts of its instance are settled', async () => {
    const { ids, ticking } = await held(3);
    await expect(cutOff.reap()).rejects.toThrow();
    await line.restore();
    // the first statement after the outage
    await cutOff.reap();
    await cutOff.reap();
    await ticking;
    await expectSentOnce(ids);
    expect(cutOff.logged).toContainEqual(expect.objectContaining({ event: 'outbox.reaper_waits' }));
  });

  test('another reaper has released the jobs, and no worker has claimed them: they become SENT, without error and cause (O31)', async () => {
    const { ids, ticking } = await held(3);
    await relay.reap();
    for (const id of ids) expect(await jobs.get(id)).toMatchObject({ cause: 'lost' });
    for (const id of ids) expect(await jobs.attempts(id)).toMatchObject([{ outcome: 'LOST', reach: 'UNKNOWN' }]);
    await line.restore();
    await ticking;
    await expectSentOnce(ids);
    await relay.tick();
    await expectSentOnce(ids);
  });

  test('another instance has claimed the job: only that claim settles it', async () => {
    const { ids, ticking } = await held(1);
    const [id] = ids as [string];
    await relay.reap();
    await jobs.take(id);
    await line.restore();
    await ticking;
    expect((await jobs.get(id)).locked_by).toMatch(/^worker-7/);
    expect(await jobs.attempts(id)).toMatchObject([{ outcome: 'LOST' }]);
  });

  test('the lease of a second claim has expired too: the older answer does not count', async () => {
    const { ids, ticking } = await held(1);
    const [id] = ids as [string];
    await relay.reap();
    await jobs.take(id);
    await jobs.ageLease(id, LEASE_MS + 1_000);
    await relay.reap();
    await line.restore();
    await ticking;
    expect((await jobs.get(id)).status).toBe('PENDING');
    expect(await jobs.attempts(id)).toMatchObject([{ outcome: 'LOST' }, { outcome: 'LOST' }]);
  });

  describe('an order whose cancel was accepted is never sent again (C5)', () => {
    const LEASE_GONE = LEASE_MS + 1_000;
    let restaurantId: string;
    let token: string;
    let sell: () => Promise<string>;

    beforeEach(async () => {
      ({ id: restaurantId, token, sell } = await scenario.restaurant('STORE-C'));
    });

    /** A PROCESSING order of a dead worker, with an accepted cancel. */
    async function cancelledWhileSent(): Promise<string> {
      const id = await jobs.take(await sell());
      await scenario.cancel(restaurantId, await scenario.keyOf(id), token).expect(202);
      expect((await jobs.get(id)).status).toBe('PROCESSING');
      return id;
    }

    test('its lease expires: the reaper withdraws it, and the cancel is sent to the POS', async () => {
      const id = await cancelledWhileSent();
      await jobs.ageLease(id, LEASE_GONE);
      await relay.reap();
      expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', withdrawn: true, next_run_at: null, locked_by: null });
      await relay.tick();
      expect(pos.orderCalls).toBe(0);
      expect(await jobs.countByStatus()).toEqual({ DLQ: 1, SENT: 1 });
    });

    test('its worker stops before sending it: the release withdraws it', async () => {
      const id = await sell();
      pos.behave({ mode: 'gate', register: 'before', times: 1, paths: ['/auth'] });
      const ticking = stopping.tick();
      await pos.when(() => pos.waiting === 1);
      await scenario.cancel(restaurantId, await scenario.keyOf(id), token).expect(202);
      const closed = stopping.close();
      pos.release();
      await Promise.all([ticking, closed]);
      expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', withdrawn: true, attempts: 0 });
      expect(pos.orderCalls).toBe(0);
    });

    test('FAILED with a CANCEL job: it is not due', async () => {
      const id = await cancelledWhileSent();
      await database.query(
        `SET relay.force = 'on';
         UPDATE outbox_jobs SET status = 'FAILED', next_run_at = now() - interval '1 hour', processing_at = NULL,
           locked_by = NULL WHERE id = '${id}';
         RESET relay.force`,
      );
      await relay.tick();
      expect(pos.orderCalls).toBe(0);
      expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', withdrawn: true });
    });
  });
});
