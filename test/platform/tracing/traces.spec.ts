import { hash } from 'node:crypto';
import { readTraceparent } from '../../../src/domain/trace.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const HEX = expect.stringMatching(/^[0-9a-f]{32}$/);

describe('the trace of a sale', () => {
  const scenario = Scenario.ofSuite({ TERMINAL_TEST_STORE_CODE: 'TEST-STORE', RESEND: 'restaurants' });
  /** with POS_TRACEPARENT */
  let passing: TestRelay;
  let restaurantId: string;
  let token: string;

  beforeAll(async () => {
    passing = await scenario.start({ POS_TRACEPARENT: 'true' });
    restaurantId = await scenario.relay.createRestaurant();
    token = await scenario.relay.login();
  });
  afterEach(() => scenario.pos.behave({ mode: 'ok' }));

  const post = (traceparent: string | undefined, event: object = sale()) => {
    const asked = scenario.relay.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    return (traceparent === undefined ? asked : asked.set('traceparent', traceparent)).send(event).expect(200);
  };
  const orderOf = async (key: string) =>
    (await scenario.api.get(`/restaurants/${restaurantId}/orders/${key}`, token).expect(200)).body;
  const linesOf = (traceId: string) => scenario.relay.logged.filter((line) => line.traceId === traceId);
  const stored = async (jobId: string) => {
    const [row] = await scenario.database.query<{ trace: string | null }>(
      `SELECT encode(trace, 'hex') AS trace FROM terminal_events JOIN outbox_jobs ON event_key = transaction_key WHERE outbox_jobs.id = $1`,
      [jobId],
    );
    return row?.trace;
  };

  test('of a valid traceparent is kept with the event and stands in answer, order and log (X1, X2, X3)', async () => {
    const event = sale();
    const { body } = await post(`00-${ID}-${SPAN}-01`, event);
    expect(body).toEqual({ success: true, jobId: expect.any(String), traceId: ID, receipt: expect.any(String) });
    expect(await stored(body.jobId)).toBe(`${ID}${SPAN}01`);
    expect(await orderOf(String(event.transactionKey))).toMatchObject({ traceId: ID });
    await scenario.relay.tick();
    expect(linesOf(ID).map((line) => line.event)).toEqual(['webhook.accepted', 'outbox.attempt']);
  });

  test('is made where traceparent is absent or invalid, and the sale is never refused for it (X1)', async () => {
    for (const header of [
      undefined,
      'x',
      `00-${ID}-${SPAN}-01, 00-${ID}-${SPAN}-01`,
      `00-${ID.toUpperCase()}-${SPAN}-01`,
    ]) {
      const { body } = await post(header);
      expect(body.traceId).toEqual(HEX);
      expect(body.traceId).not.toBe(ID);
      expect(await stored(body.jobId)).toBe(`${body.traceId}${'0'.repeat(16)}01`);
    }
  });

  test('two headers are invalid (X1)', async () => {
    const { port, hostname } = new URL(scenario.relay.url);
    const { request } = await import('node:http');
    const event = JSON.stringify(sale());
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = [
        ...['host', hostname, 'authorization', `Bearer ${TERMINAL_TOKEN}`, 'content-type', 'application/json'],
        ...['content-length', String(event.length)],
        ...['traceparent', `00-${ID}-${SPAN}-01`, 'traceparent', `00-${ID}-${SPAN}-01`],
      ];
      const asked = request({ port, hostname, method: 'POST', path: '/webhooks/terminal', headers }, (response) => {
        response.setEncoding('utf8').once('data', resolve);
      });
      asked.on('error', reject).end(event);
    });
    expect(JSON.parse(answer).traceId).not.toBe(ID);
  });

  test('stands in the lines of failed, parked, cancelled, released and resent orders (X3)', async () => {
    const id = hash('md5', 'a long way');
    const event = sale();
    const { jobId } = (await post(`00-${id}-${SPAN}-01`, event)).body;
    await scenario.settle(jobId, 'FAILED');
    await scenario.settle(jobId, 'DLQ');
    await scenario.cancel(restaurantId, String(event.transactionKey), token).expect(202);
    await scenario.relay.tick();
    const events = linesOf(id).map((line) => line.event);
    expect(events).toEqual([
      'webhook.accepted',
      'outbox.attempt',
      'outbox.attempt',
      'alarm.job_parked',
      'order.cancel_requested',
      'outbox.attempt',
    ]);
  });

  test('stands in the line of an expired lease (X3)', async () => {
    const id = hash('md5', 'lost');
    const { jobId } = (await post(`00-${id}-${SPAN}-01`)).body;
    await scenario.jobs.take(jobId);
    await scenario.jobs.ageLease(jobId, 300_000);
    await scenario.relay.reap();
    expect(linesOf(id).map((line) => line.event)).toEqual(['webhook.accepted', 'outbox.lease_expired']);
  });

  test('stands in the line of an order that is sent again (X3)', async () => {
    const id = hash('md5', 'again');
    const event = sale();
    await scenario.settle((await post(`00-${id}-${SPAN}-01`, event)).body.jobId, 'DLQ');
    const path = `/restaurants/${restaurantId}/orders/${event.transactionKey}/resend`;
    await scenario.api.post(path, token).expect(202);
    expect(scenario.relay.logged).toContainEqual(expect.objectContaining({ event: 'order.resent', traceId: id }));
  });

  test('of a repeated test sale is the one it was stored with (X3)', async () => {
    const event = sale({ storeCode: 'TEST-STORE', restaurantId });
    const first = (await post(`00-${ID}-${SPAN}-01`, event)).body;
    const again = (await post(`00-${hash('md5', 'another')}-${SPAN}-01`, event)).body;
    expect(again).toMatchObject({ jobId: first.jobId, traceId: ID });
  });

  test('an order of a version that kept no trace has none, and is delivered (X2)', async () => {
    const event = sale();
    const { jobId } = (await post(undefined, event)).body;
    await scenario.database.query('UPDATE terminal_events SET trace = NULL WHERE transaction_key = $1', [
      event.transactionKey,
    ]);
    expect(await orderOf(String(event.transactionKey))).toMatchObject({ traceId: null });
    await scenario.settle(jobId, 'SENT');
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'SENT' });
  });

  test('the database refuses another length (X2)', async () => {
    await post(undefined);
    await expect(scenario.database.query(`UPDATE terminal_events SET trace = '\\x00'`)).rejects.toThrow('trace_length');
  });

  test('is not sent to the POS by default (X4)', async () => {
    const before = scenario.pos.requests.length;
    const { jobId } = (await post(`00-${ID}-${SPAN}-01`)).body;
    await scenario.settle(jobId, 'SENT');
    const sent = scenario.pos.requests.slice(before);
    expect(sent).not.toEqual([]);
    for (const { headers } of sent) expect(headers).not.toHaveProperty('traceparent');
  });

  test.each(['00', '01'])('POS_TRACEPARENT=true: goes on with the claim as span, flags %s (X4)', async (flags) => {
    const id = hash('md5', `on ${flags}`);
    const { jobId } = (await post(`00-${id}-${SPAN}-${flags}`)).body;
    // the instance that sends is another than the one that received: the trace goes by the database
    await passing.tick();
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'SENT' });
    const [attempt] = await scenario.jobs.attempts(jobId);
    const span = String((attempt as { id: string }).id)
      .replaceAll('-', '')
      .slice(0, 16);
    const sent = scenario.pos.requests.map(({ headers }) => String(headers.traceparent ?? ''));
    expect(sent).toContain(`00-${id}-${span}-${flags}`);
    expect(readTraceparent(`00-${id}-${span}-${flags}`)).toBeDefined();
  });

  test('the ratio holds for what senders ask for (X6)', async () => {
    const none = await scenario.start({ OTEL_TRACES_SAMPLER_ARG: '0' });
    const asked = none.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    const { body } = await asked.set('traceparent', `00-${ID}-${SPAN}-01`).send(sale()).expect(200);
    expect(await stored(body.jobId)).toBe(`${ID}${SPAN}00`);
  });
});
