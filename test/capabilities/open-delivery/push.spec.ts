import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Metrics } from '../../../src/platform/telemetry/metrics.js';
import { sale } from '../../support/client.js';
import { NO_POS } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { markedKey } from '../../support/secrets.js';
import { until } from '../../support/until.js';
import { type Received, Receiver } from '../channels/receiver.js';
import { checksMayBegin } from '../doctor/checks-may-begin.js';
import { type Event, PullingPos } from './pulling.js';
import { deviationFrom } from './standard.js';

const BASE = '/till';
const PATH = `${BASE}/v1/newEvent`;
const MERCHANT = 'a-merchant-of-the-pos-with-36-characters';

describe('a POS to which the relay sends events (Q19)', () => {
  const scenario = Scenario.ofSuite({ OUTBOUND_ALLOW: '127.0.0.1', RESEND: 'restaurants', OUTBOX_MAX_ATTEMPTS: '3' });
  const opened = () => scenario;
  const receiver = new Receiver();
  let address: string;
  beforeAll(async () => {
    address = (await receiver.listen()) + BASE;
  });
  beforeEach(() => {
    receiver.reset();
    answer(204);
  });
  afterAll(() => receiver.close());

  const answer = (status: number, more: object = {}) => receiver.answers.set(PATH, { status, ...more });
  const job = (id: string) => scenario.jobs.get(id);
  const events = (): Event[] => receiver.received.map(({ body }) => JSON.parse(body.toString()));
  const signatureOf = ({ body }: Received, secret: string) => createHmac('sha256', secret).update(body).digest('hex');
  const signed = ({ headers }: Received) => headers['x-app-signature'];

  /** A restaurant whose POS gets events, and the POS, which reads and speaks. */
  const pushing = (fields: object = {}) => PullingPos.ofRestaurant(opened, { posBaseUrl: address, ...fields });
  const patch = ({ id, token }: { readonly id: string; readonly token: string }, fields: object) =>
    scenario.api.patch(`/restaurants/${id}`, token, fields);

  /** Makes the job due, and runs one tick. */
  async function again(jobId: string, relay: TestRelay = scenario.relay) {
    await scenario.jobs.makeDue(jobId);
    await relay.tick();
    return job(jobId);
  }

  test('gets the event CREATED with three headers, signed over the exact body with the client secret, and reads the order as it was delivered (Q19, Q20, Q7)', async () => {
    const { restaurant, pos } = await pushing({ codeStorePos: MERCHANT });
    const jobId = await restaurant.sell();
    await scenario.relay.tick();
    const [request] = receiver.received as [Received];
    const [event] = events() as [Event];
    expect(event).toMatchObject({ eventId: jobId, eventType: 'CREATED', orderId: jobId });
    expect(event.orderURL).toMatch(new RegExp(`/v1/orders/${jobId}$`));
    expect(deviationFrom('Event', event)).toBeNull();
    expect(request).toMatchObject({ method: 'POST', path: PATH });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-app-merchantid': MERCHANT,
      'x-app-signature': signatureOf(request, pos.credentials.clientSecret),
      'x-app-id': expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/),
    });
    expect(request.headers).not.toHaveProperty('authorization');
    expect(await job(jobId)).toMatchObject({ status: 'SENT', attempts: 1 });
    expect(await scenario.jobs.attempts(jobId)).toMatchObject([
      { outcome: 'SENT', reach: 'ANSWERED', http_status: 204, sent_body: { id: jobId } },
    ]);
    const before = (await pos.read(jobId).expect(200)).body;
    expect(before.merchant.id).toBe(MERCHANT);
    await patch(restaurant, { currency: 'EUR', codeStorePos: null }).expect(200);
    expect((await pos.read(jobId).expect(200)).body).toEqual(before);
    // another restaurant has the same app id, and its own id as merchant
    const other = await pushing();
    await other.restaurant.sell();
    await scenario.relay.tick();
    const { headers } = receiver.received[1] as Received;
    expect(headers).toMatchObject({ 'x-app-id': request.headers['x-app-id'], 'x-app-merchantid': other.restaurant.id });
  });

  test('200 and 204 are a delivery; a 500 is sent again under the same event id; another 2xx too, since the order may be there (Q19)', async () => {
    const { restaurant } = await pushing();
    answer(200);
    const first = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(first)).toMatchObject({ status: 'SENT' });
    answer(500);
    const second = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(second)).toMatchObject({ status: 'FAILED', cause: 'failing' });
    answer(202);
    expect(await again(second)).toMatchObject({ status: 'FAILED', cause: 'busy' });
    answer(204);
    expect(await again(second)).toMatchObject({ status: 'SENT', attempts: 3 });
    const [, ...ofSecond] = events();
    expect(ofSecond).toEqual([ofSecond[0], ofSecond[0], ofSecond[0]]);
    const attempts = await scenario.jobs.attempts(second);
    expect(attempts.map(({ http_status, reach }) => `${http_status} ${reach}`)).toEqual([
      '500 ANSWERED',
      '202 UNKNOWN',
      '204 ANSWERED',
    ]);
    // what was not taken has no order in it
    expect(attempts.map(({ sent_body }) => (sent_body as { id?: string } | null)?.id)).toEqual([
      undefined,
      undefined,
      second,
    ]);
  });

  test('a refusal of the event is parked, with what the POS says; a redirect is not followed (Q19, D5)', async () => {
    const { restaurant } = await pushing();
    answer(400);
    const refused = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(refused)).toMatchObject({ status: 'DLQ', cause: 'refused', last_error: 'HTTP 400: answered' });
    answer(307, { headers: { Location: `${address}/elsewhere` } });
    const redirected = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(redirected)).toMatchObject({ status: 'DLQ', cause: 'refused' });
    expect((await job(redirected)).last_error).toMatch('HTTP 307: the other side answered HTTP 307: redirects');
    expect(receiver.received.map(({ path }) => path)).toEqual([PATH, PATH]);
  });

  test('a POS that is silent may have the event: it is sent again under the same id, and parked after the last attempt (Q19, D17)', async () => {
    const hasty = await scenario.start({ POS_TIMEOUT_MS: '300' });
    const { restaurant } = await pushing();
    answer(204, { before: () => new Promise(() => undefined) });
    const jobId = await restaurant.sell();
    await hasty.tick();
    expect(await job(jobId)).toMatchObject({ status: 'FAILED', cause: 'unanswered' });
    expect(await scenario.jobs.attempts(jobId)).toMatchObject([{ reach: 'UNKNOWN', error_code: 'TIMEOUT' }]);
    await again(jobId, hasty);
    expect(await again(jobId, hasty)).toMatchObject({ status: 'DLQ', cause: 'unanswered' });
    const [event] = events();
    expect(events()).toEqual([event, event, event]);
  });

  test('a POS that speaks of an order has its event: while it is sent, and when its answer was lost (Q21)', async () => {
    const hasty = await scenario.start({ POS_TIMEOUT_MS: '300' });
    const { restaurant, pos } = await pushing();
    let said: Promise<unknown> = Promise.resolve();
    const confirm = async () => {
      const [{ orderId } = { orderId: '' }] = events().slice(-1);
      said = pos
        .read(orderId)
        .expect(200)
        .then(() => pos.accept(orderId, '4711').expect(202));
      await said;
    };
    answer(204, { before: confirm });
    const first = await restaurant.sell();
    await scenario.relay.tick();
    await said;
    expect(await job(first)).toMatchObject({ status: 'SENT', attempts: 1 });
    expect(await scenario.jobs.attempts(first)).toMatchObject([{ outcome: 'SENT', sent_body: { id: first } }]);
    // the answer is lost
    answer(204, { before: () => new Promise(() => undefined) });
    const second = await restaurant.sell();
    await hasty.tick();
    expect(await job(second)).toMatchObject({ status: 'FAILED', cause: 'unanswered' });
    await pos.accept(second, '4712').expect(202);
    expect(await job(second)).toMatchObject({ status: 'SENT', last_error: null });
    // an order whose event never left is nothing that it can know
    await patch(restaurant, { posBaseUrl: NO_POS }).expect(200);
    const third = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(third)).toMatchObject({ status: 'FAILED', cause: 'unanswered' });
    await pos.accept(third, '4713').expect(422);
  });

  test.each([204, 400, 503])(
    'an order that the POS confirms before it answers %s to the event is settled once: a line, a number, and no alarm (Q21)',
    async (status) => {
      const { restaurant, pos } = await pushing();
      const confirm = async () => {
        await pos.accept(events().at(-1)?.orderId ?? '', '4711').expect(202);
      };
      answer(status, { before: confirm });
      const counted = async () => {
        const found = (await scenario.relay.get(Metrics).attempts.get()).values;
        return found.reduce((sum, { value }) => sum + value, 0);
      };
      const before = await counted();
      const jobId = await restaurant.sell();
      await scenario.relay.tick();
      expect(await job(jobId)).toMatchObject({ status: 'SENT', attempts: 1, last_error: null });
      expect(await scenario.jobs.attempts(jobId)).toMatchObject([{ outcome: 'SENT', sent_body: { id: jobId } }]);
      const lines = scenario.relay.logged.filter((line) => line.job === jobId);
      expect(lines.map(({ event }) => event)).toEqual(['webhook.accepted', 'outbox.attempt', 'order.pos_says']);
      expect(await counted()).toBe(before + 1);
    },
  );

  test('an address where nobody answers is tried again, and a corrected one makes its orders due (Q19, R32)', async () => {
    const { restaurant } = await pushing({ posBaseUrl: NO_POS });
    const jobId = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(jobId)).toMatchObject({ status: 'FAILED', cause: 'unanswered' });
    expect(await scenario.jobs.attempts(jobId)).toMatchObject([{ reach: 'NOT_SENT', error_code: 'ECONNREFUSED' }]);
    await patch(restaurant, { posBaseUrl: `${address}/` }).expect(200);
    expect((await job(jobId)).due_in_ms).toBeLessThanOrEqual(0);
    await scenario.relay.tick();
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
  });

  test('an address must be a public one of https, without a query, of a restaurant of Open Delivery (Q19, G28, L270)', async () => {
    const { restaurant } = await pushing({ posBaseUrl: null });
    const refused = async (fields: object, why: string) => {
      const { body } = await patch(restaurant, fields).expect(400);
      expect(body).toMatchObject({
        code: 'VALIDATION_FAILED',
        message: expect.arrayContaining([expect.stringMatching(`^posBaseUrl.*${why}`)]),
      });
    };
    await refused({ posBaseUrl: 'http://pos.example' }, 'https');
    await refused({ posBaseUrl: 'https://10.0.0.1/till' }, 'public internet');
    await refused({ posBaseUrl: 'https://user:word@pos.example' }, 'user name');
    await refused({ posBaseUrl: 'nowhere' }, 'no address');
    for (const end of ['?a=1', '?', '#']) await refused({ posBaseUrl: `${address}${end}` }, 'neither');
    await refused({ posBaseUrl: `https://pos.example/${'a'.repeat(2_000)}` }, '2000 characters');
    await refused({ posBaseUrl: 7 }, 'string');
    await refused({ posBaseUrl: address, posVendor: 'partner' }, 'open-delivery');
    const fields = { name: 'A', posBaseUrl: address };
    await scenario.api.post('/restaurants', restaurant.token, fields).expect(400);
    const made = await scenario.api
      .post('/restaurants', restaurant.token, { ...fields, posVendor: 'open-delivery' })
      .expect(201);
    expect(made.body.data).toMatchObject({ posBaseUrl: address, posVendor: 'open-delivery' });
    // it is of one POS, and goes with the vendor
    const other = { id: made.body.data.id, token: restaurant.token };
    expect((await patch(other, { posVendor: null }).expect(200)).body.data.posBaseUrl).toBeNull();
    await patch(other, { posBaseUrl: address }).expect(400);
  });

  test('an address that was allowed once is not called when it is not allowed any more (Q19, G28)', async () => {
    const strict = await scenario.start({ OUTBOUND_ALLOW: 'pos.example' });
    const { restaurant } = await pushing();
    const jobId = await restaurant.sell();
    await strict.tick();
    expect(await job(jobId)).toMatchObject({ status: 'FAILED', cause: 'unanswered' });
    expect(await scenario.jobs.attempts(jobId)).toMatchObject([{ reach: 'NOT_SENT', error_code: 'ADDRESS_REFUSED' }]);
    expect(receiver.received).toEqual([]);
  });

  test('after a rotation the new secret signs; a POS that refuses it gets the event signed with the old one while that works (Q20)', async () => {
    const { restaurant, pos } = await pushing();
    const old = pos.credentials.clientSecret;
    const path = `/restaurants/${restaurant.id}/pos-credentials/${pos.credentials.id}`;
    const rotated = (await scenario.api.post(`${path}/rotate`, restaurant.token, {}).expect(201)).body.data;
    const first = await restaurant.sell();
    await scenario.relay.tick();
    expect(receiver.received.map(signed)).toEqual([
      signatureOf(receiver.received[0] as Received, rotated.clientSecret),
    ]);
    expect(await job(first)).toMatchObject({ status: 'SENT' });
    receiver.received.length = 0;
    answer(401);
    const second = await restaurant.sell();
    await scenario.relay.tick();
    expect(receiver.received.map(signed)).toEqual(
      [rotated.clientSecret, old].map((secret) => signatureOf(receiver.received[0] as Received, secret)),
    );
    expect(await job(second)).toMatchObject({ status: 'FAILED', cause: 'sign_in', attempts: 1 });
    await scenario.api.delete(path, restaurant.token).expect(200);
    receiver.received.length = 0;
    await again(second);
    expect(receiver.received.map(signed)).toEqual([
      signatureOf(receiver.received[0] as Received, rotated.clientSecret),
    ]);
  });

  test('a POS that takes a second to refuse a secret gets one call of an attempt, and the next attempt begins with the next secret (Q20, L166)', async () => {
    const { restaurant, pos } = await pushing();
    const old = pos.credentials.clientSecret;
    const path = `/restaurants/${restaurant.id}/pos-credentials/${pos.credentials.id}`;
    const { clientSecret } = (await scenario.api.post(`${path}/rotate`, restaurant.token, {}).expect(201)).body.data;
    answer(401, { before: () => setTimeout(1_000) });
    const jobId = await restaurant.sell();
    await scenario.relay.tick();
    await again(jobId);
    expect(await job(jobId)).toMatchObject({ status: 'FAILED', cause: 'sign_in', attempts: 2 });
    expect(receiver.received.map(signed)).toEqual(
      [clientSecret, old].map((secret) => signatureOf(receiver.received[0] as Received, secret)),
    );
  });

  test('without credentials that can sign, events wait; new ones make them due (Q20, R32)', async () => {
    const { restaurant, pos } = await pushing();
    await scenario.database.query(`UPDATE pos_credentials SET secret = NULL WHERE id = $1::uuid`, [pos.credentials.id]);
    const jobId = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(jobId)).toMatchObject({ status: 'FAILED', cause: 'no_credentials' });
    const { credentials } = await PullingPos.of(opened, restaurant);
    expect((await job(jobId)).due_in_ms).toBeLessThanOrEqual(0);
    await scenario.relay.tick();
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
    expect(receiver.received.map(signed)).toEqual([
      signatureOf(receiver.received[0] as Received, credentials.clientSecret),
    ]);
  });

  test('without a currency its orders wait, and a sale that cannot be mapped is parked: no event is sent of either (Q8, Q21)', async () => {
    const { restaurant } = await pushing({ currency: null });
    const jobId = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(jobId)).toMatchObject({ status: 'FAILED', cause: 'no_currency' });
    await patch(restaurant, { currency: 'BRL' }).expect(200);
    await scenario.relay.tick();
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
    const unmappable = await restaurant.sell({ items: [] });
    await scenario.relay.tick();
    expect(await job(unmappable)).toMatchObject({ status: 'DLQ', cause: 'unmappable' });
    expect(events().map(({ orderId }) => orderId)).toEqual([jobId]);
  });

  test('a cancel before the event withdraws the order; after it, or when it may have arrived, the POS gets CANCELLED (Q21, C5)', async () => {
    const { restaurant, pos } = await pushing();
    const cancel = async (jobId: string) => {
      const key = await scenario.keyOf(jobId);
      return (await scenario.cancel(restaurant.id, key, restaurant.token).expect(202)).body.data.jobId as string;
    };
    const unsent = await restaurant.sell();
    const withdrawn = await cancel(unsent);
    await scenario.relay.tick();
    expect(await job(withdrawn)).toMatchObject({ status: 'SENT' });
    expect(receiver.received).toEqual([]);
    const sent = await restaurant.sell();
    await scenario.relay.tick();
    const cancelled = await cancel(sent);
    await scenario.relay.tick();
    answer(503);
    const unclear = await restaurant.sell();
    await scenario.relay.tick();
    answer(204);
    const ended = await cancel(unclear);
    await scenario.relay.tick();
    expect(events().map(({ eventId, eventType, orderId }) => ({ eventId, eventType, orderId }))).toEqual([
      { eventId: sent, eventType: 'CREATED', orderId: sent },
      { eventId: cancelled, eventType: 'CANCELLED', orderId: sent },
      { eventId: unclear, eventType: 'CREATED', orderId: unclear },
      { eventId: ended, eventType: 'CANCELLED', orderId: unclear },
    ]);
    expect(await job(cancelled)).toMatchObject({ status: 'SENT' });
    expect((await pos.read(sent).expect(200)).body.lastEvent).toBe('CANCELLED');
    await pos.say(sent, 'acceptCancellation', {}).expect(204);
  });

  test('an order that the POS refuses after its event is sent again under another event id, and its POS is asked to accept it (Q16, Q18)', async () => {
    const { restaurant, pos } = await pushing();
    const jobId = await restaurant.sell();
    await scenario.relay.tick();
    await pos.accept(jobId, '1').expect(202);
    await pos.refuse(jobId).expect(202);
    expect(await job(jobId)).toMatchObject({ status: 'DLQ', cause: 'refused' });
    const key = await scenario.keyOf(jobId);
    await scenario.api.post(`/restaurants/${restaurant.id}/orders/${key}/resend`, restaurant.token).expect(202);
    await scenario.relay.tick();
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
    const [first, second] = events() as [Event, Event];
    expect(second).toEqual({ ...first, eventId: expect.not.stringMatching(jobId) });
    await pos.accept(jobId, '2').expect(202);
  });

  test('its check says what is missing, and calls no POS; credentials of before cannot sign (Q22)', async () => {
    const { restaurant, pos } = await pushing({ currency: null });
    const found = async (relay = scenario.relay) => {
      checksMayBegin(relay);
      const { body } = await relay.api.post(`/restaurants/${restaurant.id}/check`, restaurant.token).expect(200);
      const codes = body.data.checks.map(({ code }: { code: string }) => code);
      return codes.filter((code: string) => /^(POS|POLL|CURRENCY|SIGN_IN|CREDENTIALS|LOOKUP|EVENTS)/.test(code));
    };
    expect(await found()).toEqual(['CURRENCY_MISSING', 'EVENTS_SIGNED']);
    await patch(restaurant, { currency: 'BRL' }).expect(200);
    const set = (sql: string) =>
      scenario.database.query(`UPDATE pos_credentials SET ${sql} WHERE id = $1::uuid`, [pos.credentials.id]);
    const strict = await scenario.start({ OUTBOUND_ALLOW: 'pos.example' });
    expect(await found(strict)).toEqual(['CURRENCY_SET', 'EVENTS_ADDRESS_REFUSED']);
    await set('secret = NULL');
    expect(await found()).toEqual(['CURRENCY_SET', 'EVENTS_UNSIGNED']);
    await set('revoked_at = now()');
    expect(await found()).toEqual(['CURRENCY_SET', 'POLL_CREDENTIALS_MISSING']);
  });

  test('its secrets are encrypted, follow a change of SECRETS_KEY, and stand in no answer; what no key decrypts signs nothing (Q20, S14)', async () => {
    const { restaurant, pos } = await pushing();
    const { SECRETS_KEY } = scenario.environment as { SECRETS_KEY: string };
    const next = markedKey('the next key');
    const rotated = await scenario.start({ SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: SECRETS_KEY });
    expect(rotated.logged).toContainEqual(expect.objectContaining({ event: 'restaurants.secrets_rotated' }));
    const after = await scenario.start({ SECRETS_KEY: next });
    const first = await restaurant.sell();
    await after.tick();
    expect(await job(first)).toMatchObject({ status: 'SENT' });
    expect(receiver.received.map(signed)).toEqual([
      signatureOf(receiver.received[0] as Received, pos.credentials.clientSecret),
    ]);
    // the first relay has the old key alone
    const second = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(second)).toMatchObject({ status: 'FAILED', cause: 'no_credentials' });
    const { body } = await scenario.api
      .get(`/restaurants/${restaurant.id}/pos-credentials`, restaurant.token)
      .expect(200);
    expect(body.data[0]).not.toHaveProperty('secret');
    await scenario.start({ SECRETS_KEY, SECRETS_KEY_PREVIOUS: next });
  });

  test('its polls have no orders, before and after the address is taken away (Q19, Q14)', async () => {
    const { restaurant, pos } = await pushing();
    const first = await restaurant.sell();
    expect(await pos.poll()).toEqual([]);
    await scenario.relay.tick();
    expect(await pos.poll()).toEqual([]);
    answer(503);
    const second = await restaurant.sell();
    await scenario.relay.tick();
    // it may have the order: pulling it would make two
    const { body } = await patch(restaurant, { posBaseUrl: null }).expect(409);
    expect(body).toMatchObject({ code: 'VENDOR_HAS_ORDERS' });
    answer(204);
    expect(await again(second)).toMatchObject({ status: 'SENT' });
    const third = await restaurant.sell();
    await patch(restaurant, { posBaseUrl: null }).expect(200);
    await scenario.relay.tick();
    expect(await job(third)).toMatchObject({ status: 'PENDING' });
    expect(await pos.poll()).toMatchObject([{ eventId: third }]);
    await patch(restaurant, { posBaseUrl: address }).expect(409);
    await pos.acknowledge(...(await pos.poll()));
    await patch(restaurant, { posBaseUrl: address }).expect(200);
    expect(events().map(({ orderId }) => orderId)).toEqual([first, second, second]);
    // what was delivered is read as it was
    for (const id of [first, second, third]) await pos.read(id).expect(200);
  });

  test('a sale is stored without the warning of a store code, and claimed at once as those of other POS (Q19, O32)', async () => {
    const eager = await scenario.start({ OUTBOX_PACE: 'eager', WORKER_ENABLED: 'true', OUTBOX_TICK_MS: '60000' });
    const { restaurant } = await pushing();
    const { body: set } = await scenario.api.get(`/restaurants/${restaurant.id}`, restaurant.token).expect(200);
    const jobId = await eager.accept(sale({ storeCode: set.codeStoreTerminal }));
    await until(async () => (await job(jobId)).status === 'SENT');
    const path = `/restaurants/${restaurant.id}/orders/${await scenario.keyOf(jobId)}`;
    const { body } = await scenario.api.get(path, restaurant.token).expect(200);
    expect(body.warnings).toEqual([]);
    expect(events().filter(({ orderId }) => orderId === jobId)).toMatchObject([{ eventId: jobId }]);
    expect(await scenario.jobs.attempts(jobId)).toMatchObject([{ number: 1, sent_body: { id: jobId } }]);
  });
});
