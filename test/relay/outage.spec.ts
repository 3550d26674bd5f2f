import { PosSimulator } from '../../src/pos/simulator.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { PARTNER } from '../support/environment.js';
import { Jobs } from '../support/jobs.js';
import { TestRelay } from '../support/relay.js';
import { sale } from '../support/sale.js';

describe('while the database is away', () => {
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;

  beforeEach(async () => {
    database = await openDatabase();
    jobs = new Jobs(database);
    pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret } });
    relay = await TestRelay.start(database, { POS_BASE_URL: await pos.listen() });
    await relay.createRestaurant();
  });
  afterEach(async () => {
    await relay.close();
    await pos.close();
    await database.close();
  });

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
