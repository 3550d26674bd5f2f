import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { sale } from '../support/client.js';
import { PARTNER } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';
import { relaysOf } from './silent-pos.js';

const TEMPORARY_CODE = 950;

describe('how an answer of the POS settles an attempt', () => {
  const scenario = Scenario.ofSuite({ POS_TEMPORARY_ERROR_CODES: String(TEMPORARY_CODE) });
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;
  let relayFor: (behaviour: Behaviour) => TestRelay;

  beforeAll(async () => {
    ({ jobs, pos, relay } = scenario);
    await relay.createRestaurant();
    relayFor = await relaysOf(scenario);
  });
  afterEach(() => pos.behave({ mode: 'ok' }));

  /** One sale, one attempt while the POS behaves like this. */
  async function attemptWhile(behaviour: Behaviour) {
    const id = await relay.accept(sale());
    pos.behave(behaviour);
    await relayFor(behaviour).tick();
    const [attempt] = await jobs.attempts(id);
    return { id, job: await jobs.get(id), attempt };
  }

  const status = (code: number, errorCode?: number): Behaviour => ({
    mode: 'status',
    status: code,
    errorCode,
    message: 'no',
  });

  type Row = [answer: string, behaviour: Behaviour, httpStatus: number | null];

  test.each<Row>([
    ['201', status(201), 201],
    ['200 with an HTML body', { mode: 'html', status: 200 }, 200],
    ['200 whose body breaks off', { mode: 'truncated', status: 200 }, 200],
    ['200 with a body of megabytes', { mode: 'huge', status: 200, bytes: 5_000_000 }, 200],
    ['200 whose body never ends', { mode: 'trickle', everyMs: 20 }, 200],
    ['200 with an error code in its body', status(200, 123), 200],
  ])('%s: SENT', async (_, behaviour, httpStatus) => {
    const { job, attempt } = await attemptWhile(behaviour);
    expect(job).toMatchObject({ status: 'SENT', attempts: 1, last_error: null, next_run_at: null, locked_by: null });
    expect(attempt).toMatchObject({ outcome: 'SENT', reach: 'ANSWERED', http_status: httpStatus, number: 1 });
  });

  test.each<[...Row, reach: string]>([
    ['502 with an HTML body', { mode: 'html', status: 502 }, 502, 'ANSWERED'],
    ['429', status(429), 429, 'ANSWERED'],
    ['400 with a temporary error code', status(400, TEMPORARY_CODE), 400, 'ANSWERED'],
    ['400 whose body breaks off', { mode: 'truncated', status: 400 }, 400, 'UNKNOWN'],
    ['a connection reset', { mode: 'reset' }, null, 'UNKNOWN'],
    ['a timeout', { mode: 'hang' }, null, 'UNKNOWN'],
  ])('%s: FAILED, due after the first step of the backoff', async (_, behaviour, httpStatus, reach) => {
    const { job, attempt } = await attemptWhile(behaviour);
    expect(job).toMatchObject({ status: 'FAILED', attempts: 1, locked_by: null, processing_at: null });
    expect(job.last_error).toBeTruthy();
    expect(job.due_in_ms).toBeGreaterThan(25_000);
    expect(job.due_in_ms).toBeLessThanOrEqual(33_000);
    expect(attempt).toMatchObject({ outcome: 'FAILED', reach, http_status: httpStatus });
  });

  test('a connection refused: FAILED, reach NOT_SENT', async () => {
    const id = await relay.accept(sale());
    await pos.down();
    await relay.tick();
    await pos.up();
    expect(await jobs.get(id)).toMatchObject({ status: 'FAILED' });
    expect(await jobs.attempts(id)).toMatchObject([
      { reach: 'NOT_SENT', error_code: 'ECONNREFUSED', http_status: null },
    ]);
  });

  test.each<Row>([
    ['422', status(422, 310), 422],
    ['410 with an HTML body', { mode: 'html', status: 410 }, 410],
    ['a redirect, which is not followed', { mode: 'redirect', location: 'http://127.0.0.1:9/elsewhere' }, 302],
  ])('%s: DLQ, with the status in lastError', async (_, behaviour, httpStatus) => {
    const { job, attempt } = await attemptWhile(behaviour);
    expect(job).toMatchObject({ status: 'DLQ', attempts: 1, next_run_at: null });
    expect(job.last_error).toContain(`HTTP ${httpStatus}`);
    expect(attempt).toMatchObject({ outcome: 'DLQ', reach: 'ANSWERED', http_status: httpStatus });
  });

  test('lastError says status, POS error code and message', async () => {
    const { job, attempt } = await attemptWhile(status(422, 310));
    expect(job.last_error).toBe('HTTP 422, POS error 310: no');
    expect(attempt?.error_code).toBe('310');
  });

  test.each<[string, Behaviour]>([
    ['errorCode 901 with status 200', status(200, 901)],
    ['errorCode 902 with status 500', status(500, 902)],
    ['HTTP 401', status(401)],
  ])('%s: the token is renewed and the order sent once more in the same attempt', async (_, behaviour) => {
    const authCalls = pos.authCalls;
    const { job } = await attemptWhile({ ...behaviour, times: 1 });
    expect(job).toMatchObject({ status: 'SENT', attempts: 1 });
    expect(pos.authCalls - authCalls).toBe(1);
  });

  test.each<[string, Behaviour]>([
    ['errorCode 901', status(400, 901)],
    ['HTTP 401', status(401)],
  ])('%s twice: FAILED, since credentials can be corrected', async (_, behaviour) => {
    const orderCalls = pos.orderCalls;
    const { job } = await attemptWhile(behaviour);
    expect(job).toMatchObject({ status: 'FAILED', attempts: 1 });
    expect(job.last_error).toContain('POS authentication failed');
    expect(pos.orderCalls - orderCalls).toBe(2);
  });

  test.each([
    [600, 600_000],
    [9_999_999_999, 3_600_000],
  ])('Retry-After: %d delays the retry by %d ms: 1 h at most (O15)', async (retryAfter, ms) => {
    const { job } = await attemptWhile({ mode: 'status', status: 503, retryAfter });
    expect(job.due_in_ms).toBeGreaterThan(ms - 10_000);
    expect(job.due_in_ms).toBeLessThanOrEqual(ms * 1.1);
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
    ['a 502 with an HTML body', { mode: 'html', status: 502 }],
    ['a timeout', { mode: 'hang' }],
    ['a connection reset', { mode: 'reset-after' }],
    ['a 400 whose body broke off', { mode: 'truncated', status: 400 }],
  ])('a duplicate after %s: SENT, because the earlier attempt may have arrived', async (_, behaviour) => {
    expect(await duplicateAfter(behaviour)).toMatchObject({ status: 'SENT', attempts: 2, last_error: null });
  });

  test('a duplicate after an expired lease: SENT', async () => {
    const id = await jobs.take(await relay.accept(sale()));
    await jobs.ageLease(id, 121_000);
    await relay.reap();
    pos.behave(status(400, 904));
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  test.each<[string, Behaviour]>([
    ['a 429', status(429)],
    ['a temporary error code', status(400, TEMPORARY_CODE)],
    ['a 401', status(401)],
  ])('a duplicate after %s: DLQ, because the POS refused the earlier attempt', async (_, behaviour) => {
    expect(await duplicateAfter(behaviour)).toMatchObject({ status: 'DLQ', attempts: 2 });
  });

  test('an event that cannot be mapped: DLQ with the field at fault, and no call (D15)', async () => {
    const calls = pos.orderCalls;
    const id = await relay.accept(sale({ items: [{ itemCode: 'A', itemName: 'B', quantity: 1, price: '1' }] }));
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({
      status: 'DLQ',
      last_error: 'cannot be mapped: items[0].price: must be a finite number',
    });
    expect(pos.orderCalls).toBe(calls);
  });

  test('a secret that the POS echoes, as it is or encoded, stays out of lastError, attempts and log', async () => {
    const basic = Buffer.from(`${PARTNER.id}:${PARTNER.secret}`).toString('base64');
    const codes = PARTNER.secret.replaceAll(/./g, (c) => `&#${c.charCodeAt(0)};`);
    const plain = await attemptWhile({ mode: 'echo-secret' });
    expect(plain.job).toMatchObject({ status: 'DLQ', last_error: expect.stringContaining('[secret]') });
    const encoded = await attemptWhile({ mode: 'status', status: 422, message: `Basic ${basic}, ${codes}` });
    expect(encoded.job.last_error).toMatch(/^HTTP 422, POS error 422: Basic [\w+/]*\[secret\], \[secret\]$/);
    const texts = [plain.job.last_error, plain.attempt?.error, encoded.attempt?.error, JSON.stringify(relay.logged)];
    for (const text of texts)
      for (const secret of [PARTNER.secret, basic.slice(-12), codes]) expect(text).not.toContain(secret);
  });
});
