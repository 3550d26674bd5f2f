import { PasswordRequests } from '../../../src/capabilities/password-links/password-requests.js';
import type { RestaurantRole } from '../../../src/domain/role.js';
import { auditOf } from '../../platform/audit/entries.js';
import type { TestRelay } from '../../support/relay.js';
import { type Caller } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { until } from '../../support/until.js';
import { ChannelScenario, PUBLIC_URL } from '../channels/channel-scenario.js';

const NEW = marked('another password');

describe('a forgotten password', () => {
  let channels: ChannelScenario;
  let audit: ReturnType<typeof auditOf>;
  let admin: Caller;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
    audit = auditOf(channels.scenario);
    admin = await channels.scenario.person('ADMIN');
  });
  beforeEach(() => channels.reset());
  afterAll(() => channels.close());

  const ask = (email: string, more: object = {}) =>
    channels.api.post('/auth/password-links', undefined, { email, ...more });
  const use = (token: unknown, password: unknown = NEW) =>
    channels.api.post('/auth/password-links/use', undefined, { token, password });
  const gone = async (token: string) =>
    expect((await use(token).expect(404)).body.code).toBe('PASSWORD_LINK_NOT_FOUND');
  const login = ({ email }: { email: string }, password: string) =>
    channels.api.post('/auth/login', undefined, { email, password });
  /** The source of the last mail, unfolded. */
  const lastMail = () => (channels.mail.mails.at(-1)?.source ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const tokenOf = (text: string) => /\/console\/password#(pwl_[\w-]{43})/.exec(text)?.[1] ?? '';
  const mailed = async (count: number) => {
    await until(() => channels.mail.mails.length >= count);
    return tokenOf(lastMail());
  };
  /** All links of the requests of this relay are written. */
  const written = (relay: TestRelay) =>
    until(() => (relay.get(PasswordRequests) as unknown as { pending: number }).pending === 0);
  const made = (id: string, by: Caller, { id: userId }: { id: string }) =>
    channels.api.post(`/restaurants/${id}/users/${userId}/password-links`, by.token);
  const madeByAdmin = ({ id }: { id: string }) => channels.api.post(`/admin/users/${id}/password-links`, admin.token);
  /** A person whose account was made with this link. */
  const staffOf = async (id: string, role: RestaurantRole) => {
    const person = await channels.scenario.person();
    await channels.scenario.people.link(person.id, id, role, 'ACCOUNT');
    return person;
  };
  /** @returns the token of a link that the administrator made */
  const linkOf = async (person: { id: string }) => tokenOf((await madeByAdmin(person).expect(201)).body.data.link);
  const entries = async (action: string, userId: string) =>
    (await audit.ofAll(admin.token, { action })).data.filter(({ actorId }) => actorId === userId);

  describe('asked for by mail (A44)', () => {
    test('the link sets the password once; sessions and tokens of before end (A43)', async () => {
      const person = await channels.scenario.person();
      await ask(person.email.toUpperCase()).expect(202);
      const token = await mailed(1);
      expect(channels.mail.mails[0]?.to).toEqual([person.email]);
      expect(lastMail()).toContain(`${PUBLIC_URL}/console/password#${token}`);
      expect((await use(token).expect(200)).body).toMatchObject({ data: { email: person.email } });
      await channels.api.get('/auth/me', person.token).expect(401);
      await login(person, person.password).expect(401);
      await login(person, NEW).expect(200);
      await gone(token);
      expect(await entries('auth.password_replaced', person.id)).toMatchObject([{ details: { by: 'mail' } }]);
    });

    test('an email without an account gets the same answer, and no mail', async () => {
      const person = await channels.scenario.person();
      const unknown = await ask('nobody-at-all@example.com').expect(202);
      const known = await ask(person.email).expect(202);
      expect(unknown.body).toEqual(known.body);
      await mailed(1);
      expect(channels.mail.mails.map(({ to }) => to)).toEqual([[person.email]]);
    });

    test('the answer does not wait for the account to be found: it is the same when that fails', async () => {
      const person = await channels.scenario.person();
      await channels.query('ALTER TABLE password_links RENAME TO password_links_away');
      await ask(person.email).expect(202);
      await channels.scenario.relay.hasLogged('password_link.not_written');
      await channels.query('ALTER TABLE password_links_away RENAME TO password_links');
      await ask(person.email).expect(202);
      await mailed(1);
    });

    test('no table holds the token; the mail is in the language of the person, else of the page', async () => {
      const [person, other] = [await channels.scenario.person(), await channels.scenario.person()];
      await channels.api
        .put('/users/me/notifications', other.token, { push: false, mail: false, language: 'en', always: false })
        .expect(200);
      await ask(person.email, { language: 'pt-BR' }).expect(202);
      const token = await mailed(1);
      expect(channels.mail.mails[0]?.source).toContain('senha');
      await ask(other.email, { language: 'pt-BR' }).expect(202);
      await mailed(2);
      expect(lastMail()).toContain('A new password');
      const rows = await channels.query(
        'SELECT to_jsonb(t)::text FROM password_links t UNION ALL SELECT to_jsonb(n)::text FROM notifications n',
      );
      expect(JSON.stringify(rows)).not.toContain(token.slice(4));
    });

    test('a mail server that refuses the mail and quotes the link: no log and no table has the token', async () => {
      const person = await channels.scenario.person();
      channels.quoteLinks();
      await ask(person.email).expect(202);
      const { relay } = channels.scenario;
      await relay.hasLogged('password_link.not_mailed');
      const rows = await channels.query('SELECT reason FROM notifications WHERE user_id = $1', [person.id]);
      expect(rows).toEqual([{ reason: expect.stringContaining(`${PUBLIC_URL}/console/password#`) }]);
      expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'password_link.not_mailed', ...rows[0] }));
      expect(JSON.stringify([rows, relay.logged])).not.toContain('pwl_');
    });

    test('an account gets 3 in an hour, a network asks 20 times (L208)', async () => {
      const person = await channels.scenario.person();
      const relay = await channels.scenario.start();
      const links = () => channels.query('SELECT FROM password_links WHERE user_id = $1', [person.id]);
      const answers: number[] = [];
      for (let count = 1; count <= 21; count++)
        answers.push((await relay.api.post('/auth/password-links', undefined, { email: person.email })).status);
      expect(answers).toEqual([...Array(20).fill(202), 429]);
      await written(relay);
      // the queue is behind what was written: the mail of this account is the first, and the others wait
      await mailed(1);
      expect(await links()).toHaveLength(3);
    });

    test('the accounts of a founder get 20 in an hour at addresses that nobody has confirmed (L208, G46)', async () => {
      const { owner } = await channels.scenario.restaurant();
      const people: Caller[] = [];
      for (let count = 0; count < 9; count++) people.push(await channels.scenario.person());
      // in a chain: each was created by the one before
      for (const [i, { id }] of people.entries())
        await channels.query('UPDATE users SET created_by = $1 WHERE id = $2', [(people[i - 1] ?? owner).id, id]);
      const links = () => channels.query('SELECT user_id FROM password_links WHERE made_by IS NULL');
      const askAll = async (all: readonly { email: string }[]) => {
        // each relay counts the requests of a network for itself
        const relay = await channels.scenario.start();
        for (const { email } of all)
          for (let count = 0; count < 3; count++)
            await relay.api.post('/auth/password-links', undefined, { email }).expect(202);
        await written(relay);
      };
      await channels.query('DELETE FROM password_links');
      await askAll(people.slice(0, 6));
      expect(await links()).toHaveLength(18);
      await askAll(people.slice(6));
      expect(await links()).toHaveLength(20);
      // neither an account of another founder, nor a confirmed address
      const [stranger, confirmed] = [await channels.scenario.person(), people[8] as Caller];
      await channels.query('INSERT INTO notification_preferences (user_id, mail_confirmed_at) VALUES ($1, now())', [
        confirmed.id,
      ]);
      await askAll([stranger, confirmed]);
      expect(await links()).toHaveLength(26);
    });

    test('a relay without mail says so', async () => {
      const relay = await channels.scenario.start({ SMTP_URL: '', MAIL_FROM: '' });
      const { body } = await relay.api.post('/auth/password-links', undefined, { email: 'a@example.com' }).expect(409);
      expect(body.code).toBe('CHANNEL_UNAVAILABLE');
    });
  });

  describe('what ends a link (A43)', () => {
    test('a changed password', async () => {
      const person = await channels.scenario.person();
      const token = await linkOf(person);
      const changed = { currentPassword: person.password, newPassword: marked('changed meanwhile') };
      await channels.api.patch('/users/me/password', person.token, changed).expect(200);
      await gone(token);
    });

    test('the end of all sessions', async () => {
      const person = await channels.scenario.person();
      const token = await linkOf(person);
      await channels.api.delete(`/admin/users/${person.id}/sessions`, admin.token).expect(200);
      await gone(token);
    });

    test('its time: an hour by mail, 24 hours else (L207)', async () => {
      const hours = `round(extract(epoch FROM expires_at - now()) / 3600)::int`;
      await ask((await channels.scenario.person()).email).expect(202);
      await mailed(1);
      const [mail] = await channels.query(
        `SELECT ${hours} AS left FROM password_links ORDER BY created_at DESC LIMIT 1`,
      );
      expect(mail).toEqual({ left: 1 });
      const token = await linkOf(await channels.scenario.person());
      const [made] = await channels.query(
        `SELECT ${hours} AS left FROM password_links ORDER BY created_at DESC LIMIT 1`,
      );
      expect(made).toEqual({ left: 24 });
      await channels.query(`UPDATE password_links SET expires_at = now() - interval '1 s'`);
      await gone(token);
    });

    test('of two uses at once, one', async () => {
      const token = await linkOf(await channels.scenario.person());
      const answers = await Promise.all([use(token, NEW), use(token, marked('the other one'))]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    });

    test('a password that is refused does not', async () => {
      const person = await channels.scenario.person();
      const token = await linkOf(person);
      expect((await use(token, 'password123').expect(422)).body.code).toBe('GUESSABLE_PASSWORD');
      await use(token, person.email).expect(422);
      await use(token, 'short').expect(400);
      await use(token).expect(200);
    });
  });

  describe('made by a person (A45)', () => {
    test('an OWNER makes one for the staff; it is shown once, and audited', async () => {
      const { id, owner } = await channels.scenario.restaurant();
      const staff = await staffOf(id, 'ADMIN');
      const { body } = await made(id, owner, staff).expect(201);
      const hours = (Date.parse(body.data.expiresAt) - Date.now()) / 3_600_000;
      expect(Math.round(hours)).toBe(24);
      await use(tokenOf(body.data.link)).expect(200);
      await login(staff, NEW).expect(200);
      expect(await entries('user.password_link_made', owner.id)).toMatchObject([
        { restaurantId: id, target: staff.email },
      ]);
      expect(await entries('auth.password_replaced', staff.id)).toMatchObject([{ details: { by: 'link' } }]);
    });

    test('not for an OWNER, nor for who works elsewhere too, nor for who has not accepted, nor for a platform administrator', async () => {
      const { id, owner } = await channels.scenario.restaurant();
      const elsewhere = await channels.scenario.restaurant();
      const [partner, both, invited] = [
        await staffOf(id, 'OWNER'),
        await staffOf(id, 'EMPLOYEE'),
        await channels.scenario.person(),
      ];
      await channels.scenario.people.link(both.id, elsewhere.id, 'VIEWER', 'ACCOUNT');
      await channels.api
        .post(`/restaurants/${id}/users`, owner.token, { userId: invited.id, role: 'VIEWER' })
        .expect(201);
      await channels.scenario.people.link(admin.id, id, 'VIEWER', 'ACCOUNT');
      for (const person of [partner, both, invited, admin])
        expect((await made(id, owner, person).expect(409)).body.code).toBe('NOT_ONLY_YOURS');
      await made(id, owner, elsewhere.owner).expect(404);
    });

    test('the right of its maker is checked again when it is used', async () => {
      const { id, owner } = await channels.scenario.restaurant();
      const elsewhere = await channels.scenario.restaurant();
      const staff = await staffOf(id, 'MANAGER');
      const token = tokenOf((await made(id, owner, staff).expect(201)).body.data.link);
      await channels.scenario.people.link(staff.id, elsewhere.id, 'EMPLOYEE', 'ACCOUNT');
      await gone(token);
      await login(staff, staff.password).expect(200);
    });

    test('a platform administrator makes one for an OWNER, and none for another administrator', async () => {
      const { owner } = await channels.scenario.restaurant();
      const token = tokenOf((await madeByAdmin(owner).expect(201)).body.data.link);
      await use(token).expect(200);
      await login(owner, NEW).expect(200);
      const other = await channels.scenario.people.user('other-admin@example.com', 'ADMIN');
      expect((await madeByAdmin(other).expect(409)).body.code).toBe('NOT_ONLY_YOURS');
      await madeByAdmin({ id: '00000000-0000-4000-8000-000000000000' }).expect(404);
    });
  });
});
