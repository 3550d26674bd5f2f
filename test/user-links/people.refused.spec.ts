import { randomUUID } from 'node:crypto';
import { type Caller, Scenario } from '../support/scenario.js';
import { newcomer, peopleOf } from './people-calls.js';

describe('requests about the users of a restaurant that are refused with 400', () => {
  const scenario = Scenario.ofSuite();
  let owner: Caller;
  let admin: Caller;
  let path: string;

  beforeAll(async () => {
    const restaurant = await scenario.restaurant();
    owner = restaurant.owner;
    admin = await scenario.staff(restaurant.id, 'ADMIN');
    path = `/restaurants/${restaurant.id}`;
  });

  const { link, createAndLink, changeRole, remove, transfer } = peopleOf(() => ({ api: scenario.api, path }));

  test.each(['1', '123e4567-e89b-12d3-a456-42661417400', `${randomUUID()}0`, "'--"])(
    'an id that is not a UUID: %s',
    async (bad) => {
      const text = encodeURIComponent(bad);
      for (const answer of [
        await scenario.api.get(`/restaurants/${text}/users`, owner.token),
        await scenario.api.get(`${path}/user/${text}`, owner.token),
        await changeRole(owner, text, { role: 'VIEWER' }),
        await remove(owner, text),
        await link(owner, { userId: bad, role: 'VIEWER' }),
        await transfer(owner, { newOwnerId: bad }),
      ])
        expect(answer.status).toBe(400);
    },
  );

  test.each(['owner', '', null, 1, ['OWNER'], { role: 'OWNER' }, undefined])('the role %p', async (role) => {
    for (const answer of [
      await link(owner, { userId: randomUUID(), role }),
      await createAndLink(owner, { ...newcomer(), role }),
      await changeRole(owner, admin.id, { role }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(answer.body.message).toContainEqual(expect.stringContaining('role'));
    }
  });

  test('an unknown field, named in the message', async () => {
    for (const answer of [
      await link(owner, { userId: randomUUID(), role: 'VIEWER', more: 1 }),
      await createAndLink(owner, { ...newcomer(), more: 1 }),
      await changeRole(owner, admin.id, { role: 'VIEWER', more: 1 }),
      await transfer(owner, { newOwnerId: admin.id, more: 1 }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContainEqual(expect.stringContaining('more'));
    }
  });

  test.each([undefined, null, [], 'text'])('the body %p', async (body) => {
    for (const answer of [
      await link(owner, body),
      await createAndLink(owner, body),
      await changeRole(owner, admin.id, body),
      await transfer(owner, body),
    ])
      expect(answer.status).toBe(400);
  });

  test.each<[string, unknown]>([
    ['password', 'seven 7'],
    ['password', 'x'.repeat(73)],
    ['password', 12345678],
    ['password', undefined],
    ...[
      ...['nobody', 'a@b', 'a b@example.com', '', null, 'a\0@example.com'],
      // invisible, or turning the text (A5)
      ...['a\u200bb@example.com', 'a\u202eb@example.com', '"a\r\nBcc: x"@example.com'],
    ].map((email): [string, unknown] => ['email', email]),
  ])('create-and-link with the %s %j', async (field, value) => {
    const { body } = await createAndLink(owner, { ...newcomer(), [field]: value }).expect(400);
    expect(body.message).toContainEqual(expect.stringContaining(field));
    if (field === 'password' && value) expect(JSON.stringify(body)).not.toContain(String(value));
  });

  test.each(['\u00e9'.repeat(36), 'NUL \0 in it'])('but not create-and-link with the password %j', async (password) => {
    const person = newcomer();
    const { body } = await createAndLink(owner, { ...person, password }).expect(201);
    await scenario.signIn({ email: person.email, password, id: body.data.userId });
  });
});
