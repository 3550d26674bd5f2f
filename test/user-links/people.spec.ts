import { randomUUID } from 'node:crypto';
import type { PasswordQueue } from '../../src/auth/password-queue.js';
import { Passwords } from '../../src/auth/passwords.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { newcomer, peopleOf } from './people-calls.js';

describe('users of a restaurant', () => {
  const scenario = Scenario.ofSuite();
  let id: string;
  let owner: Caller;
  let admin: Caller;
  let path: string;

  beforeEach(async () => {
    ({ id, owner } = await scenario.restaurant());
    admin = await scenario.staff(id, 'ADMIN');
    path = `/restaurants/${id}`;
  });

  const { link, createAndLink, changeRole, remove, transfer } = peopleOf(() => ({ api: scenario.api, path }));
  const shown = ({ id: userId, email }: { id: string; email: string | null }, role: string, accepted = false) => ({
    userId,
    email,
    name: null,
    role,
    accepted,
    linkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });

  describe('reading', () => {
    test('users: every linked user, highest role first, without password hashes', async () => {
      const viewer = await scenario.staff(id, 'VIEWER');
      const { body, text } = await scenario.api.get(`${path}/users`, owner.token).expect(200);
      expect(body).toEqual({ users: [shown(owner, 'OWNER', true), shown(admin, 'ADMIN'), shown(viewer, 'VIEWER')] });
      expect(text).not.toMatch(/password|hash|\$2/i);
    });

    test('user/:userId: one linked user; 404 for a user who is not linked, and for an unknown id', async () => {
      const { body } = await scenario.api.get(`${path}/user/${admin.id}`, owner.token).expect(200);
      expect(body).toEqual({ user: shown(admin, 'ADMIN') });
      await scenario.api.get(`${path}/user/${admin.id.toUpperCase()}`, owner.token).expect(200);
      for (const other of [(await scenario.people.user()).id, randomUUID()])
        await scenario.api.get(`${path}/user/${other}`, owner.token).expect(404);
    });

    test('users/stats: the number of users with each role, zeros included', async () => {
      for (const role of ['MANAGER', 'VIEWER', 'VIEWER'] as const) await scenario.staff(id, role);
      await scenario.restaurant();
      const { body } = await scenario.api.get(`${path}/users/stats`, admin.token).expect(200);
      const countsByRole = { OWNER: 1, ADMIN: 1, MANAGER: 1, EMPLOYEE: 0, VIEWER: 2 };
      expect(body).toEqual({ restaurantId: id, countsByRole, total: 5 });
    });

    test('my-role: the role of the caller, with its permissions (A13)', async () => {
      const { token, id: userId } = await scenario.staff(id, 'MANAGER');
      const { body } = await scenario.api.get(`${path}/my-role`, token).expect(200);
      const permissions = ['manage_data', 'view_reports', 'manage_operations'];
      expect(body).toEqual({ userId, restaurantId: id, role: 'MANAGER', permissions });
    });
  });

  describe('linking', () => {
    test('201 {message, data}; the second time 400 ALREADY_LINKED, and the role stays', async () => {
      const person = await scenario.people.user();
      const { body } = await link(owner, { userId: person.id, role: 'MANAGER' }).expect(201);
      expect(body).toEqual({ message: expect.any(String), data: shown({ ...person, email: null }, 'MANAGER') });
      const again = await link(owner, { userId: person.id, role: 'VIEWER' }).expect(400);
      expect(again.body.code).toBe('ALREADY_LINKED');
      expect((await scenario.people.rolesIn(id))[person.id]).toBe('MANAGER');
    });

    test('an unknown user: 404', async () => {
      await link(owner, { userId: randomUUID(), role: 'VIEWER' }).expect(404);
    });

    test('create-and-link of an unknown email: 201, and the new user can sign in', async () => {
      const person = newcomer();
      const { body } = await createAndLink(owner, { ...person, name: 'Maria' }).expect(201);
      expect(body.data).toMatchObject({ email: person.email, name: 'Maria', role: 'VIEWER' });
      const { token } = await scenario.signIn({ ...person, id: body.data.userId });
      const me = await scenario.api.get('/auth/me', token).expect(200);
      expect(me.body).toEqual({ id: body.data.userId, email: person.email, name: 'Maria', role: 'USER' });
    });

    const linkKnown = (by: Caller, email: string, password: string) =>
      createAndLink(by, { email, password, name: 'Other', role: 'EMPLOYEE' });

    test('A23: create-and-link of a known email with its password: 200; the name sent is ignored', async () => {
      const person = await scenario.people.user();
      const { body } = await linkKnown(owner, person.email.toUpperCase(), person.password).expect(200);
      expect(body.data).toEqual(shown(person, 'EMPLOYEE'));
      await scenario.signIn(person);
    });

    test('A23: with a wrong password: 409 ACCOUNT_EXISTS, and linking by id works', async () => {
      const person = await scenario.people.user();
      const { body } = await linkKnown(owner, person.email, marked('another password')).expect(409);
      expect(body.code).toBe('ACCOUNT_EXISTS');
      expect(body.message).toMatch(/GET \/auth\/me.*POST \/restaurants\/:restaurantId\/users/);
      expect(await scenario.people.rolesIn(id)).not.toHaveProperty(person.id);
      const { token } = await scenario.signIn(person);
      const me = await scenario.api.get('/auth/me', token).expect(200);
      await link(owner, { userId: me.body.id, role: 'EMPLOYEE' }).expect(201);
    });

    test('A23: an account of another restaurant needs no password when the caller owns that one by an accepted link', async () => {
      const person = await scenario.people.user();
      const second = await scenario.people.restaurant(null, [owner, 'OWNER'], [person, 'VIEWER']);
      await linkKnown(admin, person.email, marked('another password')).expect(409);
      await scenario.people.link(admin.id, second, 'OWNER');
      await linkKnown(admin, person.email, marked('another password')).expect(409);
      await linkKnown(owner, person.email, marked('another password')).expect(200);
    });

    test('A23: with a deleted restaurant in common the password is needed', async () => {
      const person = await scenario.people.user();
      const second = await scenario.people.restaurant(null, [owner, 'OWNER'], [person, 'VIEWER']);
      await scenario.people.deleteRestaurant(second);
      await linkKnown(owner, person.email, marked('another password')).expect(409);
    });

    test('A23: an account that a stranger has created for the email is not linked', async () => {
      const stranger = await scenario.restaurant();
      const awaited = { ...newcomer(), role: 'OWNER' };
      await scenario.api.post(`/restaurants/${stranger.id}/users/create-and-link`, stranger.token, awaited).expect(201);
      const { body } = await createAndLink(owner, { ...awaited, password: marked('chosen by the owner') }).expect(409);
      expect(body.code).toBe('ACCOUNT_EXISTS');
      const token = await scenario.relay.login(awaited);
      await scenario.api.get(`${path}/my-role`, token).expect(403);
    });

    test('create-and-link of a linked user: 400 ALREADY_LINKED, and nothing is changed', async () => {
      const { body } = await createAndLink(owner, { ...newcomer(), email: admin.email }).expect(400);
      expect(body.code).toBe('ALREADY_LINKED');
      expect((await scenario.people.rolesIn(id))[admin.id]).toBe('ADMIN');
      await scenario.signIn(admin);
    });

    test('create-and-link hashes as the caller, whatever the address, and not when the client has gone (A7)', async () => {
      const run = jest.spyOn(Reflect.get(scenario.relay.get(Passwords), 'queue') as PasswordQueue, 'run');
      await createAndLink(owner, newcomer()).expect(201);
      const known = await scenario.people.user();
      await createAndLink(owner, { ...newcomer(), email: known.email, password: marked('a guess') }).expect(409);
      const senders = run.mock.calls.map(([sender]) => sender);
      run.mockRestore();
      const sender = { account: owner.id, address: expect.any(String), gone: expect.any(AbortSignal) };
      expect(senders).toMatchObject([sender, sender]);
    });

    test('a refused create-and-link creates no user', async () => {
      const person = newcomer();
      await createAndLink(admin, { ...person, role: 'OWNER' }).expect(403);
      expect(await scenario.database.query('SELECT 1 FROM users WHERE email = $1', [person.email])).toEqual([]);
    });
  });

  describe('nobody grants or takes a role above their own (A14)', () => {
    test('an ADMIN cannot make anyone OWNER', async () => {
      const person = await scenario.people.user();
      for (const answer of [
        await link(admin, { userId: person.id, role: 'OWNER' }),
        await createAndLink(admin, { ...newcomer(), role: 'OWNER' }),
        await changeRole(admin, admin.id, { role: 'OWNER' }),
        await transfer(admin, { newOwnerId: admin.id }),
      ])
        expect(answer.status).toBe(403);
      expect(await scenario.people.rolesIn(id)).toEqual({ [owner.id]: 'OWNER', [admin.id]: 'ADMIN' });
    });

    test('an ADMIN cannot remove one of several OWNERs, but can remove an ADMIN and themselves', async () => {
      await scenario.staff(id, 'OWNER');
      await remove(admin, owner.id).expect(403);
      const other = await scenario.staff(id, 'ADMIN');
      await remove(admin, other.id).expect(200);
      await remove(admin, admin.id).expect(200);
      await scenario.api.get(`${path}/my-role`, admin.token).expect(403);
    });

    test('an ADMIN can make an ADMIN, an OWNER an OWNER', async () => {
      await link(admin, { userId: (await scenario.people.user()).id, role: 'ADMIN' }).expect(201);
      await createAndLink(admin, { ...newcomer(), role: 'ADMIN' }).expect(201);
      await changeRole(owner, admin.id, { role: 'OWNER' }).expect(200);
      await scenario.api.delete(path, admin.token).expect(200);
    });
  });

  describe('a restaurant never loses its last OWNER (A15)', () => {
    test.each(['ADMIN', 'VIEWER'])('role %s: 422 LAST_OWNER; the same role OWNER: 200', async (role) => {
      const { body } = await changeRole(owner, owner.id, { role }).expect(422);
      expect(body.code).toBe('LAST_OWNER');
      expect((await scenario.people.rolesIn(id))[owner.id]).toBe('OWNER');
      await changeRole(owner, owner.id, { role: 'OWNER' }).expect(200);
    });

    test('removed: 422 LAST_OWNER; with a second OWNER: 200', async () => {
      expect((await remove(owner, owner.id).expect(422)).body.code).toBe('LAST_OWNER');
      await scenario.staff(id, 'OWNER');
      await remove(owner, owner.id).expect(200);
    });
  });

  describe('changing and removing', () => {
    test('a changed role holds at once, for tokens issued before too', async () => {
      const { body } = await changeRole(owner, admin.id, { role: 'EMPLOYEE' }).expect(200);
      expect(body).toEqual({ message: expect.any(String), data: shown(admin, 'EMPLOYEE') });
      expect((await scenario.api.get(`${path}/my-role`, admin.token)).body.role).toBe('EMPLOYEE');
    });

    test('removing deletes the link, not the account', async () => {
      expect((await remove(owner, admin.id).expect(200)).body).toEqual({ message: expect.any(String) });
      await scenario.api.get(path, admin.token).expect(403);
      await scenario.api.get('/auth/me', admin.token).expect(200);
      await remove(owner, admin.id).expect(404);
      await changeRole(owner, admin.id, { role: 'VIEWER' }).expect(404);
    });
  });

  describe('transfer-ownership (A24)', () => {
    test('the new owner is OWNER, the caller ADMIN, all others keep their roles', async () => {
      const other = await scenario.staff(id, 'OWNER');
      const viewer = await scenario.staff(id, 'VIEWER');
      const { body } = await transfer(owner, { newOwnerId: viewer.id.toUpperCase() }).expect(200);
      expect(body.data).toEqual([shown(viewer, 'OWNER'), shown(owner, 'ADMIN', true)]);
      const roles = { [owner.id]: 'ADMIN', [admin.id]: 'ADMIN', [other.id]: 'OWNER', [viewer.id]: 'OWNER' };
      expect(await scenario.people.rolesIn(id)).toEqual(roles);
    });

    test.each<[string, () => Promise<string>]>([
      ['a user who is not linked', async () => (await scenario.people.user()).id],
      ['an unknown id', async () => randomUUID()],
      ['the caller', async () => owner.id],
    ])('to %s: 422, and nothing is changed', async (_, to) => {
      await transfer(owner, { newOwnerId: await to() }).expect(422);
      expect(await scenario.people.rolesIn(id)).toEqual({ [owner.id]: 'OWNER', [admin.id]: 'ADMIN' });
    });
  });
});
