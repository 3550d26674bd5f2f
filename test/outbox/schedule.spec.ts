import { SchedulerRegistry } from '@nestjs/schedule';
import type { OldCauses } from '../../src/outbox/old-causes.js';
import type { Outages } from '../../src/outbox/outages.js';
import type { Pauses } from '../../src/outbox/pauses.js';
import type { Reaper } from '../../src/outbox/reaper.js';
import { OutboxSchedule } from '../../src/outbox/schedule.js';
import type { Worker } from '../../src/outbox/worker.js';
import type { Config } from '../../src/platform/config/config.js';
import { Rounds } from '../../src/platform/schedule/rounds.js';
import type { Log } from '../../src/platform/telemetry/log.js';
import type { PosTokens } from '../../src/pos/tokens.js';

const TICK_MS = 20_000;
const HOUR_MS = 3_600_000;
const nothing = async () => {};
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The schedule alone, on a simulated clock; a test ends each tick. */
describe('the schedule of the outbox', () => {
  const { now } = performance;
  const { setInterval } = globalThis;
  let time: number;
  let stopping: AbortController;
  let ticks: { end: (error?: Error) => void }[];
  let logged: unknown[];
  /** times of the checks for deleted POS tokens */
  let looks: number[];
  let intervals: { call: () => void; ms: number }[];

  beforeEach(() => {
    time = 0;
    performance.now = () => time;
    intervals = [];
    globalThis.setInterval = ((call: () => void, ms: number) => intervals.push({ call, ms })) as never;
    stopping = new AbortController();
    ticks = [];
    logged = [];
    looks = [];
    const tick = () =>
      new Promise<void>((resolve, reject) =>
        ticks.push({ end: (error?: Error) => (error ? reject(error) : resolve()) }),
      );
    const config = {
      outbox: { workerEnabled: true, tickMs: TICK_MS, reaperIntervalMs: TICK_MS, pace: 'tick' },
    } as Config;
    const log = { error: (line: unknown) => logged.push(line) } as unknown as Log;
    const rounds = new Rounds(new SchedulerRegistry(), stopping.signal, config, log);
    new OutboxSchedule(
      { tick } as unknown as Worker,
      { reap: nothing } as unknown as Reaper,
      { update: nothing } as unknown as Outages,
      { update: async () => false } as unknown as Pauses,
      { fill: nothing } as unknown as OldCauses,
      { forgetReplaced: async () => void looks.push(time) } as unknown as PosTokens,
      rounds,
      config,
    ).onModuleInit();
    rounds.start();
  });
  afterEach(() => {
    Object.assign(globalThis, { setInterval });
    performance.now = now;
  });

  /** Lets time pass, to a multiple of TICK_MS, and calls what is due. */
  async function pass(ms: number): Promise<void> {
    for (const end = time + ms; time < end; ) {
      time += TICK_MS;
      for (const { call, ms: every } of intervals) if (time % every === 0) call();
      await settled();
    }
  }

  test('a tick every OUTBOX_TICK_MS, unless the previous one is still running (O6)', async () => {
    expect(ticks).toHaveLength(0);
    await pass(TICK_MS);
    expect(ticks).toHaveLength(1);
    await pass(10 * TICK_MS);
    expect(ticks).toHaveLength(1);
    ticks[0]?.end();
    await settled();
    await pass(TICK_MS);
    expect(ticks).toHaveLength(2);
  });

  test('a check for deleted POS tokens every 5 s, also during a tick (T6)', async () => {
    await pass(3 * TICK_MS);
    expect(ticks).toHaveLength(1);
    expect(looks).toEqual([TICK_MS, 2 * TICK_MS, 3 * TICK_MS]);
    expect(intervals.map(({ ms }) => ms)).toContain(5_000);
  });

  test('a tick that has not ended after an hour no longer blocks the next', async () => {
    await pass(TICK_MS);
    await pass(HOUR_MS - TICK_MS);
    expect(ticks).toHaveLength(1);
    await pass(TICK_MS);
    expect(ticks).toHaveLength(2);
    // the first one ends; the second is still running, so there is no third
    ticks[0]?.end();
    await settled();
    await pass(TICK_MS);
    expect(ticks).toHaveLength(2);
    ticks[1]?.end();
    await settled();
    await pass(TICK_MS);
    expect(ticks).toHaveLength(3);
  });

  test('a tick that fails is logged, and the next interval starts another', async () => {
    await pass(TICK_MS);
    ticks[0]?.end(new Error('the database is away'));
    await settled();
    expect(logged).toEqual([{ event: 'outbox.tick_failed', error: expect.stringContaining('the database is away') }]);
    await pass(TICK_MS);
    expect(ticks).toHaveLength(2);
  });

  test('nothing begins while the process stops', async () => {
    stopping.abort();
    await pass(10 * TICK_MS);
    expect(ticks).toHaveLength(0);
  });
});
