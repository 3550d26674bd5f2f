import type { TestDatabase } from '../support/database.js';
import { ADMIN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import type { People } from '../user-links/people.js';

describe('the platform administrator of ADMIN_EMAIL (A10)', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let people: People;
  let relay: TestRelay;
  /** the users after a start without ADMIN_EMAIL */
  let without: unknown[];

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses({ JWT_EXPIRES_IN: '90s' }, { migrated: false });
    ({ database, people } = scenario);
    await (await scenario.start({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })).close();
    without = await database.query('SELECT FROM users');
    relay = await scenario.start();
  });
  afterAll(() => scenario.close());

  const administrators = () =>
    database.query('SELECT id, role::text, password_hash FROM users WHERE email = $1', [ADMIN.email]);

  test('is created at the start, with a bcrypt hash of the password', async () => {
    expect(await administrators()).toMatchObject([
      { role: 'ADMIN', password_hash: expect.stringMatching(/^\$2b\$10\$.{53}$/) },
    ]);
  });

  test('is not changed when the account exists', async () => {
    const before = await administrators();
    const restarted = await scenario.start({ ADMIN_PASSWORD: marked('another password') });
    await restarted.http
      .post('/auth/login')
      .send({ ...ADMIN, password: marked('another password') })
      .expect(401);
    await restarted.login();
    await restarted.close();
    expect(await administrators()).toEqual(before);
  });

  test('does not get the platform role back by a restart', async () => {
    const person = await people.user('once-chief@example.com');
    await (await scenario.start({ ADMIN_EMAIL: 'Once-Chief@example.com' })).close();
    expect(await database.query('SELECT role::text FROM users WHERE id = $1', [person.id])).toEqual([{ role: 'USER' }]);
  });

  test('is created once by instances that start at the same time, with the email in lower case', async () => {
    const relays = await Promise.all([1, 2, 3].map(() => scenario.start({ ADMIN_EMAIL: 'Chief@Example.com' })));
    await Promise.all(relays.map((each) => each.login({ email: 'chief@example.com', password: ADMIN.password })));
    await Promise.all(relays.map((each) => each.close()));
    expect(await database.query(`SELECT role::text FROM users WHERE email ILIKE 'chief@example.com'`)).toEqual([
      { role: 'ADMIN' },
    ]);
  });

  test('is not created without ADMIN_EMAIL', () => {
    expect(without).toEqual([]);
  });

  test('JWT_EXPIRES_IN sets expires_in and exp', async () => {
    const { body } = await relay.http.post('/auth/login').send(ADMIN).expect(200);
    const { iat, exp } = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    expect([body.expires_in, exp - iat]).toEqual([90, 90]);
  });
});
