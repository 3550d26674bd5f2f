import { LoginThrottle } from '../../src/auth/login-throttle.js';
import type { Config } from '../../src/config/config.js';
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
    const throttle = new LoginThrottle({ loginAttemptsPerMinute: LIMIT } as Config);
    const others = (from: number, to: number) => {
      for (let i = from; i < to; i++) throttle.count(`flood-${i}@example.com`, '192.0.2.10');
    };
    others(0, 49_990);
    for (let i = 0; i < LIMIT; i++) throttle.count('victim@example.com', '192.0.2.10');
    others(49_990, 60_000);
    expect(() => throttle.count('victim@example.com', '192.0.2.10')).toThrow();
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
