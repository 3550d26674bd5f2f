import { createHmac } from 'node:crypto';
import { Channels } from '../../../src/capabilities/channels/channel.js';
import { WebhookPace } from '../../../src/capabilities/channels/webhook-pace.js';
import { HostResolver } from '../../../src/platform/outbound/host-resolver.js';
import { OutboundTransport } from '../../../src/platform/outbound/outbound-transport.js';
import type { Caller } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { ChannelScenario, messageWith, PUBLIC_URL } from './channel-scenario.js';
import type { Received } from './receiver.js';

const PLATFORM_SECRET = `whsec_${Buffer.from(marked('the secret of the platform')).toString('base64')}`;

describe('webhooks', () => {
  let channels: ChannelScenario;
  let count = 0;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
  });
  beforeEach(() => channels.reset());
  afterAll(() => channels.close());

  /** A path of its own: an address gets one message a second. */
  const newPath = () => `/hook/${++count}`;
  const pathOf = (id: string) => `/restaurants/${id}/alert-webhook`;
  const put = ({ id, owner }: { id: string; owner: Caller }, url: string) =>
    channels.api.put(pathOf(id), owner.token, { url });
  const send = (restaurantId: string | null, message = messageWith()) =>
    channels.channels.send({ channel: 'webhook', restaurantId }, message);
  /** Sets the address as another, so that the next message need not wait for its second. */
  const move = async (id: string, path = newPath()) => {
    await channels.query('UPDATE alert_webhooks SET url = $2 WHERE restaurant_id = $1::uuid', [
      id,
      channels.hookUrl + path,
    ]);
    return path;
  };
  const unlink = async ({ id, owner }: { id: string; owner: Caller }) => {
    await channels.query('DELETE FROM user_restaurants WHERE restaurant_id = $1::uuid AND user_id = $2::uuid', [
      id,
      owner.id,
    ]);
  };
  const signatureOf = (secret: string, { headers, body }: Received) => {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  };
  /** A restaurant with a confirmed webhook, and the webhook's secret. */
  const withWebhook = async () => {
    const restaurant = await channels.scenario.restaurant();
    const { body } = await put(restaurant, channels.hookUrl + newPath()).expect(200);
    await move(restaurant.id);
    channels.hook.reset();
    return { ...restaurant, secret: body.data.secret as string };
  };

  test('a PUT tests the address and shows the secret once; a 2xx confirms it; it is audited (G21, G27)', async () => {
    const restaurant = await channels.scenario.restaurant();
    const { api } = channels;
    const read = async () => (await api.get(pathOf(restaurant.id), restaurant.token).expect(200)).body.data;
    expect(await read()).toBeNull();
    expect(await channels.channels.hasWebhook(restaurant.id)).toBe(false);
    const url = `${channels.hookUrl}${newPath()}?key=hidden`;
    const { body } = await put(restaurant, url).expect(200);
    expect(body.data).toMatchObject({
      ...{ url, confirmed: true, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) },
      test: { outcome: 'SENT', reason: null },
    });
    const [request] = channels.hook.received as [Received];
    expect(JSON.parse(String(request.body))).toMatchObject({ type: 'test', restaurantId: restaurant.id });
    expect(request.headers['webhook-signature']).toBe(signatureOf(body.data.secret, request));
    expect(await read()).not.toHaveProperty('secret');
    expect(await read()).toMatchObject({ url, confirmed: true, lastSentAt: expect.any(String) });
    expect(await channels.channels.hasWebhook(restaurant.id)).toBe(true);
    const rows = await channels.query('SELECT secret FROM alert_webhooks');
    expect(rows).toEqual(rows.map(() => ({ secret: expect.stringMatching(/^v1\./) })));
    await api.delete(pathOf(restaurant.id), restaurant.token).expect(200);
    await api.delete(pathOf(restaurant.id), restaurant.token).expect(404);
    expect(await read()).toBeNull();
    const audited = await channels.query(
      `SELECT action, target FROM audit_entries WHERE restaurant_id = $1::uuid AND action LIKE '%webhook%' ORDER BY at`,
      [restaurant.id],
    );
    const target = new URL(url).host;
    expect(audited).toEqual([
      { action: 'restaurant.alert_webhook_set', target },
      { action: 'restaurant.alert_webhook_removed', target },
    ]);
  });

  test('who has lost the link while the name of the address was looked up tests no webhook (A40)', async () => {
    const restaurant = await withWebhook();
    const [{ url }] = (await channels.query('SELECT url FROM alert_webhooks WHERE restaurant_id = $1::uuid', [
      restaurant.id,
    ])) as [{ url: string }];
    const transport = channels.scenario.relay.get(OutboundTransport);
    const refusalNow = transport.refusalNow.bind(transport);
    const spy = jest.spyOn(transport, 'refusalNow').mockImplementationOnce(async (address) => {
      await unlink(restaurant);
      return refusalNow(address);
    });
    await put(restaurant, url).expect(403);
    spy.mockRestore();
    expect(channels.hook.received).toEqual([]);
  });

  test('who has lost the link while the test was under way confirms no webhook (A40)', async () => {
    const restaurant = await channels.scenario.restaurant();
    const path = newPath();
    channels.hook.answers.set(path, { status: 200, before: () => unlink(restaurant) });
    await put(restaurant, channels.hookUrl + path).expect(403);
    expect(channels.hook.received).toHaveLength(1);
    expect(await channels.channels.hasWebhook(restaurant.id)).toBe(false);
  });

  test('a test that is not answered 2xx confirms nothing; the same address keeps its secret and is tested again (G21, G27)', async () => {
    const restaurant = await channels.scenario.restaurant();
    const path = newPath();
    channels.hook.answers.set(path, { status: 401 });
    const first = (await put(restaurant, channels.hookUrl + path).expect(200)).body.data;
    const reason = 'the webhook answered HTTP 401';
    expect(first).toMatchObject({ confirmed: false, failure: reason, test: { outcome: 'FAILED', reason } });
    expect(await channels.channels.hasWebhook(restaurant.id)).toBe(false);
    expect(await send(restaurant.id)).toMatchObject({ outcome: 'FAILED' });
    expect(channels.hook.received).toHaveLength(1);
    channels.hook.reset();
    // a second of this user would else hide that of the address
    const owner = await channels.scenario.staff(restaurant.id, 'OWNER');
    const second = (await put({ ...restaurant, owner }, channels.hookUrl + path).expect(200)).body.data;
    expect(second).toMatchObject({ confirmed: true, secret: null, failure: null, test: { outcome: 'SENT' } });
    const [request] = channels.hook.received as [Received];
    expect(request.headers['webhook-signature']).toBe(signatureOf(first.secret, request));
    const third = (await put(restaurant, channels.hookUrl + newPath()).expect(200)).body.data;
    expect(third.secret).not.toBe(first.secret);
  });

  test.each([
    ['http://hooks.example/', 'the address must begin with https://'],
    ['https://10.0.0.1/', 'the address does not lead to the public internet'],
    ['https://hooks.example:22/', 'the port must be 443 or 8443'],
    ['x', 'this is no address'],
  ])('%s is refused: %s (G28)', async (url, message) => {
    const { body } = await put(await channels.scenario.restaurant(), url).expect(422);
    expect(body).toMatchObject({ code: 'ADDRESS_REFUSED', message });
  });

  test('a name that leads to private addresses only is refused, and not saved (G28)', async () => {
    const { relay } = channels.scenario;
    const restaurant = await channels.scenario.restaurant();
    const resolve = jest
      .spyOn(relay.get(HostResolver), 'resolve')
      .mockResolvedValue([{ address: '10.1.2.3', family: 4 }]);
    const { body } = await put(restaurant, 'https://inside.example/hook').expect(422);
    expect(body).toMatchObject({
      code: 'ADDRESS_REFUSED',
      message: 'the address does not lead to the public internet',
    });
    expect(await channels.query('SELECT FROM alert_webhooks WHERE restaurant_id = $1', [restaurant.id])).toEqual([]);
    resolve.mockRestore();
  });

  test('a message is `text` and its fields, signed by Standard Webhooks; a retry has the same id (G27)', async () => {
    const { id, secret } = await withWebhook();
    const message = messageWith({ title: 'Orders <!channel>', fields: { kind: 'ORDER_PARKED', text: 'not this' } });
    expect(await send(id, message)).toEqual({ outcome: 'SENT' });
    await move(id);
    expect(await send(id, message)).toEqual({ outcome: 'SENT' });
    const [first, second] = channels.hook.received as [Received, Received];
    expect(JSON.parse(String(first.body))).toEqual({
      text: `Orders ‹!channel›\n${message.text}\n${PUBLIC_URL}${message.path}`,
      kind: 'ORDER_PARKED',
    });
    expect(first.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': message.id });
    expect(Math.abs(Number(first.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(30);
    for (const request of [first, second])
      expect(request.headers['webhook-signature']).toBe(signatureOf(secret, request));
    expect(second.headers['webhook-id']).toBe(message.id);
  });

  test.each<[number, object, object]>([
    [204, {}, { outcome: 'SENT' }],
    [410, {}, { outcome: 'FAILED', reason: 'the webhook answered HTTP 410' }],
    [404, {}, { outcome: 'FAILED', reason: 'the webhook answered HTTP 404' }],
    [429, { 'Retry-After': '30' }, { outcome: 'RETRY', reason: 'the webhook answered HTTP 429', afterMs: 30_000 }],
    [502, {}, { outcome: 'RETRY', reason: 'the webhook answered HTTP 502' }],
    [302, { Location: 'http://127.0.0.1:9/' }, { outcome: 'FAILED', reason: expect.stringContaining('redirects') }],
  ])('HTTP %i %j: %j (G27)', async (status, headers, sent) => {
    const { id } = await withWebhook();
    channels.hook.answers.set(await move(id), { status, headers: headers as Record<string, string> });
    expect(await send(id)).toEqual(sent);
  });

  test('a webhook that is not there: RETRY (G27)', async () => {
    const { id } = await withWebhook();
    await channels.query(`UPDATE alert_webhooks SET url = 'http://127.0.0.1:9/' WHERE restaurant_id = $1::uuid`, [id]);
    expect(await send(id)).toEqual({ outcome: 'RETRY', reason: 'no answer (ECONNREFUSED)' });
  });

  test('the platform has its own webhook, which counts as confirmed (G27)', async () => {
    const path = newPath();
    expect(await channels.channels.hasWebhook(null)).toBe(false);
    expect(await send(null)).toMatchObject({ outcome: 'FAILED', reason: expect.stringContaining('ALERT_WEBHOOK_URL') });
    const own = { ALERT_WEBHOOK_URL: channels.hookUrl + path, ALERT_WEBHOOK_SECRET: PLATFORM_SECRET };
    const other = (await channels.scenario.start(own)).get(Channels);
    expect(await other.hasWebhook(null)).toBe(true);
    expect(await other.send({ channel: 'webhook', restaurantId: null }, messageWith())).toEqual({
      outcome: 'SENT',
    });
    const [request] = channels.hook.received as [Received];
    expect(request.headers['webhook-signature']).toBe(signatureOf(PLATFORM_SECRET, request));
  });

  test('an address gets one message a second; who would wait too long gets the time to try again (L43)', () => {
    let now = 0;
    const pace = new WebhookPace(() => now);
    const take = (url = 'a') => pace.take(url);
    expect([take(), take(), take(), take(), take()]).toEqual([
      ...[{ waitMs: 0 }, { waitMs: 1_000 }, { waitMs: 2_000 }, { waitMs: 3_000 }],
      { laterMs: 4_000 },
    ]);
    expect(take('b')).toEqual({ waitMs: 0 });
    now = 3_500;
    expect(take()).toEqual({ waitMs: 500 });
    now = 60_000;
    expect(take()).toEqual({ waitMs: 0 });
  });

  test('a user tests one webhook a second; who would wait too long gets a 429 (L43)', async () => {
    const restaurant = await channels.scenario.restaurant();
    const answers = await Promise.all(Array.from({ length: 6 }, () => put(restaurant, channels.hookUrl + newPath())));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect([refused?.body.code, refused?.headers['retry-after']]).toEqual(['TOO_MANY_TESTS', '4']);
  });

  test('the webhook of a deleted restaurant is not called (G27)', async () => {
    const { id, token } = await withWebhook();
    await channels.api.delete(`/restaurants/${id}`, token).expect(200);
    expect(await channels.channels.hasWebhook(id)).toBe(false);
    expect(await send(id)).toMatchObject({ outcome: 'FAILED' });
    expect(channels.hook.received).toEqual([]);
  });
});
