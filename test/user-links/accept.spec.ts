import { randomUUID } from 'node:crypto';
import { auditOf } from '../platform/audit/entries.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

describe('A26: accepting a link made by another user', () => {
  const scenario = Scenario.ofSuite();
  let audit: ReturnType<typeof auditOf>;
  let id: string;
  let owner: Caller;
  let person: Caller;

  beforeAll(async () => {
    audit = auditOf(scenario);
  });
  beforeEach(async () => {
    ({ id, owner } = await scenario.restaurant());
    person = await scenario.person();
  });

  const accept = (restaurantId = id, { token } = person) =>
    scenario.api.post(`/users/me/restaurants/${restaurantId}/accept`, token);
  const link = (role: string, { id: userId } = person) =>
    scenario.api.post(`/restaurants/${id}/users`, owner.token, { userId, role }).expect(201);
  const accepted = async (path: string) =>
    (await scenario.api.get(path, person.token).expect(200)).body as Record<string, { accepted: boolean }[]>;
  const entries = () => audit.ofRestaurant(id, owner.token, { action: 'user.link_accepted' });

  test('200 with restaurant and role, the second time too; one audit entry', async () => {
    await link('MANAGER');
    expect(await accepted('/users/me/restaurants')).toMatchObject({ restaurants: [{ id, accepted: false }] });
    for (let time = 0; time < 2; time++) {
      const { body } = await accept().expect(200);
      expect(body).toEqual({
        message: expect.any(String),
        data: { restaurantId: id, role: 'MANAGER', accepted: true },
      });
    }
    expect(await accepted('/users/me/restaurants')).toMatchObject({ restaurants: [{ id, accepted: true }] });
    expect(await accepted('/restaurants')).toMatchObject({ data: [{ id, accepted: true }] });
    expect((await entries()).data).toMatchObject([
      { actorEmail: person.email, target: person.email, details: { role: 'MANAGER' } },
    ]);
  });

  test('a link that counts as accepted, of the creator or made with the account: 200, and no audit entry', async () => {
    await accept(id, owner).expect(200);
    const hired = { email: `${randomUUID()}@example.com`, password: marked('of the account'), role: 'VIEWER' };
    const made = await scenario.api.post(`/restaurants/${id}/users/create-and-link`, owner.token, hired).expect(201);
    expect(made.body.data).toMatchObject({ email: hired.email, accepted: true });
    await accept(id, await scenario.signIn({ ...hired, id: made.body.data.userId })).expect(200);
    expect((await entries()).data).toEqual([]);
  });

  test('404 when not linked, unknown or deleted; 400 for an id that is not a UUID', async () => {
    await accept().expect(404);
    await accept(randomUUID()).expect(404);
    await link('VIEWER');
    await scenario.people.deleteRestaurant(id);
    await accept().expect(404);
    expect((await accept('mine').expect(400)).body.code).toBe('INVALID_ID');
  });

  test('W32: a change of the role to OWNER, and a transfer, must be accepted again; any other change need not', async () => {
    const mine = async () => (await accepted('/users/me/restaurants')).restaurants?.[0]?.accepted;
    const changeRole = (role: string) =>
      scenario.api.patch(`/restaurants/${id}/users/${person.id}/role`, owner.token, { role }).expect(200);
    await link('VIEWER');
    await accept().expect(200);
    await changeRole('ADMIN');
    expect(await mine()).toBe(true);
    await changeRole('OWNER');
    expect(await mine()).toBe(false);
    await accept().expect(200);
    await changeRole('VIEWER');
    expect(await mine()).toBe(true);
    const handOver = { newOwnerId: person.id };
    await scenario.api.post(`/restaurants/${id}/transfer-ownership`, owner.token, handOver).expect(200);
    expect(await mine()).toBe(false);
  });

  describe('A30: email and name of a user who was linked by id are hidden until the user accepts', () => {
    const NOBODY = { email: null, name: null, accepted: false };
    const seen = async () => {
      const { body } = await scenario.api.get(`/restaurants/${id}/users`, owner.token).expect(200);
      return (body.users as { userId: string }[]).find(({ userId }) => userId === person.id);
    };

    test('answers, lists, changes and the audit show the id only; after the accept, email and name', async () => {
      const answers = [await link('EMPLOYEE')];
      const path = `/restaurants/${id}`;
      const { token } = owner;
      answers.push(
        await scenario.api.get(`${path}/users`, token),
        await scenario.api.get(`${path}/user/${person.id}`, token),
        await scenario.api.patch(`${path}/users/${person.id}/role`, token, { role: 'ADMIN' }),
        await scenario.api.delete(`${path}/users/${person.id}`, token),
        await link('VIEWER'),
      );
      const second = await scenario.staff(id, 'OWNER');
      answers.push(await scenario.api.post(`${path}/transfer-ownership`, second.token, { newOwnerId: person.id }));
      for (const { status, text } of answers) {
        expect(status).toBeLessThan(300);
        expect(text).not.toContain(person.email);
      }
      expect(await seen()).toMatchObject({ ...NOBODY, role: 'OWNER' });
      const audited = await audit.ofRestaurant(id, token);
      expect(audited.data.map(({ action }) => action)).toContain('ownership.transferred');
      expect(JSON.stringify(audited)).not.toContain(person.email);
      await accept().expect(200);
      expect(await seen()).toMatchObject({ email: person.email, accepted: true });
    });

    test('what the user does is shown with the id only: the audit and its filter, invitations, files', async () => {
      await link('ADMIN');
      const path = `/restaurants/${id}`;
      await scenario.api.patch(path, person.token, { name: 'Renamed' }).expect(200);
      const invited = { email: 'guest@example.com', role: 'VIEWER' };
      await scenario.api.post(`${path}/invitations`, person.token, invited).expect(201);
      await scenario.api
        .post(`${path}/terminal-files?name=a.csv`, person.token)
        .set('Content-Type', 'text/csv')
        .send('date;amount\n2026-11-20;0,03\n')
        .expect(201);
      const find = (query?: Record<string, string>) => audit.ofRestaurant(id, owner.token, query);
      const shown = async () => {
        const lists = ['invitations', 'terminal-files'].map((list) => scenario.api.get(`${path}/${list}`, owner.token));
        const texts = (await Promise.all(lists)).map(({ text }) => text);
        return [JSON.stringify(await find()), ...texts].map((text) => text.includes(person.email));
      };
      expect(await shown()).toEqual([false, false, false]);
      expect((await find()).data).toContainEqual(expect.objectContaining({ actorId: person.id, actorEmail: null }));
      expect((await find({ actor: person.email })).data).toEqual([]);
      await accept().expect(200);
      expect(await shown()).toEqual([true, true, true]);
      expect((await find({ actor: person.email })).data).not.toEqual([]);
    });

    test('create-and-link does not reveal the email of a user linked by id: 409 ACCOUNT_EXISTS, as for any other account', async () => {
      await link('VIEWER');
      const guess = async (email: string) => {
        const body = { email, password: marked('a guess'), role: 'VIEWER' };
        const answer = await scenario.api.post(`/restaurants/${id}/users/create-and-link`, owner.token, body);
        return [answer.status, answer.body.code];
      };
      expect(await guess(person.email)).toEqual([409, 'ACCOUNT_EXISTS']);
      expect(await guess((await scenario.person()).email)).toEqual([409, 'ACCOUNT_EXISTS']);
      // the same in another restaurant of the caller
      const { body } = await scenario.api.post('/restaurants', owner.token, { name: 'Another' }).expect(201);
      id = body.data.id;
      expect(await guess(person.email)).toEqual([409, 'ACCOUNT_EXISTS']);
    });

    test('a user who has accepted a link in another restaurant of the caller is shown at once', async () => {
      await link('VIEWER');
      await accept().expect(200);
      const { body } = await scenario.api.post('/restaurants', owner.token, { name: 'Another' }).expect(201);
      id = body.data.id;
      expect((await link('VIEWER')).body.data).toMatchObject({ email: person.email, accepted: false });
    });
  });
});
