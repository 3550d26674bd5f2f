import { sale } from '../../support/client.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { LossyLine } from './lossy-line.js';

// a slow machine needs some of it for its good statements
const LIMIT_MS = 1_000;

describe('a lost database answer on an open socket', () => {
  let scenario: Scenario;
  let line: LossyLine;
  let relay: TestRelay;
  let restaurantId: string;

  beforeEach(async () => {
    scenario = await Scenario.ofProcesses();
    line = new LossyLine();
    relay = await scenario.start({
      DATABASE_URL: await line.listen(scenario.database),
      DATABASE_TIMEOUT_MS: String(LIMIT_MS),
    });
    restaurantId = await relay.createRestaurant();
  });
  afterEach(async () => {
    await relay.close();
    line.close();
    await scenario.close();
  });

  test('of the INSERT of a sale: 503 within the limit, and the repeat is answered (W24)', async () => {
    const body = sale();
    line.lose = /INSERT INTO/;
    const answer = await relay.post(body).expect(503);
    expect(answer.body.code).toBe('DATABASE_UNAVAILABLE');
    expect(line.lost).toBe(1);
    const failed = relay.logged.find(({ event }) => event === 'http.failed');
    expect(JSON.stringify(failed)).toContain(`the database gave no answer within ${LIMIT_MS} ms`);
    expect([200, 400]).toContain((await relay.post(body)).status);
  });

  test('W25: with a longer DATABASE_TIMEOUT_MS the webhook still answers in time (L13)', async () => {
    const patient = await scenario.start({
      DATABASE_URL: relay.config.databaseUrl as string,
      DATABASE_TIMEOUT_MS: '60000',
    });
    line.lose = /INSERT INTO terminal_events/;
    await patient.post(sale()).expect(503);
    const failed = patient.logged.find(({ event }) => event === 'http.failed');
    expect(failed?.error).toContain('the database did not answer everything within 5000 ms');
  });

  test('of a claim: the tick ends as an outage, and the next one claims the jobs', async () => {
    await relay.accept(sale());
    line.lose = /'PROCESSING'/;
    await relay.tick();
    expect(line.lost).toBe(1);
    const failed = relay.logged.find(({ event }) => event === 'outbox.tick_failed');
    expect(JSON.stringify(failed)).toContain(`the database gave no answer within ${LIMIT_MS} ms`);
    await relay.tick();
  });

  test.each([
    ['BEGIN', /BEGIN/],
    ['a statement', /FOR UPDATE/],
    ['COMMIT', /COMMIT/],
  ])('of %s in a transaction: an outage, and the connection is closed', async (_, statement) => {
    const token = await relay.login();
    line.lose = statement;
    const { status } = await relay.api.delete(`/restaurants/${restaurantId}`, token);
    expect({ lost: line.lost, status }).toEqual({ lost: 1, status: 503 });
    const reads = Array.from({ length: 12 }, () => relay.api.get('/restaurants', token));
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(Array(12).fill(200));
  });

  test('while the relay stops: it ends', async () => {
    line.lose = /SELECT/;
    const read = relay.http.get('/health').then((answer) => answer.status);
    await relay.close();
    await read.catch(() => {});
  });
});
