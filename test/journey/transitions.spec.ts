import type { PosSimulator } from '../../tools/simulator/simulator.js';
import type { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

const LEASE_MS = 120_000;
const BACKOFF_MS = [30_000, 120_000, 300_000, 900_000, 1_800_000, 3_600_000, 3_600_000];

describe('the states (O1) and moves (O2)', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_MAX_ATTEMPTS: '8' });
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;

  beforeAll(async () => {
    ({ database, jobs, pos, relay } = scenario);
    await relay.createRestaurant();
  });
  afterEach(() => pos.behave({ mode: 'ok' }));

  async function settledAs(status: 'SENT' | 'FAILED' | 'DLQ'): Promise<string> {
    const id = await relay.accept(sale());
    if (status !== 'SENT') pos.behave({ mode: 'status', status: status === 'DLQ' ? 422 : 503 });
    await relay.tick();
    pos.behave({ mode: 'ok' });
    expect((await jobs.get(id)).status).toBe(status);
    return id;
  }

  /** A tick that sends this job; the POS does not answer before `finish`. */
  async function processing(id: string) {
    pos.behave({ mode: 'gate', register: 'before', times: 1 });
    const tick = relay.tick();
    await pos.when(() => pos.waiting === 1);
    return {
      id,
      finish: async () => {
        pos.release();
        await tick;
      },
    };
  }

  test('webhook accepted: event and job are stored, the job is PENDING with action CREATE, due now', async () => {
    const body = sale();
    const id = await relay.accept(body);
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'PENDING', action: 'CREATE', attempts: 0, event_key: body.transactionKey });
    expect(job).toMatchObject({ processing_at: null, locked_by: null, last_error: null });
    expect(job.due_in_ms).toBeLessThanOrEqual(0);
    expect(
      await database.query('SELECT 1 FROM terminal_events WHERE transaction_key = $1', [job.event_key]),
    ).toHaveLength(1);
    await relay.tick();
  });

  test('worker tick: a due PENDING job becomes PROCESSING, with processingAt and the attempt counted', async () => {
    const { id, finish } = await processing(await relay.accept(sale()));
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'PROCESSING', attempts: 1 });
    expect(job.processing_at).toBeInstanceOf(Date);
    await finish();
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', processing_at: null, locked_by: null });
    expect(pos.orders.get(job.event_key)).toMatchObject({ cooked: 1 });
  });

  test('worker tick: a FAILED job is claimed once it is due; each claim is an attempt, with the instance and a new UUID (O10)', async () => {
    const id = await settledAs('FAILED');
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({ status: 'FAILED', attempts: 1 });
    await jobs.makeDue(id);
    const { finish } = await processing(id);
    const { locked_by, attempts } = await jobs.get(id);
    await finish();
    expect(attempts).toBe(2);
    const sql = 'SELECT id FROM delivery_attempts WHERE job_id = $1 ORDER BY number';
    const [first, second] = await database.query<{ id: string }>(sql, [id]);
    expect(second?.id).not.toBe(first?.id);
    expect(locked_by).toBe(`${relay.config.instance}/${second?.id}`);
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  test('worker tick: it fails while the database is away, and the next one delivers', async () => {
    const id = await relay.accept(sale());
    const comeBack = await database.goAway();
    await relay.tick();
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'outbox.tick_failed' }));
    await comeBack();
    await relay.tick();
    expect((await jobs.get(id)).status).toBe('SENT');
  });

  test('worker tick: at most OUTBOX_BATCH_SIZE jobs, oldest due first', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 23; i++) ids.push(await relay.accept(sale()));
    await database.query(`UPDATE outbox_jobs SET next_run_at = now() - interval '1 hour' WHERE id = $1`, [ids[22]]);
    await relay.tick();
    const waiting = await Promise.all(ids.map(async (id) => (await jobs.get(id)).status === 'PENDING'));
    expect(ids.filter((_, i) => waiting[i])).toEqual(ids.slice(19, 22));
    await relay.tick();
    expect(await jobs.countByStatus()).not.toHaveProperty('PENDING');
  });

  test('POS answers 5xx: FAILED, nextRunAt = now + backoff, with every step of the backoff, then DLQ after the last attempt', async () => {
    const id = await relay.accept(sale());
    pos.behave({ mode: 'status', status: 500 });
    for (const step of BACKOFF_MS) {
      await relay.tick();
      const job = await jobs.get(id);
      expect(job.status).toBe('FAILED');
      expect(job.due_in_ms).toBeGreaterThan(step - 5_000);
      expect(job.due_in_ms).toBeLessThanOrEqual(step * 1.1);
      await jobs.makeDue(id);
    }
    await relay.tick();
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'DLQ', attempts: 8, next_run_at: null });
    expect(job.last_error).toMatch(/^gave up after 8 attempts: HTTP 500/);
    expect((await jobs.attempts(id)).map(({ number, outcome }) => `${number} ${outcome}`)).toEqual([
      ...BACKOFF_MS.map((_, i) => `${i + 1} FAILED`),
      '8 DLQ',
    ]);
  });

  test('POS answers 422: DLQ, not retried', async () => {
    const id = await settledAs('DLQ');
    const calls = pos.orderCalls;
    await relay.tick();
    expect(pos.orderCalls).toBe(calls);
    expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', next_run_at: null });
  });

  test('reaper: a job whose lease expired becomes PENDING, due now; its attempt counts and is LOST (O17)', async () => {
    const { id, finish } = await processing(await relay.accept(sale()));
    const { locked_by: lockedBy } = await jobs.get(id);
    await jobs.ageLease(id, LEASE_MS + 1_000);
    await relay.reap();
    const job = await jobs.get(id);
    expect(job).toMatchObject({ status: 'PENDING', attempts: 1, processing_at: null, locked_by: null });
    expect(job.last_error).toBe(`lease of ${lockedBy} expired`);
    expect(job.due_in_ms).toBeLessThanOrEqual(0);
    expect(await jobs.attempts(id)).toMatchObject([{ number: 1, outcome: 'LOST', reach: 'UNKNOWN' }]);
    await finish();
    await relay.tick();
  });

  test('reaper: a job whose lease is valid stays PROCESSING', async () => {
    const { id, finish } = await processing(await relay.accept(sale()));
    await jobs.ageLease(id, LEASE_MS - 10_000);
    await relay.reap();
    expect((await jobs.get(id)).status).toBe('PROCESSING');
    await finish();
  });

  test('reaper: a job whose lease expired in every attempt is parked without another call (O17)', async () => {
    const id = await relay.accept(sale());
    await database.query('UPDATE outbox_jobs SET attempts = 8 WHERE id = $1', [id]);
    const calls = pos.orderCalls;
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({ status: 'DLQ', last_error: 'gave up after 8 attempts' });
    expect(pos.orderCalls).toBe(calls);
  });

  test.each(['DLQ', 'FAILED'] as const)('operator: a reset (R11) of a %s job delivers it', async (status) => {
    const id = await settledAs(status);
    await database.query('SELECT FROM reset_jobs(ARRAY[$1::uuid])', [id]);
    await relay.tick();
    expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 1 });
  });
});
