import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { sale } from '../support/client.js';
import { PARTNER } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

const TEMPORARY_CODE = 950;

describe('the table "POS answers", on the road', () => {
  let scenario: Scenario;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;

  beforeAll(async () => {
    scenario = await Scenario.open({ POS_TIMEOUT_MS: '400', POS_TEMPORARY_ERROR_CODES: String(TEMPORARY_CODE) });
    ({ jobs, pos, relay } = scenario);
    await relay.createRestaurant();
  });
  afterEach(() => pos.behave({ mode: 'ok' }));
  afterAll(() => scenario.close());

  /** One sale, one attempt while the POS behaves like this. */
  async function attemptWhile(behaviour: Behaviour) {
    const id = await relay.accept(sale());
    pos.behave(behaviour);
    await relay.tick();
    const [attempt] = await jobs.attempts(id);
    return { id, job: await jobs.get(id), attempt };
  }

  const status = (code: number, errorCode?: number): Behaviour => ({
    mode: 'status',
    status: code,
    errorCode,
    message: 'no',
  });

  test.each<[string, Behaviour, number]>([
    ['200', { mode: 'ok' }, 200],
    ['201', status(201), 201],
    ['204', status(204), 204],
    ['200 with an HTML body', { mode: 'html', status: 200 }, 200],
    ['200 whose body breaks off', { mode: 'truncated', status: 200 }, 200],
    ['200 with a body of megabytes', { mode: 'huge', status: 200, bytes: 5_000_000 }, 200],
    ['200 whose body trickles in for ever', { mode: 'trickle', everyMs: 20 }, 200],
    ['200 with an error code in its body', status(200, 123), 200],
  ])('%s: SENT', async (_, behaviour, httpStatus) => {
    const { job, attempt } = await attemptWhile(behaviour);
    expect(job).toMatchObject({ status: 'SENT', attempts: 1, last_error: null, next_run_at: null, locked_by: null });
    expect(attempt).toMatchObject({ outcome: 'SENT', reach: 'ANSWERED', http_status: httpStatus, number: 1 });
  });

  test.each<[string, Behaviour, number | null, string]>([
    ['500', status(500), 500, 'ANSWERED'],
    ['502 with an HTML body', { mode: 'html', status: 502 }, 502, 'ANSWERED'],
    ['503', status(503), 503, 'ANSWERED'],
    ['504', status(504), 504, 'ANSWERED'],
    ['408', status(408), 408, 'ANSWERED'],
    ['425', status(425), 425, 'ANSWERED'],
    ['429', status(429), 429, 'ANSWERED'],
    ['400 with a temporary error code', status(400, TEMPORARY_CODE), 400, 'ANSWERED'],
    ['a 400 whose body breaks off', { mode: 'truncated', status: 400 }, 400, 'UNKNOWN'],
    ['a connection reset', { mode: 'reset' }, null, 'UNKNOWN'],
    ['a connection reset after the order arrived', { mode: 'reset-after' }, null, 'UNKNOWN'],
    ['a timeout', { mode: 'hang' }, null, 'UNKNOWN'],
  ])('%s: FAILED, tried again after the first step of the ladder', async (_, behaviour, httpStatus, reach) => {
    const { job, attempt } = await attemptWhile(behaviour);
    expect(job).toMatchObject({ status: 'FAILED', attempts: 1, locked_by: null, processing_at: null });
    expect(job.last_error).toBeTruthy();
    expect(job.due_in_ms).toBeGreaterThan(25_000);
    expect(job.due_in_ms).toBeLessThanOrEqual(33_000);
    expect(attempt).toMatchObject({ outcome: 'FAILED', reach, http_status: httpStatus });
  });

  test('a connection refused: FAILED, and the order never left', async () => {
    const id = await relay.accept(sale());
    await pos.down();
    await relay.tick();
    await pos.up();
    expect(await jobs.get(id)).toMatchObject({ status: 'FAILED' });
    expect(await jobs.attempts(id)).toMatchObject([
      { reach: 'NOT_SENT', error_code: 'ECONNREFUSED', http_status: null },
    ]);
  });

  test.each<[string, Behaviour, number]>([
    ['400', status(400, 300), 400],
    ['422', status(422, 310), 422],
    ['404', status(404), 404],
    ['409', status(409), 409],
    ['410 with an HTML body', { mode: 'html', status: 410 }, 410],
    ['418', status(418), 418],
    ['a redirect, which is not followed', { mode: 'redirect', location: 'http://127.0.0.1:9/elsewhere' }, 302],
  ])('%s: DLQ, with the error text', async (_, behaviour, httpStatus) => {
    const { job, attempt } = await attemptWhile(behaviour);
    expect(job).toMatchObject({ status: 'DLQ', attempts: 1, next_run_at: null });
    expect(job.last_error).toContain(`HTTP ${httpStatus}`);
    expect(attempt).toMatchObject({ outcome: 'DLQ', reach: 'ANSWERED', http_status: httpStatus });
  });

  test('lastError says status, POS error code and message', async () => {
    const { job, attempt } = await attemptWhile({
      mode: 'status',
      status: 422,
      errorCode: 310,
      message: 'unknown product',
    });
    expect(job.last_error).toBe('HTTP 422, POS error 310: unknown product');
    expect(attempt?.error_code).toBe('310');
  });

  test.each<[string, Behaviour]>([
    ['errorCode 901 with status 200', status(200, 901)],
    ['errorCode 902 with status 201', status(201, 902)],
    ['errorCode 901 with status 400', status(400, 901)],
    ['errorCode 902 with status 500', status(500, 902)],
    ['HTTP 401', status(401)],
    ['HTTP 403', status(403)],
  ])('%s: the token is renewed and the order repeated once at once', async (_, behaviour) => {
    const authCalls = pos.authCalls;
    const { job } = await attemptWhile({ ...behaviour, times: 1 });
    expect(job).toMatchObject({ status: 'SENT', attempts: 1 });
    expect(pos.authCalls - authCalls).toBe(1);
  });

  test.each<[string, Behaviour]>([
    ['errorCode 901', status(400, 901)],
    ['errorCode 901 with status 200', status(200, 901)],
    ['HTTP 401', status(401)],
  ])('%s twice: FAILED, because credentials can be corrected while it waits', async (_, behaviour) => {
    const orderCalls = pos.orderCalls;
    const { job } = await attemptWhile(behaviour);
    expect(job).toMatchObject({ status: 'FAILED', attempts: 1 });
    expect(job.last_error).toContain('POS authentication failed');
    expect(pos.orderCalls - orderCalls).toBe(2);
  });

  test('a longer Retry-After is honoured (O15)', async () => {
    const { job } = await attemptWhile({ mode: 'status', status: 429, retryAfter: 600 });
    expect(job.due_in_ms).toBeGreaterThan(590_000);
    expect(job.due_in_ms).toBeLessThanOrEqual(660_000);
  });

  test('a Retry-After of any size is 1 h at most', async () => {
    pos.behave({ mode: 'status', status: 503, retryAfter: 9_999_999_999 });
    const id = await relay.accept(sale());
    await relay.tick();
    const job = await jobs.get(id);
    expect(job.due_in_ms).toBeGreaterThan(3_590_000);
    expect(job.due_in_ms).toBeLessThanOrEqual(3_960_000);
  });

  test('a duplicate on a first attempt: DLQ', async () => {
    const { job } = await attemptWhile(status(400, 904));
    expect(job.status).toBe('DLQ');
  });

  test('a duplicate after an attempt without a known answer: SENT, and the kitchen saw it once', async () => {
    const { id, job } = await attemptWhile({ mode: 'reset-after', times: 1 });
    expect(job.status).toBe('FAILED');
    await jobs.makeDue(id);
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 2 });
    expect(pos.orders.get(job.event_key)).toMatchObject({ cooked: 1 });
    expect((await jobs.attempts(id)).map(({ outcome }) => outcome)).toEqual(['FAILED', 'SENT']);
  });

  /** A first attempt while the POS behaves like this, and a second one that it answers as a duplicate. */
  async function duplicateAfter(behaviour: Behaviour) {
    const { id } = await attemptWhile(behaviour);
    await jobs.makeDue(id);
    pos.behave(status(400, 904));
    await relay.tick();
    return jobs.get(id);
  }

  test.each<[string, Behaviour]>([
    ['a 500', status(500)],
    ['a 502 with an HTML body', { mode: 'html', status: 502 }],
    ['a 504', status(504)],
    ['a timeout', { mode: 'hang' }],
    ['a connection reset', { mode: 'reset' }],
    ['a 400 whose body broke off', { mode: 'truncated', status: 400 }],
  ])('a duplicate after %s: SENT, because the earlier attempt may have arrived', async (_, behaviour) => {
    expect(await duplicateAfter(behaviour)).toMatchObject({ status: 'SENT', attempts: 2, last_error: null });
  });

  test('a duplicate after an attempt whose lease expired: SENT', async () => {
    const id = await jobs.take(await relay.accept(sale()));
    await jobs.ageLease(id, 121_000);
    await relay.reap();
    pos.behave(status(400, 904));
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  test.each<[string, Behaviour]>([
    ['a 408', status(408)],
    ['a 429', status(429)],
    ['a temporary error code', status(400, TEMPORARY_CODE)],
    ['a sign-in that fails', { mode: 'status', status: 401 }],
  ])('a duplicate after %s: DLQ, because the POS had refused the earlier attempt', async (_, behaviour) => {
    expect(await duplicateAfter(behaviour)).toMatchObject({ status: 'DLQ', attempts: 2 });
  });

  test('an event that cannot be mapped: DLQ with the field that prevents it, and no call (D15)', async () => {
    const calls = pos.orderCalls;
    const id = await relay.accept(sale({ items: [{ itemCode: 'A', itemName: 'B', quantity: 1, price: '1' }] }));
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({
      status: 'DLQ',
      last_error: 'cannot be mapped: items[0].price: must be a finite number',
    });
    expect(pos.orderCalls).toBe(calls);
  });

  test('what the POS says of a secret stays out of lastError, attempts and log', async () => {
    const { job, attempt } = await attemptWhile({ mode: 'echo-secret' });
    expect(job.status).toBe('DLQ');
    expect(job.last_error).toContain('[secret]');
    for (const text of [job.last_error, attempt?.error, JSON.stringify(relay.logged)])
      expect(text).not.toContain(PARTNER.secret);
  });

  test('nor does a secret that the POS encodes', async () => {
    const basic = Buffer.from(`${PARTNER.id}:${PARTNER.secret}`).toString('base64');
    const codes = PARTNER.secret.replaceAll(/./g, (c) => `&#${c.charCodeAt(0)};`);
    const { job, attempt } = await attemptWhile({ mode: 'status', status: 422, message: `Basic ${basic}, ${codes}` });
    expect(job.last_error).toMatch(/^HTTP 422, POS error 422: Basic [\w+/]*\[secret\], \[secret\]$/);
    for (const text of [attempt?.error, JSON.stringify(relay.logged)]) {
      expect(text).not.toContain(codes);
      expect(text).not.toContain(basic.slice(-12));
    }
  });
});
