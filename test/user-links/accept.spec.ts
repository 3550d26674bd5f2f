import { randomUUID } from 'node:crypto';
import { auditOf } from '../audit/entries.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

describe('A26: accepting a link that others made', () => {
  let scenario: Scenario;
  let audit: ReturnType<typeof auditOf>;
  let id: string;
  let owner: Caller;
  let person: Caller;

  beforeAll(async () => {
    scenario = await Scenario.open();
    audit = auditOf(scenario);
  });
  beforeEach(async () => {
    ({ id, owner } = await scenario.restaurant());
    person = await scenario.person();
  });
  afterAll(() => scenario.close());

  const accept = (restaurantId = id, { token } = person) =>
    scenario.api.post(`/users/me/restaurants/${restaurantId}/accept`, token);
  const link = (role: string, { id: userId } = person) =>
    scenario.api.post(`/restaurants/${id}/users`, owner.token, { userId, role }).expect(201);
  const accepted = async (path: string) =>
    (await scenario.api.get(path, person.token).expect(200)).body as Record<string, { accepted: boolean }[]>;
  const entries = () => audit.ofRestaurant(id, owner.token, { action: 'user.link_accepted' });

  test('200 with restaurant and role; again the same, and one entry in the audit', async () => {
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

  test('a link that is own from the start, by founding or with the account: 200, and nothing is written', async () => {
    await accept(id, owner).expect(200);
    const hired = { email: `${randomUUID()}@example.com`, password: marked('of the account'), role: 'VIEWER' };
    const made = await scenario.api.post(`/restaurants/${id}/users/create-and-link`, owner.token, hired).expect(201);
    expect(made.body.data).toMatchObject({ email: hired.email, accepted: true });
    await accept(id, await scenario.signIn({ ...hired, id: made.body.data.userId })).expect(200);
    expect((await entries()).data).toEqual([]);
  });

  test('404 for a restaurant that the caller is not linked to, one that is deleted, and none at all; 400 for no id', async () => {
    await accept().expect(404);
    await accept(randomUUID()).expect(404);
    await link('VIEWER');
    await scenario.people.deleteRestaurant(id);
    await accept().expect(404);
    expect((await accept('mine').expect(400)).body.code).toBe('INVALID_ID');
  });

  test('W32: who accepted to be a VIEWER is asked again when others make them OWNER, by any way; not for less', async () => {
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

  describe('A30: who was linked by id stays unknown until they accept', () => {
    const NOBODY = { email: null, name: null, accepted: false };
    const seen = async () => {
      const { body } = await scenario.api.get(`/restaurants/${id}/users`, owner.token).expect(200);
      return (body.users as { userId: string }[]).find(({ userId }) => userId === person.id);
    };

    test('in the answer, in lists, in every change, in the audit: the id alone; then email and name', async () => {
      const answers = [await link('EMPLOYEE')];
      const path = `/restaurants/${id}`;
      const asOwner = { token: owner.token };
      answers.push(await scenario.api.get(`${path}/users`, asOwner.token));
      answers.push(await scenario.api.get(`${path}/user/${person.id}`, asOwner.token));
      answers.push(await scenario.api.patch(`${path}/users/${person.id}/role`, asOwner.token, { role: 'ADMIN' }));
      answers.push(await scenario.api.delete(`${path}/users/${person.id}`, asOwner.token));
      answers.push(await link('VIEWER'));
      const second = await scenario.staff(id, 'OWNER');
      answers.push(await scenario.api.post(`${path}/transfer-ownership`, second.token, { newOwnerId: person.id }));
      for (const { status, text } of answers) {
        expect(status).toBeLessThan(300);
        expect(text).not.toContain(person.email);
      }
      expect(await seen()).toMatchObject({ ...NOBODY, role: 'OWNER' });
      const told = await audit.ofRestaurant(id, owner.token);
      expect(told.data.map(({ action }) => action)).toContain('ownership.transferred');
      expect(JSON.stringify(told)).not.toContain(person.email);
      await accept().expect(200);
      expect(await seen()).toMatchObject({ email: person.email, accepted: true });
    });

    test('create-and-link is no way to try emails on somebody linked by id: the answer is as for any other account', async () => {
      await link('VIEWER');
      const other = await scenario.person();
      const guess = async (email: string) => {
        const body = { email, password: marked('a guess'), role: 'VIEWER' };
        const answer = await scenario.api.post(`/restaurants/${id}/users/create-and-link`, owner.token, body);
        return [answer.status, answer.body.code];
      };
      expect(await guess(person.email)).toEqual([409, 'ACCOUNT_EXISTS']);
      expect(await guess(other.email)).toEqual([409, 'ACCOUNT_EXISTS']);
      // nor by way of another restaurant of the caller's
      const { body } = await scenario.api.post('/restaurants', owner.token, { name: 'Another' }).expect(201);
      id = body.data.id;
      expect(await guess(person.email)).toEqual([409, 'ACCOUNT_EXISTS']);
    });

    test('somebody whom the caller knows from a restaurant of their own is shown at once', async () => {
      await link('VIEWER');
      await accept().expect(200);
      const { body } = await scenario.api.post('/restaurants', owner.token, { name: 'Another' }).expect(201);
      id = body.data.id;
      expect((await link('VIEWER')).body.data).toMatchObject({ email: person.email, accepted: false });
    });
  });
});
