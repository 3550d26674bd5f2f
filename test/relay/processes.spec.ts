import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { PosSimulator } from '../../src/pos/simulator.js';
import { makeDataDir } from '../support/data-dir.js';
import { NEEDS_SERVER, openDatabase, type TestDatabase, whereServer } from '../support/database.js';
import { Instance } from '../support/instance.js';
import { Jobs } from '../support/jobs.js';
import { ADMIN, PARTNER, TERMINAL_TOKEN, TestRelay, testEnvironment } from '../support/relay.js';
import { sale } from '../support/sale.js';

/** A lease short enough to be waited for, and calls well below a third of it. */
const SHORT_LEASE = { PROCESSING_TTL_MS: '2400', POS_TIMEOUT_MS: '700', REAPER_INTERVAL_MS: '100' };
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
    const relay = await TestRelay.start(database);
    await relay.createRestaurant();
    await relay.close();
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

  test('SIGTERM while the POS does not answer: exit code 0 within the deadline of the call, the job waits FAILED', async () => {
    const instance = await start({ POS_TIMEOUT_MS: '800' });
    pos.behave({ mode: 'hang' });
    const id = await accept(instance.url, sale());
    await pos.when(() => pos.orderCalls === 1);
    expect(await instance.stop()).toBe(0);
    expect(await jobs.get(id)).toMatchObject({ status: 'FAILED', attempts: 1 });
  });

  test('SIGTERM between locking and sending: the job is given back as it was', async () => {
    const instance = await start();
    pos.behave({ mode: 'gate', register: 'before', times: 1, paths: ['/auth'] });
    const id = await accept(instance.url, sale());
    await pos.when(() => pos.waiting === 1);
    const ended = instance.stop();
    await instance.logged('relay.stopping');
    pos.release();
    expect(await ended).toBe(0);
    expect(await jobs.get(id)).toMatchObject({ status: 'PENDING', attempts: 0, locked_by: null });
    expect(pos.orderCalls).toBe(0);
  });

  test('SIGTERM while a webhook is being received on a connection that would be kept alive: it ends all the same', async () => {
    const instance = await start();
    const text = JSON.stringify(sale());
    const call = request(`${instance.url}/webhooks/terminal`, {
      method: 'POST',
      agent: new Agent({ keepAlive: true }),
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${TERMINAL_TOKEN}` },
    });
    const answered = once(call, 'response');
    call.write(text.slice(0, 10));
    await jobs.until(async () => call.socket?.connecting === false);
    const ended = instance.stop();
    await instance.logged('relay.stopping');
    call.end(text.slice(10));
    const [answer] = await answered;
    answer.resume();
    expect([200, 503]).toContain(answer.statusCode);
    expect(await ended).toBe(0);
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

describe('the embedded database under a process of its own', () => {
  let dataDir: string;
  let pos: PosSimulator;
  let environment: Record<string, string>;
  const running = new Set<Instance>();

  beforeEach(async () => {
    dataDir = makeDataDir();
    pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret } });
    const { DATABASE_URL, JWT_SECRET, SECRETS_KEY, ...rest } = testEnvironment({ url: '' } as TestDatabase);
    environment = { ...rest, ...EAGER, NODE_ENV: 'development', DATA_DIR: dataDir, POS_BASE_URL: await pos.listen() };
  });
  afterEach(async () => {
    for (const instance of running) await instance.kill();
    running.clear();
    await pos.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(changes: Record<string, string> = {}): Promise<Instance> {
    const instance = await Instance.start({ ...environment, ...changes });
    running.add(instance);
    return instance;
  }

  async function call(url: string, path: string, body: unknown, token: string) {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  }

  async function createRestaurant(url: string): Promise<void> {
    const login = await call(url, '/auth/login', ADMIN, '');
    const fields = { name: 'Roma', codeStoreTerminal: 'STORE-1', codeStorePos: '1001' };
    expect((await call(url, '/restaurants', fields, login.body.access_token as string)).status).toBe(201);
  }

  async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    const client = new pg.Client({ host: dataDir, user: 'postgres', database: 'postgres' });
    await client.connect();
    const { rows } = await client.query<Row>(sql);
    await client.end();
    return rows;
  }

  test('kill -9 under load: every acknowledged sale is there after the restart, and each order is cooked once', async () => {
    const first = await start({ ...SHORT_LEASE });
    await createRestaurant(first.url);
    const acknowledged: string[] = [];
    const posts = Array.from({ length: 150 }, async () => {
      const answer = await call(first.url, '/webhooks/terminal', sale(), TERMINAL_TOKEN).catch(() => undefined);
      if (answer?.status === 200) acknowledged.push(answer.body.jobId as string);
      if (acknowledged.length === 40) first.signal('SIGKILL');
    });
    await Promise.all(posts);
    await first.ended();
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);

    const second = await start({ ...SHORT_LEASE });
    const stored = new Set((await query<{ id: string }>('SELECT id FROM outbox_jobs')).map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    await pos.when(() => pos.orders.size === stored.size);
    for (const order of pos.orders.values()) expect(order.cooked).toBe(1);
    expect(await second.stop()).toBe(0);
  });

  test('a second process on the same folder is refused with a clear message, and the first goes on', async () => {
    const first = await start();
    const second = Instance.spawn(environment);
    expect(await second.ended()).toBe(1);
    expect(second.text).toContain(`DATA_DIR ${dataDir} is in use by another relay`);
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
  });

  test('two processes starting at once on a folder that a killed one left: one comes up', async () => {
    await (await start()).kill();
    const both = [Instance.spawn(environment), Instance.spawn(environment)];
    for (const instance of both) running.add(instance);
    const came = await Promise.allSettled(both.map((instance) => instance.logged('relay.started')));
    expect(came.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a folder whose path is too long for a socket works all the same', async () => {
    const deep = join(dataDir, 'a'.repeat(60), 'b'.repeat(60));
    const instance = await start({ DATA_DIR: deep });
    expect((await fetch(`${instance.url}/health`)).status).toBe(200);
    expect(await instance.stop()).toBe(0);
  });

  test('the secrets it generates are kept, readable by their owner alone, and survive a restart', async () => {
    const first = await start();
    const login = await call(first.url, '/auth/login', ADMIN, '');
    expect(await first.stop()).toBe(0);
    const second = await start();
    const me = await fetch(`${second.url}/auth/me`, {
      headers: { Authorization: `Bearer ${login.body.access_token}` },
    });
    expect(me.status).toBe(200);
  });
});
