import { randomUUID } from 'node:crypto';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { PASSWORD } from './people.js';

const ROUNDS = 5;

describe('concurrent requests', () => {
  const scenario = Scenario.ofSuite();

  const owners = (roles: Record<string, string>) => Object.values(roles).filter((role) => role === 'OWNER').length;
  const statusesOf = async (requests: readonly PromiseLike<{ status: number }>[]) =>
    (await Promise.all(requests)).map(({ status }) => status).sort();

  const remove = (id: string, by: Caller, { id: userId }: Caller) =>
    scenario.api.delete(`/restaurants/${id}/users/${userId}`, by.token);
  const demote = (id: string, by: Caller, { id: userId }: Caller) =>
    scenario.api.patch(`/restaurants/${id}/users/${userId}/role`, by.token, { role: 'VIEWER' });
  const leave = (id: string, by: Caller) => remove(id, by, by);

  test.each([
    ['remove each other', remove, ['OWNER'], [403, 422]],
    ['demote each other', demote, ['OWNER', 'VIEWER'], [403]],
    ['leave', leave, ['OWNER'], [422]],
  ])(`two OWNERs %s, ${ROUNDS} times: one OWNER is left`, async (_, call, roles, refusals) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, owner } = await scenario.restaurant();
      const other = await scenario.staff(id, 'OWNER');
      const [first, second] = await statusesOf([call(id, owner, other), call(id, other, owner)]);
      expect([first, refusals.includes(Number(second))]).toEqual([200, true]);
      expect(Object.values(await scenario.people.rolesIn(id)).sort()).toEqual(roles);
    }
  });

  test('20 transfers by several OWNERs: each is 200, 403 or 422, an OWNER is left, and no link is lost', async () => {
    const { id, owner } = await scenario.restaurant();
    const people: Caller[] = [owner];
    for (let i = 0; i < 9; i++) people.push(await scenario.staff(id, i % 2 ? 'OWNER' : 'EMPLOYEE'));
    const transfers = Array.from({ length: 20 }, (_, i) => {
      const [from, to] = [people[i % 10] as Caller, people[(i * 7 + 3) % 10] as Caller];
      return scenario.api.post(`/restaurants/${id}/transfer-ownership`, from.token, { newOwnerId: to.id });
    });
    const statuses = await statusesOf(transfers);
    for (const status of statuses) expect([200, 403, 422]).toContain(status);
    expect(statuses).toContain(200);
    const roles = await scenario.people.rolesIn(id);
    expect(owners(roles)).toBeGreaterThanOrEqual(1);
    expect(Object.keys(roles).sort()).toEqual(people.map((person) => person.id).sort());
  });

  test('one OWNER transfers to 20 people at once: one of them is OWNER, and the caller is ADMIN', async () => {
    const { id, owner } = await scenario.restaurant();
    const people = await Promise.all(Array.from({ length: 20 }, () => scenario.people.user()));
    for (const person of people) await scenario.people.link(person.id, id, 'VIEWER');
    const transfers = people.map((person) =>
      scenario.api.post(`/restaurants/${id}/transfer-ownership`, owner.token, { newOwnerId: person.id }),
    );
    expect(await statusesOf(transfers)).toEqual([200, ...Array(19).fill(403)]);
    const roles = await scenario.people.rolesIn(id);
    expect([owners(roles), roles[owner.id], Object.keys(roles).length]).toEqual([1, 'ADMIN', 21]);
  });

  test('a transfer, and the removal of the new owner: an OWNER is left', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, owner } = await scenario.restaurant();
      const [admin, next] = [await scenario.staff(id, 'ADMIN'), await scenario.staff(id, 'VIEWER')];
      const transfer = scenario.api.post(`/restaurants/${id}/transfer-ownership`, owner.token, { newOwnerId: next.id });
      for (const status of await statusesOf([transfer, remove(id, admin, next)]))
        expect([200, 403, 422]).toContain(status);
      expect(owners(await scenario.people.rolesIn(id))).toBe(1);
    }
  });

  test.each(['slug', 'codeStoreTerminal'])('two restaurants with the same %s: 201 and 409', async (field) => {
    const { token } = await scenario.person();
    for (let round = 0; round < ROUNDS; round++) {
      const value = `r-${randomUUID()}`;
      const create = () =>
        scenario.api.post('/restaurants', token, { name: 'Osteria', slug: `s-${randomUUID()}`, [field]: value });
      expect(await statusesOf([create(), create()])).toEqual([201, 409]);
    }
  });

  test('ten restaurants with the same name and no slug: each gets its own slug', async () => {
    const { token } = await scenario.person();
    const create = () => scenario.api.post('/restaurants', token, { name: 'Cantina Gemella' }).expect(201);
    const answers = await Promise.all(Array.from({ length: 10 }, create));
    expect(new Set(answers.map(({ body }) => body.data.slug)).size).toBe(10);
  });

  test('one user linked 10 times: one 201, nine 400 ALREADY_LINKED, one link', async () => {
    const { id, owner } = await scenario.restaurant();
    const { id: userId } = await scenario.people.user();
    const link = () => scenario.api.post(`/restaurants/${id}/users`, owner.token, { userId, role: 'VIEWER' });
    const answers = await Promise.all(Array.from({ length: 10 }, link));
    expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([
      201,
      ...Array(9).fill('ALREADY_LINKED'),
    ]);
    expect(await scenario.people.rolesIn(id)).toEqual({ [owner.id]: 'OWNER', [userId]: 'VIEWER' });
  });

  const createAndLink = (id: string, { token }: Caller, email: string, password: string) =>
    scenario.api.post(`/restaurants/${id}/users/create-and-link`, token, { email, password, role: 'VIEWER' });

  test('create-and-link of one email in one restaurant: one user, one link, one 201', async () => {
    const { id, owner } = await scenario.restaurant();
    const email = `${randomUUID()}@example.com`;
    const spelt = [email, email.toUpperCase(), email, email.toUpperCase()];
    const requests = spelt.map((each) => createAndLink(id, owner, each, PASSWORD));
    expect(await statusesOf(requests)).toEqual([201, 400, 400, 400]);
    expect(await scenario.database.query('SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
    expect(Object.keys(await scenario.people.rolesIn(id))).toHaveLength(2);
  });

  test.each([
    ['one password: one user, one 201 and three 200', () => 'one password', [200, 200, 200, 201]],
    ['four passwords: one user, one 201 and three 409', (i: number) => `password of ${i}`, [201, 409, 409, 409]],
  ] as const)('create-and-link of one email in four restaurants with %s', async (_, password, expected) => {
    const restaurants = await Promise.all(Array.from({ length: 4 }, () => scenario.restaurant()));
    const email = `${randomUUID()}@example.com`;
    const answers = await Promise.all(
      restaurants.map(({ id, owner }, i) => createAndLink(id, owner, email, password(i))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(expected);
    expect(await scenario.database.query('SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
    const winner = password(answers.findIndex(({ status }) => status === 201));
    for (const i of restaurants.keys())
      await scenario.api
        .post('/auth/login', undefined, { email, password: password(i) })
        .expect(password(i) === winner ? 200 : 401);
  });

  test('two changes of one password: one succeeds, and the other is 400 or 401', async () => {
    const { token } = await scenario.person();
    const change = (newPassword: string) =>
      scenario.api.patch('/users/me/password', token, { currentPassword: PASSWORD, newPassword });
    const [first, second] = await statusesOf(['first new one', 'second new one'].map(marked).map(change));
    expect([first, [400, 401].includes(Number(second))]).toEqual([200, true]);
  });
});
