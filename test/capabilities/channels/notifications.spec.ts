import { Channels } from '../../../src/capabilities/channels/channel.js';
import { TestMessages } from '../../../src/capabilities/channels/test-messages.js';
import { DatabaseSwitch } from '../../platform/health/line.js';
import type { Caller } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { ChannelScenario, messageWith } from './channel-scenario.js';

const CHOSEN = {
  push: true,
  mail: true,
  language: 'pt-BR',
  always: true,
  closings: false,
  quiet: { from: '22:30', until: '08:00' },
};

describe('how a user is notified', () => {
  let channels: ChannelScenario;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
  });
  beforeEach(() => channels.reset());
  afterAll(() => channels.close());

  const PATH = '/users/me/notifications';
  const preferencesOf = (...ids: string[]) => channels.channels.preferencesOf(ids);

  test('the defaults; a PUT replaces all (G29)', async () => {
    const { token, email } = await channels.scenario.person();
    const read = async () => (await channels.api.get(PATH, token).expect(200)).body.data;
    const known = {
      push: { available: true, publicKey: expect.stringMatching(/^B[\w-]{86}$/) },
      mail: { available: true, confirmed: false, address: email },
    };
    const defaults = { push: true, mail: true, language: 'en', always: false, closings: true, quiet: null };
    expect(await read()).toEqual({ ...defaults, channels: known });
    const { body } = await channels.api.put(PATH, token, CHOSEN).expect(200);
    expect(body.data).toEqual({ ...CHOSEN, channels: known });
    expect(await read()).toEqual(body.data);
    await channels.api.put(PATH, token, defaults).expect(200);
    expect(await read()).toEqual({ ...defaults, channels: known });
  });

  test.each([
    ['without a field', { ...CHOSEN, mail: undefined }],
    ['a text in place of a boolean', { ...CHOSEN, push: 'true' }],
    ['an unknown language', { ...CHOSEN, language: 'fr' }],
    ['quiet hours without an end', { ...CHOSEN, quiet: { from: '22:00' } }],
    ['a time that is none', { ...CHOSEN, quiet: { from: '24:00', until: '08:00' } }],
    ['quiet hours that are a list', { ...CHOSEN, quiet: [] }],
  ])('%s: 400 (G29)', async (_, body) => {
    const { token } = await channels.scenario.person();
    await channels.api.put(PATH, token, body).expect(400);
  });

  test('who is reached by no confirmed channel is left out; a channel that is off does not count (G21)', async () => {
    const nobody = await channels.scenario.person();
    const { person } = await channels.withDevice();
    const mailed = await channels.withMail();
    await channels.api.put(PATH, person.token, CHOSEN).expect(200);
    expect(await preferencesOf()).toEqual([]);
    expect((await preferencesOf(nobody.id, person.id, mailed.id)).toSorted(byChannel)).toEqual([
      { userId: mailed.id, channels: ['mail'], language: 'en', always: false, quiet: null },
      { userId: person.id, channels: ['push'], language: 'pt-BR', always: true, quiet: CHOSEN.quiet },
    ]);
    await channels.api.put(PATH, person.token, { ...CHOSEN, push: false }).expect(200);
    expect(await preferencesOf(person.id)).toEqual([]);
    const without = await channels.scenario.start({ SMTP_URL: '', MAIL_FROM: '' });
    expect(await without.get(Channels).preferencesOf([mailed.id])).toEqual([]);
  });

  test('a test message is sent at most once a minute for each user and channel (L44)', async () => {
    const [person, other] = [await channels.scenario.person(), await channels.scenario.person()];
    const answers = await Promise.all([1, 2, 3].map(() => channels.test(person, 'mail')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect([refused?.body.code, refused?.headers['retry-after']]).toEqual(['TOO_MANY_TESTS', '60']);
    await channels.test(other, 'mail').expect(202);
    await channels.minuteLater();
    await channels.test(person, 'mail').expect(202);
    expect(channels.mail.mails).toHaveLength(3);
  });

  describe('test mails to addresses that nobody has confirmed (G46)', () => {
    // earlier tests have sent some
    beforeEach(() => channels.query('UPDATE notification_preferences SET mail_tested_at = NULL'));
    const statuses = async (persons: readonly Caller[]) =>
      (await Promise.all(persons.map((person) => channels.test(person, 'mail'))))
        .map(({ status }) => status)
        .toSorted();
    const persons = (count: number, emailOf?: (i: number) => string) =>
      Promise.all(Array.from({ length: count }, (_, i) => channels.scenario.person(undefined, emailOf?.(i))));

    test('20 an hour, of all instances; a confirmed address is not counted (G46, L154)', async () => {
      const confirmed = await channels.withMail();
      await channels.minuteLater();
      expect(await statuses(await persons(22))).toEqual([...Array(20).fill(202), 429, 429]);
      expect(channels.mail.mails).toHaveLength(20);
      await channels.test(confirmed, 'mail').expect(202);
      await channels.query(`UPDATE notification_preferences SET mail_tested_at = mail_tested_at - interval '1 hour'`);
      expect(await statuses(await persons(1))).toEqual([202]);
    });

    test('the mails of many accounts are counted one after the other: those that wait hold no connection (G46)', async () => {
      const tests = channels.scenario.relay.get(TestMessages) as unknown as Record<
        'takeMail' | 'countMail',
        (...args: [userId: string, language: string]) => Promise<void>
      >;
      const count = tests.countMail.bind(tests);
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const asked = jest.spyOn(tests, 'takeMail');
      const counted = jest.spyOn(tests, 'countMail').mockImplementation((...args) => held.then(() => count(...args)));
      const sent = statuses(await persons(5));
      await until(() => asked.mock.calls.length === 5);
      expect(counted).toHaveBeenCalledTimes(1);
      release();
      expect(await sent).toEqual(Array(5).fill(202));
      expect(counted).toHaveBeenCalledTimes(5);
      jest.restoreAllMocks();
    });

    test('3 an hour to accounts of one creator (G46)', async () => {
      const [creator, ...made] = await persons(6);
      await channels.query('UPDATE users SET created_by = $1 WHERE id = ANY ($2)', [
        creator?.id,
        made.map(({ id }) => id),
      ]);
      expect(await statuses(made)).toEqual([202, 202, 202, 429, 429]);
      expect(await statuses(await persons(1))).toEqual([202]);
    });

    test('3 an hour to all accounts that come from one: each may have created the next (G46, L154)', async () => {
      const chain = await persons(5);
      for (const [i, { id }] of chain.entries())
        await channels.query('UPDATE users SET created_by = $1 WHERE id = $2', [chain[i - 1]?.id ?? null, id]);
      expect(await statuses(chain)).toEqual([202, 202, 202, 429, 429]);
      expect(await statuses(await persons(1))).toEqual([202]);
    });

    test('one account of a mailbox a day, and 3 mails to it (G46, L154)', async () => {
      const mailbox = crypto.randomUUID();
      const all = await persons(3, (i) => `${mailbox}${i === 0 ? '' : `+${i}`}@example.com`);
      expect(await statuses(all)).toEqual([202, 429, 429]);
      const sent = String(channels.mail.mails[0]?.to);
      const first = all.find(({ email }) => sent.includes(email)) as Caller;
      const again = [];
      for (let i = 0; i < 3; i++) {
        await channels.minuteLater();
        again.push(...(await statuses([first])));
      }
      expect(again).toEqual([202, 202, 429]);
    });
  });

  test('a test message is in the language of the user, and leads to the account, with its token where no server sees it (G21, G29)', async () => {
    const person = await channels.scenario.person();
    const browser = channels.browser();
    await channels.register(person, browser);
    await channels.api.put(PATH, person.token, CHOSEN).expect(200);
    const { body } = await channels.test(person, 'push').expect(202);
    expect(body.data).toEqual({ outcome: 'SENT', reason: null });
    const { title, navigate } = channels.pushedTo(browser)[0].notification;
    expect([title, navigate]).toEqual([
      'Mensagem de teste',
      expect.stringMatching(/^https:\/\/relay\.example\/console\/account#confirm=cfm_[\w-]{43}$/),
    ]);
  });

  describe('a test message confirms its channel', () => {
    test.each(['push', 'mail'] as const)('%s: once, by its user; only its digest is stored (G21)', async (channel) => {
      const [person, other] = [await channels.scenario.person(), await channels.scenario.person()];
      const browser = channels.browser();
      if (channel === 'push') await channels.register(person, browser);
      await channels.test(person, channel).expect(202);
      const token = channel === 'push' ? channels.pushedToken(browser) : channels.mailedToken();
      expect(token).toMatch(/^cfm_[\w-]{43}$/);
      const rows = await channels.query(
        `SELECT row_to_json(devices)::text AS row FROM devices UNION ALL SELECT row_to_json(p)::text FROM notification_preferences p`,
      );
      expect(JSON.stringify(rows)).not.toContain(token);
      // a mail scanner opens the link, and tries the route
      await channels.api.get(`/users/me/notifications/confirm?token=${token}`, person.token).expect(405);
      await channels.scenario.relay.http.get(`/console/account?confirm=${token}`);
      await channels.scenario.relay.http.post(`/users/me/notifications/confirm`).send({ token }).expect(401);
      expect(await preferencesOf(person.id)).toEqual([]);
      expect((await channels.confirm(other, token).expect(422)).body.code).toBe('TOKEN_REFUSED');
      expect((await channels.confirm(person, token).expect(200)).body.data).toEqual({ channel });
      expect(await preferencesOf(person.id, other.id)).toMatchObject([{ userId: person.id, channels: [channel] }]);
      expect((await channels.confirm(person, token).expect(422)).body.code).toBe('TOKEN_REFUSED');
      expect(await preferencesOf(person.id)).toHaveLength(1);
    });

    test.each([
      ['push', 'UPDATE devices SET confirm_until = now()'],
      ['mail', 'UPDATE notification_preferences SET mail_confirm_until = now()'],
    ] as const)('%s: a token older than a day is refused (L45)', async (channel, sql) => {
      const person = await channels.scenario.person();
      const browser = channels.browser();
      if (channel === 'push') await channels.register(person, browser);
      await channels.test(person, channel).expect(202);
      const [row] = await channels.query(
        `SELECT extract(epoch FROM max(until) - now()) / 3600 AS hours FROM (
           SELECT confirm_until AS until FROM devices UNION ALL SELECT mail_confirm_until FROM notification_preferences) AS all_of_them`,
      );
      expect(Math.round(Number(row?.hours))).toBe(24);
      await channels.query(sql);
      const token = channel === 'push' ? channels.pushedToken(browser) : channels.mailedToken();
      await channels.confirm(person, token).expect(422);
    });

    test.each(['x', 'cfm_', 'cfm_'.padEnd(47, 'A'), '%00', '\u0000'])(
      'the token %j is refused (G21)',
      async (token) => {
        await channels.confirm(await channels.scenario.person(), token).expect(422);
      },
    );

    test('a later test message ends the token of an earlier one (G21)', async () => {
      const person = await channels.scenario.person();
      await channels.test(person, 'mail').expect(202);
      const earlier = channels.mailedToken();
      await channels.minuteLater();
      await channels.test(person, 'mail').expect(202);
      await channels.confirm(person, earlier).expect(422);
      await channels.confirm(person, channels.mailedToken()).expect(200);
    });
  });

  test('a try never rejects: while the database is away it is to be retried (G20)', async () => {
    const line = await DatabaseSwitch.before(channels.scenario.database);
    const relay = await channels.scenario.start({ DATABASE_URL: line.url });
    await line.cut();
    const recipients = [
      { channel: 'push', userId: crypto.randomUUID() },
      { channel: 'mail', userId: crypto.randomUUID() },
      { channel: 'webhook', restaurantId: crypto.randomUUID() },
    ] as const;
    for (const recipient of recipients)
      expect(await relay.get(Channels).send(recipient, messageWith())).toMatchObject({ outcome: 'RETRY' });
    await line.restore();
    await relay.close();
    await line.close();
  });

  test('secrets of channels move to a new SECRETS_KEY (S14)', async () => {
    const own = await ChannelScenario.open();
    const restaurant = await own.scenario.restaurant();
    const url = `${own.hookUrl}/rotated`;
    await own.api.put(`/restaurants/${restaurant.id}/alert-webhook`, restaurant.token, { url }).expect(200);
    const { person, browser } = await own.withDevice();
    const { SECRETS_KEY = '' } = own.scenario.environment;
    const next = Buffer.alloc(32, 9).toString('base64');
    await own.scenario.start({ SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: SECRETS_KEY });
    const relay = await own.scenario.start({ SECRETS_KEY: next });
    const sent = (recipient: Parameters<Channels['send']>[0]) => relay.get(Channels).send(recipient, messageWith());
    expect(await sent({ channel: 'push', userId: person.id })).toEqual({ outcome: 'SENT' });
    expect(own.pushedTo(browser)).toHaveLength(1);
    expect(await sent({ channel: 'webhook', restaurantId: restaurant.id })).toEqual({ outcome: 'SENT' });
    const lost = await own.scenario.start({ SECRETS_KEY: Buffer.alloc(32, 8).toString('base64') });
    expect(lost.logged).toContainEqual(expect.objectContaining({ event: 'channels.secrets_lost', lost: 2 }));
    expect(await lost.get(Channels).send({ channel: 'push', userId: person.id }, messageWith())).toEqual({
      ...{ outcome: 'FAILED', reason: 'the key of web push cannot be decrypted: SECRETS_KEY changed' },
    });
    await own.close();
  });
});

function byChannel(a: { channels: readonly string[] }, b: { channels: readonly string[] }): number {
  return String(a.channels).localeCompare(String(b.channels));
}
