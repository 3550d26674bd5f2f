import { createPublicKey, verify } from 'node:crypto';
import webPush from 'web-push';
import { topicOf } from '../../../src/capabilities/channels/push-message.js';
import type { Caller } from '../../support/scenario.js';
import type { Browser } from './browser.js';
import { ChannelScenario, CONTACT, messageWith, PUBLIC_URL } from './channel-scenario.js';

describe('web push', () => {
  let channels: ChannelScenario;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
  });
  beforeEach(() => channels.reset());
  afterAll(() => channels.close());

  const send = ({ id: userId }: Caller, message = messageWith()) =>
    channels.channels.send({ channel: 'push', userId }, message);
  const answer = (browser: Browser, status: number, headers = {}) =>
    channels.push.answers.set(new URL(browser.endpoint).pathname, { status, headers });
  const devicesOf = async ({ token }: Caller) =>
    (await channels.api.get('/users/me/devices', token).expect(200)).body.devices;

  test('a confirmed device gets the message; its headers are those of RFC 8030 and 8291 (G22)', async () => {
    const { person, browser } = await channels.withDevice();
    const message = messageWith();
    expect(await send(person, message)).toEqual({ outcome: 'SENT' });
    expect(channels.pushedTo(browser)).toMatchObject([
      {
        web_push: 8030,
        notification: { title: message.title, body: message.text, navigate: PUBLIC_URL + message.path },
      },
    ]);
    const [request] = channels.push.received;
    expect(request?.headers).toMatchObject({
      ...{ 'content-encoding': 'aes128gcm', urgency: 'high', topic: topicOf(message.topic) },
      ttl: expect.stringMatching(/^[1-9]\d+$/),
    });
    expect(await devicesOf(person)).toMatchObject([{ confirmed: true, lastSentAt: expect.any(String), failure: null }]);
  });

  test('it is signed with the key that browsers are given, for the push service, by ALERT_CONTACT (G23)', async () => {
    const { person } = await channels.withDevice();
    const { body } = await channels.api.get('/users/me/notifications', person.token).expect(200);
    const { publicKey } = body.data.channels.push;
    await send(person);
    const authorization = channels.push.received[0]?.headers.authorization ?? '';
    const [, jwt = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
    expect(key).toBe(publicKey);
    const [header = '', claims = '', signature = ''] = jwt.split('.');
    const point = Buffer.from(publicKey, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
    const verified = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      {
        key: createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as never, format: 'jwk' }),
        dsaEncoding: 'ieee-p1363',
      },
      Buffer.from(signature, 'base64url'),
    );
    expect(verified).toBe(true);
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(claims)).toEqual({ aud: channels.pushUrl, sub: CONTACT, exp: expect.any(Number) });
    const inSeconds = read(claims).exp - Date.now() / 1_000;
    expect([inSeconds > 3_600, inSeconds < 24 * 3_600]).toEqual([true, true]);
    // another implementation writes the same header
    const pair = webPush.generateVAPIDKeys();
    const theirs = webPush.getVapidHeaders(channels.pushUrl, CONTACT, pair.publicKey, pair.privateKey, 'aes128gcm');
    expect(read(/t=([\w-]+)/.exec(theirs.Authorization)?.[1] as string)).toEqual(read(header));
  });

  test('all instances sign with one key, which is stored encrypted (G23)', async () => {
    const others = await Promise.all([channels.scenario.start(), channels.scenario.start()]);
    await channels.query('DELETE FROM platform_keys');
    const person = await channels.scenario.person();
    const keyOf = async ({ api }: Pick<ChannelScenario, 'api'>) =>
      (await api.get('/users/me/notifications', person.token).expect(200)).body.data.channels.push.publicKey;
    const [first, second] = await Promise.all(others.map(keyOf));
    expect(first).toBe(second);
    const rows = await channels.query('SELECT private_key FROM platform_keys');
    expect(rows).toEqual([{ private_key: expect.stringMatching(/^v1\./) }]);
  });

  test('only confirmed devices are notified; SENT if one took the message (G21, G22)', async () => {
    const { person, browser } = await channels.withDevice();
    const [second, third] = [channels.browser(), channels.browser()];
    await channels.register(person, second);
    await channels.register(person, third);
    await channels.minuteLater();
    await channels.test(person, 'push').expect(202);
    await channels.confirm(person, channels.pushedToken(second)).expect(200);
    channels.push.reset();
    answer(browser, 503);
    expect(await send(person)).toEqual({ outcome: 'SENT' });
    expect([browser, second, third].map((one) => channels.pushedTo(one).length)).toEqual([1, 1, 0]);
    expect(await devicesOf(person)).toMatchObject([
      { confirmed: false },
      { confirmed: true, failure: null },
      { confirmed: true, failure: 'the push service answered HTTP 503' },
    ]);
  });

  test.each<[number, object, object, 'kept' | 'removed']>([
    [404, {}, { outcome: 'FAILED', reason: 'the device is no longer subscribed, and was removed' }, 'removed'],
    [410, {}, { outcome: 'FAILED', reason: 'the device is no longer subscribed, and was removed' }, 'removed'],
    [403, {}, { outcome: 'FAILED', reason: 'the push service answered HTTP 403: check ALERT_CONTACT' }, 'kept'],
    [400, {}, { outcome: 'FAILED', reason: 'the push service answered HTTP 400' }, 'kept'],
    [413, {}, { outcome: 'FAILED', reason: 'the push service answered HTTP 413' }, 'kept'],
    [
      429,
      { 'Retry-After': '7' },
      { outcome: 'RETRY', reason: 'the push service answered HTTP 429', afterMs: 7_000 },
      'kept',
    ],
    [429, {}, { outcome: 'RETRY', reason: 'the push service answered HTTP 429' }, 'kept'],
    [500, {}, { outcome: 'RETRY', reason: 'the push service answered HTTP 500' }, 'kept'],
    [307, {}, { outcome: 'FAILED', reason: expect.stringContaining('redirects are not followed') }, 'kept'],
  ])('HTTP %i %j: %j, and the device is %s (G22)', async (status, headers, sent, becomes) => {
    const { person, browser } = await channels.withDevice();
    answer(browser, status, headers);
    expect(await send(person)).toEqual(sent);
    expect(await devicesOf(person)).toHaveLength(becomes === 'kept' ? 1 : 0);
  });

  test('a push service that is not there: RETRY, and the reason has no address of the device (G20, G22)', async () => {
    const { person, id } = await channels.withDevice();
    await channels.query(`UPDATE devices SET endpoint = 'http://127.0.0.1:9/hidden' WHERE id = $1::uuid`, [id]);
    expect(await send(person)).toEqual({ outcome: 'RETRY', reason: 'the push service: no answer (ECONNREFUSED)' });
  });

  test('a user without a confirmed device: FAILED (G21)', async () => {
    const failed = { outcome: 'FAILED', reason: 'no device of the user is confirmed' };
    expect(await send(await channels.scenario.person())).toEqual(failed);
  });
});
