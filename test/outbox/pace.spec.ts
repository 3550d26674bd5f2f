import { SchedulerRegistry } from '@nestjs/schedule';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

/** No tick of the schedule during a test. */
const NEVER = '3600000';

describe('OUTBOX_PACE (O9)', () => {
  const scenario = Scenario.ofSuite({ WORKER_ENABLED: 'true', OUTBOX_TICK_MS: NEVER });
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;

  beforeEach(async () => {
    ({ jobs, pos, relay } = scenario);
    await scenario.empty();
    await scenario.restaurant('STORE-1');
  });

  const sent = (count: number) => jobs.until(async () => ((await jobs.countByStatus()).SENT ?? 0) === count);

  test('tick: no delivery between two ticks', async () => {
    await relay.accept(sale());
    expect(await jobs.countByStatus()).toEqual({ PENDING: 1 });
    await relay.tick();
    await sent(1);
  });

  test('tick: the schedule runs the ticks', async () => {
    const ticking = await scenario.start({ OUTBOX_TICK_MS: '50' });
    await relay.accept(sale());
    await sent(1);
    await ticking.close();
  });

  test('tick: two ticks never overlap', async () => {
    await relay.accept(sale());
    pos.behave({ mode: 'gate', register: 'before', times: 1 });
    const tick = relay.tick();
    await pos.when(() => pos.waiting === 1);
    await relay.accept(sale());
    await relay.tick();
    expect(await jobs.countByStatus()).toEqual({ PROCESSING: 1, PENDING: 1 });
    pos.release();
    await tick;
  });

  test('eager: a call that hangs delays no other order and no webhook (P2)', async () => {
    const eager = await scenario.start({ OUTBOX_PACE: 'eager', OUTBOX_BATCH_SIZE: '2' });
    pos.behave({ mode: 'gate', register: 'before', times: 1 });
    await eager.accept(sale());
    await pos.when(() => pos.waiting === 1);
    for (let i = 0; i < 6; i++) await eager.accept(sale());
    await sent(6);
    expect(pos.waiting).toBe(1);
    pos.release();
    await sent(7);
  });

  test('WORKER_ENABLED=false: the instance serves HTTP and delivers nothing (O21)', async () => {
    const idle = await scenario.start({ OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: '20', WORKER_ENABLED: 'false' });
    await idle.accept(sale());
    // alarms (R14), POS tokens (T6), heartbeat (R21), the look at the clock (V29) and the alert of the database (G10) only
    const intervals = [
      'outbox.clock_marks',
      'outbox.instances',
      'outbox.database_watch',
      'outbox.alarms',
      'outbox.tokens',
      'alerts.database',
    ];
    expect(idle.get(SchedulerRegistry).getIntervals()).toEqual(intervals);
    expect(await jobs.countByStatus()).toEqual({ PENDING: 1 });
  });
});
