import { randomBytes } from 'node:crypto';
import { Alarms } from '../../src/outbox/alarms.js';
import { DatabaseSwitch } from '../platform/health/line.js';
import { sale } from '../support/client.js';
import { OWN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

/** Longer than a scrape waits, on a slow machine too. */
const STATEMENT_MS = 60_000;

const METRICS_TOKEN = marked('a-token-of-prometheus');

describe('the alarms (R14)', () => {
  let scenario: Scenario;
  let relay: TestRelay;
  /** with another SECRETS_KEY, and without METRICS_TOKEN */
  let other: TestRelay;
  let line: DatabaseSwitch;
  let trattoria: string;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses();
    line = await DatabaseSwitch.before(scenario.database);
    relay = await scenario.start({ DATABASE_URL: line.url, METRICS_TOKEN, DATABASE_TIMEOUT_MS: String(STATEMENT_MS) });
    other = await scenario.start({ SECRETS_KEY: randomBytes(32).toString('base64') });
    trattoria = await relay.createRestaurant({ name: 'Trattoria', codeStoreTerminal: 'T-1', ...OWN });
  });
  afterAll(async () => {
    await scenario.close();
    await line.close();
  });

  const linesOf = (of: TestRelay, event: string) => of.logged.filter((logged) => logged.event === event);
  const scrape = (token: string) => relay.api.get('/admin/metrics/prometheus', token);

  test('alarm.database_away once, then database.back', async () => {
    await line.cut();
    const alarms = relay.get(Alarms);
    await alarms.watchDatabase();
    await alarms.watchDatabase();
    await alarms.check();
    expect(linesOf(relay, 'alarm.database_away')).toHaveLength(1);
    await line.restore();
    await alarms.watchDatabase();
    expect(linesOf(relay, 'database.back')).toHaveLength(1);
  });

  test('a database that takes more than a second: database.slow once a minute, and its time in the metrics (R14, L191)', async () => {
    const alarms = relay.get(Alarms);
    await alarms.watchDatabase();
    expect(linesOf(relay, 'database.slow')).toEqual([]);
    line.delayMs = 1_100;
    await alarms.watchDatabase().finally(() => {
      line.delayMs = 0;
    });
    await alarms.watchDatabase();
    expect(linesOf(relay, 'database.slow')).toEqual([expect.objectContaining({ seconds: expect.any(Number) })]);
    expect((await scrape(METRICS_TOKEN).expect(200)).text).toMatch(/\nrelay_database_seconds 0?\.\d/);
  });

  test('METRICS_TOKEN opens the Prometheus endpoint and nothing else (R7); without it no token does', async () => {
    const { text } = await scrape(METRICS_TOKEN).expect(200);
    expect(text).toContain('\nrelay_database_up 1\n');
    expect(text).toMatch(/\nrelay_oldest_due_seconds \d/);
    await relay.api.get('/admin/metrics', METRICS_TOKEN).expect(401);
    await relay.api.get('/auth/me', METRICS_TOKEN).expect(401);
    await relay.post(sale()).expect(400);
    await relay.api.post('/webhooks/terminal', METRICS_TOKEN, sale()).expect(401);
    await scrape(`${METRICS_TOKEN}x`).expect(401);
    await relay.http.get('/admin/metrics/prometheus').expect(401);
    await other.api.get('/admin/metrics/prometheus', METRICS_TOKEN).expect(401);
    await scrape(await relay.login(await scenario.people.user())).expect(403);
    await scrape(await relay.login()).expect(200);
  });

  test('while the database is away: process metrics, relay_database_up 0, and no metric that is read from the database', async () => {
    await line.cut();
    const { text } = await scrape(METRICS_TOKEN).expect(200);
    await line.restore();
    expect(text).toContain('\nrelay_database_up 0\n');
    expect(text).toMatch(/\nprocess_cpu_seconds_total \d/);
    expect(text).toContain('\nrelay_webhooks_total{result="stored"} 0\n');
    expect(text).not.toMatch(/\nrelay_(jobs|oldest_due_seconds|refusing_restaurants)[ {]/);
    expect((await scrape(METRICS_TOKEN).expect(200)).text).toMatch(/\nrelay_oldest_due_seconds \d/);
  });

  test('a scrape does not wait for a database that does not answer', async () => {
    line.freeze();
    const startedAt = performance.now();
    const { text } = await scrape(METRICS_TOKEN).expect(200);
    const ms = performance.now() - startedAt;
    line.thaw();
    expect(text).toContain('\nrelay_database_up 0\n');
    expect(ms).toBeLessThan(STATEMENT_MS / 2);
  });

  test('alarm.secrets_lost names the restaurants whose posSecret no key decrypts', async () => {
    // on a slow machine its schedule may have logged it
    other.logged.length = 0;
    await other.get(Alarms).check();
    expect(linesOf(other, 'alarm.secrets_lost')).toMatchObject([
      { count: 1, restaurants: [{ restaurantId: trattoria, name: 'Trattoria' }] },
    ]);
    await relay.get(Alarms).check();
    expect(linesOf(relay, 'alarm.secrets_lost')).toEqual([]);
  });

  test('alarm.credentials_refused names the restaurants that use them, and no secret', async () => {
    const named = async (storeCode: string) => {
      scenario.pos.behave({ mode: 'status', status: 401, paths: ['/auth'] });
      await relay.accept(sale({ storeCode }));
      await relay.tick();
      scenario.pos.behave({ mode: 'ok' });
      return linesOf(relay, 'alarm.credentials_refused').at(-1) as { restaurants: unknown };
    };
    const shared = await relay.createRestaurant({ name: 'Osteria', codeStoreTerminal: 'T-2' });
    expect((await named('T-2')).restaurants).toEqual([{ restaurantId: shared, name: 'Osteria' }]);
    const alarm = await named('T-1');
    expect(alarm.restaurants).toMatchObject([{ name: 'Trattoria' }]);
    expect(JSON.stringify(alarm)).not.toContain(OWN.posSecret);
  });
});
