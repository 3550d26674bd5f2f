import type { PosSimulator } from '../../tools/simulator/simulator.js';
import type { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { EAGER, SHORT_LEASE } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { killUnderLoad } from './kill-under-load.js';

/** The killed relays are processes; the relay that continues runs in this process. `npm run test:hard` kills more. */
describe('on a database server', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;

  beforeEach(async () => {
    scenario = await Scenario.ofProcesses(EAGER);
    ({ database, jobs, pos } = scenario);
    await scenario.people.restaurant('STORE-1', [await scenario.people.user(), 'OWNER']);
  });
  afterEach(() => scenario.close());

  test('killed (kill -9) while the order is at the POS: after a restart it ends SENT, and the POS took it once', async () => {
    const first = await scenario.startProcess(SHORT_LEASE);
    pos.behave({ mode: 'gate', register: 'before', times: 1 });
    const id = await first.accept(sale());
    await pos.when(() => pos.waiting === 1);
    await first.kill();
    pos.release();

    await scenario.start(SHORT_LEASE);
    await jobs.until(async () => ['SENT', 'DLQ'].includes((await jobs.get(id)).status));
    const job = await jobs.get(id);
    expect(job.status).toBe('SENT');
    expect(pos.orders.get(job.event_key)).toMatchObject({ cooked: 1 });
  });

  test('SIGTERM under load: exit code 0, every acknowledged sale is kept, no job is left PROCESSING (O20)', async () => {
    const instance = await scenario.startProcess();
    pos.behave({ mode: 'slow', delayMs: 50 });
    const posts = Array.from({ length: 200 }, () => instance.post(sale()).catch(() => undefined));
    await jobs.until(async () => ((await jobs.countByStatus()).SENT ?? 0) > 20);
    expect(await instance.stop()).toBe(0);

    const accepted: string[] = [];
    for (const answer of await Promise.all(posts)) if (answer?.status === 200) accepted.push(answer.body.jobId);
    const stored = new Set((await database.query<{ id: string }>('SELECT id FROM outbox_jobs')).map(({ id }) => id));
    expect(accepted.filter((id) => !stored.has(id))).toEqual([]);
    expect(await jobs.countByStatus()).not.toHaveProperty('PROCESSING');
    for (const order of pos.orders.values()) expect(order.cooked).toBe(1);
  });

  test('kill -9 under load: every acknowledged sale is stored after the restart, the POS takes each order once, logins stay valid', () =>
    killUnderLoad(scenario));
});
