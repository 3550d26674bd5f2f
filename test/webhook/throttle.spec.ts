import { KnownAddresses } from '../../src/auth/known-addresses.js';
import { LoginThrottle } from '../../src/auth/login-throttle.js';
import type { Config } from '../../src/platform/config/config.js';
import { sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { People } from '../user-links/people.js';

const LIMIT = 3;

describe('LOGIN_ATTEMPTS_PER_MINUTE', () => {
  // the first address in X-Forwarded-For is then the caller's
  const scenario = Scenario.ofSuite({ LOGIN_ATTEMPTS_PER_MINUTE: String(LIMIT), TRUST_PROXY: 'true' });
  let people: People;
  let relay: TestRelay;

  beforeAll(() => {
    ({ people, relay } = scenario);
  });

  const send = (path: string, from: string, body: object) =>
    relay.http.post(path).set('X-Forwarded-For', from).send(body);
  const transaction = () => sale({ storeCode: null });
  const ways = {
    login: (email: string, password: string, from = '192.0.2.1') => send('/auth/login', from, { email, password }),
    Basic: (email: string, password: string, from = '192.0.2.1') =>
      send('/webhooks/terminal', from, transaction()).auth(email, password),
    body: (email: string, password: string, from = '192.0.2.1') =>
      send('/webhooks/terminal', from, { ...transaction(), email, password }),
  };
  type Way = keyof typeof ways;

  async function owner() {
    const person = await people.user();
    await people.restaurant(null, [person, 'OWNER']);
    return person;
  }

  test('is shared by login, Basic and body: the next attempt is a 429 with Retry-After', async () => {
    const { email, password } = await owner();
    for (const way of ['login', 'Basic', 'body'] as const) await ways[way](email, 'wrong password').expect(401);
    for (const way of ['login', 'Basic', 'body'] as const) {
      for (const tried of ['wrong password', password]) {
        const { body, headers } = await ways[way](email, tried).expect(429);
        expect(body).toMatchObject({ statusCode: 429, error: 'Too Many Requests', code: 'TOO_MANY_REQUESTS' });
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
      }
    }
  });

  test.each<Way>(['login', 'Basic', 'body'])('holds for %s alone, and for an unknown account', async (way) => {
    for (const { email } of [await owner(), { email: `nobody-by-${way}@example.com` }]) {
      for (let i = 0; i < LIMIT; i++) await ways[way](email, `guess ${i}`).expect(401);
      await ways[way](email, 'guess').expect(429);
    }
  });

  test('counts an email in capitals as the same account', async () => {
    const { email } = await owner();
    for (let i = 0; i < LIMIT; i++) await ways.login(email, `guess ${i}`).expect(401);
    await ways.login(email.toUpperCase(), 'guess').expect(429);
    await ways.login(` ${email}`, 'guess').expect(429);
  });

  test('counts each account and each address separately', async () => {
    const { email, password } = await owner();
    const { email: neighbour } = await owner();
    for (let i = 0; i < LIMIT; i++) await ways.login(email, `guess ${i}`).expect(401);
    await ways.login(email, password).expect(429);
    await ways.login(neighbour, password).expect(200);
    await ways.login(email, password, '192.0.2.2').expect(200);
  });

  test.each<Way>(['Basic', 'body'])(
    'cached %s credentials do not count, and are accepted beyond the limit',
    async (way) => {
      const { email, password } = await owner();
      for (let i = 0; i < LIMIT * 3; i++) await ways[way](email, password).expect(200);
      for (let i = 1; i < LIMIT; i++) await ways[way](email, `guess ${i}`).expect(401);
      await ways[way](email, 'guess').expect(429);
      await ways[way](email, password).expect(200);
    },
  );

  test('with too many emails it forgets the oldest, never all', () => {
    const throttle = new LoginThrottle({ loginAttemptsPerMinute: LIMIT } as Config, new KnownAddresses());
    const others = (from: number, to: number) => {
      for (let i = from; i < to; i++) throttle.count(`flood-${i}@example.com`, `flood ${i}`);
    };
    others(0, 49_990);
    for (let i = 0; i < LIMIT; i++) throttle.count('victim@example.com', '192.0.2.10');
    others(49_990, 60_000);
    expect(() => throttle.count('victim@example.com', '192.0.2.10')).toThrow();
  });

  describe('wrong passwords count for the address and for the account too', () => {
    const wrong = (
      throttle: LoginThrottle,
      times: number,
      email: (i: number) => string,
      address: (i: number) => string,
    ) => {
      for (let i = 0; i < times; i++) throttle.count(email(i), address(i));
    };
    let known: KnownAddresses;
    const throttleOf = (perMinute: number) => {
      known = new KnownAddresses();
      return new LoginThrottle({ loginAttemptsPerMinute: perMinute } as Config, known);
    };
    const secondsOf = (refused: () => void): number => {
      try {
        refused();
      } catch (error) {
        return (error as { getResponse(): { retryAfterSeconds: number } }).getResponse().retryAfterSeconds;
      }
      return 0;
    };

    test.each([
      [3, 100],
      [10, 100],
      [20, 200],
    ])(
      'at %i a minute: %i accounts of one address, and the next is a 429; not of another one (A34, L151)',
      (perMinute, most) => {
        const throttle = throttleOf(perMinute);
        wrong(
          throttle,
          most,
          (i) => `spray-${i}@example.com`,
          () => '192.0.2.1',
        );
        const next = (address: string) => secondsOf(() => throttle.count('spray@example.com', address));
        expect(next('192.0.2.1')).toBeGreaterThan(0);
        expect(next('192.0.2.1')).toBeLessThanOrEqual(60);
        expect(next('192.0.2.2')).toBe(0);
      },
    );

    test('the addresses of one IPv6 network are one address (A34)', () => {
      const throttle = throttleOf(10);
      wrong(
        throttle,
        100,
        (i) => `spray-${i}@example.com`,
        (i) => `2001:db8:1:2::${i.toString(16)}`,
      );
      expect(secondsOf(() => throttle.count('spray@example.com', '2001:db8:1:2:ffff::1'))).toBeGreaterThan(0);
      expect(secondsOf(() => throttle.count('spray@example.com', '2001:db8:1:3::1'))).toBe(0);
    });

    test.each([
      [10, 50, 72],
      [20, 100, 36],
    ])(
      'at %i a minute: %i attempts at an account from many addresses, then one each %i s (A34, L151)',
      (perMinute, most, each) => {
        const throttle = throttleOf(perMinute);
        wrong(
          throttle,
          most,
          () => 'victim@example.com',
          (i) => `192.0.2.${i}`,
        );
        const seconds = secondsOf(() => throttle.count('victim@example.com', '198.51.100.1'));
        expect([seconds > 0, seconds <= each]).toEqual([true, true]);
        expect(secondsOf(() => throttle.count('other@example.com', '198.51.100.1'))).toBe(0);
      },
    );

    test('an address whose password was right does not wait for what others try at the account (A34)', () => {
      const throttle = throttleOf(10);
      throttle.count('victim@example.com', '203.0.113.1')();
      known.add('victim@example.com', '203.0.113.1');
      wrong(
        throttle,
        50,
        () => 'victim@example.com',
        (i) => `192.0.2.${i}`,
      );
      expect(secondsOf(() => throttle.count('victim@example.com', '192.0.2.99'))).toBeGreaterThan(0);
      expect(secondsOf(() => throttle.count('victim@example.com', '203.0.113.1'))).toBe(0);
    });

    test('right passwords from a known address give the account no attempts back that others have used (A34)', () => {
      const throttle = throttleOf(10);
      wrong(
        throttle,
        50,
        () => 'victim@example.com',
        (i) => `192.0.2.${i}`,
      );
      known.add('victim@example.com', '203.0.113.1');
      for (let i = 0; i < 10; i++) throttle.count('victim@example.com', '203.0.113.1')();
      expect(secondsOf(() => throttle.count('victim@example.com', '192.0.2.99'))).toBeGreaterThan(0);
    });

    test('right passwords do not count: 200 accounts of one address, one of them 200 times from many addresses (A34)', () => {
      const throttle = throttleOf(10);
      for (let i = 0; i < 200; i++) {
        for (const [email, address] of [
          [`till-${i}@example.com`, '192.0.2.1'],
          ['till@example.com', `198.51.100.${i}`],
        ] as const) {
          throttle.count(email, address)();
        }
      }
    });

    test('over HTTP: of 120 wrong passwords at once, of 120 accounts, 20 are a 429; an owner whose credentials are verified goes on selling (A34, A8)', async () => {
      const { email, password } = await owner();
      const from = '192.0.2.77';
      await ways.Basic(email, password, from).expect(200);
      const guesses = Array.from({ length: 120 }, (_, i) => ways.login(`spray-${i}@example.com`, 'wrong', from));
      const answers = await Promise.all(guesses);
      // the queue of password checks refuses what it cannot take (A7)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
      expect(answers.filter(({ status }) => status === 401 || status === 503)).toHaveLength(100);
      await ways.Basic(email, password, from).expect(200);
    });
  });

  test('a Bearer token never counts', async () => {
    const { email } = await owner();
    for (let i = 0; i < LIMIT * 2; i++)
      await send('/webhooks/terminal', '192.0.2.1', { ...sale(), email, password: 'wrong password' })
        .auth('wrong-token', { type: 'bearer' })
        .expect(401);
    await ways.login(email, 'wrong password').expect(401);
  });

  test('is no limit by default (H9, L15)', async () => {
    const unlimited = await scenario.start({ LOGIN_ATTEMPTS_PER_MINUTE: '' });
    for (let i = 0; i < 12; i++)
      await unlimited.http.post('/auth/login').send({ email: 'nobody@example.com', password: 'wrong' }).expect(401);
    await unlimited.close();
  });
});
