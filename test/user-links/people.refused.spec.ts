import { randomUUID } from 'node:crypto';
import { type Caller, Scenario } from '../support/scenario.js';
import { newcomer, peopleOf } from './people-calls.js';

const NOT_UUIDS = ['1', 'me', '123e4567-e89b-12d3-a456-42661417400', `${randomUUID()}0`, 'null', "'--"];

describe('what the endpoints for the people of a restaurant refuse with 400', () => {
  let scenario: Scenario;
  let id: string;
  let owner: Caller;
  let admin: Caller;
  let path: string;

  beforeAll(async () => {
    scenario = await Scenario.open();
  });
  beforeEach(async () => {
    ({ id, owner } = await scenario.restaurant());
    admin = await scenario.staff(id, 'ADMIN');
    path = `/restaurants/${id}`;
  });
  afterAll(() => scenario.close());

  const { link, createAndLink, changeRole, remove, transfer } = peopleOf(() => ({ api: scenario.api, path }));

  test.each(NOT_UUIDS)('an id that is no UUID: %s', async (bad) => {
    const text = encodeURIComponent(bad);
    const { token } = owner;
    for (const answer of [
      await scenario.api.get(`/restaurants/${text}`, token),
      await scenario.api.get(`/restaurants/${text}/my-role`, token),
      await scenario.api.get(`/restaurants/${text}/users`, token),
      await scenario.api.get(`${path}/user/${text}`, token),
      await changeRole(owner, text, { role: 'VIEWER' }),
      await remove(owner, text),
      await link(owner, { userId: bad, role: 'VIEWER' }),
      await transfer(owner, { newOwnerId: bad }),
    ])
      expect(answer.status).toBe(400);
  });

  test.each(['owner', 'BOSS', '', null, 1, ['OWNER'], { role: 'OWNER' }, undefined])(
    'a role that is %p',
    async (role) => {
      const { id: userId } = await scenario.people.user();
      for (const answer of [
        await link(owner, { userId, role }),
        await createAndLink(owner, { ...newcomer(), role }),
        await changeRole(owner, admin.id, { role }),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
        expect(answer.body.message).toContainEqual(expect.stringContaining('role'));
      }
    },
  );

  test('an unknown field, by its name', async () => {
    const { id: userId } = await scenario.people.user();
    for (const answer of [
      await link(owner, { userId, role: 'VIEWER', more: 1 }),
      await createAndLink(owner, { ...newcomer(), more: 1 }),
      await changeRole(owner, admin.id, { role: 'VIEWER', more: 1 }),
      await transfer(owner, { newOwnerId: admin.id, more: 1 }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContainEqual(expect.stringContaining('more'));
    }
  });

  test.each([undefined, null, [], 'text', 1])('a body that is %p', async (body) => {
    for (const answer of [
      await link(owner, body),
      await createAndLink(owner, body),
      await changeRole(owner, admin.id, body),
      await transfer(owner, body),
    ])
      expect(answer.status).toBe(400);
  });

  test.each([
    ['of 7 characters', 'seven 7'],
    ['of 73 bytes', 'x'.repeat(73)],
    ['of 37 characters and 74 bytes', '\u00e9'.repeat(37)],
    ['of 4 characters, which are 8 UTF-16 units', '\u{1f355}'.repeat(4)],
    ['that is no text', 12345678],
    ['that is missing', undefined],
  ])('a password %s', async (_, password) => {
    const { body } = await createAndLink(owner, { ...newcomer(), password }).expect(400);
    expect(body.message).toContainEqual(expect.stringContaining('password'));
    if (password) expect(JSON.stringify(body)).not.toContain(String(password));
  });

  test.each(['x'.repeat(72), 'eight ch', '\u00e9'.repeat(36), 'NUL \0 in it'])(
    'but not a password such as %j',
    async (password) => {
      const person = newcomer();
      const { body } = await createAndLink(owner, { ...person, password }).expect(201);
      await scenario.signIn({ email: person.email, password, id: body.data.userId });
    },
  );

  test.each(['nobody', 'a@b', '@example.com', 'a b@example.com', '', null, 'a\0@example.com'])(
    'an email %j',
    async (email) => {
      await createAndLink(owner, { ...newcomer(), email }).expect(400);
    },
  );
});
