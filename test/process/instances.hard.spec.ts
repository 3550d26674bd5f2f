import { once } from 'node:events';
import { connect } from 'node:net';
import { sale } from '../support/client.js';
import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { SHORT_LEASE } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { restaurantOfProcesses } from './restaurant-of-processes.js';

/** A first call from a busy machine may take longer than the calls of a short lease, and is tried again only after its backoff. */
const LEASE = { ...SHORT_LEASE, PROCESSING_TTL_MS: '9000', POS_TIMEOUT_MS: '2800' };

/** The stopped instance is a process; the relay that claims its job runs in this process. */
describe('instances', () => {
  const scenario = restaurantOfProcesses();

  test('stopped (SIGSTOP) past its lease while the POS answers: its late settle changes nothing, the new claim settles', async () => {
    const stalled = await scenario.startProcess(LEASE);
    scenario.pos.behave({ mode: 'gate', register: 'after', times: 1 });
    const id = await stalled.accept(sale());
    await scenario.pos.when(() => scenario.pos.waiting === 1);
    stalled.signal('SIGSTOP');
    scenario.pos.release();

    const other = await scenario.start(LEASE);
    await scenario.jobs.until(async () => (await scenario.jobs.get(id)).status === 'SENT');
    const settled = await scenario.jobs.get(id);
    stalled.signal('SIGCONT');
    await stalled.logged('outbox.lock_lost', (line) => line.job === id);

    expect(await scenario.jobs.get(id)).toEqual({ ...settled, due_in_ms: null });
    const attempt = { event: 'outbox.attempt', job: id, attempt: 2, settling: 'deliver' };
    expect(other.logged).toContainEqual(expect.objectContaining(attempt));
    expect((await scenario.jobs.attempts(id)).map(({ outcome }) => outcome)).toEqual(['LOST', 'SENT']);
    expect(scenario.pos.orders.get(settled.event_key)).toMatchObject({ cooked: 1, requests: 2 });
  });

  test('SIGTERM: a connection that has sent nothing does not delay the stop until requests are cut off (O20)', async () => {
    const instance = await scenario.startProcess();
    const { hostname, port } = new URL(instance.url);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    const closed = once(silent, 'close');
    expect(await instance.stop()).toBe(0);
    await closed;
    const timeOf = async (event: string) => Date.parse(String((await instance.logged(event)).time));
    const { limitMs } = await instance.logged('relay.stopping');
    expect((await timeOf('relay.stopped')) - (await timeOf('relay.stopping'))).toBeLessThan(Number(limitMs) / 2);
  });

  test('three instances that start at once on an empty database all start; the migrations are applied once (S4)', async () => {
    const empty = await Scenario.ofProcesses({}, { migrated: false });
    const instances = Array.from({ length: 3 }, () => empty.spawn());
    await Promise.all(instances.map((instance) => instance.logged('relay.started')));
    const applied = instances.flatMap(({ lines }) => lines.filter(({ event }) => event === 'database.migrated'));
    expect(applied).toHaveLength(1);
    expect(await empty.database.query('SELECT count(*)::int AS users FROM users')).toEqual([{ users: 1 }]);
    for (const instance of instances) await instance.stop();
    await empty.close();
  });

  whereServer(
    `two instances racing for 2,000 due jobs: every job is claimed once and sent once (O7)${NEEDS_SERVER}`,
    async () => {
      await scenario.database.query(
        `WITH event AS (
           INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
           SELECT 'R-' || n, 'R-' || n, false, (SELECT id FROM restaurants), $1::jsonb FROM generate_series(1, 2000) n
           RETURNING transaction_key, restaurant_id)
         INSERT INTO outbox_jobs (id, event_key, restaurant_id) SELECT gen_random_uuid(), transaction_key, restaurant_id FROM event`,
        [JSON.stringify(sale())],
      );
      const racers = await Promise.all([scenario.startProcess(), scenario.startProcess()]);
      await scenario.jobs.until(async () => (await scenario.jobs.countByStatus()).SENT === 2000, 120_000);
      const [attempts] = await scenario.database.query(
        'SELECT count(*)::int AS attempts, count(DISTINCT job_id)::int AS jobs, max(number) AS most FROM delivery_attempts',
      );
      expect(attempts).toEqual({ attempts: 2000, jobs: 2000, most: 1 });
      expect(scenario.pos.orders.size).toBe(2000);
      for (const order of scenario.pos.orders.values()) expect(order).toMatchObject({ cooked: 1, requests: 1 });
      for (const racer of racers) expect(racer.lines.some(({ event }) => event === 'outbox.attempt')).toBe(true);
    },
    180_000,
  );
});
