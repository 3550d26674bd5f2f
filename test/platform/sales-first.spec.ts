import type { FairSlots } from '../../src/platform/http/limits/fair-slots.js';
import { Shares } from '../../src/platform/http/limits/shares.js';
import { SalesFirst } from '../../src/platform/sales-first.js';

describe('sales before reads (H27)', () => {
  let now: number;
  let salesFirst: SalesFirst;

  beforeEach(() => {
    now = 0;
    salesFirst = new SalesFirst(() => now);
  });

  /** Statements of this time, one each 25 ms. @param length characters of a row */
  function statements(count: number, tookMs: number, rows = 1, length = 600): void {
    for (let n = 0; n < count; n++) {
      now += 25;
      salesFirst.stored(rows, rows * length, tookMs);
    }
  }

  test('all turns may be used while the statements of sales take their usual time (L219)', () => {
    statements(100, 2);
    expect([salesFirst.turns(8), salesFirst.pauseAfter(8, 50)]).toEqual([8, 0]);
  });

  test('reads have half as many turns with each judgement that finds most statements slow, and pause in the end (L219)', () => {
    statements(10, 2);
    const turns = Array.from({ length: 6 }, () => {
      statements(5, 20);
      return salesFirst.turns(8);
    });
    expect(turns).toEqual([4, 2, 1, 1, 1, 1]);
    // a third of one turn: after 50 ms of work twice as long a pause
    expect(salesFirst.pauseAfter(8, 50)).toBeCloseTo(100, 5);
    expect(salesFirst.pauseAfter(8, 60_000)).toBe(1_000);
  });

  test('they grow again while statements take their usual time, and without sales (L219)', () => {
    statements(10, 2);
    statements(30, 20);
    statements(200, 2);
    expect(salesFirst.turns(8)).toBe(4);
    now += 10_000;
    expect([salesFirst.turns(8), salesFirst.pauseAfter(8, 50)]).toEqual([8, 0]);
  });

  test('a few slow statements among many change nothing (L219)', () => {
    statements(10, 2);
    for (let n = 0; n < 20; n++) {
      statements(1, 200);
      statements(4, 2);
    }
    expect(salesFirst.turns(8)).toBe(8);
  });

  test('big sales take longer by nature: a sender of them takes no turn from anybody (L219)', () => {
    statements(10, 2);
    for (let n = 0; n < 100; n++) {
      statements(4, 40, 1, 200_000);
      statements(1, 2);
    }
    expect(salesFirst.turns(8)).toBe(8);
    // and when their statements become slow, too, it is the database
    statements(10, 900, 1, 200_000);
    expect(salesFirst.turns(8)).toBe(2);
  });

  test('twice the rows take twice the time at most: one size of statement tells about the others', () => {
    statements(10, 3, 16);
    statements(5, 20, 1);
    expect(salesFirst.turns(8)).toBe(4);
    statements(400, 3, 16);
    statements(100, 12, 64);
    expect(salesFirst.turns(8)).toBe(8);
  });

  test('a database that has become slower for good is the usual one after some minutes (L219)', () => {
    statements(10, 2);
    statements(40 * 60 * 15, 20);
    expect(salesFirst.turns(8)).toBe(8);
  });

  test.each([
    ['postgresql://localhost', { ordinary: 4, changes: 2, reports: 8, search: 2 }],
    [undefined, { ordinary: 2, changes: 2, reports: 8, search: 2 }],
  ] as const)('many accounts together keep to it, in each share: database %s (H27)', async (databaseUrl, most) => {
    const shares = new Shares({ databaseUrl, databasePoolSize: 10 }, salesFirst);
    const { turns } = shares as unknown as { turns: Record<keyof typeof most, FairSlots> };
    /** @returns how many of twenty restaurants have a turn at once, one request each */
    async function atOnce(slots: FairSlots): Promise<number> {
      const names = Array.from({ length: 20 }, (_, n) => `restaurant ${n}`);
      const taken = names.map((name) => slots.take(name, () => new AbortController().signal));
      const count = names.filter((name) => slots.of(name).underWay === 1).length;
      for (const each of taken) void each.then((free) => free());
      await Promise.all(taken);
      return count;
    }
    for (const share of ['ordinary', 'changes', 'reports', 'search'] as const)
      expect([share, await atOnce(turns[share])]).toEqual([share, most[share]]);
    statements(10, 2);
    statements(30, 20);
    for (const slots of Object.values(turns)) expect(await atOnce(slots)).toBe(1);
  });
});
