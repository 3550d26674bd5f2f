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
      const { begun, ask, end, settled } = requestsOf(new FairSlots({ total: 2, ofKey: 1, restsAfterMs }));
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
});
