import { type Api, sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { PASSWORD } from '../user-links/people.js';

const NEXT = marked('quite another password');

describe('PATCH /users/me/password (A11)', () => {
  const scenario = Scenario.ofSuite();
  let second: TestRelay;
  let instances: Api[];

  beforeAll(async () => {
    second = await scenario.start();
    instances = [scenario.api, second.api];
  });

  const change = ({ token }: Caller, body: unknown) => scenario.api.patch('/users/me/password', token, body);
  const event = () => sale({ storeCode: undefined });
  const ways: Record<string, (api: Api, caller: Caller) => ReturnType<Api['post']>> = {
    'a JWT at the management API': (api, { token }) => api.get('/auth/me', token),
    'a JWT at the webhook': (api, { token }) => api.post('/webhooks/terminal', token, event()),
    'Basic at the webhook': (api, { email, password }) =>
      api.post('/webhooks/terminal', undefined, event()).auth(email, password),
    'credentials in the body': (api, { email, password }) =>
      api.post('/webhooks/terminal', undefined, { ...event(), email, password }),
    'a login': (api, { email, password }) => api.post('/auth/login', undefined, { email, password }),
  };

  /** Authenticates in every way on every instance. @returns way -> statuses */
  async function knock(caller: Caller): Promise<Record<string, number[]>> {
    const got: Record<string, number[]> = {};
    for (const [name, way] of Object.entries(ways)) {
      got[name] = [];
      for (const api of instances) got[name].push((await way(api, caller)).status);
    }
    return got;
  }
  const everywhere = (status: number) =>
    Object.fromEntries(Object.keys(ways).map((name) => [name, instances.map(() => status)]));

  test('200 {message}: on every instance old tokens and the old password, cached ones too, are refused at once; the new one works', async () => {
    const { owner } = await scenario.restaurant();
    // twice: the second time the pair is cached
    for (let i = 0; i < 2; i++) expect(await knock(owner)).toEqual(everywhere(200));
    const { body } = await change(owner, { currentPassword: PASSWORD, newPassword: NEXT }).expect(200);
    expect(body).toEqual({ message: expect.any(String) });
    for (let i = 0; i < 2; i++) expect(await knock(owner)).toEqual(everywhere(401));
    const renewed = await scenario.signIn({ ...owner, password: NEXT });
    expect(await knock(renewed)).toEqual(everywhere(200));
  });

  test('changed back: the first password is accepted again, the first token is not', async () => {
    const { owner } = await scenario.restaurant();
    await change(owner, { currentPassword: PASSWORD, newPassword: NEXT }).expect(200);
    const between = await scenario.signIn({ ...owner, password: NEXT });
    await change(between, { currentPassword: NEXT, newPassword: PASSWORD }).expect(200);
    expect(await knock(await scenario.signIn(owner))).toEqual(everywhere(200));
    for (const { token } of [owner, between]) await scenario.api.get('/auth/me', token).expect(401);
  });

  test('a removed user: tokens and password, cached ones too, are refused at once on every instance', async () => {
    const { owner } = await scenario.restaurant();
    expect(await knock(owner)).toEqual(everywhere(200));
    await scenario.database.query('DELETE FROM users WHERE id = $1', [owner.id]);
    expect(await knock(owner)).toEqual(everywhere(401));
  });

  test('tokens of other users stay valid', async () => {
    const [one, other] = [await scenario.person(), await scenario.person()];
    await change(one, { currentPassword: PASSWORD, newPassword: NEXT }).expect(200);
    await scenario.api.get('/auth/me', other.token).expect(200);
  });

  test.each<[number, string, unknown]>([
    [400, 'WRONG_PASSWORD', { currentPassword: 'wrong', newPassword: NEXT }],
    [400, 'WRONG_PASSWORD', { currentPassword: NEXT, newPassword: NEXT }],
    [422, 'SAME_PASSWORD', { currentPassword: PASSWORD, newPassword: PASSWORD }],
    [400, 'VALIDATION_FAILED', { currentPassword: PASSWORD, newPassword: 'seven 7' }],
    [400, 'VALIDATION_FAILED', { currentPassword: PASSWORD, newPassword: 123456789 }],
    [400, 'VALIDATION_FAILED', { newPassword: NEXT }],
    [400, 'VALIDATION_FAILED', { currentPassword: PASSWORD, newPassword: NEXT, userId: 'x' }],
    [400, 'VALIDATION_FAILED', {}],
  ])('%d %s for %j, and the password stays', async (status, code, body) => {
    const person = await scenario.person();
    const answer = await change(person, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    await scenario.api.get('/auth/me', person.token).expect(200);
    await scenario.signIn(person);
  });
});
