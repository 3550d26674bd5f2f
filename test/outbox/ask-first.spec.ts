import { JobStore } from '../../src/outbox/job-store.js';
import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { LOOKUP } from '../../tools/simulator/wire.js';
import { sale } from '../support/client.js';
import { PARTNER } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { AskingScenario, SETTLE_MS } from './ask-first.js';
import type { Jobs } from './jobs.js';

describe('POS_AFTER_UNKNOWN=ask: an order that may have arrived is looked up before it is sent again (D19)', () => {
  let asking: AskingScenario;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;
  let other: TestRelay;

  beforeAll(async () => {
    asking = await AskingScenario.open({ POS_TEMPORARY_ERROR_CODES: '950' });
    ({ jobs, pos, relay } = asking);
    other = await asking.scenario.start({ POS_BASE_URL: pos.url });
  });
  afterEach(async () => {
    pos.behave({ mode: 'ok' });
    await asking.scenario.database.query('TRUNCATE terminal_events, outbox_jobs, delivery_attempts CASCADE');
  });
  afterAll(() => asking.close());

  test('found: SENT, recorded in the attempt, and cooked once (O24)', async () => {
    const { id, key } = await asking.unknown(true);
    expect(await jobs.get(id)).toMatchObject({
      status: 'FAILED',
      last_error: expect.stringMatching(
        /ECONNRESET.*; the order may have arrived: the POS is asked before it is sent again$/,
      ),
    });
    const calls = await asking.callsOf(() => asking.later(id));
    expect(calls).toEqual({ orders: 0, lookups: 1, cancels: 0 });
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 2, last_error: null, next_run_at: null });
    expect((await jobs.attempts(id))[1]).toMatchObject({
      number: 2,
      outcome: 'SENT',
      reach: 'NOT_SENT',
      http_status: 200,
      error_code: 'ASKED_FOUND',
      error: 'found at the POS',
    });
    expect(pos.orders.get(key)).toMatchObject({ cooked: 1, requests: 1 });
  });

  test('a look-up is a GET at POS_ORDER_LOOKUP_PATH with the headers of an order', async () => {
    const key = 'T/1 ä?&%';
    const id = await relay.accept(sale({ transactionKey: key }));
    pos.behave({ mode: 'reset-after', times: 1 });
    await relay.tick();
    await asking.later(id);
    const order = pos.requests.findLast(({ path }) => path === '/order');
    const lookup = pos.requests.findLast(({ method }) => method === 'GET');
    expect(lookup).toMatchObject({ path: `/order/${encodeURIComponent(key)}`, body: undefined });
    for (const name of ['id-partner', 'secret', 'authorization'])
      expect(lookup?.headers[name]).toBe(order?.headers[name]);
    expect(lookup?.headers).toMatchObject({ 'id-partner': PARTNER.id, secret: PARTNER.secret });
    expect((await jobs.get(id)).status).toBe('SENT');
  });

  test.each<[string, Behaviour]>([
    ['a timeout', { mode: 'hang', times: 1 }],
    ['a 503', { mode: 'status', status: 503, times: 1 }],
    ['a body that broke off', { mode: 'truncated', status: 400, times: 1 }],
  ])('404 twice after %s: sent again, in the attempt of the second 404', async (_, behaviour) => {
    const id = await relay.accept(sale());
    pos.behave(behaviour);
    await asking.relayFor(behaviour).tick();
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 0, lookups: 1, cancels: 0 });
    const waiting = await jobs.get(id);
    expect(waiting).toMatchObject({
      status: 'FAILED',
      attempts: 2,
      last_error: expect.stringMatching(/^the order may have arrived, though the POS does not know it yet \(HTTP 404/),
    });
    // the settle time, not the backoff
    expect(waiting.due_in_ms).toBeGreaterThan(SETTLE_MS / 2);
    expect(waiting.due_in_ms).toBeLessThanOrEqual(SETTLE_MS);
    expect((await jobs.attempts(id))[1]).toMatchObject({
      outcome: 'FAILED',
      reach: 'NOT_SENT',
      http_status: 404,
      error_code: 'ASKED_NOT_FOUND',
    });
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 1, lookups: 1, cancels: 0 });
    const { event_key: key, ...job } = await jobs.get(id);
    expect(job).toMatchObject({ status: 'SENT', attempts: 3, last_error: null });
    expect(pos.orders.get(key)).toMatchObject({ cooked: 1 });
  });

  test.each<[string, Behaviour, RegExp]>([
    ['a 500', { mode: 'status', status: 500 }, /HTTP 500/],
    ['no answer', { mode: 'hang' }, /TIMEOUT/],
    ['a connection reset', { mode: 'reset' }, /ECONNRESET/],
    ['a redirect', { mode: 'redirect', location: '/order' }, /HTTP 302/],
    ['a 401 with every token', { mode: 'status', status: 401 }, /HTTP 401/],
    ['a 400', { mode: 'status', status: 400 }, /HTTP 400/],
    ['a 404 from a proxy', { mode: 'html', status: 404 }, /HTTP 404/],
    ['a 404 that breaks off', { mode: 'truncated', status: 404 }, /HTTP 404.*broke off/],
    ['"in progress"', { mode: 'in-progress' }, /^the POS is still working on the order/],
  ])('%s is not conclusive: FAILED with backoff, and never sent', async (_, behaviour, error) => {
    const arrived = behaviour.mode !== 'html';
    const { id, key } = await asking.unknown(arrived);
    pos.behave({ ...behaviour, paths: [LOOKUP] });
    const by = asking.relayFor(behaviour);
    const calls = await asking.callsOf(async () => {
      await asking.later(id, by);
      await asking.later(id, by);
    });
    expect(calls.orders).toBe(0);
    expect(calls.lookups).toBeGreaterThanOrEqual(2);
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'FAILED', attempts: 3, last_error: expect.stringMatching(error) });
    expect(job.last_error).toContain(behaviour.mode === 'in-progress' ? 'still working' : 'may have arrived');
    // the third step of the backoff
    expect(job.due_in_ms).toBeGreaterThan(299_000);
    pos.behave({ mode: 'ok' });
    await asking.later(id);
    if (arrived) expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 4 });
    expect(pos.orders.get(key)?.cooked).toBe(arrived ? 1 : undefined);
  });

  test('a POS that is down gets no look-up and no order; a refused token is renewed', async () => {
    const { id, key } = await asking.unknown(true);
    await pos.down();
    await asking.later(id);
    expect((await jobs.get(id)).last_error).toMatch(
      /^the order may have arrived, and the POS could not be asked: .*ECONNREFUSED/,
    );
    await pos.up();
    pos.revokeTokens();
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 0, lookups: 2, cancels: 0 });
    expect((await jobs.get(id)).status).toBe('SENT');
    expect(pos.orders.get(key)).toMatchObject({ cooked: 1 });
  });

  test('without a sign-in or codeStorePos there is no look-up, and the order is never sent', async () => {
    const { id } = await asking.unknown(true);
    pos.revokeTokens();
    pos.behave({ mode: 'status', status: 401, paths: ['/auth'] });
    expect((await asking.callsOf(() => asking.later(id))).orders).toBe(0);
    expect((await jobs.get(id)).last_error).toMatch(/could not be asked: POS sign-in failed: HTTP 401/);
    pos.behave({ mode: 'ok' });
    await asking.scenario.database.query('UPDATE restaurants SET code_store_pos = NULL');
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 0, lookups: 0, cancels: 0 });
    expect((await jobs.get(id)).last_error).toMatch(/could not be asked: restaurant has no codeStorePos/);
    await asking.scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001'`);
    // it was no other POS (Q31)
    await asking.scenario.database.query('UPDATE restaurants SET pos_since = NULL');
    await asking.later(id);
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', last_error: null });
  });

  test('404 twice, less than POS_LOOKUP_SETTLE_MS apart (after a reset): looked up once more', async () => {
    const { id } = await asking.unknown(false);
    await asking.later(id);
    await jobs.reset(id);
    expect(await asking.callsOf(relay.tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'FAILED', attempts: 1 });
    expect(job.due_in_ms).toBeLessThanOrEqual(SETTLE_MS);
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 1, lookups: 1, cancels: 0 });
    expect((await jobs.get(id)).status).toBe('SENT');
  });

  test("a 404 before the call's deadline does not count: the POS may still process the request", async () => {
    const patient = await asking.scenario.start({
      POS_BASE_URL: pos.url,
      POS_TIMEOUT_MS: '39000',
      POS_LOOKUP_SETTLE_MS: '10',
    });
    const id = await patient.accept(sale());
    pos.behave({ mode: 'reset', times: 1 });
    await patient.tick();
    await jobs.reset(id);
    await patient.tick();
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'FAILED', last_error: expect.stringContaining('404') });
    // until the deadline, not the settle time
    expect(job.due_in_ms).toBeGreaterThan(1_000);
    expect(job.due_in_ms).toBeLessThanOrEqual(39_000);
    await jobs.passes(id, 60_000);
    expect(await asking.callsOf(patient.tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
    await jobs.passes(id, 60_000);
    expect(await asking.callsOf(patient.tick)).toEqual({ orders: 1, lookups: 1, cancels: 0 });
  });

  test.each<[string, Behaviour, number]>([
    ['the order is sent', { mode: 'hang', times: 1 }, 1],
    ['"in progress" is answered', { mode: 'in-progress', times: 1 }, 0],
  ])('a 404 before %s does not count', async (_, behaviour, orders) => {
    const { id } = await asking.unknown(false);
    await asking.later(id);
    pos.behave(behaviour);
    const by = asking.relayFor(behaviour);
    expect(await asking.callsOf(() => asking.later(id, by))).toEqual({ orders, lookups: 1, cancels: 0 });
    expect(await jobs.get(id)).toMatchObject({ status: 'FAILED', attempts: 3 });
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 0, lookups: 1, cancels: 0 });
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 1, lookups: 1, cancels: 0 });
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 5 });
  });

  test('a crash during the second look-up: another instance starts with the first again', async () => {
    const { id, key } = await asking.unknown(false);
    await asking.later(id);
    await jobs.passes(id, SETTLE_MS);
    await asking.crash(id, LOOKUP);
    expect(await asking.callsOf(other.tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
    expect(await jobs.get(id)).toMatchObject({ status: 'FAILED', attempts: 4 });
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 1, lookups: 1, cancels: 0 });
    expect(pos.orders.get(key)).toMatchObject({ cooked: 1 });
  });

  test.each(['before', 'after'] as const)(
    'a crash during the call; the POS registers the order %s it: found, or 404 twice',
    async (register) => {
      const id = await relay.accept(sale());
      await asking.crash(id, '/order', register);
      const { event_key: key } = await jobs.get(id);
      expect(await asking.callsOf(other.tick)).toEqual({ orders: 0, lookups: 1, cancels: 0 });
      expect((await jobs.get(id)).status).toBe(register === 'before' ? 'SENT' : 'FAILED');
      await asking.later(id).catch(() => undefined);
      expect(await jobs.get(id)).toMatchObject({ status: 'SENT' });
      expect(pos.orders.get(key)).toMatchObject({ cooked: 1 });
    },
  );

  test('two instances: the 404 of one counts for the other, and one of them sends', async () => {
    const sales = await Promise.all(Array.from({ length: 5 }, () => relay.accept(sale())));
    pos.behave({ mode: 'reset', times: 5 });
    await relay.tick();
    for (const id of sales) await jobs.passes(id, SETTLE_MS);
    expect(await asking.callsOf(() => Promise.all([relay.tick(), other.tick()]))).toMatchObject({
      orders: 0,
      lookups: 5,
    });
    for (const id of sales) await jobs.passes(id, SETTLE_MS);
    expect(await asking.callsOf(() => Promise.all([other.tick(), relay.tick()]))).toMatchObject({
      orders: 5,
      lookups: 5,
    });
    for (const id of sales) {
      const { event_key: key, status } = await jobs.get(id);
      expect({ status, cooked: pos.orders.get(key)?.cooked }).toEqual({ status: 'SENT', cooked: 1 });
    }
  });

  test('after a 429, a refused sign-in or ECONNREFUSED the order is sent again without a look-up', async () => {
    const id = await relay.accept(sale());
    pos.behave({ mode: 'status', status: 429, times: 1 });
    await relay.tick();
    pos.behave({ mode: 'status', status: 401, times: 2 });
    await asking.later(id);
    await pos.down();
    await asking.later(id);
    await pos.up();
    expect(await asking.callsOf(() => asking.later(id))).toEqual({ orders: 1, lookups: 0, cancels: 0 });
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 4 });
  });

  test('a first attempt makes no look-up and reads no earlier attempts', async () => {
    const traces = jest.spyOn(relay.get(JobStore), 'tracesOf');
    await relay.accept(sale());
    expect(await asking.callsOf(relay.tick)).toEqual({ orders: 1, lookups: 0, cancels: 0 });
    expect(traces).not.toHaveBeenCalled();
    traces.mockRestore();
  });

  test('relay_pos_lookups_total counts the answers', async () => {
    const answer = await relay.http.get('/admin/metrics/prometheus').auth(await relay.login(), { type: 'bearer' });
    for (const result of ['found', 'not_found', 'in_progress', 'unclear'])
      expect(answer.text).toMatch(new RegExp(`relay_pos_lookups_total\\{result="${result}"\\} [1-9]`));
  });
});
