import { Browser } from './browser.js';
import { ChannelScenario, messageWith } from './channel-scenario.js';

const FIREFOX = 'Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0';

describe('devices', () => {
  let channels: ChannelScenario;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
  });
  beforeEach(() => channels.reset());
  afterAll(() => channels.close());

  const list = async (token: string) => (await channels.api.get('/users/me/devices', token).expect(200)).body.devices;

  test('a device has the name of its browser; address and keys are not shown; it waits for its test message (G21, G24)', async () => {
    const person = await channels.scenario.person();
    const browser = channels.browser();
    const { body } = await channels.api
      .post('/users/me/devices', person.token, browser.subscription)
      .set('User-Agent', FIREFOX)
      .expect(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      ...{
        browser: 'Firefox · Android',
        confirmed: false,
        createdAt: expect.any(String),
        lastSentAt: null,
        failure: null,
      },
    });
    expect(await list(person.token)).toEqual([body.data]);
  });

  test.each<[string, boolean]>([
    ['https://fcm.googleapis.com/fcm/send/x', true],
    ['https://updates.push.services.mozilla.com/wpush/v2/x', true],
    ['https://web.push.apple.com/x', true],
    ['https://db5p.notify.windows.com/w/?token=x', true],
    ['https://fcm.googleapis.com:8443/x', false],
    ['http://fcm.googleapis.com/x', false],
    ['https://fcm.googleapis.com.evil.example/x', false],
    ['https://evil-fcm.googleapis.com/x', false],
    ['https://push.apple.com.evil.example/x', false],
    ['https://evilpush.apple.com/x', false],
    ['https://push.example/x', false],
    ['https://10.0.0.1/x', false],
    ['x', false],
  ])('an endpoint %s: %p (G22)', async (endpoint, isAllowed) => {
    const { token } = await channels.scenario.person();
    const { subscription } = new Browser(endpoint);
    const { body } = await channels.api.post('/users/me/devices', token, subscription).expect(isAllowed ? 201 : 422);
    if (!isAllowed) expect(body.code).toBe('ADDRESS_REFUSED');
  });

  test.each<[string, object]>([
    ['keys that are no point', { p256dh: 'AAAA', auth: 'AAAA' }],
    ['no keys', {}],
    ['keys of another type', { p256dh: 1, auth: null }],
  ])('%s: 400 (G24)', async (_, keys) => {
    const { token } = await channels.scenario.person();
    const { body } = await channels.api
      .post('/users/me/devices', token, { ...channels.browser().subscription, keys })
      .expect(400);
    expect(body.code).toBe('VALIDATION_FAILED');
  });

  test.each(['a new password', 'an administrator who ends the sessions', 'an instance that has not loaded channels'])(
    '%s: the devices of the user get no message until one is confirmed again (A41, R59)',
    async (how) => {
      const { person, browser } = await channels.withDevice();
      const other = await channels.withDevice();
      if (how === 'a new password')
        await channels.api
          .patch('/users/me/password', person.token, {
            currentPassword: person.password,
            newPassword: `${person.password}-2`,
          })
          .expect(200);
      else if (how === 'an instance that has not loaded channels') {
        const relay = await channels.scenario.start({ CAPABILITIES: 'none' });
        const body = { currentPassword: person.password, newPassword: `${person.password}-2` };
        await relay.http
          .patch('/users/me/password')
          .set('Authorization', `Bearer ${person.token}`)
          .send(body)
          .expect(200);
      } else {
        const administrator = await channels.scenario.person('ADMIN');
        await channels.api.delete(`/admin/users/${person.id}/sessions`, administrator.token).expect(200);
      }
      const send = (userId: string) => channels.channels.send({ channel: 'push', userId }, messageWith());
      expect(await send(person.id)).toMatchObject({ outcome: 'FAILED' });
      expect(await channels.channels.preferencesOf([person.id])).toEqual([]);
      expect(channels.pushedTo(browser)).toEqual([]);
      expect(await send(other.person.id)).toMatchObject({ outcome: 'SENT' });
    },
  );

  test('the same subscription again is the same device and stays confirmed; new keys must be confirmed (G24)', async () => {
    const { person, browser, id } = await channels.withDevice();
    expect(await channels.register(person, browser)).toBe(id);
    expect(await list(person.token)).toMatchObject([{ id, confirmed: true }]);
    await channels.register(person, new Browser(browser.endpoint));
    expect(await list(person.token)).toMatchObject([{ id, confirmed: false }]);
  });

  test('a device of another user moves to who registers it, and must be confirmed again (G24)', async () => {
    const { person, browser } = await channels.withDevice();
    const next = await channels.scenario.person();
    await channels.register(next, browser);
    expect(await list(person.token)).toEqual([]);
    expect(await list(next.token)).toMatchObject([{ confirmed: false }]);
    expect(await channels.channels.preferencesOf([person.id, next.id])).toEqual([]);
  });

  test('a user has at most 10 devices, also of registrations at the same time (L46)', async () => {
    const person = await channels.scenario.person();
    const browsers = Array.from({ length: 12 }, () => channels.browser());
    const answers = await Promise.all(
      browsers.map(({ subscription }) => channels.api.post('/users/me/devices', person.token, subscription)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), 409, 409]);
    const devices = await list(person.token);
    expect(devices).toHaveLength(10);
    await channels.api.delete(`/users/me/devices/${devices[0].id}`, person.token).expect(200);
    await channels.register(person, channels.browser());
  });

  test('nobody removes a device of another user (G24)', async () => {
    const { person, id } = await channels.withDevice();
    const other = await channels.scenario.person();
    await channels.api.delete(`/users/me/devices/${id}`, other.token).expect(404);
    await channels.api.delete(`/users/me/devices/${id}`, person.token).expect(200);
    await channels.api.delete(`/users/me/devices/${id}`, person.token).expect(404);
  });

  test('a user who is removed leaves no device and no preferences (G24)', async () => {
    const { person } = await channels.withDevice();
    await channels.query('DELETE FROM users WHERE id = $1::uuid', [person.id]);
    const rows = await channels.query(
      `SELECT user_id FROM devices WHERE user_id = $1::uuid UNION ALL SELECT user_id FROM notification_preferences WHERE user_id = $1::uuid`,
      [person.id],
    );
    expect(rows).toEqual([]);
  });

  test('a relay without ALERT_CONTACT and SMTP_URL has no push and no mail, and says so (G23, G25)', async () => {
    const { api } = await channels.scenario.start({ ALERT_CONTACT: '', SMTP_URL: '', MAIL_FROM: '' });
    const { token } = await channels.scenario.person();
    const { body } = await api.get('/users/me/notifications', token).expect(200);
    expect(body.data.channels).toMatchObject({
      push: { available: false, publicKey: null },
      mail: { available: false },
    });
    const refused = await api.post('/users/me/devices', token, channels.browser().subscription).expect(409);
    expect(refused.body.code).toBe('CHANNEL_UNAVAILABLE');
    for (const channel of ['push', 'mail'])
      await api.post('/users/me/notifications/test', token, { channel }).expect(409);
  });
});
