import { KnownAddresses } from '../../src/auth/known-addresses.js';
import { LoginThrottle } from '../../src/auth/login-throttle.js';
import type { Config } from '../../src/platform/config/config.js';

const VICTIM = 'victim@example.com';
/** At LOGIN_ATTEMPTS_PER_MINUTE=10 an account has 50 attempts an hour: beyond them one each 72 s. */
const BURST = 50;
const EACH_SECONDS = 72;

describe('addresses share the attempts beyond the limit of an account (A34, L151)', () => {
  const { now } = performance;
  let seconds: number;
  let throttle: LoginThrottle;

  beforeEach(() => {
    seconds = 1_000;
    performance.now = () => seconds * 1_000;
    throttle = new LoginThrottle({ loginAttemptsPerMinute: 10 } as Config, new KnownAddresses());
  });
  afterEach(() => {
    performance.now = now;
  });

  /** @returns Retry-After; 0 when the attempt passes */
  function ask(address: string, email = VICTIM): number {
    try {
      throttle.count(email, address);
      return 0;
    } catch (error) {
      return (error as { getResponse(): { retryAfterSeconds: number } }).getResponse().retryAfterSeconds;
    }
  }
  const addresses = (count: number, network: string) => Array.from({ length: count }, (_, i) => `${network}.${i + 1}`);
  const attackers = addresses(16, '192.0.2');
  const owner = '203.0.113.1';

  /** The attackers use up the limit. */
  function exhaust(by = attackers) {
    for (let i = 0; i < BURST; i++) expect(ask(by[i % by.length] as string)).toBe(0);
  }

  /**
   * Each second all of `others` ask, then the owner, if it is his second.
   * @returns the addresses whose attempts passed, in order, until the owner's did, and the seconds until then
   */
  function race(others: readonly string[], ownerAsksEach: number): { passed: string[]; after: number } {
    const passed: string[] = [];
    for (let second = 0; second < 7_200; second++) {
      for (const address of others) if (ask(address) === 0) passed.push(address);
      if (second % ownerAsksEach === 0 && ask(owner) === 0) return { passed: [...passed, owner], after: second };
      seconds++;
    }
    return { passed, after: Number.POSITIVE_INFINITY };
  }

  test('16 addresses that ask once a second do not starve a new one: it has the next attempt, also when it asks once a minute', () => {
    exhaust();
    for (let i = 0; i < 10; i++) {
      seconds += 30;
      for (const address of attackers) ask(address);
    }
    expect(ask(owner)).toBeGreaterThan(0);
    const { passed, after } = race(attackers, 60);
    expect(passed).toEqual([owner]);
    expect(after).toBeLessThanOrEqual(EACH_SECONDS + 60);
  });

  test('of 16 new addresses each delays another new one by one attempt, and none has a second before it', () => {
    exhaust(addresses(5, '198.51.100'));
    for (const address of attackers) expect(ask(address)).toBeGreaterThan(0);
    seconds++;
    const { passed, after } = race(attackers, 10);
    expect(passed).toEqual([...attackers, owner]);
    expect(after).toBeLessThanOrEqual(17 * EACH_SECONDS + 10);
  });

  test('they take turns: each has its second attempt after all had their first', () => {
    exhaust(addresses(5, '198.51.100'));
    const order: string[] = [];
    while (order.length < 8) {
      for (const address of attackers.slice(0, 4)) if (ask(address) === 0) order.push(address);
      seconds++;
    }
    expect(order).toEqual([...attackers.slice(0, 4), ...attackers.slice(0, 4)]);
  });

  test('the addresses of one IPv6 network have one turn', () => {
    exhaust();
    const network = Array.from({ length: 16 }, (_, i) => `2001:db8:1:2::${i + 1}`);
    for (const address of network) ask(address);
    const { passed } = race(network, 10);
    expect(passed).toHaveLength(2);
    expect(passed.at(-1)).toBe(owner);
  });

  test('an address that has not asked for two minutes loses its place, and one that heeds Retry-After keeps it', () => {
    exhaust();
    const [first, second] = ['198.51.100.1', '198.51.100.2'] as const;
    const wait = ask(first);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    ask(second);
    seconds += 119;
    // an attempt has been free for a while, and is the first's
    expect(ask(second)).toBeGreaterThan(0);
    seconds += 1;
    expect(ask(second)).toBe(0);
    expect(ask(first)).toBeGreaterThan(0);
  });

  test('several free attempts are for as many places: whoever is behind them waits', () => {
    exhaust();
    const line = addresses(3, '198.51.100');
    for (const address of line) ask(address);
    for (let minute = 0; minute < 2; minute++) {
      seconds += 60;
      // only the last asks again; the places of the two before it lapse then
      const answer = ask(line[2] as string);
      expect(answer === 0).toBe(minute === 1);
    }
    seconds += 2 * EACH_SECONDS;
    expect([ask('198.51.100.8'), ask('198.51.100.9')]).toEqual([0, 0]);
    expect(ask('198.51.100.10')).toBeGreaterThan(0);
  });

  test('an address that another limit refuses keeps no place before others', () => {
    exhaust();
    const blocker = '198.51.100.1';
    for (let i = 0; i < 100; i++) ask(blocker, `spray-${i}@example.com`);
    expect(ask(blocker)).toBeGreaterThan(0);
    seconds += 1;
    ask(owner);
    seconds += 30;
    ask(blocker);
    seconds += 60;
    expect(ask(owner)).toBe(0);
  });

  test('200 addresses have a place; a new address takes the last place of one that has had an attempt', () => {
    exhaust();
    const crowd = Array.from({ length: 184 }, (_, i) => `198.51.100.${i + 1}`);
    for (const address of [...crowd, ...attackers]) ask(address);
    expect(ask(owner)).toBeGreaterThan(0);
    const line = (Reflect.get(throttle, 'accounts') as { lines: { values: Map<string, Map<string, unknown>> } }).lines;
    const [places] = line.values.values();
    expect(places?.size).toBe(200);
    // the crowd does not ask again: the owner has kept the place, and is before the attackers
    const { passed, after } = race(attackers, 10);
    expect(passed).toEqual([owner]);
    expect(after).toBe(120);
  });

  test('the account keeps its rate, and after an hour without attempts its whole limit', () => {
    exhaust();
    const passed: number[] = [];
    for (let asked = 0; asked < 600; asked++) {
      seconds += 6;
      passed.push(attackers.filter((address) => ask(address) === 0).length);
    }
    expect(passed.reduce((sum, each) => sum + each, 0)).toBe(BURST);
    seconds += 3_600;
    exhaust(addresses(10, '198.51.100'));
    expect(ask(owner)).toBeGreaterThan(0);
  });
});
