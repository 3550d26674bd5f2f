import { hash } from 'bcrypt';
import { isPassword } from '../../src/domain/account.js';
import { FREQUENT_PASSWORDS } from '../../src/domain/frequent-passwords.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { startWarnings } from '../../src/platform/config/start-warnings.js';
import { ENVIRONMENT } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { PASSWORD } from '../user-links/people.js';

describe('a password that others may guess is refused where it is set (A33)', () => {
  const scenario = Scenario.ofSuite();

  test('the list has 3,000 passwords, each in lower case and as A5 allows it (A33)', () => {
    const wrong = [...FREQUENT_PASSWORDS].filter((word) => !isPassword(word) || word !== word.toLowerCase());
    expect([FREQUENT_PASSWORDS.size, wrong]).toEqual([3_000, []]);
  });

  const guessable = (email: string): [password: string, reason: string][] => [
    ...['12345678', 'password', 'aaaaaaaa', 'qwertyuiop', 'PassWord'].map((word): [string, string] => [
      word,
      'frequent',
    ]),
    [email, 'email of the account'],
    [email.toUpperCase(), 'email of the account'],
    [email.split('@')[0] as string, 'email of the account'],
  ];

  async function invited(email: string) {
    const { id, token } = await scenario.restaurant();
    const { body } = await scenario.api.post(`/restaurants/${id}/invitations`, token, { email, role: 'VIEWER' });
    const set = (password: string) =>
      scenario.api.post('/invitations/join', undefined, { token: body.data.token, password });
    return { email, set };
  }

  /** The ways to set a password. @returns what refuses the password, and what allows another one */
  const ways = {
    'a change of the password': async () => {
      const person = await scenario.person();
      const set = (newPassword: string) =>
        scenario.api.patch('/users/me/password', person.token, { currentPassword: PASSWORD, newPassword });
      return { email: person.email, set };
    },
    'create-and-link': async () => {
      const { id, token } = await scenario.restaurant();
      const email = `${crypto.randomUUID()}@example.com`;
      const set = (password: string) =>
        scenario.api.post(`/restaurants/${id}/users/create-and-link`, token, { email, password, role: 'VIEWER' });
      return { email, set };
    },
    'an invitation': () => invited(`${crypto.randomUUID()}@example.com`),
  };

  test.each(Object.entries(ways))('by %s: 422 that says why, and a longer one is set (A33)', async (_, way) => {
    const { email, set } = await way();
    for (const [password, reason] of guessable(email)) {
      const { body } = await set(password).expect(422);
      expect([body.code, body.message]).toEqual(['GUESSABLE_PASSWORD', expect.stringContaining(reason)]);
    }
    expect((await set(marked('password and more'))).ok).toBe(true);
  });

  test('an invitation of an existing account gets the same 422: the answer does not tell that there is an account (A29, A33)', async () => {
    const answers: unknown[] = [];
    for (const { email } of [await scenario.person(), { email: `${crypto.randomUUID()}@example.com` }]) {
      const { set } = await invited(email);
      for (const [password] of [...guessable(email), ['short']] as const) {
        const { status, body } = await set(password);
        answers.push(password === 'short' ? [status] : [status, body.code, body.message]);
      }
    }
    const half = answers.length / 2;
    expect(answers.slice(0, half)).toEqual(answers.slice(half));
    expect(answers[0]).toEqual([422, 'GUESSABLE_PASSWORD', expect.anything()]);
  });

  test('a short part before the @ is no reason by itself (A33)', async () => {
    const { id, token } = await scenario.restaurant();
    const body = { email: 'maria@example.com', password: marked('maria'), role: 'VIEWER' };
    await scenario.api.post(`/restaurants/${id}/users/create-and-link`, token, body).expect(201);
  });

  test('a frequent password of an older account works at each sign-in, and links the account (A33)', async () => {
    const person = await scenario.people.user();
    const stored = await hash('password', 4);
    await scenario.database.query('UPDATE users SET password_hash = $2 WHERE id = $1', [person.id, stored]);
    const credentials = { email: person.email, password: 'password' };
    await scenario.api.post('/auth/login', undefined, credentials).expect(200);
    const { id, token } = await scenario.restaurant();
    const body = { ...credentials, role: 'VIEWER' };
    await scenario.api.post(`/restaurants/${id}/users/create-and-link`, token, body).expect(200);
  });
});

describe('the start warns', () => {
  const warningsOf = (changes: Record<string, string>) =>
    startWarnings(loadConfig({ ...ENVIRONMENT, POS_BASE_URL: 'http://127.0.0.1:9', ...changes }));

  test('of an ADMIN_PASSWORD that is frequent, without the password (S39)', () => {
    const [warning, ...others] = warningsOf({ ADMIN_EMAIL: 'ana@example.com', ADMIN_PASSWORD: 'Qwertyuiop' });
    expect([warning?.[0], others]).toEqual([{ event: 'relay.weak_password', variable: 'ADMIN_PASSWORD' }, []]);
    expect(warning?.[1]).toMatch(/^ADMIN_PASSWORD is one of the 3,000 most frequent passwords$/);
    expect(warningsOf({ ADMIN_EMAIL: 'ana@example.com', ADMIN_PASSWORD: marked('admin') })).toEqual([]);
  });

  test('in production, in one line, that logins have no limit, and what ONBOARDING=self means (S40)', () => {
    const production = { NODE_ENV: 'production' };
    const open = expect.arrayContaining([{ event: 'relay.open_access' }]);
    expect(warningsOf(production)).toEqual([open]);
    expect(warningsOf(production)[0]?.[1]).toMatch(
      /LOGIN_ATTEMPTS_PER_MINUTE is 0.* 10 .*ONBOARDING is self: everybody/,
    );
    const limited = { ...production, LOGIN_ATTEMPTS_PER_MINUTE: '10' };
    expect(warningsOf(limited)[0]?.[1]).toMatch(/^ONBOARDING is self/);
    expect(warningsOf({ ...limited, ONBOARDING: 'admin' })).toEqual([]);
    expect(warningsOf({})).toEqual([]);
  });
});
