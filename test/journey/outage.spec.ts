import type { PosSimulator } from '../../tools/simulator/simulator.js';
import type { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

describe('while the database is away', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;

  beforeEach(async () => {
    scenario = await Scenario.open();
    ({ database, jobs, pos, relay } = scenario);
    await relay.createRestaurant();
  });
  afterEach(() => scenario.close());

  test('the settling write is repeated, not the send', async () => {
    const id = await relay.accept(sale());
    pos.behave({ mode: 'gate', register: 'after', times: 1 });
    const tick = relay.tick();
    await pos.when(() => pos.waiting === 1);
    const comeBack = await database.goAway();
    pos.release();
    await relay.hasLogged('outbox.settle_delayed');
    await comeBack();
    await tick;
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'SENT', attempts: 1 });
    expect(pos.orders.get(job.event_key)).toMatchObject({ cooked: 1, requests: 1 });
    expect(await jobs.attempts(id)).toHaveLength(1);
  });

  test('a sale is not acknowledged: 503, and the terminal may send it again', async () => {
    const body = sale();
    const comeBack = await database.goAway();
    const refused = await relay.post(body).expect(503);
    expect(refused.body).toMatchObject({ statusCode: 503, code: 'DATABASE_UNAVAILABLE' });
    await relay.http.get('/health').expect(503);
    await comeBack();
    await relay.accept(body);
    await relay.http.get('/health').expect(200);
  });

  test('a tick fails without harm, and the next one delivers', async () => {
    const id = await relay.accept(sale());
    const comeBack = await database.goAway();
    await relay.tick();
    await relay.reap().catch(() => {});
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'outbox.tick_failed' }));
    await comeBack();
    await relay.tick();
    expect((await jobs.get(id)).status).toBe('SENT');
  });
});
