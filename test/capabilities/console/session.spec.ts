import type { Method } from '../../../tools/contract.js';
import type { TestRelay } from '../../support/relay.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { claimsIn, signToken } from '../../support/tokens.js';
import { until } from '../../support/until.js';
import { PASSWORD } from '../../user-links/people.js';
import { cookieOf, SAME_ORIGIN, setCookieOf, setCookiesOf, Visitor } from './visitor.js';

const NEXT = marked('quite another password');
const WEEK_SECONDS = 604_800;

describe('the session of the console', () => {
  const scenario = Scenario.ofSuite({ LOGIN_ATTEMPTS_PER_MINUTE: '100', TRUST_PROXY: 'false' });
  let owner: Caller;
  let restaurantId: string;

  beforeAll(async () => {
    const restaurant = await scenario.restaurant('STORE-1');
    owner = restaurant.owner;
    restaurantId = restaurant.id;
  });

  const nobody = () => Visitor.of(scenario.relay);
  const signedIn = (person = owner) => Visitor.signIn(scenario.relay, person);
  const login = (body: object) => nobody().ask('post', '/console/session', body);

  test('a sign-in has the user in its body, and the token in an HttpOnly, SameSite=Strict cookie (N3)', async () => {
    const { headers, body } = await login({ email: owner.email, password: PASSWORD }).expect(200);
    expect(body).toEqual({
      user: { id: owner.id, email: owner.email, name: null, role: 'USER' },
      expiresAt: expect.any(String),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      onboarding: 'self',
      operatorActions: false,
      resend: 'off',
      capabilities: expect.arrayContaining(['console', 'alerts']),
      operatorContact: null,
    });
    expect(setCookieOf(headers)).toMatch(
      /^relay_session=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=604800; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    const left = (Date.parse(body.expiresAt) - Date.now()) / 1_000;
    expect(left).toBeLessThanOrEqual(WEEK_SECONDS);
    expect(left).toBeGreaterThan(WEEK_SECONDS - 120);
  });

  test('GET has the user and the end of the session; 401 without a session; a wrong password sets no cookie', async () => {
    const { body } = await (await signedIn()).ask('get', '/console/session').expect(200);
    expect(body).toMatchObject({ user: { id: owner.id }, expiresAt: expect.stringMatching(/Z$/) });
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
    await nobody().ask('get', '/console/session').expect(401);
    const refused = await login({ email: owner.email, password: 'wrong' }).expect(401);
    expect(refused.body).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(refused.headers).not.toHaveProperty('set-cookie');
  });

  test('sign-ins here and at /auth/login count together (A9)', async () => {
    const relay = await scenario.start({ LOGIN_ATTEMPTS_PER_MINUTE: '2' });
    const wrong = { email: owner.email, password: 'wrong' };
    await Visitor.of(relay).ask('post', '/console/session', wrong).expect(401);
    await relay.api.post('/auth/login', undefined, wrong).expect(401);
    const { headers } = await Visitor.of(relay).ask('post', '/console/session', wrong).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  test('a sign-out clears the cookie, also without a session', async () => {
    for (const visitor of [await signedIn(), nobody()]) {
      const { headers, text } = await visitor.ask('delete', '/console/session').expect(204);
      expect(setCookieOf(headers)).toBe('relay_session=; Max-Age=0; Path=/console; HttpOnly; SameSite=Strict');
      expect(text).toBe('');
    }
  });

  describe('Secure, and the prefix __Host- (N3)', () => {
    const PLAIN_ENDED = 'relay_session=; Max-Age=0; Path=/console; HttpOnly; SameSite=Strict';

    /** Whether the cookies of a sign-in and of a sign-out are `Secure`; both must agree, and have the prefix then. */
    async function isSecure(relay: TestRelay, given: Record<string, string | undefined>): Promise<boolean> {
      const set = Object.entries(given).filter((header): header is [string, string] => header[1] !== undefined);
      const headers = { ...SAME_ORIGIN, ...Object.fromEntries(set) };
      const body = { email: owner.email, password: PASSWORD };
      const signIn = await Visitor.of(relay).ask('post', '/console/session', body, headers).expect(200);
      const signOut = await Visitor.of(relay).ask('delete', '/console/session', undefined, headers).expect(204);
      const [begun = [], ended = []] = [signIn, signOut].map((answer) => setCookiesOf(answer.headers));
      if (begun[0]?.startsWith('relay_session=')) {
        expect([begun.length, ended]).toEqual([1, [PLAIN_ENDED]]);
        return false;
      }
      expect(begun).toEqual([
        expect.stringMatching(
          /^__Host-relay_session=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
        ),
        `${PLAIN_ENDED}; Secure`,
      ]);
      expect(ended).toEqual([
        '__Host-relay_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
        `${PLAIN_ENDED}; Secure`,
      ]);
      return true;
    }

    test.each<[string, Record<string, boolean>]>([
      ['false', { none: false, https: false }],
      // of several values, the proxy has written the last
      ['true', { https: true, http: false, none: false }],
      ['1', { https: true, 'https, http': false, 'http, https': true }],
      ['127.0.0.1', { https: true }],
      ['10.0.0.1', { https: false }],
    ])('TRUST_PROXY=%s: by X-Forwarded-Proto %j', async (TRUST_PROXY, expected) => {
      const relay = TRUST_PROXY === 'false' ? scenario.relay : await scenario.start({ TRUST_PROXY });
      for (const [protocol, secure] of Object.entries(expected)) {
        const found = await isSecure(relay, { 'X-Forwarded-Proto': protocol === 'none' ? undefined : protocol });
        expect([protocol, found]).toEqual([protocol, secure]);
      }
    });

    test.each([
      ['localhost', undefined, false],
      ['LOCALHOST:3000', undefined, false],
      ['127.0.0.1:3000', undefined, false],
      ['[::1]:3000', undefined, false],
      ['relay.example', undefined, true],
      ['relay.example:8443', undefined, true],
      ['192.168.0.7', undefined, true],
      ['localhost.example', undefined, true],
      ['[::2]', undefined, true],
      // a proxy that terminates TLS and sets the upstream's host
      ['127.0.0.1:3000', 'https://relay.example', true],
      ['127.0.0.1:3000', 'http://127.0.0.1:3000', false],
    ])('Host: %s, Origin: %s: %s', async (Host, Origin, secure) => {
      expect(await isSecure(scenario.relay, { Host, Origin })).toBe(secure);
    });
  });

  describe('by https (N3)', () => {
    const BY_HTTPS = { ...SAME_ORIGIN, Host: 'relay.example' };
    const call = (cookie: string, method: Method = 'get', path = '/console/session') =>
      Visitor.of(scenario.relay, cookie).ask(method, path, undefined, BY_HTTPS);
    /** The cookie of a sign-in by https, `__Host-relay_session=…`. */
    const beginning = async (body = { email: owner.email, password: PASSWORD }) => {
      const { headers } = await nobody().ask('post', '/console/session', body, BY_HTTPS).expect(200);
      return String(setCookiesOf(headers)[0]).split(';')[0] as string;
    };
    /** A session as the version before began it: its JWT has no `pre`. */
    const ofTheVersionBefore = async (person = owner) => {
      const { pre, ...claims } = claimsIn(String((await signedIn(person)).cookie));
      expect(pre).toBe(true);
      return `relay_session=${signToken(scenario.relay.config.jwtSecret, claims)}`;
    };

    test('the session is in the cookie with the prefix; it goes on by http to localhost', async () => {
      const cookie = await beginning();
      await call(cookie).expect(200);
      await call(cookie, 'get', '/console/api/auth/me').expect(200);
      await Visitor.of(scenario.relay, cookie).get('/auth/me').expect(200);
      await call(`${cookie}; ${cookie}`).expect(401);
    });

    test('without the prefix it is refused: another host of the domain may have set the cookie', async () => {
      const cookie = (await beginning()).replace('__Host-', '');
      await call(cookie).expect(401);
      await call(cookie, 'get', '/console/api/auth/me').expect(401);
      // beside the cookie with the prefix it says nothing
      const other = await scenario.person();
      const own = await beginning({ email: other.email, password: PASSWORD });
      const { body } = await call(`${cookie}; ${own}`).expect(200);
      expect(body.user.id).toBe(other.id);
    });

    test('a session of the version before goes on, also with a new password, which gives it the prefix', async () => {
      const old = await ofTheVersionBefore(await scenario.person());
      await call(old).expect(200);
      await call(old, 'get', '/console/api/auth/me').expect(200);
      const body = { currentPassword: PASSWORD, newPassword: marked('a password by https') };
      const changed = Visitor.of(scenario.relay, old).ask('patch', '/console/session/password', body, BY_HTTPS);
      const [renewed] = setCookiesOf((await changed.expect(200)).headers);
      expect(renewed).toMatch(/^__Host-relay_session=/);
      await call(String(renewed).split(';')[0] as string).expect(200);
    });

    test('a sign-out ends the sessions of both cookies', async () => {
      const [own, old] = [await beginning(), await ofTheVersionBefore()];
      await call(`${old}; ${own}`, 'delete').expect(204);
      for (const cookie of [own, old]) await call(cookie).expect(401);
    });
  });

  describe('a new password', () => {
    const change = (visitor: Visitor, currentPassword: string, newPassword: string) =>
      visitor.ask('patch', '/console/session/password', { currentPassword, newPassword });

    test('the session continues with a new cookie, every other session and token is invalid (N4)', async () => {
      const person = await scenario.person();
      const [here, elsewhere] = [await signedIn(person), await signedIn(person)];
      const { headers, body } = await change(here, PASSWORD, NEXT).expect(200);
      expect(body).toMatchObject({ user: { id: person.id } });
      const renewed = Visitor.of(scenario.relay, cookieOf(headers));
      await renewed.get('/auth/me').expect(200);
      const { sessions } = (await renewed.ask('get', '/console/session/all').expect(200)).body;
      expect(sessions).toEqual([expect.objectContaining({ current: true, expiresAt: expect.any(String) })]);
      expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(Date.parse(sessions[0].expiresAt) + 1_000);
      for (const old of [here, elsewhere]) {
        await old.call('post', '/restaurants', { name: 'Osteria' }).expect(401);
        await until(async () => (await old.get('/auth/me')).status === 401);
      }
      await scenario.api.get('/auth/me', person.token).expect(401);
      await scenario.signIn({ ...person, password: NEXT });
    });

    test('400 for a wrong current password, 422 for the same password, 401 without a session', async () => {
      const visitor = await signedIn(await scenario.person());
      expect((await change(visitor, 'wrong', NEXT).expect(400)).body.code).toBe('WRONG_PASSWORD');
      const { body, headers } = await change(visitor, PASSWORD, PASSWORD).expect(422);
      expect(body.code).toBe('SAME_PASSWORD');
      expect(headers).not.toHaveProperty('set-cookie');
      await change(nobody(), PASSWORD, NEXT).expect(401);
      await visitor.get('/auth/me').expect(200);
    });
  });

  describe('what a session may call', () => {
    test('every route of the API below /console/api, with the rights of its user (N5)', async () => {
      const visitor = await signedIn();
      const { body } = await visitor.get('/restaurants?limit=1').expect(200);
      expect(body).toEqual((await scenario.api.get('/restaurants?limit=1', owner.token).expect(200)).body);
      await visitor.call('patch', `/restaurants/${restaurantId}`, { address: 'Via Appia 1' }).expect(200);
      await visitor.get('/admin/metrics').expect(403);
    });

    test('the webhook, like a JWT', async () => {
      const path = '/webhooks/terminal';
      const sale = { transactionKey: 'from-the-console', storeCode: 'STORE-1', isTestTransaction: true };
      await (await signedIn()).call('post', path, sale).expect(200);
      await nobody().call('post', path, sale).expect(401);
      // credentials in the body are for terminals
      await nobody()
        .call('post', path, { ...sale, email: owner.email, password: PASSWORD })
        .expect(401);
    });

    test('no other address, and not the login of the API, whose answer has a token', async () => {
      const visitor = await signedIn();
      const pages = ['', '/', '/docs', '/docs-json', '/console/session', '/console/'];
      for (const route of [...pages, '/api/restaurants', '//restaurants']) {
        const { body } = await visitor.get(route).expect(404);
        expect(body).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' });
      }
      const credentials = { email: owner.email, password: PASSWORD };
      for (const route of ['/auth/login', '/auth/%6Cogin', '/auth/login/']) {
        const { text } = await visitor.call('post', route, credentials).expect(404);
        expect(text).not.toMatch(/eyJ/);
      }
    });

    test('a wrong method: 405', async () => {
      const { headers } = await (await signedIn()).call('delete', '/restaurants').expect(405);
      expect(headers.allow).toContain('GET');
    });
  });

  test('CONSOLE=false: no session, no access to the API by the cookie, nothing in the document (N1)', async () => {
    const relay = await scenario.start({ CONSOLE: 'false' });
    const visitor = Visitor.of(relay, (await signedIn()).cookie);
    await visitor.ask('post', '/console/session', { email: owner.email, password: PASSWORD }).expect(404);
    await visitor.get('/auth/me').expect(404);
    await relay.http.get('/').redirects(0).expect('Location', '/docs');
    const { body } = await relay.api.get('/docs-json').expect(200);
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/console'))).toEqual([]);
    await relay.api.get('/auth/me', owner.token).expect(200);
  });
});
