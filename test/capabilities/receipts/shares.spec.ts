import { readerOn } from './reader-on.js';

const LISTS_OF_SENDER = 10;

/** A reader on a server. @param isTooSlow whether a statement for these senders takes too long */
const readerOf = (isTooSlow: (senders: readonly string[]) => boolean = () => false) =>
  readerOn('a server', (senders) => {
    if (isTooSlow(senders))
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  });

describe('V30: a list costs its own sender', () => {
  test('a sender with hundreds of requests waits for its own (V30, L131)', async () => {
    const { statements, list } = readerOf();
    const many = Array.from({ length: 95 }, () => list('many'));
    await list('other');
    expect(statements[0]).toHaveLength(LISTS_OF_SENDER + 1);
    expect(statements[0]).toContain('other');
    await Promise.all(many);
    expect(statements.map((senders) => senders.length)).toEqual([11, ...Array.from({ length: 8 }, () => 10), 5]);
  });

  test('the lists of a statement that took too long are read alone, and then those of the slow sender (V30, L131)', async () => {
    const { statements, list } = readerOf((senders) => senders.includes('slow'));
    const [slow, a, b] = await Promise.allSettled([list('slow'), list('a'), list('b')]);
    expect([slow?.status, a?.status, b?.status]).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(statements).toEqual([['slow', 'a', 'b'], ['slow'], ['a'], ['b']]);
    await Promise.allSettled([list('a'), list('slow'), list('b')]);
    expect(statements.slice(4).toSorted((x, y) => y.length - x.length)).toEqual([['a', 'b'], ['slow']]);
  });
});
