import { createHmac } from 'node:crypto';
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
  const scenario = Scenario.ofSuite({ BODY_LIMIT_BYTES: String(LIMIT) });
  let database: TestDatabase;
  let people: People;
  let relay: TestRelay;
  /** owns one restaurant, as does `other` */
  let person: Person;
  let other: Person;
  let restaurant: string;
  let restaurantOfOther: string;

  beforeAll(async () => {
    ({ database, people, relay } = scenario);
    [person, other] = [await people.user('ana@example.com'), await people.user('rui@example.com')];
    restaurant = await people.restaurant('STORE-1', [person, 'OWNER']);
    restaurantOfOther = await people.restaurant('STORE-2', [other, 'OWNER']);
  });

  /** Calls the webhook with this Authorization header and body; a text is sent unchanged. */
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
    expect(body).toEqual({
      success: true,
      jobId: expect.any(String),
      traceId: expect.any(String),
      receipt: expect.any(String),
    });
    expect(await restaurantOf(body.jobId)).toBe(restaurant);
  });

  test('the previous static token is accepted beside the new one while it is configured (W33)', async () => {
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
    ['the static token with a prefix', `Bearer x${TERMINAL_TOKEN}`],
    ['the static token with a suffix', `Bearer ${TERMINAL_TOKEN}x`],
    ['the static token and a second word', `Bearer ${TERMINAL_TOKEN} x`],
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
    ['Basic that is not base64', 'Basic ***'],
    ['Basic with a NUL in the email', basic('ana\0@example.com', PASSWORD)],
  ])('%s: 401', async (_, authorization) => {
    const { body, headers } = await knock(authorization).expect(401);
    expect(body).toMatchObject({ statusCode: 401, code: 'UNAUTHENTICATED' });
    expect(headers['www-authenticate']).toBeTruthy();
  });

  test.each<[string, unknown, unknown]>([
    ['a wrong password', 'ana@example.com', 'wrong password'],
    ['an unknown email', 'nobody@example.com', PASSWORD],
    ['a password that is a number', 'ana@example.com', 12345678],
    ['an email that is an object', { contains: '@' }, PASSWORD],
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
    ['has a sub that is not a UUID', () => sign({ ...claimsOf(person), sub: 'ana', exp: soon() })],
    ['has a sub that is an object', () => sign({ ...claimsOf(person), sub: { contains: '-' }, exp: soon() })],
    ['has a payload of null', () => sign(null as unknown as object)],
    ['has a payload that is a text', () => sign('ana' as unknown as object)],
    ['has a payload that is a list', () => sign([claimsOf(person)])],
    ['names an unknown user', () => sign({ ...claimsOf(person), sub: crypto.randomUUID(), exp: soon() })],
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
    'a valid JWT followed by %s: 401, at the webhook and at /auth/me',
    async (more) => {
      const sent = `Bearer ${await relay.login(person)} ${more}`;
      await knock(sent).expect(401);
      await relay.http.get('/auth/me').set('Authorization', sent).expect(401);
    },
  );

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
  ])('%s: 401, whatever else the request carries (W3)', (_, authorization) => {
    const json = 'application/json';
    test.each<[string, unknown, string]>([
      ['valid credentials in the body', { ...sale(), email: 'ana@example.com', password: PASSWORD }, json],
      ['a body of broken JSON', '{"transactionKey":', json],
      ['an invalid event', { items: 'none' }, json],
      ['an empty body', '', json],
      ['an empty object', {}, json],
      ['a body that is not JSON', 'transactionKey=1', 'text/plain'],
      ['an invalid content type', '{}', 'nonsense'],
      ['a body over the limit', { ...sale(), padding: 'x'.repeat(LIMIT) }, json],
    ])('%s', async (_, body, contentType) => {
      const answer = await knock(authorization(), body, contentType);
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    });
  });

  const inBody = (email: string, password: string) => ({ ...sale({ storeCode: null }), email, password });

  test.each<[string, string | undefined, unknown, string]>([
    ['a wrong static token', 'Bearer wrong-token', sale(), 'the terminal token is wrong'],
    ['a wrong JWT', `Bearer ${JWT_SHAPED_TOKEN}`, sale(), 'the access token is wrong or has ended; sign in again'],
    ['a wrong password', basic('ana@example.com', 'wrong'), sale(), 'email or password is wrong'],
    ['an unknown email', basic('nobody@example.com', PASSWORD), sale(), 'email or password is wrong'],
    ['a wrong password in the body', undefined, inBody('ana@example.com', 'wrong'), 'email or password is wrong'],
    ['an unknown email in the body', undefined, inBody('nobody@example.com', PASSWORD), 'email or password is wrong'],
    [
      'nothing',
      undefined,
      sale(),
      'send a Bearer token, Basic credentials, or email and password in a body of at most 65536 bytes',
    ],
  ])('%s: the message of the 401', async (_, authorization, body, message) => {
    expect((await knock(authorization, body).expect(401)).body.message).toBe(message);
  });

  test('without credentials, a body of broken JSON is a 401; with them, a 400', async () => {
    await knock(undefined, '{"email":').expect(401);
    await knock(`Bearer ${TERMINAL_TOKEN}`, '{"email":').expect(400);
  });

  describe('the order: Bearer, then Basic, then the body (W2)', () => {
    test('a valid Bearer decides, not the body', async () => {
      const { body } = await knock(`Bearer ${await relay.login(person)}`, inBody(other.email, other.password));
      expect(await restaurantOf(body.jobId)).toBe(restaurant);
    });

    test('valid Basic credentials decide, not the body', async () => {
      const { body } = await knock(basic(person.email, person.password), inBody(other.email, other.password));
      expect(await restaurantOf(body.jobId)).toBe(restaurant);
    });

    test.each(['wrong password', ''])(
      'Basic with the password "%s", then valid credentials in the body: accepted',
      async (wrong) => {
        const { body } = await knock(basic(person.email, wrong), inBody(other.email, other.password)).expect(200);
        expect(await restaurantOf(body.jobId)).toBe(restaurantOfOther);
      },
    );

    test('valid Basic and wrong credentials in the body: accepted', async () => {
      await knock(basic(person.email, person.password), inBody(other.email, 'wrong password')).expect(200);
    });

    test('an unknown scheme, then valid credentials in the body: accepted', async () => {
      await knock('Digest username="ana"', inBody(other.email, other.password)).expect(200);
    });
  });
});
