import { AccountRefusals } from '../../../src/platform/http/limits/account-refusals.js';
import { SalesFirst } from '../../../src/platform/sales-first.js';

const NEVER = () => new AbortController().signal;

describe('refusals of accounts, by a clock of the test (H28, L250)', () => {
  let now: number;
  let timers: Set<{ readonly at: number; readonly run: () => void }>;

  /** A test by this clock. The runner measures the test by the real one. */
  const byClock = (run: () => Promise<void>) => async () => {
    now = 0;
    timers = new Set();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
      const timer = { at: now + ms, run, unref: () => timer };
      timers.add(timer);
      return timer;
    }) as unknown as typeof setTimeout);
    jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => void timers.delete(timer as never));
    try {
      await run();
    } finally {
      jest.restoreAllMocks();
    }
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  async function later(ms: number): Promise<void> {
    const end = now + ms;
    for (;;) {
      const [next] = [...timers].sort((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.run();
      await settled();
    }
    now = end;
  }

  /** Refusals beside sales whose statements take this time in place of 2 ms. @returns those that were answered */
  function refusalsBeside(salesTakeMs: number) {
    const salesFirst = new SalesFirst(() => now);
    const store = (tookMs: number, read: boolean) => {
      const ends = read ? salesFirst.read() : undefined;
      const stored = salesFirst.store(1, 600);
      now += tookMs;
      stored();
      ends?.();
      now += 20;
    };
    for (let n = 0; n < 20; n++) store(2, false);
    for (let n = 0; n < 110; n++) store(salesTakeMs, true);
    const refusals = new AccountRefusals(salesFirst);
    const answered: string[] = [];
    const refuse = async (account: string, tookMs: number, gone = NEVER) => {
      await refusals.wait({ account, founder: undefined, gone }, tookMs);
      answered.push(account);
    };
    return { answered, refuse };
  }

  test(
    'while sales are slow beside them, they have a part of the time: each counts for 20 ms at most (H28, L250)',
    byClock(async () => {
      const { answered, refuse } = refusalsBeside(20);
      for (const account of ['a', 'b', 'c']) void refuse(account, 60_000);
      await settled();
      expect(answered).toEqual(['a']);
      await later(200);
      expect(answered).toEqual(['a']);
      await later(260);
      expect(answered).toEqual(['a', 'b']);
    }),
  );

  test(
    'while sales are as quick as ever, they do not wait (H28)',
    byClock(async () => {
      const { answered, refuse } = refusalsBeside(2);
      for (const account of ['a', 'b', 'c']) void refuse(account, 60_000);
      await settled();
      expect(answered).toEqual(['a', 'b', 'c']);
    }),
  );

  test(
    'none waits longer than 4 s, nor when its client has gone (H28, L250)',
    byClock(async () => {
      const { answered, refuse } = refusalsBeside(20);
      const gone = new AbortController();
      for (let n = 0; n < 30; n++) void refuse(`a${n}`, 20);
      void refuse('gone', 20, () => gone.signal);
      gone.abort();
      await settled();
      expect(answered).toContain('gone');
      await later(4_000);
      expect(answered).toHaveLength(31);
    }),
  );
});
