import { sale } from '../../support/client.js';
import { OWN } from '../../support/environment.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { until } from '../../support/until.js';
import { auditOf } from './entries.js';

describe('audited acts (R27)', () => {
  let scenario: Scenario;
  let audit: ReturnType<typeof auditOf>;
  let admin: Caller;
  let owner: Caller;
  let restaurantId: string;

  beforeAll(async () => {
    scenario = await Scenario.open({ OPERATOR_ACTIONS: 'true' });
    audit = auditOf(scenario);
    admin = await scenario.person('ADMIN');
    ({ id: restaurantId, owner } = await scenario.restaurant('STORE-1'));
  });
  afterAll(() => scenario.close());

  const path = () => `/restaurants/${restaurantId}`;
  const newest = async () => (await audit.ofRestaurant(restaurantId, owner.token)).data[0];
  const by = ({ id, email }: Caller) => ({ actorId: id, actorEmail: email, requestId: expect.stringMatching(/^\S+$/) });

  test('restaurant.created, with the slug and whether it has credentials', async () => {
    const { body } = await scenario.api
      .post('/restaurants', owner.token, { name: 'Osteria', slug: 'osteria-1', ...OWN })
      .expect(201);
    const { data } = await audit.ofRestaurant(body.data.id, owner.token);
    expect(data).toEqual([
      {
        ...{ id: expect.any(String), at: expect.any(String), action: 'restaurant.created', ...by(owner) },
        ...{ restaurantId: body.data.id, restaurantIds: [], restaurantName: 'Osteria', target: 'Osteria' },
        details: { slug: 'osteria-1', credentials: true },
      },
    ]);
  });

  test('restaurant.changed, with the names of the changed fields; no entry without a change', async () => {
    const { body } = await scenario.api.get(path(), owner.token).expect(200);
    const change = { name: body.name, address: 'Via Appia 1', timezone: 'America/Sao_Paulo' };
    await scenario.api.patch(path(), owner.token, change).expect(200);
    expect(await newest()).toMatchObject({
      ...{ action: 'restaurant.changed', details: { fields: ['address', 'timezone'] }, ...by(owner) },
    });
    const before = await audit.count();
    await scenario.api.patch(path(), owner.token, change).expect(200);
    await scenario.api.patch(path(), owner.token, {}).expect(200);
    expect(await audit.count()).toBe(before);
  });

  test('restaurant.credentials_changed, an entry of its own without the values', async () => {
    await scenario.api.patch(path(), owner.token, { ...OWN, name: 'Trattoria' }).expect(200);
    const { data } = await audit.ofRestaurant(restaurantId, owner.token, { limit: '2' });
    expect(data.map(({ action, details }) => [action, details])).toEqual(
      expect.arrayContaining([
        ['restaurant.changed', { fields: ['name'] }],
        ['restaurant.credentials_changed', { fields: ['posIdPartner', 'posSecret'] }],
      ]),
    );
    expect(JSON.stringify(data)).not.toContain(OWN.posIdPartner);
  });

  test('user.linked, user.role_changed and user.unlinked, with email and role', async () => {
    const password = marked('password of a clerk');
    const email = 'clerk@example.com';
    const linked = await scenario.api
      .post(`${path()}/users/create-and-link`, owner.token, { email, password, role: 'EMPLOYEE' })
      .expect(201);
    const { userId } = linked.body.data;
    expect(await newest()).toMatchObject({
      ...{ action: 'user.linked', target: email, details: { role: 'EMPLOYEE', newAccount: true }, ...by(owner) },
    });
    await scenario.api.patch(`${path()}/users/${userId}/role`, owner.token, { role: 'MANAGER' }).expect(200);
    expect(await newest()).toMatchObject({
      ...{ action: 'user.role_changed', target: email, details: { role: 'MANAGER', before: 'EMPLOYEE' } },
    });
    await scenario.api.delete(`${path()}/users/${userId}`, owner.token).expect(200);
    expect(await newest()).toMatchObject({ action: 'user.unlinked', target: email, details: { role: 'MANAGER' } });
    await scenario.api.post(`${path()}/users`, owner.token, { userId, role: 'VIEWER' }).expect(201);
    expect(await newest()).toMatchObject({ action: 'user.linked', details: { role: 'VIEWER', newAccount: false } });
  });

  test('ownership.transferred', async () => {
    const { id, owner: former } = await scenario.restaurant();
    const next = await scenario.staff(id, 'ADMIN');
    await scenario.api.post(`/restaurants/${id}/transfer-ownership`, former.token, { newOwnerId: next.id }).expect(200);
    const { data } = await audit.ofRestaurant(id, next.token, { action: 'ownership.transferred' });
    expect(data).toMatchObject([{ target: next.email, ...by(former) }]);
  });

  test('order.cancel_requested, once, with the key; no entry for a refused or repeated cancel', async () => {
    const event = sale({ transactionKey: 'T-CANCELLED' });
    await scenario.relay.accept(event);
    const before = await audit.count();
    await scenario.cancel(restaurantId, 'T-CANCELLED', owner.token).expect(202);
    expect(await newest()).toMatchObject({ action: 'order.cancel_requested', target: 'T-CANCELLED', ...by(owner) });
    await scenario.cancel(restaurantId, 'T-CANCELLED', owner.token).expect(200);
    await scenario.cancel(restaurantId, 'T-NEVER', owner.token).expect(404);
    const viewer = await scenario.staff(restaurantId, 'VIEWER');
    const signIns = 1;
    await scenario.cancel(restaurantId, 'T-CANCELLED', viewer.token).expect(403);
    expect(await audit.count()).toBe(before + 1 + signIns);
  });

  test('restaurant.deleted', async () => {
    const { id, owner: last } = await scenario.restaurant();
    await scenario.api.delete(`/restaurants/${id}`, last.token).expect(200);
    const { data } = await audit.ofAll(admin.token, { action: 'restaurant.deleted' });
    expect(data).toMatchObject([{ restaurantId: id, ...by(last) }]);
  });

  test('auth.signed_in and auth.password_changed, with the address', async () => {
    const person = await scenario.person();
    const next = marked('a newer password');
    const change = { currentPassword: person.password, newPassword: next };
    await scenario.api.patch('/users/me/password', person.token, change).expect(200);
    const { data } = await audit.ofAll(admin.token, { actor: person.email.toUpperCase() });
    expect(data.map(({ action, details }) => [action, details])).toEqual([
      ['auth.password_changed', { address: '127.0.0.1' }],
      ['auth.signed_in', { address: '127.0.0.1' }],
    ]);
  });

  test('auth.sign_in_failed, one entry a minute for an existing account, none for an unknown one', async () => {
    const person = await scenario.person();
    const wrong = (email: string) =>
      scenario.api.post('/auth/login', undefined, { email, password: marked('not the password') }).expect(401);
    const before = await audit.count();
    await wrong('nobody@example.com');
    for (let i = 0; i < 3; i++) await wrong(person.email);
    const failed = () => audit.ofAll(admin.token, { actor: person.email, action: 'auth.sign_in_failed' });
    await until(async () => (await failed()).data.length > 0);
    expect((await failed()).data).toMatchObject([{ ...by(person), details: { address: '127.0.0.1', attempts: 1 } }]);
    expect(await audit.count()).toBe(before + 1);
  });

  test('no entry for a sale', async () => {
    const before = await audit.count();
    await scenario.relay.accept(sale());
    await scenario.relay.http.post('/webhooks/terminal').auth(owner.email, owner.password).send(sale()).expect(200);
    await scenario.relay.tick();
    expect(await audit.count()).toBe(before);
  });

  describe('when entries cannot be written', () => {
    beforeAll(() =>
      scenario.database.query(
        `CREATE FUNCTION refuse_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           RAISE EXCEPTION 'no room' USING ERRCODE = 'insufficient_resources'; END $$;
         CREATE TRIGGER refuse_entry BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_entry();`,
      ),
    );
    afterAll(() => scenario.database.query('DROP TRIGGER refuse_entry ON audit_entries; DROP FUNCTION refuse_entry()'));

    const everything = () =>
      scenario.database.query(
        `SELECT r::text FROM restaurants r UNION ALL SELECT l::text FROM user_restaurants l
         UNION ALL SELECT u::text FROM users u UNION ALL SELECT j::text FROM outbox_jobs j ORDER BY 1`,
      );

    test('changes are rolled back', async () => {
      const person = await scenario.people.user();
      const job = await scenario.relay.accept(sale({ transactionKey: 'T-KEPT' }));
      await scenario.database.query(`UPDATE outbox_jobs SET status = 'DLQ' WHERE id = $1`, [job]);
      const before = await everything();
      const { token } = owner;
      await scenario.api.patch(path(), token, { name: 'Another' }).expect(503);
      await scenario.api.post('/restaurants', token, { name: 'Enoteca' }).expect(503);
      await scenario.api.post(`${path()}/users`, token, { userId: person.id, role: 'VIEWER' }).expect(503);
      await scenario.cancel(restaurantId, 'T-KEPT', token).expect(503);
      await scenario.api.post('/admin/jobs/reset', admin.token, { restaurantId }).expect(503);
      const change = { currentPassword: owner.password, newPassword: marked('a password that is not kept') };
      await scenario.api.patch('/users/me/password', token, change).expect(503);
      expect(await everything()).toEqual(before);
    });

    test('sign-ins succeed, and sales are stored and delivered', async () => {
      await scenario.relay.login(owner);
      expect(scenario.relay.logged).toContainEqual(
        expect.objectContaining({ event: 'audit.not_written', action: 'auth.signed_in', user: owner.id }),
      );
      const job = await scenario.relay.accept(sale());
      await scenario.relay.tick();
      expect(await scenario.jobs.get(job)).toMatchObject({ status: 'SENT' });
    });
  });

  test('entries cannot be changed or removed by SQL (R20)', async () => {
    const before = await audit.count();
    for (const sql of [
      `UPDATE audit_entries SET actor_email = 'nobody@example.com'`,
      'UPDATE audit_entries SET details = details',
      'DELETE FROM audit_entries',
      'TRUNCATE audit_entries',
    ])
      await expect(scenario.database.query(sql)).rejects.toThrow(/audit entries are never changed or removed/);
    expect(await audit.count()).toBe(before);
  });

  test('an entry remains when its user and its restaurant are removed (R20)', async () => {
    const person = await scenario.person();
    const id = await scenario.people.restaurant(null, [person, 'OWNER']);
    await scenario.api.patch(`/restaurants/${id}`, person.token, { address: 'Via Appia 2' }).expect(200);
    await scenario.database.query('DELETE FROM users WHERE id = $1', [person.id]);
    await scenario.database.query('DELETE FROM restaurants WHERE id = $1', [id]);
    const { data } = await audit.ofAll(admin.token, { actor: person.email, action: 'restaurant.changed' });
    expect(data).toMatchObject([{ actorId: person.id, restaurantId: id, restaurantName: null }]);
  });
});
