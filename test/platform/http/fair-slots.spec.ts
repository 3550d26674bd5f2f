import { ClientGoneError } from '../../../src/platform/http/client-gone.js';
import { FairSlots, MOST_WAITING } from '../../../src/platform/http/limits/fair-slots.js';
import { until } from '../../support/until.js';

const NEVER = () => new AbortController().signal;

describe('slots by turns (H19, H20)', () => {
  /** Requests of keys; each is noted as it begins, and ended by name. */
  function requestsOf(slots: FairSlots) {
    const begun: string[] = [];
    const free = new Map<string, (waitedMs?: number) => void>();
    const refused: unknown[] = [];
    const ask = (name: string, gone = NEVER) =>
      slots.take(name.slice(0, 1), gone).then(
        (end) => {
          begun.push(name);
          free.set(name, end);
        },
        (error) => void refused.push(error),
      );
    const end = async (name: string, waitedMs = 0) => {
      free.get(name)?.(waitedMs);
      await settled();
    };
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    return { begun, refused, ask, end, settled };
  }

  test('a key has its number under way, even if nobody else waits; the rest waits in its order (L125)', async () => {
    const slots = new FairSlots({ total: Number.POSITIVE_INFINITY, ofKey: 2 });
    const { begun, ask, end, settled } = requestsOf(slots);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void ask(name);
    await settled();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    expect(slots.of('a')).toEqual({ underWay: 2, waiting: 2 });
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const name of ['a1', 'a3', 'b1', 'a4']) await end(name);
    expect([slots.of('a'), slots.of('b')]).toEqual(Array(2).fill({ underWay: 0, waiting: 0 }));
  });

  test('keys that wait take free slots by turns, however many requests each has (L127)', async () => {
    const { begun, ask, end, settled } = requestsOf(new FairSlots({ total: 2, ofKey: 2 }));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) void ask(name);
    await settled();
    for (let i = 0; i < 6; i++) await end(begun[i] as string);
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
  });

  test('the keys of one group take turns as one, whichever came first (H20)', async () => {
    const slots = new FairSlots({ total: 1, ofKey: 1 });
    const begun: string[] = [];
    let end = () => {};
    const ask = (key: string, group?: string) =>
      slots.take(key, NEVER, group).then((free) => {
        begun.push(key);
        end = free;
      });
    for (const key of ['a', 'b', 'c', 'd']) void ask(key, 'founder');
    for (const key of ['x', 'y', 'x']) void ask(key);
    for (let ended = 0; ended < 7; ended++) {
      await until(() => begun.length > ended);
      end();
    }
    expect(begun).toEqual(['a', 'b', 'x', 'y', 'c', 'x', 'd']);
    expect((slots as unknown as { groups: Map<string, unknown> }).groups.size).toBe(0);
  });

  const TOO_MANY = { status: 503, response: { code: 'TOO_MANY_AT_ONCE', retryAfterSeconds: 2 } };

  test('beyond the queue of a key it is a 503; another key is not concerned (L126)', async () => {
    const { begun, refused, ask, settled } = requestsOf(new FairSlots({ total: 2, ofKey: 1 }));
    const gone = new AbortController();
    for (let i = 0; i < MOST_WAITING + 3; i++) void ask(`a${i}`, () => AbortSignal.any([gone.signal]));
    void ask('b1');
    await settled();
    expect(begun).toEqual(['a0', 'b1']);
    expect(refused).toMatchObject([TOO_MANY, TOO_MANY]);
    gone.abort();
  });

  test('after the longest wait it is a 503 (L126)', async () => {
    const { refused, ask } = requestsOf(new FairSlots({ total: 1, ofKey: 1, waitMs: 1 }));
    for (const name of ['a1', 'a2']) void ask(name);
    await until(() => refused.length === 1);
    expect(refused).toMatchObject([TOO_MANY]);
  });

  test('who has gone leaves the queue (H19)', async () => {
    const slots = new FairSlots({ total: 1, ofKey: 1 });
    const { begun, refused, ask, end, settled } = requestsOf(slots);
    const gone = new AbortController();
    void ask('a1');
    void ask('a2', () => gone.signal);
    void ask('a3');
    gone.abort();
    await settled();
    expect(refused).toEqual([expect.any(ClientGoneError)]);
    await end('a1');
    expect(begun).toEqual(['a1', 'a3']);
    void ask('a4', () => AbortSignal.abort());
    await settled();
    expect([refused.length, slots.of('a')]).toEqual([2, { underWay: 1, waiting: 0 }]);
  });

  test('a key whose requests have taken long rests while others of it wait; before, it does not (L128)', async () => {
    for (const [restsAfterMs, next] of [
      [0, ['a1', 'b1', 'c1', 'a2']],
      [60_000, ['a1', 'a2', 'b1', 'c1']],
    ] as const) {
      const bounds = { total: 2, ofKey: 1, restsAfterMs, restsIfOthersWait: true };
      const { begun, ask, end, settled } = requestsOf(new FairSlots(bounds));
      for (const name of ['a1', 'a2']) void ask(name);
      await settled();
      await end('a1');
      // others have the slot of who rests
      void ask('b1');
      await settled();
      if (restsAfterMs > 0) await end('a2');
      void ask('c1');
      await settled();
      if (restsAfterMs === 0) await end('b1');
      await until(() => begun.length === 4);
      expect(begun).toEqual(next);
    }
  });

  test('a key does not rest for the time that its request has waited elsewhere (L128)', async () => {
    for (const waitedMs of [0, 60_000]) {
      const { begun, ask, end, settled } = requestsOf(new FairSlots({ total: 1, ofKey: 1, restsAfterMs: 1 }));
      for (const name of ['a1', 'a2']) void ask(name);
      await settled();
      const since = performance.now();
      await until(() => performance.now() - since > 1);
      await end('a1', waitedMs);
      expect(begun).toEqual(waitedMs > 0 ? ['a1', 'a2'] : ['a1']);
      await until(() => begun.length === 2);
    }
  });

  describe('by a clock of the test (L128)', () => {
    const OF_ACCOUNT = { total: Number.POSITIVE_INFINITY, ofKey: 4, restsAfterMs: 1_000 };
    const MINUTE = 60_000;
    let now: number;
    let timers: Set<{ readonly at: number; readonly run: () => void }>;

    /** A test by this clock. The runner measures the test by the real one. */
    const byClock =
      <Args extends unknown[]>(run: (...args: Args) => Promise<void>) =>
      async (...args: Args) => {
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
          await run(...args);
        } finally {
          jest.restoreAllMocks();
        }
      };
    const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    /** Lets the clock run until this time. */
    async function runUntil(end: number) {
      await settled();
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.at - b.at);
        if (!next || next.at > end) break;
        timers.delete(next);
        now = next.at;
        next.run();
        await settled();
      }
      now = end;
    }
    /** A request that takes this time. @returns when it began */
    async function request(slots: FairSlots, name: string, tookMs: number): Promise<number> {
      const free = await slots.take(name, NEVER);
      const begunAt = now;
      await after(tookMs);
      free();
      return begunAt;
    }
    /** Sends so many requests at once, again and again, for a minute. @returns the part of this time for which they were worked on */
    async function flood(slots: FairSlots, atOnce: number, tookMs: number, { inStep = false } = {}) {
      let workedMs = 0;
      const one = async () => {
        await request(slots, 'a', tookMs);
        workedMs += tookMs;
      };
      const loop = async (work: () => Promise<unknown>) => {
        while (now < MINUTE) await work();
      };
      if (inStep) void loop(() => Promise.all(Array.from({ length: atOnce }, one)));
      else for (let i = 0; i < atOnce; i++) void loop(one);
      await runUntil(MINUTE);
      return workedMs / MINUTE;
    }

    test.each([
      ['as many as it has slots', 4, 40, {}],
      ['fewer than it has slots', 2, 40, {}],
      ['more than it has slots', 10, 40, {}],
      ['requests of a second', 4, 1_000, {}],
      ['short requests', 4, 2, {}],
      ['all of them ended before the next begin', 4, 40, { inStep: true }],
    ])(
      'an account that reads without an end has a fifth of its slots: %s',
      byClock(async (_, atOnce, tookMs, how) => {
        const part = await flood(new FairSlots(OF_ACCOUNT), atOnce, tookMs, how);
        // a fifth of four slots, and the second before it rests
        expect(part).toBeGreaterThan(0.6);
        expect(part).toBeLessThan(0.9);
      }),
    );

    test(
      'one search after the other: a fifth of the time',
      byClock(async () => {
        const part = await flood(new FairSlots({ ...OF_ACCOUNT, ofKey: 1 }), 1, 500);
        expect(part).toBeGreaterThan(0.18);
        expect(part).toBeLessThan(0.24);
      }),
    );

    test(
      'a page that sends eight requests at once does not rest, however often a person opens it',
      byClock(async () => {
        const slots = new FairSlots(OF_ACCOUNT);
        const begun: number[][] = [];
        for (let page = 0; page < 20; page++) {
          const opened = Promise.all(Array.from({ length: 8 }, () => request(slots, 'a', 100)));
          const since = now;
          await runUntil(since + 1_500);
          begun.push((await opened).map((at) => at - since));
        }
        // the second four when the first have ended
        expect(begun).toEqual(Array(20).fill([0, 0, 0, 0, 100, 100, 100, 100]));
      }),
    );

    test(
      'a person who waits for each answer, and reads it, does not rest; a long request holds up none of the next',
      byClock(async () => {
        const slots = new FairSlots(OF_ACCOUNT);
        for (const tookMs of [900, 900, 900, 20_000, 300, 300, 300]) {
          const since = now;
          const read = request(slots, 'a', tookMs);
          await runUntil(since + tookMs + 300);
          expect(await read).toBe(since);
        }
      }),
    );

    test(
      'a rest ends, and what was too much is forgotten when it is worked off',
      byClock(async () => {
        const slots = new FairSlots(OF_ACCOUNT);
        await flood(slots, 4, 1_000);
        await runUntil(MINUTE + 10_000);
        expect(slots.of('a')).toEqual({ underWay: 0, waiting: 0 });
        const reads = Promise.all(Array.from({ length: 4 }, () => request(slots, 'a', 200)));
        await runUntil(MINUTE + 10_200);
        expect(await reads).toEqual(Array(4).fill(MINUTE + 10_000));
        expect(slots.of('a').underWay).toBe(0);
        // what is kept of a thousand keys, each a little later than the one before
        for (let key = 0; key < 1_000; key++) {
          const read = request(slots, `key ${key}`, 8);
          await runUntil(now + 8);
          await read;
        }
        expect((Reflect.get(slots, 'excess') as Map<string, unknown>).size).toBeLessThan(10);
      }),
    );

    test(
      'the rest of one account holds up no other, and takes no slot of all',
      byClock(async () => {
        const slots = new FairSlots({ ...OF_ACCOUNT, total: 1, ofKey: 1 });
        const long = request(slots, 'a', 3_000);
        await runUntil(3_000);
        await long;
        const reads = Promise.all([request(slots, 'a', 10), request(slots, 'b', 10)]);
        await runUntil(10_000);
        const [ofA, ofB] = await reads;
        expect(ofB).toBe(3_000);
        expect(ofA).toBeGreaterThan(3_000);
      }),
    );

    test.each([
      ['changes, which do not rest', {}],
      ['what rests only while others wait', { restsAfterMs: 1_000, restsIfOthersWait: true }],
    ])(
      '%s: four at once without an end do not rest',
      byClock(async (_, rests) => {
        expect(await flood(new FairSlots({ total: 10, ofKey: 4, ...rests }), 4, 40)).toBeGreaterThan(3.9);
      }),
    );
  });
});
