import { Alarms } from '../../src/outbox/alarms.js';
import { complaints } from '../doctor/doctor.js';
import { Scenario } from '../support/scenario.js';
import { NEEDS_PSQL, psql, testWithPsql } from './psql.js';

type Name = string;

/** Later than the lease, the doctor's two ticks and the alarm's two minutes. */
const LATE = '5 minutes';
/** More than a list asks for by their ids. */
const MANY = 2_100;

describe('due, late, stuck and parked are the same jobs for everybody who looks', () => {
  let scenario: Scenario;
  let restaurantId: string;
  let token: string;
  let admin: string;
  /** what became of a sale -> its job */
  const jobs: Record<Name, string> = {};
  let doctorsEnvironment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    scenario = await Scenario.open();
    doctorsEnvironment = scenario.environment;
    admin = await scenario.relay.login();
    const { id, token: owners, sell } = await scenario.restaurant('STORE-1');
    [restaurantId, token] = [id, owners];
    const cancel = async (job: string): Promise<string> =>
      (await scenario.cancel(id, await scenario.keyOf(job), token).expect(202)).body.data.jobId;

    jobs.delivered = await scenario.settle(await sell(), 'SENT');
    jobs.parked = await scenario.settle(await sell(), 'DLQ', 'unknown product PZ-01');
    jobs.cancelled = await scenario.settle(await sell(), 'SENT');
    jobs.cancelOfDelivered = await scenario.settle(await cancel(jobs.cancelled), 'SENT');
    jobs.notCancelled = await scenario.settle(await sell(), 'SENT');
    jobs.parkedCancel = await scenario.settle(await cancel(jobs.notCancelled), 'DLQ', 'unknown order 12');
    jobs.withdrawn = await sell();
    jobs.cancelOfWithdrawn = await scenario.settle(await cancel(jobs.withdrawn), 'SENT');
    jobs.withdrawnAfterParked = await scenario.settle(await sell(), 'DLQ');
    jobs.cancelOfParked = await scenario.settle(await cancel(jobs.withdrawnAfterParked), 'SENT');
    jobs.failed = await scenario.settle(await sell(), 'FAILED');
    jobs.lateRetry = await scenario.settle(await sell(), 'FAILED');
    const closed = await scenario.restaurant('STORE-2');
    jobs.ofDeletedRestaurant = await scenario.settle(await closed.sell(), 'DLQ', 'unknown product PZ-02');
    await scenario.people.deleteRestaurant(closed.id);
    // from here on no tick takes them
    jobs.waiting = await sell();
    jobs.late = await sell();
    jobs.sending = await scenario.jobs.take(await sell());
    jobs.cancelOfSending = await cancel(jobs.sending);
    jobs.stuck = await scenario.jobs.take(await sell());
    const since = (column: string, ...names: Name[]) =>
      scenario.database.query(`UPDATE outbox_jobs SET ${column} = now() - $2::interval WHERE id = ANY ($1::uuid[])`, [
        names.map((name) => jobs[name]),
        LATE,
      ]);
    await since('next_run_at', 'late', 'lateRetry', 'cancelOfSending');
    await since('processing_at', 'stuck');
  });
  afterAll(() => scenario.close());

  const DUE: Name[] = ['waiting', 'late', 'lateRetry'];
  const LATE_ONES: Name[] = ['late', 'lateRetry'];
  const STUCK: Name[] = ['stuck'];
  const PARKED: Name[] = ['parked', 'parkedCancel'];

  const namesOf = (ids: (string | undefined)[]): Name[] =>
    ids.map((id) => Object.entries(jobs).find(([, job]) => job === id)?.[0] ?? `unknown: ${id}`).toSorted();
  const read = async (sql: string) => namesOf((await scenario.database.query<{ id: string }>(sql)).map(({ id }) => id));
  /** the jobs that psql printed */
  const printed = (text: string) => namesOf(Object.values(jobs).filter((id) => text.includes(id)));
  const finding = async (name: string) =>
    (await complaints(doctorsEnvironment)).found.find((found) => found.name === name)?.text;
  const get = async (path: string, as = admin) => (await scenario.api.get(path, as).expect(200)).body;
  const metric = async (name: string): Promise<number> => {
    const { text } = await scenario.api.get('/admin/metrics/prometheus', admin).expect(200);
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  };
  const listed = async (query: string) =>
    namesOf((await get(`/admin/jobs?limit=100&${query}`)).data.map((job: { id: string }) => job.id));

  test('the views', async () => {
    expect(await read('SELECT id FROM due_jobs')).toEqual(DUE.toSorted());
    expect(await read(`SELECT id FROM late_jobs('2 minutes')`)).toEqual(LATE_ONES);
    expect(await read(`SELECT id FROM stuck_jobs('2 minutes')`)).toEqual(STUCK);
    expect(await read('SELECT id FROM parked_jobs')).toEqual(PARKED);
  });

  test('late: metrics, alarm and doctor; stuck: doctor', async () => {
    for (const seconds of [
      (await get('/admin/metrics')).oldestDueSeconds,
      await metric('relay_oldest_due_seconds'),
      await scenario.relay.get(Alarms).oldestDueSeconds(),
    ]) {
      expect(seconds).toBeGreaterThanOrEqual(300);
      expect(seconds).toBeLessThan(360);
    }
    await scenario.relay.get(Alarms).check();
    expect(scenario.relay.logged.filter(({ event }) => event === 'alarm.jobs_late')).toHaveLength(1);
    expect(await finding('late jobs')).toMatch(/^1 restaurant: 2 due, but not sent/);
    expect(await finding('stuck jobs')).toMatch(/^1 restaurant: 1 held by a worker/);
  });

  test('parked: metrics, lists, statistics and doctor', async () => {
    const metrics = await get('/admin/metrics');
    expect(metrics.jobs.DLQ).toBe(2);
    expect(metrics.parkedByRestaurant).toMatchObject([{ restaurantId, parked: 2 }]);
    expect(await metric('relay_jobs{status="DLQ"}')).toBe(2);
    expect(await listed('status=DLQ')).toEqual(PARKED);
    const orders = `/restaurants/${restaurantId}/orders?status=DLQ`;
    const keys = async (path: string) =>
      (await get(path, token)).data.map((order: { transactionKey: string }) => order.transactionKey);
    expect(await keys(orders)).toEqual([await scenario.keyOf(jobs.parked as string)]);
    expect(await keys(`${orders}&action=CANCEL`)).toEqual([await scenario.keyOf(jobs.parkedCancel as string)]);
    expect((await get(`/restaurants/${restaurantId}/statistics`, token)).orders.DLQ).toBe(1);
    expect(await finding('parked jobs')).toMatch(/^1 restaurant: 2 given up/);
  });

  test('a restaurant whose POS refuses all: no longer one once it is deleted', async () => {
    const id = jobs.ofDeletedRestaurant as string;
    const refusing = async () => [
      (await scenario.relay.get(Alarms).refusingRestaurants()).map((restaurant) => restaurant.attempts),
      await metric('relay_refusing_restaurants'),
    ];
    const deletedAt = (value: string) =>
      scenario.database.query(
        `UPDATE restaurants SET deleted_at = ${value} FROM outbox_jobs
         WHERE outbox_jobs.id = $1 AND restaurants.id = restaurant_id`,
        [id],
      );
    await scenario.database.query(
      `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach)
       SELECT gen_random_uuid(), $1, n, now(), 1, 'FAILED', 'ANSWERED' FROM generate_series(2, 3) n`,
      [id],
    );
    expect(await refusing()).toEqual([[], 0]);
    await deletedAt('NULL');
    expect(await refusing()).toEqual([[3], 1]);
    await deletedAt('now()');
  });

  test.each([
    ['PENDING', ['waiting', 'late', 'cancelOfSending']],
    ['FAILED', ['failed', 'lateRetry']],
    ['PROCESSING', ['sending', 'stuck']],
  ])('%s: metrics and lists', async (status, names) => {
    expect(await listed(`status=${status}`)).toEqual(names.toSorted());
    expect((await get('/admin/metrics')).jobs[status]).toBe(names.length);
    expect(await metric(`relay_jobs{status="${status}"}`)).toBe(names.length);
  });

  test('statistics: each order in one state, the cancelled apart (C11)', async () => {
    const { orders } = await get(`/restaurants/${restaurantId}/statistics`, token);
    expect(orders).toEqual({ PENDING: 2, PROCESSING: 1, SENT: 2, FAILED: 2, DLQ: 1, cancelled: 4 });
  });

  testWithPsql(`the operators' SQL${NEEDS_PSQL}`, async () => {
    const run = (file: string, variables?: Record<string, string>) => psql(scenario.database, file, variables);
    expect(printed(await run('list-late.sql'))).toEqual([...DUE, ...STUCK].toSorted());
    expect(printed(await run('list-late.sql', { late: '2 minutes' }))).toEqual([...LATE_ONES, ...STUCK].toSorted());
    expect(printed(await run('list-parked.sql'))).toEqual(PARKED);
    const state = () => scenario.database.query('SELECT j::text FROM outbox_jobs j ORDER BY id');
    const before = await state();
    const resets: Record<string, Record<string, string>> = {
      'reset-parked-of-restaurant.sql': { restaurant: restaurantId },
      'reset-parked-since.sql': { since: '2020-01-01' },
      'reset-parked-with-error.sql': { error: 'HTTP 422' },
    };
    for (const [file, variables] of Object.entries(resets)) {
      // seen, and not done
      const kept = await scenario.database.query<{ id: string }>('SELECT id, last_error FROM parked_jobs');
      expect([file, printed(await run(file, variables))]).toEqual([file, PARKED]);
      for (const { id, last_error } of kept as { id: string; last_error?: string }[])
        await scenario.database.query(
          `UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL, attempts = 1, last_error = $2 WHERE id = $1`,
          [id, last_error],
        );
    }
    expect(await state()).toHaveLength(before.length);
  });

  test('a list of more parked jobs than it asks for by their ids shows the parked ones only', async () => {
    await scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT 'MANY-' || n, 'MANY-' || n, false, $1, '{}' FROM generate_series(1, $2::int) n
         RETURNING transaction_key, restaurant_id)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'DLQ', NULL, now() - interval '1 day' FROM event`,
      [restaurantId, MANY],
    );
    const newest = async (path: string, as: string) =>
      (await get(`${path}?status=DLQ&limit=3`, as)).data.map(
        (job: { transactionKey?: string; eventKey?: string }) => job.transactionKey ?? job.eventKey,
      );
    const [order, cancel] = [
      await scenario.keyOf(jobs.parked as string),
      await scenario.keyOf(jobs.parkedCancel as string),
    ];
    const many = expect.stringMatching(/^MANY-/);
    expect(await newest(`/restaurants/${restaurantId}/orders`, token)).toEqual([order, many, many]);
    expect(await newest('/admin/jobs', admin)).toEqual([cancel, order, many]);
    expect((await get('/admin/metrics')).jobs.DLQ).toBe(PARKED.length + MANY);
    await scenario.database.query(`DELETE FROM outbox_jobs WHERE event_key LIKE 'MANY-%'`);
  });

  test('the reaper takes back what is stuck, then the worker takes what is due, and nothing else', async () => {
    const states = async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(jobs).map(async ([name, id]) => [name, (await scenario.jobs.get(id)).status])),
      );
    const before = await states();
    await scenario.relay.reap();
    expect(await states()).toEqual({ ...before, stuck: 'PENDING' });
    await scenario.database.query(`UPDATE outbox_jobs SET next_run_at = now() + interval '1 hour' WHERE id = $1`, [
      jobs.stuck,
    ]);
    await scenario.relay.tick();
    const sent = Object.fromEntries(DUE.map((name) => [name, 'SENT']));
    expect(await states()).toEqual({ ...before, stuck: 'PENDING', ...sent });
  });
});
