import { createHmac } from 'node:crypto';
import { hash } from 'bcrypt';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { PASSWORD, type People, type Person } from '../user-links/people.js';

const LIMIT = 4_096;
const JWT_SHAPED_TOKEN = 'a.b.c';
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const basic = (email: string, password: string) => `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`;

describe('who may call the webhook (W2, W5)', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let people: People;
  let relay: TestRelay;
  /** owns one restaurant, as does `other` */
  let person: Person;
  let other: Person;
  let restaurant: string;
  let restaurantOfOther: string;

  beforeAll(async () => {
    scenario = await Scenario.open({ BODY_LIMIT_BYTES: String(LIMIT) });
    ({ database, people, relay } = scenario);
    [person, other] = [await people.user('ana@example.com'), await people.user('rui@example.com')];
    restaurant = await people.restaurant('STORE-1', [person, 'OWNER']);
    restaurantOfOther = await people.restaurant('STORE-2', [other, 'OWNER']);
  });
  afterAll(() => scenario.close());

  /** Knocks with this Authorization header and body; a text is sent as it is. */
  function knock(authorization: string | undefined, body: unknown = sale(), contentType = 'application/json') {
    const request = relay.http.post('/webhooks/terminal').set('Content-Type', contentType);
    if (authorization !== undefined) request.set('Authorization', authorization);
    return request.send(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async function restaurantOf(jobId: string): Promise<unknown> {
    const [job] = await database.query('SELECT restaurant_id FROM outbox_jobs WHERE id = $1', [jobId]);
    return job?.restaurant_id;
  }

  function sign(claims: object, { alg = 'HS256', secret = relay.config.jwtSecret } = {}): string {
    const text = `${base64url({ alg, typ: 'JWT' })}.${base64url(claims)}`;
    if (alg === 'none') return `${text}.`;
    return `${text}.${createHmac(`sha${alg.slice(2)}`, secret)
      .update(text)
      .digest('base64url')}`;
  }

  const soon = () => Math.floor(Date.now() / 1_000) + 600;
  const claimsOf = ({ id, email }: Person) => ({ sub: id, email, role: 'USER', ver: 0 });

  test.each<[string, () => Promise<string>]>([
    ['the static terminal token', async () => `Bearer ${TERMINAL_TOKEN}`],
    ['the static terminal token, with the scheme in lower case', async () => `bearer ${TERMINAL_TOKEN}`],
    ['a JWT from the login', async () => `Bearer ${await relay.login(person)}`],
    ['a JWT with exactly the claims of the login', async () => `Bearer ${sign({ ...claimsOf(person), exp: soon() })}`],
    ['Basic credentials', async () => basic(person.email, person.password)],
    ['Basic credentials with the email in capitals', async () => basic('ANA@Example.COM', person.password)],
  ])('%s: accepted', async (_, authorization) => {
    const { body } = await knock(await authorization()).expect(200);
    expect(body).toEqual({ success: true, jobId: expect.any(String) });
    expect(await restaurantOf(body.jobId)).toBe(restaurant);
  });

  test('the previous static token is accepted beside the new one, until it is taken away (W33)', async () => {
    const previous = marked('the-previous-terminal-token');
    const rotating = await scenario.start({ TERMINAL_BEARER_TOKEN_PREVIOUS: previous });
    const send = ({ api }: TestRelay, token: string) => api.post('/webhooks/terminal', token, sale());
    for (const token of [TERMINAL_TOKEN, previous]) await send(rotating, token).expect(200);
    for (const token of [`${previous}x`, previous.slice(1), `${TERMINAL_TOKEN}${previous}`])
      await send(rotating, token).expect(401);
    await send(relay, previous).expect(401);
  });

  test.each(['ana@example.com', 'Ana@EXAMPLE.com'])('email and password in the body, %s: accepted', async (email) => {
    const { body } = await knock(undefined, { ...sale(), email, password: person.password }).expect(200);
    expect(await restaurantOf(body.jobId)).toBe(restaurant);
  });

  test.each<[string, string | undefined]>([
    ['no credentials', undefined],
    ['an empty header', ''],
    ['a scheme alone', 'Bearer'],
    ['a wrong static token', 'Bearer wrong-token'],
    ['the static token with something in front', `Bearer x${TERMINAL_TOKEN}`],
    ['the static token with something behind', `Bearer ${TERMINAL_TOKEN}x`],
    ['the static token with a second word behind', `Bearer ${TERMINAL_TOKEN} x`],
    ['the static token in capitals', `Bearer ${TERMINAL_TOKEN.toUpperCase()}`],
    ['the static token without a scheme', TERMINAL_TOKEN],
    ['the static token as Basic', `Basic ${TERMINAL_TOKEN}`],
    ['the static token under another scheme', `Token ${TERMINAL_TOKEN}`],
    ['a Bearer shaped like a JWT', `Bearer ${JWT_SHAPED_TOKEN}`],
    ['Basic with a wrong password', basic('ana@example.com', 'wrong password')],
    ['Basic with an unknown email', basic('nobody@example.com', PASSWORD)],
    ['Basic with an empty password', basic('ana@example.com', '')],
    ['Basic with an empty email', basic('', PASSWORD)],
    ['Basic without a colon', `Basic ${Buffer.from('ana@example.com').toString('base64')}`],
    ['Basic that is no base64', 'Basic ***'],
    ['Basic with a NUL in the email', basic('ana\0@example.com', PASSWORD)],
  ])('%s: 401', async (_, authorization) => {
    const { body, headers } = await knock(authorization).expect(401);
    expect(body).toMatchObject({ statusCode: 401, code: 'UNAUTHENTICATED' });
    expect(headers['www-authenticate']).toBeTruthy();
  });

  test.each<[string, unknown, unknown]>([
    ['a wrong password', 'ana@example.com', 'wrong password'],
    ['an unknown email', 'nobody@example.com', PASSWORD],
    ['a password that is no text', 'ana@example.com', 12345678],
    ['an email that is no text', { contains: '@' }, PASSWORD],
    ['no password', 'ana@example.com', undefined],
    ['an empty password', 'ana@example.com', ''],
    ['a NUL in the email', 'ana\0@example.com', PASSWORD],
    ['an unpaired surrogate in the email', 'ana\ud800@example.com', PASSWORD],
  ])('body credentials with %s: 401', async (_, email, password) => {
    await knock(undefined, { ...sale(), email, password }).expect(401);
  });

  test.each<[string, () => string]>([
    ['has expired', () => sign({ ...claimsOf(person), exp: soon() - 1_200 })],
    ['was signed with another secret', () => sign({ ...claimsOf(person), exp: soon() }, { secret: 'x'.repeat(40) })],
    ['says alg none', () => sign({ ...claimsOf(person), exp: soon() }, { alg: 'none' })],
    ['says HS512, signed with the right secret', () => sign({ ...claimsOf(person), exp: soon() }, { alg: 'HS512' })],
    ['says HS384, signed with the right secret', () => sign({ ...claimsOf(person), exp: soon() }, { alg: 'HS384' })],
    ['has no exp', () => sign(claimsOf(person))],
    ['has no sub', () => sign({ ...claimsOf(person), sub: undefined, exp: soon() })],
    ['is not valid yet', () => sign({ ...claimsOf(person), exp: soon(), nbf: soon() - 60 })],
    ['has no ver', () => sign({ ...claimsOf(person), ver: undefined, exp: soon() })],
    ['has a ver that is a text', () => sign({ ...claimsOf(person), ver: '0', exp: soon() })],
    ['has a newer ver', () => sign({ ...claimsOf(person), ver: 1, exp: soon() })],
    ['has a sub that is no UUID', () => sign({ ...claimsOf(person), sub: 'ana', exp: soon() })],
    ['has a sub that is no text', () => sign({ ...claimsOf(person), sub: { contains: '-' }, exp: soon() })],
    ['has a payload of null', () => sign(null as unknown as object)],
    ['has a payload that is a text', () => sign('ana' as unknown as object)],
    ['has a payload that is a list', () => sign([claimsOf(person)])],
    ['names a user who never was', () => sign({ ...claimsOf(person), sub: crypto.randomUUID(), exp: soon() })],
    [
      'had its payload changed',
      () => {
        const [head, , signature] = sign({ ...claimsOf(person), exp: soon() }).split('.');
        return `${head}.${base64url({ ...claimsOf(other), exp: soon() })}.${signature}`;
      },
    ],
  ])('a JWT that %s: 401, at the webhook and at /auth/me (A3)', async (_, token) => {
    await knock(`Bearer ${token()}`).expect(401);
    await relay.http.get('/auth/me').auth(token(), { type: 'bearer' }).expect(401);
  });

  test.each(['junk', 'Bearer', '='])(
    'a right JWT, and %s behind it: 401, at the webhook and at /auth/me',
    async (more) => {
      const sent = `Bearer ${await relay.login(person)} ${more}`;
      await knock(sent).expect(401);
      await relay.http.get('/auth/me').set('Authorization', sent).expect(401);
    },
  );

  test('a JWT of a user who was removed: 401 (A3)', async () => {
    const leaver = await people.user();
    await people.restaurant('STORE-OF-LEAVER', [leaver, 'OWNER']);
    const token = await relay.login(leaver);
    const event = () => sale({ storeCode: 'STORE-OF-LEAVER' });
    await knock(`Bearer ${token}`, event()).expect(200);
    await database.query('DELETE FROM users WHERE id = $1', [leaver.id]);
    await knock(`Bearer ${token}`, event()).expect(401);
    await relay.http.get('/auth/me').auth(token, { type: 'bearer' }).expect(401);
  });

  test('a JWT with an older ver: 401 (A3)', async () => {
    const changer = await people.user();
    await people.restaurant('STORE-OF-CHANGER', [changer, 'OWNER']);
    const token = await relay.login(changer);
    await database.query('UPDATE users SET token_version = token_version + 1 WHERE id = $1', [changer.id]);
    await knock(`Bearer ${token}`, sale({ storeCode: 'STORE-OF-CHANGER' })).expect(401);
    await relay.http.get('/auth/me').auth(token, { type: 'bearer' }).expect(401);
    await relay.http
      .get('/auth/me')
      .auth(await relay.login(changer), { type: 'bearer' })
      .expect(200);
  });

  test('a Bearer shaped like a JWT is never compared with the static token', async () => {
    // loadConfig refuses such a static token; the guard does not rely on it
    const config = { ...relay.config, terminalBearerToken: JWT_SHAPED_TOKEN };
    const other = await TestRelay.start(config);
    const { status } = await other.api.post('/webhooks/terminal', JWT_SHAPED_TOKEN, sale());
    await other.close();
    expect(status).toBe(401);
  });

  test('no static token is accepted where none is configured (S10)', async () => {
    const without = await scenario.start({ TERMINAL_BEARER_TOKEN: '' });
    for (const token of [TERMINAL_TOKEN, 'undefined', '']) {
      const request = without.http.post('/webhooks/terminal').set('Authorization', `Bearer ${token}`);
      await request.send(sale()).expect(401);
    }
    await without.close();
  });

  describe.each<[string, () => string]>([
    ['a wrong static token', () => 'Bearer wrong-token'],
    ['a forged JWT', () => `Bearer ${sign({ ...claimsOf(person), exp: soon() }, { secret: 'x'.repeat(40) })}`],
    ['an empty Bearer', () => 'Bearer '],
  ])('%s is a 401 at once, whatever else the request carries (W3)', (_, authorization) => {
    const json = 'application/json';
    test.each<[string, unknown, string]>([
      ['right credentials in the body', { ...sale(), email: 'ana@example.com', password: PASSWORD }, json],
      ['a body of broken JSON', '{"transactionKey":', json],
      ['an invalid event', { items: 'none' }, json],
      ['an empty body', '', json],
      ['an empty object', {}, json],
      ['a body that is no JSON', 'transactionKey=1', 'text/plain'],
      ['a content type that is none', '{}', 'nonsense'],
      ['a body over the limit', { ...sale(), padding: 'x'.repeat(LIMIT) }, json],
    ])('%s', async (_, body, contentType) => {
      const answer = await knock(authorization(), body, contentType);
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    });
  });

  test.each([
    ['a wrong static token', 'Bearer wrong-token', 'the terminal token is wrong'],
    ['a wrong JWT', `Bearer ${JWT_SHAPED_TOKEN}`, 'the access token is wrong or has ended; sign in again'],
    ['a wrong password', basic('ana@example.com', 'wrong password'), 'email or password is wrong'],
    ['an unknown email', basic('nobody@example.com', PASSWORD), 'email or password is wrong'],
    ['nothing', undefined, 'send a Bearer token, Basic credentials, or email and password in the body'],
  ])('%s: the 401 says so', async (_, authorization, message) => {
    expect((await knock(authorization).expect(401)).body.message).toBe(message);
  });

  test.each(['ana@example.com', 'nobody@example.com'])(
    'wrong credentials in the body, %s: the 401 says so',
    async (email) => {
      const { body } = await knock(undefined, { ...sale(), email, password: 'wrong password' }).expect(401);
      expect(body.message).toBe('email or password is wrong');
    },
  );

  test('no credentials at all are a 401 before a body of broken JSON is a 400', async () => {
    await knock(undefined, '{"email":').expect(401);
    await knock(`Bearer ${TERMINAL_TOKEN}`, '{"email":').expect(400);
  });

  describe('the order: Bearer, then Basic, then the body (W2)', () => {
    const inBody = (email: string, password: string) => ({ ...sale({ storeCode: null }), email, password });

    test('a right Bearer decides, not the body', async () => {
      const { body } = await knock(`Bearer ${await relay.login(person)}`, inBody(other.email, other.password));
      expect(await restaurantOf(body.jobId)).toBe(restaurant);
    });

    test('right Basic decides, not the body', async () => {
      const { body } = await knock(basic(person.email, person.password), inBody(other.email, other.password));
      expect(await restaurantOf(body.jobId)).toBe(restaurant);
    });

    test.each(['wrong password', ''])('Basic with the password "%s", then a right body: accepted', async (wrong) => {
      const { body } = await knock(basic(person.email, wrong), inBody(other.email, other.password)).expect(200);
      expect(await restaurantOf(body.jobId)).toBe(restaurantOfOther);
    });

    test('right Basic and a wrong body: accepted', async () => {
      await knock(basic(person.email, person.password), inBody(other.email, 'wrong password')).expect(200);
    });

    test('an unknown scheme, then a right body: accepted', async () => {
      await knock('Digest username="ana"', inBody(other.email, other.password)).expect(200);
    });
  });

  test('remembered credentials end at once when the password hash changes', async () => {
    const changer = await people.user();
    const code = { storeCode: 'STORE-OF-REMEMBERED' };
    await people.restaurant(code.storeCode, [changer, 'OWNER']);
    const old = basic(changer.email, changer.password);
    for (let i = 0; i < 3; i++) await knock(old, sale(code)).expect(200);
    const fresh = 'a brand-new: password';
    await database.query('UPDATE users SET password_hash = $2 WHERE id = $1', [changer.id, await hash(fresh, 4)]);
    await knock(old, sale(code)).expect(401);
    await knock(undefined, { ...sale(code), email: changer.email, password: changer.password }).expect(401);
    await knock(basic(changer.email, fresh), sale(code)).expect(200);
  });

  test('credentials stand in no line of the log', () => {
    const log = JSON.stringify(relay.logged);
    for (const secret of [PASSWORD, TERMINAL_TOKEN, 'wrong password', 'wrong-token', person.email])
      expect(log).not.toContain(secret);
  });
});
