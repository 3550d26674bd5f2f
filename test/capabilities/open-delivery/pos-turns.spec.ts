import { PosTurns } from '../../../src/capabilities/open-delivery/pos-turns.js';
import type { Config } from '../../../src/platform/config/config.js';

const NEVER = new AbortController().signal;
const pos = (restaurantId: string, credentialId = restaurantId) => ({ restaurantId, credentialId });

describe('the turns of POSs that pull (Q11, L262)', () => {
  const turnsOf = (config: Partial<Config> = { databasePoolSize: 20, databaseUrl: 'postgresql://localhost' }) =>
    new PosTurns(config as Config);

  test('a second has 100 requests of the same credentials, then 429 with Retry-After; others are not refused', () => {
    const turns = turnsOf();
    const count = (id: string) => turns.count(pos('a', id));
    for (let i = 0; i < 100; i++) count('one');
    expect(() => count('one')).toThrow('at most 100 requests a second');
    expect(() => count('two')).not.toThrow();
  });

  test.each([
    ['two of a restaurant, three tenths of the connections for all', undefined, ['a', 'a', 'b', 'b', 'c', 'c']],
    ['one of all on the embedded database', { databasePoolSize: 20, databaseUrl: undefined }, ['a']],
  ])('%s', async (_, config, begun) => {
    const turns = turnsOf(config);
    const running: string[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const all = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'd'].map((id) =>
      turns.run(pos(id), NEVER, () => {
        running.push(id);
        return ended;
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toEqual(begun);
    end();
    await Promise.all(all);
    expect(running).toHaveLength(9);
  });

  test('the restaurants of one founder take turns as one', async () => {
    const turns = turnsOf({ databasePoolSize: 20, databaseUrl: undefined });
    const begun: string[] = [];
    const ask = (restaurantId: string, foundedBy?: string) =>
      turns.run({ ...pos(restaurantId), foundedBy }, NEVER, async () => void begun.push(restaurantId));
    await Promise.all([...['a1', 'a2', 'a3', 'a4'].map((id) => ask(id, 'a')), ask('b1'), ask('c1')]);
    // the first one has not waited, so it took no turn
    expect(begun.slice(0, 4)).toEqual(['a1', 'a2', 'b1', 'c1']);
    expect(begun.toSorted()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
  });
});
