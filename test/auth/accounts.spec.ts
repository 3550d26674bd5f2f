import type { TestDatabase } from '../support/database.js';
import { ADMIN, TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { PASSWORD, type People } from '../user-links/people.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('accounts', () => {
  const scenario = Scenario.ofSuite();
  let database: TestDatabase;
  let relay: TestRelay;
  let people: People;

  beforeAll(() => {
    ({ database, people, relay } = scenario);
  });

  const login = (email: unknown, password: unknown) => relay.http.post('/auth/login').send({ email, password });
  const claimsOf = (token: string) => JSON.parse(Buffer.from(String(token.split('.')[1]), 'base64url').toString());

  describe('POST /auth/login', () => {
    test('200 {access_token, token_type, expires_in, user}', async () => {
      const { body } = await login(ADMIN.email, ADMIN.password).expect(200);
      expect(body).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 7 * 86_400,
        user: { id: expect.stringMatching(UUID), email: ADMIN.email, name: null, role: 'ADMIN' },
      });
    });

    test('the token has the claims sub, email, role and ver, is signed with HS256, and expires after expires_in (A2)', async () => {
      const { body } = await login(ADMIN.email, ADMIN.password).expect(200);
      const { iat, exp, ...claims } = claimsOf(body.access_token);
      expect(claims).toEqual({ sub: body.user.id, email: ADMIN.email, role: 'ADMIN', ver: 0 });
      expect(exp - iat).toBe(body.expires_in);
      const [header] = body.access_token.split('.');
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'HS256' });
    });

    test('email is case-insensitive', async () => {
      const person = await people.user('maria@example.com');
      const { body } = await login('Maria@EXAMPLE.com', PASSWORD).expect(200);
      expect(body.user).toMatchObject({ id: person.id, email: 'maria@example.com' });
    });

    test('an unknown email and a wrong password get the same body', async () => {
      const answers = [
        await login('nobody@example.com', ADMIN.password),
        await login(ADMIN.email, 'wrong password'),
        await login(ADMIN.email, ADMIN.password.toUpperCase()),
        await login(ADMIN.email, `${ADMIN.password} `),
      ];
      const bodies = answers.map(({ body: { requestId: _, ...body } }) => body);
      for (const body of bodies) expect(body).toEqual(bodies[0]);
      expect(bodies[0]).toMatchObject({ statusCode: 401, error: 'Unauthorized', code: 'INVALID_CREDENTIALS' });
    });

    test('a password of more than 72 bytes is wrong, even when its first 72 bytes are right', async () => {
      const full = 'p'.repeat(72);
      const { hash } = await import('bcrypt');
      const person = await people.user();
      await database.query('UPDATE users SET password_hash = $2 WHERE id = $1', [person.id, await hash(full, 4)]);
      await login(person.email, full).expect(200);
      await login(person.email, `${full}!`).expect(401);
    });

    test.each([
      ['ana\0@example.com', 'wrong password'],
      [ADMIN.email, 'correct horse\0 battery'],
      ['ana\ud800@example.com', 'wrong password'],
    ])('the email %j with the password %j: 401', async (email, password) => {
      await login(email, password).expect(401);
    });

    test.each<[unknown, string[]]>([
      [{}, ['email', 'password']],
      [{ email: ADMIN.email }, ['password']],
      [{ ...ADMIN, email: { contains: '@' } }, ['email']],
      [{ ...ADMIN, password: 12345678 }, ['password']],
      [{ ...ADMIN, remember: true }, ['remember']],
      [[ADMIN], []],
      [null, []],
    ])('the body %j: 400 that names %j', async (body, fields) => {
      const request = relay.http.post('/auth/login').set('Content-Type', 'application/json');
      const answer = await request.send(JSON.stringify(body)).expect(400);
      for (const field of fields) expect(answer.body.message).toContainEqual(expect.stringContaining(field));
    });
  });

  test('GET /auth/me returns the user as stored in the database now (A11)', async () => {
    const person = await people.user();
    const token = await relay.login(person);
    const me = () => relay.http.get('/auth/me').auth(token, { type: 'bearer' }).expect(200);
    expect((await me()).body).toEqual({ id: person.id, email: person.email, name: null, role: 'USER' });
    await database.query(`UPDATE users SET name = 'Ana', role = 'ADMIN' WHERE id = $1`, [person.id]);
    expect((await me()).body).toEqual({ id: person.id, email: person.email, name: 'Ana', role: 'ADMIN' });
  });

  test('every route of the document is a 401 without a JWT, except webhooks, login, invitations, the tokens of an alert and of a password, the sign-in of a POS, printers, and health', async () => {
    const { body: document } = await relay.http.get('/docs-json').expect(200);
    const routes = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method, path.replaceAll(/\{\w+\}/g, crypto.randomUUID())] as const),
    );
    const tokens = [
      ...['/invitations/read', '/invitations/join', '/alerts/acknowledge', '/alerts/read'],
      ...['/auth/password-links', '/auth/password-links/use', '/oauth/token'],
    ];
    const open = ['/webhooks/terminal', '/auth/login', '/health', '/health/live', '/health/ready', ...tokens];
    const closed = routes.filter(([, path]) => !open.includes(path) && !/^\/(print|webhooks\/terminal)\//.test(path));
    expect(closed.map(([, path]) => path)).toEqual(expect.arrayContaining(['/auth/me', '/restaurants']));
    for (const [method, path] of closed) {
      for (const authorization of [undefined, 'Bearer a.b.c', `Bearer ${TERMINAL_TOKEN}`, 'Basic YTpi']) {
        const request = relay.http[method as 'get' | 'post' | 'patch' | 'delete'](path);
        if (authorization) request.set('Authorization', authorization);
        const { status, body } = await request;
        // the console's session routes refuse a request that is not from a page of this origin (N3)
        const refused = path.startsWith('/console/session') ? [403, 'CROSS_SITE'] : [401, 'UNAUTHENTICATED'];
        expect([method, path, status, body.code]).toEqual([method, path, ...refused]);
      }
    }
  });
});
