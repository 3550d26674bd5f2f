import { Alarms } from '../../src/outbox/alarms.js';
import { Retention } from '../../src/outbox/retention.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

const DAYS = 30;

describe('retention and alarms', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_RETENTION_DAYS: String(DAYS) });
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;
  let restaurantId: string;

  beforeAll(() => {
    ({ database, jobs, pos, relay } = scenario);
  });
  beforeEach(async () => {
    await scenario.empty();
    relay.logged.length = 0;
    restaurantId = await relay.createRestaurant();
    // older than the closings: what was received before today is in none, and retention does not wait for one (B3)
    await database.query(`UPDATE restaurants SET created_at = created_at - interval '1 year'`);
  });

  /** Ages events, jobs and spent keys by this many days. */
  async function daysPass(days: number): Promise<void> {
    for (const [table, columns] of [
      ['terminal_events', ['received_at']],
      ['outbox_jobs', ['created_at', 'updated_at']],
      ['spent_keys', ['spent_at']],
    ] as const)
      await database.query(
        `UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} - $1::int * interval '1 day'`).join(', ')}`,
        [days],
      );
  }

  /** Retention stores the keys first, and removes the events a minute later. */
  async function remove(): Promise<number> {
    const retention = relay.get(Retention);
    await retention.remove();
    await database.query(`UPDATE spent_keys SET spent_at = spent_at - interval '2 minutes'`);
    return retention.remove();
  }

  const count = async (table: string) =>
    (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n;

  async function deliver(
    changes: Record<string, unknown> = {},
  ): Promise<{ id: string; body: Record<string, unknown> }> {
    const body = sale(changes);
    const id = await relay.accept(body);
    await relay.tick();
    return { id, body };
  }

  test('delivered orders older than the retention are removed with events, attempts and tickets (O22, K2)', async () => {
    for (let i = 0; i < 3; i++) await deliver();
    await daysPass(DAYS + 1);
    const { id } = await deliver();
    await database.query(`INSERT INTO tickets (id, job_id, restaurant_id, reason)
                          SELECT gen_random_uuid(), id, restaurant_id, 'LATE' FROM outbox_jobs`);
    expect(await remove()).toBe(3);
    expect(await count('terminal_events')).toBe(1);
    expect(await count('delivery_attempts')).toBe(1);
    expect(await count('tickets')).toBe(1);
    expect((await jobs.get(id)).status).toBe('SENT');
  });

  test('more old events than one statement looks at, all of one time, keep nothing behind them (O37, L142)', async () => {
    await deliver();
    await database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
       SELECT '!STAYS-' || i, '!STAYS-' || i, false, $1::uuid, '{}', received_at FROM generate_series(1, 4100) AS i, terminal_events`,
      [restaurantId],
    );
    await daysPass(DAYS + 1);
    expect(await remove()).toBe(1);
    expect(await count('terminal_events')).toBe(4_100);
  });

  test('a duplicate of a removed test transaction returns its job id and creates no order', async () => {
    const { id, body } = await deliver({ isTestTransaction: true });
    await daysPass(DAYS + 1);
    expect(await remove()).toBe(1);
    expect(await relay.accept(body)).toBe(id);
    expect(await count('outbox_jobs')).toBe(0);
  });

  test('PENDING, FAILED and DLQ jobs are never removed (O22)', async () => {
    pos.behave({ mode: 'status', status: 422 });
    await deliver();
    pos.behave({ mode: 'status', status: 503 });
    await deliver();
    await relay.accept(sale());
    await daysPass(10 * DAYS);
    expect(await remove()).toBe(0);
    expect(await jobs.countByStatus()).toEqual({ DLQ: 1, FAILED: 1, PENDING: 1 });
  });

  test('W19: the key of a removed order stays refused in its restaurant, with its job, and is free in another', async () => {
    await relay.createRestaurant({ slug: 'other', codeStoreTerminal: 'STORE-2', codeStorePos: '1002' });
    const sold = sale();
    const elsewhere = { ...sold, storeCode: 'STORE-2' };
    const [id] = [await relay.accept(sold), await relay.tick()];
    await daysPass(DAYS + 1);
    const waiting = await relay.accept(elsewhere);
    expect(await remove()).toBe(1);
    expect((await relay.post(sold).expect(400)).body).toMatchObject({ code: 'DUPLICATE_TRANSACTION', jobId: id });
    expect((await relay.post(elsewhere).expect(400)).body.jobId).toBe(waiting);
    await relay.tick();
    expect(await jobs.get(waiting)).toMatchObject({ status: 'SENT' });
  });

  test('an order that is cancelled just before its removal stays until its CANCEL job is as old', async () => {
    const { id } = await deliver();
    await daysPass(DAYS + 1);
    const { event_key: key } = await jobs.get(id);
    const token = await relay.login();
    await relay.get(Retention).remove();
    await scenario.cancel(restaurantId, key, token).expect(202);
    await database.query(`UPDATE spent_keys SET spent_at = spent_at - interval '2 minutes'`);
    expect(await relay.get(Retention).remove()).toBe(0);
    await relay.tick();
    expect(pos.orders.get(key)).toMatchObject({ cancelled: true });
    expect(await relay.get(Retention).remove()).toBe(0);
    await daysPass(DAYS + 1);
    expect(await relay.get(Retention).remove()).toBe(1);
  });

  test('more than a batch', async () => {
    await database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT 'R-' || n, 'R-' || n, false, (SELECT id FROM restaurants), '{}' FROM generate_series(1, 1200) n
         RETURNING transaction_key, restaurant_id)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', NULL FROM event`,
    );
    await daysPass(DAYS + 1);
    expect(await remove()).toBe(1200);
    expect(await count('terminal_events')).toBe(0);
  });

  describe('alarms', () => {
    const alarms = () => relay.logged.map(({ event }) => event).filter((event) => String(event).startsWith('alarm.'));

    test('a job that enters DLQ', async () => {
      pos.behave({ mode: 'status', status: 422 });
      await deliver();
      expect(alarms()).toEqual(['alarm.job_parked']);
    });

    test('a restaurant whose POS accepts no order, until it accepts one', async () => {
      pos.behave({ mode: 'status', status: 503 });
      for (let i = 0; i < 3; i++) await deliver();
      expect(await relay.get(Alarms).refusingRestaurants()).toEqual([
        {
          restaurantId,
          name: 'Pizzeria Roma',
          attempts: 3,
          cause: 'failing',
          lastError: expect.stringContaining('HTTP 503'),
        },
      ]);
      await relay.get(Alarms).check();
      expect(alarms()).toEqual(['alarm.pos_refuses_all']);
      pos.behave({ mode: 'ok' });
      await deliver();
      expect(await relay.get(Alarms).refusingRestaurants()).toEqual([]);
    });
  });
});
