import { sale } from '../support/client.js';
import { SHORT_LEASE } from '../support/environment.js';
import { killUnderLoad } from './kill-under-load.js';
import { restaurantOfProcesses } from './restaurant-of-processes.js';

/** The killed relays are processes; the relay that continues runs in this process. `npm run test:hard` kills more. */
describe('on a database server', () => {
  const scenario = restaurantOfProcesses();

  test('killed (kill -9) while the order is at the POS: after a restart it ends SENT, and the POS took it once', async () => {
    const first = await scenario.startProcess(SHORT_LEASE);
    scenario.pos.behave({ mode: 'gate', register: 'before', times: 1 });
    const id = await first.accept(sale());
    await scenario.pos.when(() => scenario.pos.waiting === 1);
    await first.kill();
    scenario.pos.release();

    await scenario.start(SHORT_LEASE);
    await scenario.jobs.until(async () => ['SENT', 'DLQ'].includes((await scenario.jobs.get(id)).status));
    const job = await scenario.jobs.get(id);
    expect(job.status).toBe('SENT');
    expect(scenario.pos.orders.get(job.event_key)).toMatchObject({ cooked: 1 });
  });

  test('SIGTERM under load: exit code 0, every acknowledged sale is kept, no job is left PROCESSING (O20)', async () => {
    const instance = await scenario.startProcess();
    scenario.pos.behave({ mode: 'slow', delayMs: 50 });
    const posts = Array.from({ length: 200 }, () => instance.post(sale()).catch(() => undefined));
    await scenario.jobs.until(async () => ((await scenario.jobs.countByStatus()).SENT ?? 0) > 20);
    expect(await instance.stop()).toBe(0);

    const accepted: string[] = [];
    for (const answer of await Promise.all(posts)) if (answer?.status === 200) accepted.push(answer.body.jobId);
    const stored = new Set(
      (await scenario.database.query<{ id: string }>('SELECT id FROM outbox_jobs')).map(({ id }) => id),
    );
    expect(accepted.filter((id) => !stored.has(id))).toEqual([]);
    expect(await scenario.jobs.countByStatus()).not.toHaveProperty('PROCESSING');
    for (const order of scenario.pos.orders.values()) expect(order.cooked).toBe(1);
  });

  test('kill -9 under load: every acknowledged sale is stored after the restart, the POS takes each order once, logins stay valid', () =>
    killUnderLoad(scenario));
});
