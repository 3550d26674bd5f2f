import type { Config } from '../../../src/platform/config/config.js';
import type { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { StateService } from '../../../src/restaurants/reports/state.service.js';

/** A row of a restaurant without orders. */
const MONEY = { takenCents: 0, cancelledCents: 0, refundedCents: 0, sales: 0, refunds: 0, tests: 0, cancelled: 0 };
const ROW = {
  today: {},
  money: MONEY,
  waiting: {},
  parked: { earlier: { orders: 0, cancels: 0 } },
  causes: [],
  needs: [],
  refusedKeys: [],
  refused: 0,
};

/** A clock that stands until it is moved. */
class Clock {
  private now = 0;
  private timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor() {
    jest.spyOn(performance, 'now').mockImplementation(() => this.now);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
      this.timers.push({ at: this.now + ms, run });
      return { unref: () => {} };
    }) as never);
  }

  async forward(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      await new Promise(setImmediate);
      const [next] = this.timers.filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at);
      if (!next) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = next.at;
      next.run();
    }
    this.now = until;
  }
}

/** The reads of a restaurant whose state takes `ms`. */
function readsOf(ms: number, databaseUrl?: string) {
  let reads = 0;
  const prepared = () => {
    reads++;
    return new Promise((resolve) => setTimeout(() => resolve([ROW]), ms));
  };
  const config = { databaseUrl, outbox: { lateAlarmMs: 1 } } as Config;
  const states = new StateService({ prepared } as unknown as PrismaService, config);
  return {
    read: (times = 1) => Promise.all(Array.from({ length: times }, () => states.read('a restaurant'))),
    isResting: () => states.isResting('a restaurant'),
    count: () => reads,
  };
}

describe('a slow state on the embedded database (R19, L160)', () => {
  let clock: Clock;
  beforeEach(() => {
    clock = new Clock();
  });
  afterEach(() => jest.restoreAllMocks());

  test('its restaurant rests four times as long, and requests that arrive meanwhile share the next read', async () => {
    const { read, isResting, count } = readsOf(210);
    void read();
    await clock.forward(210);
    expect(isResting()).toBe(true);
    const shared = read(3);
    await clock.forward(4 * 210 - 1);
    expect(count()).toBe(1);
    await clock.forward(1);
    expect([count(), isResting()]).toEqual([2, false]);
    await clock.forward(210);
    expect(await shared).toHaveLength(3);
  });

  test('the rest is 4 s at most', async () => {
    const { read, isResting } = readsOf(20_000);
    void read();
    await clock.forward(20_000 + 3_999);
    expect(isResting()).toBe(true);
    await clock.forward(1);
    expect(isResting()).toBe(false);
  });

  test('slow reads that began together make one rest', async () => {
    const { read, count } = readsOf(210);
    void read(2);
    await clock.forward(210);
    const shared = read(2);
    await clock.forward(4 * 210 + 210);
    await shared;
    expect(count()).toBe(3);
  });

  test.each([
    ['a quick one', 199, undefined],
    ['a slow one on a server', 210, 'postgresql://127.0.0.1/relay'],
  ])('%s is read at once, by each request', async (_, ms, url) => {
    const { read, count, isResting } = readsOf(ms, url);
    void read();
    await clock.forward(ms);
    expect(isResting()).toBe(false);
    void read(2);
    expect(count()).toBe(3);
  });
});
