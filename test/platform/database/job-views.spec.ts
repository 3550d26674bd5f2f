import { Alarms } from '../../../src/outbox/alarms.js';
import { complaints } from '../../capabilities/doctor/doctor.js';
import { Scenario } from '../../support/scenario.js';
import { NEEDS_PSQL, psql, testWithPsql } from './psql.js';

type Name = string;

/** Longer than the lease, two ticks of the doctor and ALARM_LATE_MS. */
const LATE = '5 minutes';

describe('due, late, stuck and parked are the same jobs in views, API, metrics, doctor and SQL files', () => {
  const scenario = Scenario.ofSuite();
  let restaurantId: string;
  let token: string;
  let admin: string;
  /** what became of a sale -> its job */
  const jobs: Record<Name, string> = {};
  let doctorsEnvironment: Readonly<Record<string, string>>;

  beforeAll(async () => {
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
    // no tick after this line
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

  test('a deleted restaurant is not among those whose POS refuses everything', async () => {
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
    const resets: Record<string, Record<string, string>> = {
      'reset-parked-of-restaurant.sql': { restaurant: restaurantId },
      'reset-parked-since.sql': { since: '2020-01-01' },
      'reset-parked-with-error.sql': { error: 'HTTP 422' },
      // the cause of both jobs since the first reset
      'reset-parked-with-cause.sql': { cause: 'HTTP 422' },
    };
    for (const [file, variables] of Object.entries(resets)) {
      expect([file, printed(await run(file, variables))]).toEqual([file, PARKED]);
      await scenario.database.query(
        `UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL, attempts = 1, last_error = 'HTTP 422'
         WHERE status = 'PENDING' AND id = ANY ($1::uuid[])`,
        [PARKED.map((name) => jobs[name])],
      );
    }
  });

  test('the reaper releases stuck jobs, then the worker claims due ones, and nothing else', async () => {
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
