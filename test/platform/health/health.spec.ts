import { ADMIN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { DatabaseSwitch } from './line.js';

/** Longer than a health check waits, on a slow machine too. */
const STATEMENT_MS = 60_000;

/** Longer than the longest tick of the worker, in ms. */
const LONG_MS = 600_000;

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('health (H7)', () => {
  let scenario: Scenario;
  let line: DatabaseSwitch;
  let relay: TestRelay;
  let token: string;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses();
    line = await DatabaseSwitch.before(scenario.database);
    relay = await scenario.start({ DATABASE_URL: line.url, DATABASE_TIMEOUT_MS: String(STATEMENT_MS) });
    token = await relay.login();
  });
  afterAll(async () => {
    await scenario.close();
    await line.close();
  });

  const ask = async (path: string) => {
    const { status, body } = await relay.http.get(path);
    const reason = path === '/health/ready' && status === 503 ? { reason: expect.any(String) } : {};
    expect(body).toEqual({ status: expect.any(String), timestamp: expect.stringMatching(ISO), ...reason });
    expect(Math.abs(Date.parse(body.timestamp) - Date.now())).toBeLessThan(5_000);
    return [status, body.status];
  };

  test.each(['/health', '/health/live', '/health/ready'])('%s: 200 ok, with a wrong token too', async (path) => {
    expect(await ask(path)).toEqual([200, 'ok']);
    const withBadToken = relay.http.get(path).auth('wrong', { type: 'bearer' });
    await withBadToken.expect(200);
  });

  test('P10: while the database is away: 503, and /health/live is 200; afterwards all are 200', async () => {
    await line.cut();
    expect(await ask('/health')).toEqual([503, 'error']);
    expect(await ask('/health/ready')).toEqual([503, 'error']);
    expect(await ask('/health/live')).toEqual([200, 'ok']);
    await line.restore();
    expect(await ask('/health')).toEqual([200, 'ok']);
    expect(await ask('/health/ready')).toEqual([200, 'ok']);
  });

  test('a database that does not answer: 503 after a second', async () => {
    line.freeze();
    const startedAt = performance.now();
    expect(await ask('/health')).toEqual([503, 'error']);
    const ms = performance.now() - startedAt;
    expect(await ask('/health/live')).toEqual([200, 'ok']);
    line.thaw();
    expect(ms).toBeGreaterThan(990);
    expect(ms).toBeLessThan(STATEMENT_MS / 2);
    expect(await ask('/health')).toEqual([200, 'ok']);
  });

  test('H12: a database that answers late stores sales: 200; one that does not answer is a 503 after the limit of a sale', async () => {
    const { now } = performance;
    expect(await ask('/health/ready')).toEqual([200, 'ok']);
    line.delayMs = 1_500;
    try {
      expect(await ask('/health/ready')).toEqual([200, 'ok']);
      expect(await ask('/health')).toEqual([503, 'error']);
    } finally {
      line.delayMs = 0;
    }
    await until(async () => (await ask('/health'))[0] === 200);
    line.freeze();
    expect(await ask('/health/ready')).toEqual([200, 'ok']);
    performance.now = () => now.call(performance) + 5_000;
    try {
      const { body } = await relay.http.get('/health/ready').expect(503);
      expect(body.reason).toBe('the database does not answer in time');
    } finally {
      performance.now = now;
      line.thaw();
    }
    await until(async () => (await ask('/health/ready'))[0] === 200);
  });

  test('H12: /health/ready says why', async () => {
    const why = async () => (await relay.http.get('/health/ready').expect(503)).body.reason;
    await line.cut();
    expect(await why()).toBe('the database cannot be reached');
    await line.restore();
    const { query } = scenario.database;
    await query('ALTER TABLE outbox_jobs RENAME TO renamed');
    expect(await why()).toBe('the database lacks a table');
    await query('ALTER TABLE renamed RENAME TO outbox_jobs');
    await relay.http.get('/health/ready').expect(200);
  });

  test('an outage is a 503 for requests with a token and for logins, not a 401', async () => {
    await line.cut();
    const answers = [
      await relay.http.get('/auth/me').auth(token, { type: 'bearer' }),
      await relay.http.post('/auth/login').send(ADMIN),
      await relay.http.post('/restaurants').auth(token, { type: 'bearer' }).send({ name: 'Any name' }),
    ];
    await line.restore();
    for (const { status, body } of answers) expect([status, body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    await relay.http.get('/auth/me').auth(token, { type: 'bearer' }).expect(200);
  });

  test('/health/ready is 503 where the worker is enabled and has ended no tick for several intervals; 200 after the next', async () => {
    const ready = async (of: TestRelay) => (await of.http.get('/health/ready')).status;
    const working = await scenario.start({ WORKER_ENABLED: 'true' });
    expect(await ready(working)).toBe(200);
    const { now } = performance;
    performance.now = () => now.call(performance) + LONG_MS;
    try {
      expect([await ready(working), await ready(relay)]).toEqual([503, 200]);
      expect((await working.http.get('/health')).status).toBe(200);
      await working.tick();
      expect(await ready(working)).toBe(200);
    } finally {
      performance.now = now;
    }
  });
});
