import { PosSimulator } from '../../src/pos/simulator.js';
import { People } from '../api/people.js';
import { NEEDS_SERVER, openDatabase, type TestDatabase, whereServer } from '../support/database.js';
import { PARTNER, SHORT_LEASE, TERMINAL_TOKEN, testEnvironment } from '../support/environment.js';
import { Instance } from '../support/instance.js';
import { Jobs } from '../support/jobs.js';
import { sale } from '../support/sale.js';

const EAGER = { WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: '100' };

/** What a whole process can suffer, suffered by a whole process. */
describe('instances', () => {
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let environment: Record<string, string>;
  const running = new Set<Instance>();

  beforeEach(async () => {
    database = await openDatabase();
    jobs = new Jobs(database);
    pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret } });
    environment = testEnvironment(database, { POS_BASE_URL: await pos.listen(), ...EAGER });
    const people = new People(database);
    await people.restaurant('STORE-1', [await people.user(), 'OWNER']);
    await database.query(`UPDATE restaurants SET code_store_pos = '1001'`);
  });
  afterEach(async () => {
    for (const instance of running) await instance.kill();
    running.clear();
    await pos.close();
    await database.close();
  });

  async function start(changes: Record<string, string> = {}): Promise<Instance> {
    const instance = await Instance.start({ ...environment, ...changes });
    running.add(instance);
    return instance;
  }

  async function post(url: string, body: unknown): Promise<Response> {
    return fetch(`${url}/webhooks/terminal`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${TERMINAL_TOKEN}` },
      body: JSON.stringify(body),
    });
  }

  async function accept(url: string, body: unknown): Promise<string> {
    const answer = await post(url, body);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { jobId: string }).jobId;
  }

  const isSent = (id: string) => async () => (await jobs.get(id)).status === 'SENT';

  test('stopped (SIGSTOP) past its lease while the POS answers: its late settle changes nothing, the new owner settles', async () => {
    const stalled = await start(SHORT_LEASE);
    pos.behave({ mode: 'gate', register: 'after', times: 1 });
    const id = await accept(stalled.url, sale());
    await pos.when(() => pos.waiting === 1);
    stalled.signal('SIGSTOP');
    pos.release();

    const other = await start(SHORT_LEASE);
    await jobs.until(isSent(id));
    const settled = await jobs.get(id);
    stalled.signal('SIGCONT');
    await stalled.logged('outbox.lock_lost', (line) => line.job === id);

    expect(await jobs.get(id)).toEqual({ ...settled, due_in_ms: null });
    expect(await other.logged('outbox.attempt', (line) => line.job === id)).toMatchObject({
      attempt: 2,
      settling: 'deliver',
    });
    expect((await jobs.attempts(id)).map(({ outcome }) => outcome)).toEqual(['LOST', 'SENT']);
    expect(pos.orders.get(settled.event_key)).toMatchObject({ cooked: 1, requests: 2 });
  });

  test('stopped (SIGSTOP) past its lease before it sends: it does not send any more', async () => {
    const stalled = await start(SHORT_LEASE);
    pos.behave({ mode: 'gate', register: 'before', times: 1, paths: ['/auth'] });
    const id = await accept(stalled.url, sale());
    await pos.when(() => pos.waiting === 1);
    stalled.signal('SIGSTOP');
    pos.release();

    await start(SHORT_LEASE);
    await jobs.until(isSent(id));
    stalled.signal('SIGCONT');
    await stalled.logged('outbox.lock_lost', (line) => line.job === id);
    expect(pos.orders.get((await jobs.get(id)).event_key)).toMatchObject({ cooked: 1, requests: 1 });
  });

  test('killed (kill -9) while the order is at the POS: after a restart it ends SENT, and the kitchen saw it once', async () => {
    const first = await start(SHORT_LEASE);
    pos.behave({ mode: 'gate', register: 'before', times: 1 });
    const id = await accept(first.url, sale());
    await pos.when(() => pos.waiting === 1);
    await first.kill();
    pos.release();

    await start(SHORT_LEASE);
    await jobs.until(async () => ['SENT', 'DLQ'].includes((await jobs.get(id)).status));
    const job = await jobs.get(id);
    expect(job.status).toBe('SENT');
    expect(pos.orders.get(job.event_key)).toMatchObject({ cooked: 1 });
  });

  test('SIGTERM under load: exit code 0, every acknowledged sale is kept, no job is left PROCESSING', async () => {
    const instance = await start();
    pos.behave({ mode: 'slow', delayMs: 50 });
    const posts = Array.from({ length: 200 }, () => post(instance.url, sale()).catch(() => undefined));
    await jobs.until(async () => ((await jobs.countByStatus()).SENT ?? 0) > 20);
    expect(await instance.stop()).toBe(0);

    const accepted: string[] = [];
    for (const answer of await Promise.all(posts))
      if (answer?.status === 200) accepted.push(((await answer.json()) as { jobId: string }).jobId);
    const stored = new Set((await database.query<{ id: string }>('SELECT id FROM outbox_jobs')).map(({ id }) => id));
    expect(accepted.filter((id) => !stored.has(id))).toEqual([]);
    expect(await jobs.countByStatus()).not.toHaveProperty('PROCESSING');
    for (const order of pos.orders.values()) expect(order.cooked).toBe(1);
  });

  test('three instances starting at once on an empty database all come up; the migrations were applied once', async () => {
    const empty = await openDatabase({ migrated: false });
    const instances = Array.from({ length: 3 }, () => Instance.spawn(testEnvironment(empty)));
    for (const instance of instances) running.add(instance);
    await Promise.all(instances.map((instance) => instance.logged('relay.started')));
    const applied = instances.flatMap(({ lines }) => lines.filter(({ event }) => event === 'database.migrated'));
    expect(applied).toHaveLength(1);
    expect(await empty.query('SELECT count(*)::int AS users FROM users')).toEqual([{ users: 1 }]);
    for (const instance of instances) await instance.stop();
    await empty.close();
  });

  whereServer(
    `two instances racing for 2,000 due jobs: every job is locked exactly once, and sent once${NEEDS_SERVER}`,
    async () => {
      await database.query(
        `WITH event AS (
           INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
           SELECT 'R-' || n, 'R-' || n, false, (SELECT id FROM restaurants), $1::jsonb FROM generate_series(1, 2000) n
           RETURNING transaction_key, restaurant_id)
         INSERT INTO outbox_jobs (id, event_key, restaurant_id) SELECT gen_random_uuid(), transaction_key, restaurant_id FROM event`,
        [JSON.stringify(sale())],
      );
      const racers = await Promise.all([start(), start()]);
      await jobs.until(async () => (await jobs.countByStatus()).SENT === 2000, 120_000);
      const [attempts] = await database.query(
        'SELECT count(*)::int AS attempts, count(DISTINCT job_id)::int AS jobs, max(number) AS most FROM delivery_attempts',
      );
      expect(attempts).toEqual({ attempts: 2000, jobs: 2000, most: 1 });
      expect(pos.orders.size).toBe(2000);
      for (const order of pos.orders.values()) expect(order).toMatchObject({ cooked: 1, requests: 1 });
      for (const racer of racers) expect(racer.lines.some(({ event }) => event === 'outbox.attempt')).toBe(true);
    },
    180_000,
  );
});
