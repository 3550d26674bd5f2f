import { randomUUID } from 'node:crypto';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { signToken } from '../../support/tokens.js';
import { PASSWORD } from '../../user-links/people.js';
import { SAME_ORIGIN, Visitor } from './visitor.js';

const STAFF = 'https://staff.example';
const METRICS_TOKEN = marked('metrics-token');

/** Headers of requests from outside the pages of the console. */
const ELSEWHERE: Record<string, Record<string, string>> = {
  'no Sec-Fetch-Site, as from an old browser, a script or plain http': {},
  'another site': { 'Sec-Fetch-Site': 'cross-site' },
  'another origin of the same site': { 'Sec-Fetch-Site': 'same-site' },
  'a typed address': { 'Sec-Fetch-Site': 'none' },
  'two values': { 'Sec-Fetch-Site': 'same-origin, cross-site' },
  'upper case': { 'Sec-Fetch-Site': 'Same-Origin' },
  'Origin only': { Origin: 'http://127.0.0.1' },
};

describe('who may use the cookie of the console', () => {
  const scenario = Scenario.ofSuite({ CORS_ORIGINS: STAFF, METRICS_TOKEN });
  let owner: Caller;
  let other: Caller;
  let restaurantId: string;
  let visitor: Visitor;
  let another: Visitor;

  beforeAll(async () => {
    ({ id: restaurantId, owner } = await scenario.restaurant('STORE-1'));
    other = await scenario.person();
    visitor = await Visitor.signIn(scenario.relay, owner);
    another = await Visitor.signIn(scenario.relay, other);
  });

  const me = async (who: Visitor, headers = SAME_ORIGIN as Record<string, string>) => {
    const { status, body } = await who.call('get', '/auth/me', undefined, headers);
    return status === 200 ? body.id : status;
  };

  test.each(Object.entries(ELSEWHERE))('%s: 403 CROSS_SITE, nothing is changed (N5, N3)', async (_, headers) => {
    for (const [method, route, body] of [
      ['get', '/auth/me', undefined],
      ['patch', `/restaurants/${restaurantId}`, { name: 'Taken over' }],
      ['post', '/webhooks/terminal', sale()],
      ['delete', `/restaurants/${restaurantId}`, undefined],
    ] as const) {
      const answer = await visitor.call(method, route, body, headers).expect(403);
      expect(answer.body).toMatchObject({ code: 'CROSS_SITE' });
    }
    const { body } = await scenario.api.get(`/restaurants/${restaurantId}`, owner.token).expect(200);
    expect(body.name).not.toBe('Taken over');
    const credentials = { email: owner.email, password: PASSWORD };
    const password = { currentPassword: PASSWORD, newPassword: marked('a third password') };
    for (const [method, path, sent] of [
      ['post', '/console/session', credentials],
      ['get', '/console/session', undefined],
      ['delete', '/console/session', undefined],
      ['patch', '/console/session/password', password],
      // the router treats these as the same addresses
      ['post', '/console/%73ession', credentials],
      ['delete', '/%63onsole/session', undefined],
      ['post', '/console/session/', credentials],
    ] as const) {
      const answer = await visitor.ask(method, path, sent, headers).expect(403);
      expect(answer.body).toMatchObject({ code: 'CROSS_SITE' });
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
    await visitor.get('/auth/me').expect(200);
  });

  test('outside /console the cookie is ignored (N5)', async () => {
    for (const headers of [{}, SAME_ORIGIN]) {
      await visitor.ask('get', '/restaurants', undefined, headers).expect(401);
      await visitor.ask('get', '/admin/metrics/prometheus', undefined, headers).expect(401);
      await visitor.ask('post', '/webhooks/terminal', sale(), headers).expect(401);
      const { body } = await visitor.ask('get', '/auth/me', undefined, {
        ...headers,
        Authorization: `Bearer ${other.token}`,
      });
      expect(body.id).toBe(other.id);
    }
    // other spellings of the prefix
    for (const path of ['/console/%61pi/auth/me', '/console//api/auth/me', '/Console/api/auth/me', '/console/api'])
      await visitor.ask('get', path).expect(404);
  });

  test('below /console/api only the cookie authenticates: an Authorization header is ignored (N5)', async () => {
    const nobody = Visitor.of(scenario.relay);
    const basic = `Basic ${Buffer.from(`${owner.email}:${PASSWORD}`).toString('base64')}`;
    const tokens = [owner.token, TERMINAL_TOKEN, METRICS_TOKEN];
    for (const Authorization of [...tokens.map((token) => `Bearer ${token}`), basic]) {
      const headers = { ...SAME_ORIGIN, Authorization };
      expect(await me(nobody, headers)).toBe(401);
      await nobody.call('post', '/webhooks/terminal', sale(), headers).expect(401);
      await nobody.call('get', '/admin/metrics/prometheus', undefined, headers).expect(401);
    }
    expect(await me(visitor, { ...SAME_ORIGIN, Authorization: `Bearer ${other.token}` })).toBe(owner.id);
  });

  test.each<[string, (cookie: string, another: string) => string]>([
    ['two values', (cookie, another) => `${cookie}; ${another}`],
    ['the same twice', (cookie) => `${cookie}; ${cookie}`],
    ['one beside an empty one', (cookie) => `relay_session=; ${cookie}`],
    ['an empty one', () => 'relay_session='],
    ['no value', () => 'relay_session'],
    ['another name', (cookie) => `x${cookie}`],
    ['an upper-case name', (cookie) => cookie.replace('relay_session', 'Relay_Session')],
    ['quotes', (cookie) => cookie.replace(/=(.*)$/, '="$1"')],
    ['no JWT', () => 'relay_session=garbage'],
    ['the static token of the terminals', () => `relay_session=${TERMINAL_TOKEN}`],
    ['the token of the metrics', () => `relay_session=${METRICS_TOKEN}`],
    ['a broken signature', (cookie) => `${cookie.slice(0, -6)}AAAAAA`],
    ['no signature', (cookie) => cookie.replace(/\.[\w-]+$/, '.')],
    ['a payload that is null', () => `relay_session=e30.${Buffer.from('null').toString('base64url')}.e30`],
    ['an escaped line break', (cookie) => `${cookie}%0d%0a`],
    ['500 others', () => Array.from({ length: 500 }, (_, i) => `c${i}=relay_session`).join('; ')],
  ])('a cookie with %s: 401', async (_, write) => {
    const written = Visitor.of(scenario.relay, write(visitor.cookie as string, another.cookie as string));
    expect(await me(written)).toBe(401);
    await written.ask('get', '/console/session').expect(401);
    await written.call('post', '/webhooks/terminal', sale()).expect(401);
    await written.call('get', '/admin/metrics/prometheus').expect(401);
  });

  test('the cookie of the session is found among others', async () => {
    const own = visitor.cookie;
    for (const cookie of [`theme=dark; ${own}`, `${own};lang=pt`, `a=relay_session=x; ${own}`])
      expect(await me(Visitor.of(scenario.relay, cookie))).toBe(owner.id);
  });

  test('a token that has expired, of a removed user, or without a session of its user: 401 (N10)', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const signed = (claims: object) => signToken(scenario.relay.config.jwtSecret, claims);
    const sessionOf = async (userId: string) => {
      const [row] = await scenario.database.query<{ id: string }>(
        'SELECT id FROM console_sessions WHERE user_id = $1 LIMIT 1',
        [userId],
      );
      return row?.id;
    };
    expect(await me(another)).toBe(other.id);
    const sid = await sessionOf(owner.id);
    const claims = { sub: owner.id, email: owner.email, role: 'ADMIN', ver: 0, iat: now - 3_600, sid };
    for (const [changes, expected] of [
      [{ exp: now + 60 }, owner.id],
      [{ exp: now - 60 }, 401],
      [{}, 401],
      [{ exp: now + 60, sub: randomUUID() }, 401],
      [{ exp: now + 60, ver: 7 }, 401],
      [{ exp: now + 60, sid: undefined }, 401],
      [{ exp: now + 60, sid: null }, 401],
      [{ exp: now + 60, sid: 'no id' }, 401],
      [{ exp: now + 60, sid: randomUUID() }, 401],
      [{ exp: now + 60, sid: await sessionOf(other.id) }, 401],
    ] as const)
      expect(await me(Visitor.withToken(scenario.relay, signed({ ...claims, ...changes })))).toBe(expected);
  });

  describe('an origin of CORS_ORIGINS', () => {
    const from = { Origin: STAFF, 'Sec-Fetch-Site': 'cross-site' };

    test('may call the API with a token, and never with the cookie (N5)', async () => {
      const { headers } = await scenario.relay.http.get('/auth/me').set(from).auth(owner.token, { type: 'bearer' });
      expect(headers['access-control-allow-origin']).toBe(STAFF);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      await visitor.call('get', '/auth/me', undefined, from).expect(403);
      await visitor.ask('get', '/auth/me', undefined, from).expect(401);
    });

    test('a preflight does not allow credentials', async () => {
      for (const path of ['/console/api/auth/me', '/console/session']) {
        const { headers } = await scenario.relay.http
          .options(path)
          .set({ ...from, 'Access-Control-Request-Method': 'PATCH', 'Access-Control-Request-Headers': 'content-type' });
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
    });
  });
});
