import { JobStore } from '../../src/outbox/job-store.js';
import { Outages } from '../../src/outbox/outages.js';
import { sale } from '../support/client.js';
import { Scenario } from '../support/scenario.js';
import type { JobRow } from './jobs.js';

/** No tick of the schedule during a test. */
const NEVER = '3600000';
const DOWN = { mode: 'status', status: 503 } as const;
/** POS_TIMEOUT_MS of the tests and the margin */
const STEP_MS = 30_000;

describe('the POS is back (O33)', () => {
  let scenario: Scenario;

  async function start(changes: Record<string, string> = {}) {
    scenario = await Scenario.open({
      WORKER_ENABLED: 'true',
      OUTBOX_PACE: 'eager',
      OUTBOX_TICK_MS: NEVER,
      ...changes,
    });
    await scenario.relay.createRestaurant();
  }
  afterEach(() => scenario.close());

  const job = (id: string): Promise<JobRow> => scenario.jobs.get(id);
  const update = () => scenario.relay.get(Outages).update();
  const until = (id: string, status: string) => scenario.jobs.until(async () => (await job(id)).status === status);
  const triedAgain = (id: string, attempts: number) =>
    scenario.jobs.until(async () => {
      const row = await job(id);
      return row.attempts === attempts && row.status !== 'PROCESSING';
    });

  async function sell(status: 'SENT' | 'FAILED'): Promise<string> {
    const id = await scenario.relay.accept(sale());
    await until(id, status);
    return id;
  }

  async function tryNow(id: string, attempts: number): Promise<void> {
    await scenario.jobs.makeDue(id);
    await scenario.relay.tick();
    await triedAgain(id, attempts);
  }

  /** As the schedule does each second. */
  async function updateUntil(condition: () => Promise<boolean>): Promise<void> {
    await scenario.jobs.until(async () => {
      if (await update()) void scenario.relay.tick();
      return condition();
    });
  }

  test('the first delivery makes the orders of the outage due, with their attempts', async () => {
    await start();
    scenario.pos.behave(DOWN);
    const failed = [await sell('FAILED'), await sell('FAILED'), await sell('FAILED')];
    await update();
    scenario.pos.behave({ mode: 'ok' });
    await sell('SENT');
    await updateUntil(async () => (await scenario.jobs.countByStatus()).SENT === 4);
    for (const id of failed) expect(await job(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  test('each cause of an outage counts, and no other cause', async () => {
    await start();
    const answers = [
      [{ mode: 'reset' }, 'unanswered', true],
      [{ mode: 'status', status: 500 }, 'failing', true],
      [{ mode: 'status', status: 429 }, 'failing', true],
      [{ mode: 'status', status: 401 }, 'sign_in', true],
      [{ mode: 'status', status: 429, retryAfter: 600 }, 'busy', false],
    ] as const;
    for (const [answer, cause, counts] of answers) {
      scenario.pos.behave(answer);
      const id = await sell('FAILED');
      expect((await job(id)).cause).toBe(cause);
      await update();
      scenario.pos.behave({ mode: 'ok' });
      await sell('SENT');
      await update();
      const { due_in_ms: dueInMs } = await job(id);
      if (counts) await updateUntil(async () => (await job(id)).status === 'SENT');
      else expect(dueInMs).toBeGreaterThan(500_000);
    }
  });

  test('an order that alone makes the POS fail is made due once, then keeps its backoff', async () => {
    await start();
    scenario.pos.behave(DOWN);
    const bad = await sell('FAILED');
    await update();
    scenario.pos.behave({ mode: 'ok' });
    await sell('SENT');
    scenario.pos.behave({ ...DOWN, times: 1 });
    await updateUntil(async () => (await job(bad)).attempts === 2);
    await until(bad, 'FAILED');
    await update();
    await sell('SENT');
    await update();
    expect(await job(bad)).toMatchObject({ status: 'FAILED', attempts: 2 });
    expect((await job(bad)).due_in_ms).toBeGreaterThan(100_000);
  });

  test('it is made due again after an outage of other orders in which it failed', async () => {
    await start();
    scenario.pos.behave(DOWN);
    const bad = await sell('FAILED');
    await update();
    scenario.pos.behave({ mode: 'ok', times: 1 });
    await sell('SENT');
    scenario.pos.behave(DOWN);
    await updateUntil(async () => (await job(bad)).attempts === 2);
    await until(bad, 'FAILED');
    const other = await sell('FAILED');
    await update();
    await tryNow(bad, 3);
    await update();
    scenario.pos.behave({ mode: 'ok' });
    await sell('SENT');
    await updateUntil(async () => (await scenario.jobs.countByStatus()).SENT === 4);
    expect(await job(other)).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  test('while it lasts, the others wait behind the backoff of the oldest', async () => {
    await start();
    scenario.pos.behave(DOWN);
    const [oldest, second, third] = [await sell('FAILED'), await sell('FAILED'), await sell('FAILED')];
    await update();
    const waits = async (id: string) => (await job(id)).due_in_ms as number;
    expect(await waits(oldest)).toBeLessThanOrEqual(33_000);
    await updateUntil(async () => Math.min(await waits(second), await waits(third)) > (await waits(oldest)));
    await scenario.database.query('UPDATE pos_outages SET ladder_at = now()');
    await tryNow(oldest, 2);
    await updateUntil(async () => (await waits(third)) > 100_000);
    for (const id of [second, third]) {
      expect(await job(id)).toMatchObject({ attempts: 1 });
      expect(await waits(id)).toBeLessThan(132_000 + STEP_MS);
    }
  });

  test('an outage of one restaurant changes nothing for another', async () => {
    await start();
    await scenario.relay.createRestaurant({ name: 'Trattoria', codeStoreTerminal: 'T-OTHER', codeStorePos: '1002' });
    scenario.pos.behave(DOWN);
    const mine = await sell('FAILED');
    const theirs = await scenario.relay.accept(sale({ storeCode: 'T-OTHER' }));
    await until(theirs, 'FAILED');
    await update();
    scenario.pos.behave({ mode: 'ok' });
    await sell('SENT');
    await updateUntil(async () => (await job(mine)).status === 'SENT');
    expect(await job(theirs)).toMatchObject({ status: 'FAILED', attempts: 1 });
  });

  test('an outage that another instance has recorded ends with a delivery of this instance', async () => {
    await start();
    scenario.pos.behave(DOWN);
    const failed = await sell('FAILED');
    await update();
    const second = await scenario.start();
    scenario.pos.behave({ mode: 'ok' });
    await until(await second.accept(sale()), 'SENT');
    await scenario.jobs.until(async () => {
      if (await second.get(Outages).update()) void second.tick();
      return (await job(failed)).status === 'SENT';
    });
  });

  test('a test order is no sign of the POS of the other orders (D2)', async () => {
    await start();
    scenario.pos.behave(DOWN);
    const failed = await sell('FAILED');
    await update();
    scenario.pos.behave({ mode: 'ok' });
    const test = await scenario.relay.accept(sale({ isTestTransaction: true }));
    await until(test, 'SENT');
    await update();
    expect((await job(failed)).due_in_ms).toBeGreaterThan(10_000);
  });

  test('tick keeps the backoff of O14', async () => {
    await start({ OUTBOX_PACE: 'tick' });
    scenario.pos.behave(DOWN);
    const failed = await scenario.relay.accept(sale());
    await scenario.relay.tick();
    await update();
    scenario.pos.behave({ mode: 'ok' });
    const good = await scenario.relay.accept(sale());
    await scenario.relay.tick();
    await until(good, 'SENT');
    await update();
    expect((await job(failed)).due_in_ms).toBeGreaterThan(20_000);
    expect(await scenario.database.query('SELECT FROM pos_outages')).toEqual([]);
  });

  test('2,000 orders of one outage become due within 4 s, the oldest first', async () => {
    await start();
    scenario.pos.behave(DOWN);
    const first = await sell('FAILED');
    await update();
    await scenario.database.query(`
      INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
      SELECT 'bulk-' || n, 'bulk-' || n, false, restaurant_id, payload FROM terminal_events, generate_series(1, 2000) n`);
    await scenario.database.query(`
      INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, cause, last_error, created_at)
      SELECT gen_random_uuid(), transaction_key, restaurant_id, 'FAILED', 1, now() + interval '1 hour', 'failing', 'HTTP 503',
             now() + right(transaction_key, -5)::int * interval '1 millisecond'
      FROM terminal_events WHERE transaction_key LIKE 'bulk-%'`);
    scenario.pos.behave({ mode: 'gate', register: 'before' });
    await scenario.database.query(`UPDATE outbox_jobs SET status = 'PENDING' WHERE id = $1`, [first]);
    const [restaurant] = await scenario.database.query<{ id: string }>(
      'SELECT restaurant_id::text AS id FROM pos_outages',
    );
    expect(await scenario.relay.get(JobStore).endOutage(restaurant?.id as string)).toBe(2_000);
    const [row] = await scenario.database.query(`
      SELECT max(next_run_at) < now() + interval '4 seconds' AS soon,
             bool_and(next_run_at >= before) AS ordered
      FROM (SELECT next_run_at, recovered_at, lag(next_run_at, 1, next_run_at) OVER (PARTITION BY recovered_at ORDER BY created_at) AS before
            FROM outbox_jobs WHERE event_key LIKE 'bulk-%') AS bulk`);
    expect(row).toEqual({ soon: true, ordered: true });
    scenario.pos.release();
  });
});
