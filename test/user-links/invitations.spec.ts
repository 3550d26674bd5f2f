import { randomUUID } from 'node:crypto';
import { TokenLookUps } from '../../src/platform/http/limits/token-look-ups.js';
import { auditOf } from '../platform/audit/entries.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { until } from '../support/until.js';

const PASSWORD = marked('password of a newcomer');

describe('invitations', () => {
  const scenario = Scenario.ofSuite({ LOGIN_ATTEMPTS_PER_MINUTE: '5' });
  let audit: ReturnType<typeof auditOf>;
  let id: string;
  let owner: Caller;

  beforeAll(async () => {
    audit = auditOf(scenario);
  });
  beforeEach(async () => {
    ({ id, owner } = await scenario.restaurant());
  });

  const email = () => `${randomUUID()}@example.com`;
  const invite = (body: object, by = owner) => scenario.api.post(`/restaurants/${id}/invitations`, by.token, body);
  /** @returns its token */
  const invited = async (to: string, role = 'MANAGER', by = owner): Promise<string> =>
    (await invite({ email: to, role }, by).expect(201)).body.data.token;
  const pending = async (by = owner) =>
    (await scenario.api.get(`/restaurants/${id}/invitations`, by.token).expect(200)).body.invitations;
  const revoke = (invitationId: string, by = owner) =>
    scenario.api.delete(`/restaurants/${id}/invitations/${invitationId}`, by.token);
  const read = (token: unknown) => scenario.api.post('/invitations/read', undefined, { token });
  const accept = (token: string, { token: jwt }: Caller) => scenario.api.post('/invitations/accept', jwt, { token });
  const join = (token: unknown, more: object = {}) =>
    scenario.api.post('/invitations/join', undefined, { token, password: PASSWORD, ...more });
  const roles = () => scenario.people.rolesIn(id);
  /** Expects that the token is refused by each of the three routes. */
  const gone = async (token: string, person?: Caller) => {
    const answers = [await read(token), await join(token), await accept(token, person ?? (await scenario.person()))];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [404, 'INVITATION_NOT_FOUND']),
    );
  };
  const changeRole = (userId: string, role: string) =>
    scenario.api.patch(`/restaurants/${id}/users/${userId}/role`, owner.token, { role }).expect(200);

  describe('A28: sending, listing, revoking', () => {
    test('201 with a link that is shown once and valid for 7 days; the list shows all other fields', async () => {
      const to = email();
      const { body } = await invite({ email: to.toUpperCase(), role: 'EMPLOYEE' }).expect(201);
      const { token, link, ...rest } = body.data;
      expect(rest).toMatchObject({ email: to, role: 'EMPLOYEE', invitedBy: owner.email });
      expect(token).toMatch(/^inv_[\w-]{43}$/);
      expect(link).toBe(`/console/invitation#${token}`);
      const days = (Date.parse(rest.expiresAt) - Date.parse(rest.createdAt)) / 86_400_000;
      expect(Math.round(days * 100) / 100).toBe(7);
      expect(await pending()).toEqual([rest]);
    });

    test('a new invitation of the same email replaces the previous one', async () => {
      const to = email();
      const first = await invited(to, 'VIEWER');
      const second = await invited(to, 'MANAGER');
      await gone(first);
      expect((await read(second).expect(200)).body.role).toBe('MANAGER');
      expect(await pending()).toHaveLength(1);
    });

    test('after the revocation its token is refused; revoking it again, or from another restaurant: 404', async () => {
      const token = await invited(email());
      const [{ id: invitationId }] = await pending();
      const other = await scenario.restaurant();
      await scenario.api.delete(`/restaurants/${other.id}/invitations/${invitationId}`, other.token).expect(404);
      await revoke(invitationId).expect(200);
      await revoke(invitationId).expect(404);
      await gone(token);
    });

    test('A14: an ADMIN cannot invite an OWNER, nor replace or revoke the invitation of an OWNER', async () => {
      const admin = await scenario.staff(id, 'ADMIN');
      const to = email();
      expect((await invite({ email: to, role: 'OWNER' }, admin).expect(403)).body.code).toBe('ROLE_ABOVE_OWN');
      const token = await invited(to, 'OWNER');
      expect((await invite({ email: to, role: 'VIEWER' }, admin).expect(403)).body.code).toBe('ROLE_ABOVE_OWN');
      const [{ id: invitationId }] = await pending(admin);
      expect((await revoke(invitationId, admin).expect(403)).body.code).toBe('ROLE_ABOVE_OWN');
      await read(token).expect(200);
    });

    test('a user of the restaurant: 400 ALREADY_LINKED; a user linked by id who has not accepted: 201 (A30)', async () => {
      const person = await scenario.staff(id, 'VIEWER');
      expect((await invite({ email: person.email, role: 'VIEWER' }).expect(400)).body.code).toBe('ALREADY_LINKED');
      const stranger = await scenario.person();
      const body = { userId: stranger.id, role: 'VIEWER' };
      await scenario.api.post(`/restaurants/${id}/users`, owner.token, body).expect(201);
      await invite({ email: stranger.email, role: 'VIEWER' }).expect(201);
    });

    test('100 pending invitations: the next one is a 409 until one of them is revoked', async () => {
      await invited(email());
      await scenario.database.query(
        `INSERT INTO invitations (id, restaurant_id, email, role, token_hash, inviter_id, expires_at)
         SELECT gen_random_uuid(), restaurant_id, n || email, role, encode(sha256((n || email)::bytea), 'hex'), inviter_id, expires_at
         FROM invitations, generate_series(1, 99) n WHERE restaurant_id = $1`,
        [id],
      );
      expect((await invite({ email: email(), role: 'VIEWER' }).expect(409)).body.code).toBe('TOO_MANY_INVITATIONS');
      await revoke((await pending())[0].id).expect(200);
      await invited(email());
      expect(await pending()).toHaveLength(100);
    });

    test.each([
      ['email', { role: 'VIEWER' }],
      ['email', { email: 'maria', role: 'VIEWER' }],
      ['role', { email: 'a@example.com', role: 'BOSS' }],
      ['days', { email: 'a@example.com', role: 'VIEWER', days: 70 }],
    ])('400 for the field %s of %j', async (field, body) => {
      const answer = await invite(body).expect(400);
      expect(answer.body.message).toContainEqual(expect.stringContaining(field));
    });

    test('the database stores the SHA-256 of the token; the token is in no audit entry and no log line', async () => {
      const token = await invited(email());
      const rows = await scenario.database.query(
        `SELECT 1 FROM invitations WHERE token_hash = encode(sha256($1::bytea), 'hex')`,
        [token],
      );
      expect(rows).toHaveLength(1);
      const dump = await scenario.database.query('SELECT json_agg(a)::text AS text FROM audit_entries a');
      expect(JSON.stringify([dump, scenario.relay.logged])).not.toContain(token.slice(4));
    });
  });

  describe('A29: reading and accepting', () => {
    test('the account of the email reads and accepts it: the link is accepted, and the token can be used once', async () => {
      const person = await scenario.person();
      const token = await invited(person.email, 'ADMIN');
      const { body: offer } = await read(token).expect(200);
      expect(offer).toEqual({
        restaurantName: expect.any(String),
        email: person.email,
        role: 'ADMIN',
        hasAccount: null,
        expiresAt: expect.any(String),
      });
      const { body } = await accept(token, person).expect(200);
      expect(body).toEqual({ message: expect.any(String), data: { restaurantId: id, role: 'ADMIN', accepted: true } });
      const mine = await scenario.api.get('/users/me/restaurants', person.token).expect(200);
      expect(mine.body.restaurants).toMatchObject([{ id, role: 'ADMIN', accepted: true }]);
      expect(await pending()).toEqual([]);
      await gone(token, person);
    });

    test('whether the email has an account is shown to this account alone, and not to the inviter (A36)', async () => {
      const person = await scenario.person();
      const as = async (token: string, caller?: Caller) =>
        (await scenario.api.post('/invitations/read', caller?.token, { token }).expect(200)).body.hasAccount;
      for (const [to, told] of [
        [person.email, true],
        [email(), null],
      ] as const) {
        const token = await invited(to);
        expect([await as(token), await as(token, owner), await as(token, person)]).toEqual([null, null, told]);
        const wrong = { ...person, token: `${person.token}x` };
        expect(await as(token, wrong)).toBeNull();
      }
    });

    test('an account of another email: 403 OTHER_EMAIL, and the invitation stays', async () => {
      const token = await invited(email());
      const { body } = await accept(token, await scenario.person()).expect(403);
      expect(body.code).toBe('OTHER_EMAIL');
      await read(token).expect(200);
    });

    test('without an account: join creates one with the password, and the link is accepted', async () => {
      const to = email();
      const token = await invited(to, 'EMPLOYEE');
      const { body } = await join(token, { name: 'Maria' }).expect(201);
      expect(body.data).toEqual({ restaurantId: id, role: 'EMPLOYEE', accepted: true });
      const person = await scenario.signIn({ id: '', email: to, password: PASSWORD });
      const me = await scenario.api.get('/auth/me', person.token).expect(200);
      expect(me.body).toMatchObject({ email: to, name: 'Maria', role: 'USER' });
      expect((await roles())[me.body.id]).toBe('EMPLOYEE');
      await gone(token);
    });

    test('join never changes the password of an existing account: 409 ACCOUNT_EXISTS', async () => {
      const person = await scenario.person();
      const token = await invited(person.email);
      expect((await join(token).expect(409)).body.code).toBe('ACCOUNT_EXISTS');
      await scenario.relay.login(person);
      await scenario.api.post('/auth/login', undefined, { email: person.email, password: PASSWORD }).expect(401);
      expect((await roles())[person.id]).toBeUndefined();
      await accept(token, person).expect(200);
    });

    test('three concurrent joins: one account, one link', async () => {
      const token = await invited(email());
      const statuses = (await Promise.all([join(token), join(token), join(token)])).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      expect(statuses.filter((status) => ![201, 404, 409].includes(status))).toEqual([]);
      expect(Object.keys(await roles())).toHaveLength(2);
    });

    test('accepted after the user was linked otherwise: 400 ALREADY_LINKED, and the role stays', async () => {
      const person = await scenario.person();
      const token = await invited(person.email, 'ADMIN');
      await scenario.people.link(person.id, id, 'VIEWER');
      expect((await accept(token, person).expect(400)).body.code).toBe('ALREADY_LINKED');
      expect((await roles())[person.id]).toBe('VIEWER');
    });

    test('it ends when it expires, and when the restaurant is deleted', async () => {
      const token = await invited(email());
      await scenario.database.query('UPDATE invitations SET expires_at = now() WHERE restaurant_id = $1', [id]);
      await gone(token);
      expect(await pending()).toEqual([]);
      const another = await invited(email());
      await scenario.people.deleteRestaurant(id);
      await gone(another);
    });

    test('it ends when its sender loses the role to send it, or the link', async () => {
      const admin = await scenario.staff(id, 'ADMIN');
      const tokens = [await invited(email(), 'VIEWER', admin), await invited(email(), 'ADMIN', admin)];
      await changeRole(admin.id, 'MANAGER');
      for (const token of tokens) await gone(token);
      expect(await pending()).toEqual([]);
      await changeRole(admin.id, 'ADMIN');
      await read(tokens[0]).expect(200);
      await scenario.api.delete(`/restaurants/${id}/users/${admin.id}`, owner.token).expect(200);
      for (const token of tokens) await gone(token);
    });

    test.each(['', `inv_${'A'.repeat(43)}`, 'a\0b'])('an unknown token %j: 404', (token) => gone(token));

    test.each([undefined, 5, ['x'], 'x'.repeat(101)])('the token %p: 400', async (token) => {
      await read(token).expect(400);
      await join(token).expect(400);
    });

    test('A39: without a sign-in a token is looked up when it is its turn (L164)', async () => {
      const lookUps = scenario.relay.get(TokenLookUps);
      const others: (() => void)[] = [];
      for (const address of ['one address', 'another one'])
        void lookUps.run({ address }, () => new Promise<void>((resolve) => others.push(resolve)));
      const { keys } = Reflect.get(lookUps, 'turns') as { keys: Map<string, { waiting: Set<unknown> }> };
      const read = scenario.api.post('/invitations/read', undefined, { token: 'unknown' }).then(({ status }) => status);
      await until(() => [...keys.values()].some(({ waiting }) => waiting.size > 0));
      for (const free of others) free();
      expect(await read).toBe(404);
    });

    test('join with a password that is too short: 400, and the invitation stays', async () => {
      const token = await invited(email());
      const { body } = await join(token, { password: 'short' }).expect(400);
      expect(body.message).toContainEqual(expect.stringContaining('password'));
      await read(token).expect(200);
    });

    test('A9: a join counts as a login of its email', async () => {
      const to = email();
      for (let i = 0; i < 5; i++)
        await scenario.api.post('/auth/login', undefined, { email: to, password: marked('a guess') }).expect(401);
      const token = await invited(to);
      expect((await join(token).expect(429)).headers['retry-after']).toBeTruthy();
    });
  });

  test('R27: invite, revoke, accept and join are audited', async () => {
    const [first, second, third] = [email(), email(), await scenario.person()];
    await invited(first, 'VIEWER');
    await revoke((await pending())[0].id).expect(200);
    await join(await invited(second, 'EMPLOYEE')).expect(201);
    await accept(await invited(third.email, 'ADMIN'), third).expect(200);
    const { data } = await audit.ofRestaurant(id, owner.token, { limit: '100' });
    const audited = data.filter(({ action }) => action.startsWith('user.')).toReversed();
    const by = owner.email;
    expect(audited.map(({ action, actorEmail, target, details }) => [action, actorEmail, target, details])).toEqual([
      ['user.invited', by, first, { role: 'VIEWER' }],
      ['user.invitation_revoked', by, first, { role: 'VIEWER' }],
      ['user.invited', by, second, { role: 'EMPLOYEE' }],
      ['user.linked', second, second, { role: 'EMPLOYEE', newAccount: true, invitedBy: by }],
      ['user.invited', by, third.email, { role: 'ADMIN' }],
      ['user.linked', third.email, third.email, { role: 'ADMIN', newAccount: false, invitedBy: by }],
    ]);
  });
});
