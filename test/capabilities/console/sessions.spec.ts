import { ConnectionPool } from '../../../src/platform/database/pool.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { sale } from '../../support/client.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { PASSWORD } from '../../user-links/people.js';
import { cookieOf, SAME_ORIGIN, Visitor } from './visitor.js';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
const NEXT = marked('another password');

describe('sessions of the console are rows (N10)', () => {
  const scenario = Scenario.ofSuite();

  afterEach(() => jest.restoreAllMocks());

  const signIn = (person: Caller) => Visitor.signIn(scenario.relay, person);
  const list = async (visitor: Visitor) => (await visitor.ask('get', '/console/session/all').expect(200)).body.sessions;
  const move = (column: string, by: string, userId: string) =>
    scenario.database.query(`UPDATE console_sessions SET ${column} = ${column} + interval '${by}' WHERE user_id = $1`, [
      userId,
    ]);
  const rowsOf = (userId: string) =>
    scenario.database.query<{ at: Date }>('SELECT last_seen_at AS at FROM console_sessions WHERE user_id = $1', [
      userId,
    ]);
  const seenAt = async (userId: string) => ((await rowsOf(userId))[0] as { at: Date }).at;

  test('a sign-out ends this session only, at once on every instance', async () => {
    const second = await scenario.start();
    const person = await scenario.person();
    const [visitor, elsewhere] = [await signIn(person), await signIn(person)];
    const onSecond = Visitor.of(second, visitor.cookie);
    await onSecond.get('/auth/me').expect(200);
    await visitor.ask('delete', '/console/session').expect(204);
    for (const gone of [visitor, onSecond]) {
      await gone.get('/auth/me').expect(401);
      await gone.ask('get', '/console/session').expect(401);
      await gone.call('post', '/webhooks/terminal', { transactionKey: 'k' }).expect(401);
    }
    await elsewhere.get('/auth/me').expect(200);
    // a token of /auth/login stays valid
    await scenario.api.get('/auth/me', person.token).expect(200);
  });

  test('the token of a session is accepted in the cookie only, and a token of the API as Bearer only: else 401 (A37)', async () => {
    const { owner } = await scenario.restaurant();
    const visitor = await signIn(owner);
    const token = String(visitor.cookie).split('=')[1] as string;
    await visitor.get('/auth/me').expect(200);
    await visitor.ask('get', '/console/session').expect(200);
    await visitor.call('post', '/webhooks/terminal', sale({ storeCode: undefined })).expect(200);
    await scenario.api.get('/auth/me', token).expect(401);
    await scenario.api.get('/restaurants', token).expect(401);
    await scenario.api.post('/webhooks/terminal', token, sale({ storeCode: undefined })).expect(401);
    await scenario.api.get('/webhooks/terminal/receipts', token).expect(401);
    const ofApi = Visitor.withToken(scenario.relay, owner.token);
    await ofApi.get('/auth/me').expect(401);
    await ofApi.ask('get', '/console/session').expect(401);
    await ofApi.ask('delete', '/console/session').expect(204);
    await scenario.api.post('/webhooks/terminal', owner.token, sale({ storeCode: undefined })).expect(200);
  });

  test('a platform administrator ends all sessions and tokens of a user; the password stays (R59)', async () => {
    const { owner, id } = await scenario.restaurant();
    const [other, admin] = [await scenario.person(), await scenario.person('ADMIN')];
    const visitor = await signIn(owner);
    const end = (token: string, userId: string) => scenario.api.delete(`/admin/users/${userId}/sessions`, token);
    await end(owner.token, other.id).expect(403);
    await end(admin.token, id).expect(404);
    await end(admin.token, owner.id).expect(200);
    await visitor.get('/auth/me').expect(401);
    await scenario.api.get('/auth/me', owner.token).expect(401);
    await scenario.api.post('/webhooks/terminal', owner.token, sale({ storeCode: undefined })).expect(401);
    await scenario.api.get('/auth/me', other.token).expect(200);
    await scenario.relay.login(owner);
    const { body } = await scenario.api.get('/admin/audit?action=auth.sessions_ended', admin.token).expect(200);
    expect(body.data).toMatchObject([{ actorEmail: admin.email, target: owner.email }]);
  });

  test('the 21st session of a user ends the oldest one; those of others stay (L153)', async () => {
    const [person, other] = [await scenario.person(), await scenario.person()];
    const elsewhere = await signIn(other);
    const visitors: Visitor[] = [];
    for (let i = 0; i < 21; i++) visitors.push(await signIn(person));
    const [first, second] = visitors as [Visitor, Visitor];
    await first.get('/auth/me').expect(401);
    await second.get('/auth/me').expect(200);
    expect(await list(second)).toHaveLength(20);
    await elsewhere.get('/auth/me').expect(200);
  });

  test('the list has all sessions of the user, the last seen first, and marks the current one', async () => {
    const person = await scenario.person();
    const here = await signIn(person);
    const credentials = { email: person.email, password: PASSWORD };
    const browser = { ...SAME_ORIGIN, 'User-Agent': FIREFOX };
    const { headers } = await Visitor.of(scenario.relay)
      .ask('post', '/console/session', credentials, browser)
      .expect(200);
    await signIn(await scenario.person());
    const there = Visitor.of(scenario.relay, cookieOf(headers));
    const sessions = await list(there);
    expect(sessions).toEqual([
      expect.objectContaining({ current: true, browser: 'Firefox · Windows', address: expect.stringMatching(/127/) }),
      expect.objectContaining({ current: false, browser: null }),
    ]);
    expect((await list(here)).map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    await Visitor.of(scenario.relay).ask('get', '/console/session/all').expect(401);
  });

  test('DELETE others ends all other sessions of the user', async () => {
    const person = await scenario.person();
    const here = await signIn(person);
    const others = [await signIn(person), await signIn(person)];
    const stranger = await signIn(await scenario.person());
    await Visitor.of(scenario.relay).ask('delete', '/console/session/others').expect(401);
    const { body } = await here.ask('delete', '/console/session/others').expect(200);
    expect(body).toEqual({ ended: 2 });
    for (const other of others) await other.get('/auth/me').expect(401);
    for (const left of [here, stranger]) await left.get('/auth/me').expect(200);
    expect(await list(here)).toEqual([expect.objectContaining({ current: true })]);
    expect((await here.ask('delete', '/console/session/others').expect(200)).body).toEqual({ ended: 0 });
  });

  test.each<[string, (person: Caller) => unknown]>([
    [
      'a password changed by the API ends every session',
      ({ token }) =>
        scenario.api.patch('/users/me/password', token, { currentPassword: PASSWORD, newPassword: NEXT }).expect(200),
    ],
    ['a removed user has no sessions', ({ id }) => scenario.database.query('DELETE FROM users WHERE id = $1', [id])],
  ])('%s', async (_, end) => {
    const person = await scenario.person();
    const visitor = await signIn(person);
    await end(person);
    await visitor.get('/auth/me').expect(401);
    expect(await rowsOf(person.id)).toEqual([]);
  });

  test('an expired session is refused, not listed, and removed by the next sign-in', async () => {
    const person = await scenario.person();
    const old = await signIn(person);
    await move('expires_at', '-8 days', person.id);
    await old.get('/auth/me').expect(401);
    const next = await signIn(person);
    expect(await list(next)).toHaveLength(1);
    const rows = await scenario.database.query('SELECT FROM console_sessions WHERE expires_at < now()');
    expect(rows).toEqual([]);
  });

  test('lastSeenAt is written at most once a minute', async () => {
    const person = await scenario.person();
    const visitor = await signIn(person);
    const first = await seenAt(person.id);
    await visitor.get('/auth/me').expect(200);
    expect(await seenAt(person.id)).toEqual(first);
    await move('last_seen_at', '-61 seconds', person.id);
    await visitor.get('/auth/me').expect(200);
    expect((await seenAt(person.id)).getTime()).toBeGreaterThanOrEqual(first.getTime());
  });

  /** Records the statements that the relay sends. @param refuse statements that fail */
  const watched = (refuse: (text: string) => boolean = () => false): string[] => {
    const sent: string[] = [];
    const query = ConnectionPool.prototype.query as (this: ConnectionPool, asked: unknown) => unknown;
    jest.spyOn(ConnectionPool.prototype, 'query').mockImplementation(function (
      this: ConnectionPool,
      asked: string | { text?: string },
    ) {
      const text = typeof asked === 'string' ? asked : (asked.text ?? '');
      sent.push(text);
      return refuse(text) ? Promise.reject(new Error('refused')) : query.call(this, asked);
    } as never);
    return sent;
  };

  test('a request succeeds although lastSeenAt cannot be written', async () => {
    const person = await scenario.person();
    const visitor = await signIn(person);
    await move('last_seen_at', '-2 minutes', person.id);
    const isWrite = (text: string) => text.includes('UPDATE console_sessions');
    const sent = watched(isWrite);
    await visitor.get('/auth/me').expect(200);
    expect(sent.filter(isWrite)).toHaveLength(1);
  });

  test('a request reads user and session by one statement', async () => {
    const visitor = await signIn(await scenario.person());
    // the founder of an account is read once (H20)
    await visitor.get('/auth/me').expect(200);
    const sent = watched();
    await visitor.get('/auth/me').expect(200);
    // rounds of the relay use the same pool
    const ofPeople = sent.filter((text) => /console_sessions|users/.test(text));
    expect(ofPeople).toEqual([expect.stringMatching(/FROM console_sessions.*FROM users/s)]);
  });

  test('a sign-in during which the password is changed creates no session', async () => {
    const person = await scenario.person();
    const prisma = scenario.relay.get(PrismaService);
    const read = prisma.user.findUnique.bind(prisma.user);
    jest.spyOn(prisma.user, 'findUnique').mockImplementationOnce((async (query: never) => {
      const user = await read(query);
      await scenario.database.query('UPDATE users SET token_version = token_version + 1 WHERE id = $1', [person.id]);
      return user;
    }) as never);
    const { body } = await Visitor.of(scenario.relay)
      .ask('post', '/console/session', { email: person.email, password: PASSWORD })
      .expect(401);
    expect(body.code).toBe('INVALID_CREDENTIALS');
    expect(await rowsOf(person.id)).toEqual([]);
  });
});
