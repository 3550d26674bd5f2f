import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { Reconciler } from '../../../src/capabilities/alerts/reconciler.js';
import { DayRounds } from '../../../src/capabilities/days/day-rounds.js';
import { Alarms } from '../../../src/outbox/alarms.js';
import { Instances } from '../../../src/outbox/instances.js';
import { Retention } from '../../../src/outbox/retention.js';
import { Config } from '../../../src/platform/config/config.js';
import { DatabaseClock } from '../../../src/platform/database/clock.js';
import { RestaurantDays } from '../../capabilities/days/restaurant-days.js';
import { sale } from '../../support/client.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { withClock } from '../../support/wrong-clock.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('two clocks that differ', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_RETENTION_DAYS: '1' });

  const closings = async () =>
    (await scenario.database.query<{ count: number }>('SELECT count(*)::int AS count FROM business_days'))[0]?.count;
  /** A restaurant whose business day ended three hours ago, with a sale of that day. */
  const overSinceHours = async () => {
    const since = new Date(Date.now() - 15 * HOUR_MS).toISOString();
    const end = new Date(Date.now() - 3 * HOUR_MS);
    const zone = end.getUTCHours() < 12 ? 'UTC' : 'Etc/GMT+12';
    const [local] = await scenario.database.query<{ at: string }>(
      `SELECT to_char($1::timestamptz AT TIME ZONE $2, 'HH24:MI') AS at`,
      [end.toISOString(), zone],
    );
    return RestaurantDays.open(scenario, since, zone, local?.at);
  };

  // a heartbeat while the clock of this process is wrong would be a step that the relay has seen
  beforeAll(() => void scenario.relay.withoutIntervals());
  beforeEach(() => scenario.empty());

  test.each([
    ['a day ahead', DAY_MS],
    ['ten minutes behind', -600_000],
  ])(
    'the clock of this machine steps, %s: no day is closed by itself, for an hour; a person closes the day (B19, S36, L145, L146)',
    async (_, ms) => {
      const relay = await scenario.start();
      const days = await overSinceHours();
      expect(await withClock(ms, () => relay.get(DayRounds).run())).toBe(0);
      expect(await relay.get(DayRounds).run()).toBe(0);
      expect(relay.get(DatabaseClock).trusted).toBeNull();
      expect(await closings()).toBe(0);
      const { data } = (await scenario.api.get(`${days.path}`, days.token).expect(200)).body;
      expect(data).toEqual([]);
      const [day] = await scenario.database.query<{ day: string }>(
        `SELECT to_char(business_day(days_since, timezone, day_closes_at), 'YYYY-MM-DD') AS day FROM restaurants WHERE id = $1`,
        [days.id],
      );
      await relay.api.post(`${days.path}/${day?.day}/close`, days.token).expect(201);
      expect(await closings()).toBe(1);
      // an hour later
      const now = performance.now;
      performance.now = () => now.call(performance) + HOUR_MS + 1_000;
      try {
        await withClock(HOUR_MS + 1_000, async () => expect(relay.get(DatabaseClock).trusted).not.toBeNull());
      } finally {
        performance.now = now;
      }
      await relay.close();
    },
  );

  test.each([
    ['a day', '1 day', 0],
    ['a minute', '1 minute', 1],
  ])(
    'a start after instances that were last heard of %s ago: the clock may be ahead since (S36, L145, L146)',
    async (_, silence, closed) => {
      await overSinceHours();
      await scenario.database.query('DELETE FROM relay_instances');
      await scenario.database.query(
        `INSERT INTO relay_instances (id, version, host, worker_enabled, pace, last_seen_at)
         VALUES ('another-machine:7', '1', 'another-machine', true, 'eager', now() - $1::interval)`,
        [silence],
      );
      const relay = await scenario.start();
      await relay.get(Instances).beat();
      // the second heartbeat is after one of its own
      await relay.get(Instances).beat();
      expect(await relay.get(DayRounds).run()).toBe(closed);
      await scenario.database.query(`DELETE FROM relay_instances WHERE id = 'another-machine:7'`);
      await relay.close();
    },
  );

  test('a clock that steps by less closes days as before (L145)', async () => {
    await overSinceHours();
    expect(await withClock(240_000, () => scenario.relay.get(DayRounds).run())).toBe(1);
  });

  test('nothing is removed while they differ: orders, alerts, sessions, files, invitations (S36)', async () => {
    const relay = await scenario.start();
    const { id, owner, sell } = await scenario.store();
    await scenario.settle(await sell(), 'SENT');
    await scenario.database.query(
      `UPDATE terminal_events SET received_at = received_at - interval '40 days', test_mode = true`,
    );
    await scenario.database.query(`UPDATE outbox_jobs SET updated_at = updated_at - interval '40 days'`);
    await scenario.database.query(
      `INSERT INTO alerts (id, kind, count, closed_at) VALUES (gen_random_uuid(), 'DATABASE', 1, now() - interval '40 days')`,
    );
    await scenario.database.query(
      `INSERT INTO console_sessions (id, user_id, address, expires_at) VALUES (gen_random_uuid(), $1, '192.0.2.1', now() - interval '1 day')`,
      [owner.id],
    );
    const count = async () =>
      (
        await scenario.database.query<Record<string, number>>(
          `SELECT (SELECT count(*)::int FROM terminal_events) AS events, (SELECT count(*)::int FROM spent_keys) AS spent,
             (SELECT count(*)::int FROM alerts) AS alerts, (SELECT count(*)::int FROM console_sessions WHERE expires_at < now()) AS sessions`,
        )
      )[0];
    const live = async (of: TestRelay) => {
      await of.get(Retention).remove();
      await scenario.database.query(`UPDATE spent_keys SET spent_at = spent_at - interval '1 hour'`);
      await of.get(Retention).remove();
      // no process delivers here (G58)
      await scenario.database.query('DELETE FROM relay_instances');
      await of.get(Reconciler).reconcile();
      await of.api.post('/console/session').send({ email: owner.email, password: owner.password });
    };
    await withClock(DAY_MS, async () => relay.get(DatabaseClock).trusted);
    await live(relay);
    expect(await count()).toEqual({ events: 1, spent: 0, alerts: 1, sessions: 1 });
    await relay.get(Retention).remove();
    await live(scenario.relay);
    expect(await count()).toMatchObject({ events: 0, spent: 1, alerts: 0 });
    expect(id).toBeDefined();
    await relay.close();
  });

  whereServer(
    `a difference that lasts is an alarm, and in the metrics; no day is closed (S37, B19)${NEEDS_SERVER}`,
    async () => {
      await overSinceHours();
      await withClock(-DAY_MS, async () => {
        const relay = await scenario.start();
        expect(await relay.get(DayRounds).run()).toBe(0);
        await relay.get(Alarms).watchDatabase();
        await relay.get(Alarms).watchDatabase();
        const lines = relay.logged.filter(({ event }) => event === 'alarm.clock_differs');
        expect(lines).toHaveLength(1);
        expect(Math.abs(Number(lines[0]?.databaseAheadSeconds) - 86_400)).toBeLessThan(60);
        await relay.close();
      });
      expect(await scenario.relay.get(DayRounds).run()).toBe(1);
    },
  );

  test('clocks that agree are no alarm (S37)', async () => {
    await scenario.relay.get(Alarms).watchDatabase();
    expect(scenario.relay.logged.filter(({ event }) => event === 'alarm.clock_differs')).toEqual([]);
    expect(Math.abs(await scenario.relay.get(DatabaseClock).aheadMs())).toBeLessThan(60_000);
  });

  test("after a step of the database's clock leases are judged a lease later: what a worker sends now is not sent again (O40)", async () => {
    const relay = await scenario.start();
    await relay.createRestaurant();
    await relay.reap();
    const job = await scenario.jobs.take(await relay.accept(sale()));
    await scenario.jobs.ageLease(job, HOUR_MS);
    const now = performance.now;
    const elapsed = (ms: number) => (performance.now = () => now.call(performance) + ms);
    try {
      // the database's clock steps by an hour: for this process no time has passed
      elapsed(-HOUR_MS);
      await relay.reap();
      expect(await scenario.jobs.get(job)).toMatchObject({ status: 'PROCESSING' });
      expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'outbox.clock_stepped' }));
      elapsed(-HOUR_MS + 121_000);
      await relay.reap();
    } finally {
      performance.now = now;
    }
    await relay.close();
  });

  describe('an instance starts after the step, and has not seen it (O40)', () => {
    const HOLDER = 'another-machine:7';
    const LEASE_MS = 3_000;
    let relay: TestRelay;
    let job: string;

    /** A job that an instance has claimed whose last heartbeat is as old as the lease. */
    async function held(holder: string): Promise<void> {
      relay = await scenario.start({ PROCESSING_TTL_MS: String(LEASE_MS), POS_TIMEOUT_MS: '900' });
      await relay.createRestaurant();
      job = await scenario.jobs.take(await relay.accept(sale()));
      await scenario.jobs.ageLease(job, HOUR_MS);
      await scenario.database.query(`UPDATE outbox_jobs SET locked_by = $2 || right(locked_by, 37) WHERE id = $1`, [
        job,
        holder,
      ]);
      await scenario.database.query(
        `INSERT INTO relay_instances (id, version, host, worker_enabled, pace, last_seen_at)
         VALUES ($1, '1', 'another-machine', true, 'eager', now() - interval '1 hour')`,
        [holder],
      );
    }
    const reaped = async () => {
      await relay.reap();
      return (await scenario.jobs.get(job)).status;
    };
    afterEach(async () => {
      await scenario.database.query('DELETE FROM relay_instances WHERE id <> $1', [relay.get(Config).instance]);
      await relay.close();
    });

    test('the heartbeat of a worker that is at work comes: its claims are judged a lease later', async () => {
      await held(HOLDER);
      expect(await reaped()).toBe('PROCESSING');
      await scenario.database.query('UPDATE relay_instances SET last_seen_at = now() WHERE id = $1', [HOLDER]);
      expect(await reaped()).toBe('PROCESSING');
      expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'outbox.clock_stepped', waitMs: LEASE_MS }));
      await until(async () => (await reaped()) === 'PENDING');
    });

    test('no heartbeat comes: its claims are judged a lease later', async () => {
      await held(HOLDER);
      expect(await reaped()).toBe('PROCESSING');
      await until(async () => (await reaped()) === 'PENDING');
    });

    test('a process of this machine that has ended is known at once', async () => {
      const { pid } = spawnSync(process.execPath, ['-e', '']);
      await held(`${hostname()}:${pid}`);
      expect(await reaped()).toBe('PENDING');
    });
  });
});
