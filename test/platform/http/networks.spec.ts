import { networkOf } from '../../../src/platform/http/limits/network.js';
import { SetsBySize } from '../../../src/platform/sets-by-size.js';

describe('networks of connections (H24)', () => {
  test.each([
    ['an IPv4 address', '192.0.2.1', '192.0.2.1'],
    ['an IPv4-mapped address', '::ffff:192.0.2.1', '192.0.2.1'],
    ['the first 64 bits of an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['an IPv6 address with a zone', 'fe80::1%eth0', 'fe80::'],
    ['a connection that has no address any more', '', ''],
  ])('%s is one (H24)', (_, address, network) => {
    expect(networkOf(address)).toBe(networkOf(network));
    expect(networkOf(address)).not.toBe(networkOf('2001:db8:1:3::'));
  });

  test('the largest is found after any changes, and its oldest is first (H24)', () => {
    const sets = new SetsBySize<number, string>();
    const model = new Map<number, string[]>();
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let n = 0; n < 5_000; n++) {
      const key = random(8) * random(8);
      const item = String(random(30));
      const items = (model.get(key) ?? []).filter((each) => each !== item);
      // in waves, so that it is empty at times
      if (random(10) < (Math.floor(n / 500) % 2 === 0 ? 8 : 1)) {
        if (!model.get(key)?.includes(item)) model.set(key, [...items, item]);
        sets.add(key, item);
      } else {
        model.set(key, items);
        sets.delete(key, item);
      }
      const size = Math.max(...[...model.values()].map(({ length }) => length));
      const largest = [...(sets.largest() ?? [])];
      expect(largest).toHaveLength(size);
      if (size > 0) expect([...model.values()]).toContainEqual(largest);
    }
  });
});
