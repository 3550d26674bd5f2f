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

  interface Statements {
    readonly rows?: number;
    /** characters of a row */
    readonly length?: number;
    /** whether a read is under way meanwhile */
    readonly read?: boolean;
  }
  /** Statements of this time, one each 25 ms or after the one before. */
  function statements(count: number, tookMs: number, { rows = 1, length = 600, read = false }: Statements = {}): void {
    for (let n = 0; n < count; n++) {
      const ends = read ? salesFirst.read() : () => undefined;
      const stored = salesFirst.store(rows, rows * length);
      now += tookMs;
      stored();
      ends();
      now += Math.max(0, 25 - tookMs);
    }
  }
  const beside = { read: true };

  test('all turns may be used while sales take no longer beside reads than without (L219)', () => {
    statements(20, 2);
    statements(100, 3, beside);
    expect([salesFirst.turns(8), salesFirst.pauseAfter(8, 50)]).toEqual([8, 0]);
  });

  test('reads have half as many turns with each judgement that finds most statements slow, and pause in the end (L219)', () => {
    statements(20, 2);
    const turns = Array.from({ length: 6 }, () => {
      statements(11, 20, beside);
      return salesFirst.turns(8);
    });
    expect(turns).toEqual([4, 2, 1, 1, 1, 1]);
    // a third of one turn: after 50 ms of work about twice as long a pause
    expect(salesFirst.pauseAfter(8, 50)).toBeGreaterThan(45);
    expect(salesFirst.pauseAfter(2, 60_000)).toBe(1_000);
  });

  test('they grow again while statements take their usual time, and without sales (L219)', () => {
    statements(20, 2);
    statements(66, 20, beside);
    // so that what is known is not too old
    for (let n = 0; n < 40; n++) {
      statements(1, 2);
      statements(5, 2, beside);
    }
    expect(salesFirst.turns(100)).toBeGreaterThan(25);
    now += 20_000;
    expect([salesFirst.turns(8), salesFirst.pauseAfter(8, 50)]).toEqual([8, 0]);
  });

  test('what makes all statements slow takes nothing from reads: a disk, a sender of big sales (L219)', () => {
    statements(20, 2);
    for (let n = 0; n < 100; n++) {
      statements(3, 40, { length: 200_000 });
      statements(3, 40, { length: 200_000, read: true });
      statements(1, 2, beside);
    }
    statements(20, 30);
    statements(100, 36, beside);
    expect(salesFirst.turns(8)).toBe(8);
  });

  test('a few slow statements among many change nothing (L219)', () => {
    statements(20, 2);
    for (let n = 0; n < 50; n++) {
      statements(2, 200, beside);
      statements(4, 2, beside);
    }
    expect(salesFirst.turns(8)).toBe(8);
  });

  test('twice the rows take twice the time at most: one size of statement tells about the others', () => {
    statements(20, 3, { rows: 16 });
    statements(11, 20, beside);
    expect(salesFirst.turns(8)).toBe(4);
    now += 60_000;
    statements(1, 3, { rows: 16 });
    statements(11, 12, { rows: 64, read: true });
    expect(salesFirst.turns(8)).toBe(8);
  });

  test('when no statement has run without reads for long, reads wait for a moment (L219)', () => {
    const more = jest.fn();
    salesFirst.onMore = more;
    jest.useFakeTimers();
    try {
      statements(1, 20, beside);
      expect(salesFirst.turns(8)).toBe(0);
      statements(5, 2);
      jest.advanceTimersByTime(200);
      now += 200;
      expect([salesFirst.turns(8), more.mock.calls.length]).toEqual([8, 1]);
      statements(11, 20, beside);
      expect(salesFirst.turns(8)).toBe(4);
      // the timer may fire while this clock is behind it: the reads that wait must not be forgotten
      now += 6_000;
      statements(1, 20, beside);
      expect(salesFirst.turns(8)).toBe(0);
      jest.advanceTimersByTime(200);
      expect([salesFirst.turns(8) > 0, more.mock.calls.length]).toEqual([true, 2]);
      // a read that does not end hides the time without reads: the others do not wait for it again and again
      const ends = salesFirst.read();
      let looks = 0;
      for (let n = 0; n < 400; n++) {
        statements(1, 2);
        if (salesFirst.turns(8) === 0) looks++;
      }
      ends();
      expect(looks * 25).toBeLessThanOrEqual(400);
    } finally {
      jest.useRealTimers();
    }
  });

  test.each([
    ['postgresql://localhost', { ordinary: 4, changes: 2, reports: 8, search: 2 }],
    [undefined, { ordinary: 2, changes: 2, reports: 8, search: 2 }],
  ] as const)('many accounts together keep to it, in each share: database %s (H27)', async (databaseUrl, most) => {
    const shares = new Shares({ databaseUrl, databasePoolSize: 10 }, salesFirst);
    const { turns } = shares as unknown as { turns: Record<keyof typeof most, FairSlots> };
    const names = Array.from({ length: 20 }, (_, n) => `restaurant ${n}`);
    /** @returns how many of twenty restaurants have a turn at once, one request each */
    async function atOnce(slots: FairSlots): Promise<number> {
      const taken = names.map((name) => slots.take(name, () => new AbortController().signal));
      const count = names.filter((name) => slots.of(name).underWay === 1).length;
      slots.wake();
      for (const each of taken) void each.then((free) => free());
      await Promise.all(taken);
      return count;
    }
    for (const share of ['ordinary', 'changes', 'reports', 'search'] as const)
      expect([share, await atOnce(turns[share])]).toEqual([share, most[share]]);
    statements(20, 2);
    statements(66, 20, beside);
    for (const slots of Object.values(turns)) expect(await atOnce(slots)).toBe(1);
    // while the time without reads is measured nobody has a turn; then they go on by themselves
    now += 6_000;
    statements(1, 20, beside);
    const waiting = names.map((name) => turns.ordinary.take(name, () => new AbortController().signal));
    expect(names.filter((name) => turns.ordinary.of(name).underWay > 0)).toEqual([]);
    now += 300;
    for (const each of waiting) void each.then((free) => free());
    await Promise.all(waiting);
  });
});
