import { randomUUID } from 'node:crypto';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { PASSWORD } from './people.js';

const ROUNDS = 8;

describe('at the same moment', () => {
  let scenario: Scenario;

  beforeAll(async () => {
    scenario = await Scenario.open();
  });
  afterAll(() => scenario.close());

  const owners = (roles: Record<string, string>) => Object.values(roles).filter((role) => role === 'OWNER').length;

  /** Two OWNERs of a restaurant of their own, in every round. */
  async function twoOwners() {
    const { id, owner } = await scenario.restaurant();
    return { id, pair: [owner, await scenario.staff(id, 'OWNER')] as const };
  }

  test(`two OWNERs remove each other, ${ROUNDS} times: one is left`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, pair } = await twoOwners();
      const [a, b] = pair;
      const answers = await Promise.all([
        scenario.api.delete(`/restaurants/${id}/users/${b.id}`, a.token),
        scenario.api.delete(`/restaurants/${id}/users/${a.id}`, b.token),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      expect([
        [200, 403],
        [200, 422],
      ]).toContainEqual(statuses);
      expect(Object.values(await scenario.people.rolesIn(id))).toEqual(['OWNER']);
    }
  });

  test(`two OWNERs demote each other, ${ROUNDS} times: one is left`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, pair } = await twoOwners();
      const [a, b] = pair;
      const role = { role: 'VIEWER' };
      const answers = await Promise.all([
        scenario.api.patch(`/restaurants/${id}/users/${b.id}/role`, a.token, role),
        scenario.api.patch(`/restaurants/${id}/users/${a.id}/role`, b.token, role),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      expect(Object.values(await scenario.people.rolesIn(id)).sort()).toEqual(['OWNER', 'VIEWER']);
    }
  });

  test(`each of two OWNERs leaves, ${ROUNDS} times: one stays`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, pair } = await twoOwners();
      const answers = await Promise.all(
        pair.map((owner) => scenario.api.delete(`/restaurants/${id}/users/${owner.id}`, owner.token)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
      expect(Object.values(await scenario.people.rolesIn(id))).toEqual(['OWNER']);
    }
  });

  test('50 transfers by several OWNERs: at least one OWNER, every link still there, every answer 200, 403 or 422', async () => {
    const { id, owner } = await scenario.restaurant();
    const people: Caller[] = [owner];
    for (let i = 0; i < 9; i++) people.push(await scenario.staff(id, i % 2 ? 'OWNER' : 'EMPLOYEE'));
    const transfers = Array.from({ length: 50 }, (_, i) => {
      const [from, to] = [people[i % 10] as Caller, people[(i * 7 + 3) % 10] as Caller];
      return scenario.api.post(`/restaurants/${id}/transfer-ownership`, from.token, { newOwnerId: to.id });
    });
    const statuses = (await Promise.all(transfers)).map(({ status }) => status);
    for (const status of statuses) expect([200, 403, 422]).toContain(status);
    expect(statuses).toContain(200);
    const roles = await scenario.people.rolesIn(id);
    expect(owners(roles)).toBeGreaterThanOrEqual(1);
    expect(Object.keys(roles).sort()).toEqual(people.map((person) => person.id).sort());
  });

  test('one OWNER transfers to 50 people at once: one of them is OWNER, and the former one ADMIN', async () => {
    const { id, owner } = await scenario.restaurant();
    const people = await Promise.all(Array.from({ length: 50 }, () => scenario.people.user()));
    for (const person of people) await scenario.people.link(person.id, id, 'VIEWER');
    const answers = await Promise.all(
      people.map((person) =>
        scenario.api.post(`/restaurants/${id}/transfer-ownership`, owner.token, { newOwnerId: person.id }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49);
    const roles = await scenario.people.rolesIn(id);
    expect([owners(roles), roles[owner.id], Object.keys(roles).length]).toEqual([1, 'ADMIN', 51]);
  });

  test('a transfer, and the removal of the one it goes to: an OWNER is left', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, owner } = await scenario.restaurant();
      const [admin, next] = [await scenario.staff(id, 'ADMIN'), await scenario.staff(id, 'VIEWER')];
      const answers = await Promise.all([
        scenario.api.post(`/restaurants/${id}/transfer-ownership`, owner.token, { newOwnerId: next.id }),
        scenario.api.delete(`/restaurants/${id}/users/${next.id}`, admin.token),
      ]);
      for (const { status } of answers) expect([200, 403, 422]).toContain(status);
      expect(owners(await scenario.people.rolesIn(id))).toBe(1);
    }
  });

  test.each(['slug', 'codeStoreTerminal'])('two restaurants with one %s: 201 and 409', async (field) => {
    const { token } = await scenario.person();
    for (let round = 0; round < ROUNDS; round++) {
      const body = () => ({ name: 'Osteria', slug: `s-${randomUUID()}` });
      const value = `r-${randomUUID()}`;
      const answers = await Promise.all(
        [body(), body()].map((fields) => scenario.api.post('/restaurants', token, { ...fields, [field]: value })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  test('ten restaurants with one name and no slug: all are made, each with a slug of its own', async () => {
    const { token } = await scenario.person();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        scenario.api.post('/restaurants', token, { name: 'Cantina Gemella' }).expect(201),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.data.slug)).size).toBe(10);
  });

  test('one user linked 20 times: one 201, nineteen 400, one link', async () => {
    const { id, owner } = await scenario.restaurant();
    const { id: userId } = await scenario.people.user();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        scenario.api.post(`/restaurants/${id}/users`, owner.token, { userId, role: 'VIEWER' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ body }) => body.code === 'ALREADY_LINKED');
    expect(refused.map(({ status }) => status)).toEqual(Array(19).fill(400));
    expect(await scenario.people.rolesIn(id)).toEqual({ [owner.id]: 'OWNER', [userId]: 'VIEWER' });
  });

  test('create-and-link of one email in one restaurant: one user, one link, one 201', async () => {
    const { id, owner } = await scenario.restaurant();
    const email = `${randomUUID()}@example.com`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        scenario.api.post(`/restaurants/${id}/users/create-and-link`, owner.token, {
          email: i % 2 ? email : email.toUpperCase(),
          password: PASSWORD,
          role: 'VIEWER',
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
    expect(await scenario.database.query('SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
    expect(Object.keys(await scenario.people.rolesIn(id))).toHaveLength(2);
  });

  test.each([
    ['one password: one user, one 201 and five 200', () => 'one password', [200, 200, 200, 200, 200, 201]],
    [
      'six passwords: one user, one 201 and five 409',
      (i: number) => `password of ${i}`,
      [201, 409, 409, 409, 409, 409],
    ],
  ] as const)('create-and-link of one email in six restaurants with %s', async (_, password, expected) => {
    const restaurants = await Promise.all(Array.from({ length: 6 }, () => scenario.restaurant()));
    const email = `${randomUUID()}@example.com`;
    const answers = await Promise.all(
      restaurants.map(({ id, owner }, i) =>
        scenario.api.post(`/restaurants/${id}/users/create-and-link`, owner.token, {
          email,
          password: password(i),
          role: 'VIEWER',
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(expected);
    expect(await scenario.database.query('SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
    const winner = password(answers.findIndex(({ status }) => status === 201));
    for (const i of restaurants.keys())
      await scenario.api
        .post('/auth/login', undefined, { email, password: password(i) })
        .expect(password(i) === winner ? 200 : 401);
  });

  test('two changes of one password: one of them counts, and no answer is a 500', async () => {
    const person = await scenario.person();
    const answers = await Promise.all(
      ['first new one', 'second new one']
        .map(marked)
        .map((newPassword) =>
          scenario.api.patch('/users/me/password', person.token, { currentPassword: PASSWORD, newPassword }),
        ),
    );
    const changed = answers.filter(({ status }) => status === 200);
    expect(changed).toHaveLength(1);
    for (const { status } of answers) expect([200, 400, 401]).toContain(status);
  });
});
