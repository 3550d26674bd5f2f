import { Outgoing } from '../../src/capabilities/channels/outgoing.js';
import { JobStore } from '../../src/outbox/job-store.js';
import { Evening } from '../capabilities/alerts/evening.js';
import { Scenario } from '../support/scenario.js';

describe('times of the future, one by one', () => {
  const scenario = Scenario.ofSuite({ POS_TIMEOUT_MS: '5000' });
  let alerts: Evening;
  beforeAll(() => {
    alerts = Evening.on(scenario);
  });
  beforeEach(() => scenario.empty());

  const query = (sql: string, ...values: unknown[]) => scenario.database.query(sql, values);
  const ahead = (time: string) => `now() + interval '${time}'`;

  test.each([
    ['FAILED', '74 minutes', false, false],
    ['FAILED', '76 minutes', false, true],
    ['FAILED', '20 minutes', true, true],
    ['FAILED', '20 minutes', false, false],
    ['FAILED', '5 seconds', true, false],
  ])(
    'an order that is %s and due in %s, a sale of the future: %s, is due now: %s (O38, L147, L148)',
    async (_, due, isMoved, isDue) => {
      const { sell } = await scenario.store();
      const id = await scenario.settle(await sell(), 'FAILED');
      const moved = isMoved ? ahead(due) : 'now()';
      await query(`UPDATE terminal_events SET received_at = ${moved}`);
      await query(`UPDATE outbox_jobs SET next_run_at = ${ahead(due)}, updated_at = ${moved}`);
      await scenario.relay.reap();
      const { due_in_ms } = await scenario.jobs.get(id);
      expect((due_in_ms ?? 0) <= 0).toBe(isDue);
    },
  );

  test('the lease of a claim of the future begins now (O38)', async () => {
    const { sell } = await scenario.store();
    const id = await scenario.jobs.take(await sell());
    await query(`UPDATE outbox_jobs SET processing_at = ${ahead('1 day')}`);
    await scenario.relay.reap();
    expect(await scenario.jobs.get(id)).toMatchObject({ status: 'PROCESSING' });
    await scenario.jobs.ageLease(id, 130_000);
    await scenario.relay.reap();
    expect(await scenario.jobs.get(id)).toMatchObject({ status: 'PENDING', cause: 'lost' });
  });

  test('an attempt of the future ended when the next attempt of its job began (O41)', async () => {
    const { id: restaurantId, sell } = await scenario.store();
    const id = await scenario.settle(await sell(), 'FAILED');
    const eventKey = await scenario.keyOf(id);
    await query('DELETE FROM delivery_attempts');
    const attempt = (number: number, startedAt: string, reach: string, code: string | null) =>
      query(
        `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach, error_code)
         VALUES (gen_random_uuid(), $1, $2, ${startedAt}, 10, 'FAILED', $3::attempt_reach, $4)`,
        ...[id, number, reach, code],
      );
    await attempt(1, ahead('1 day'), 'UNKNOWN', 'TIMEOUT');
    const traces = () => scenario.relay.get(JobStore).tracesOf({ eventKey, restaurantId, action: 'CREATE' });
    const first = await traces();
    expect(first).toMatchObject({ mayHaveArrived: true, notFoundForMs: null });
    expect(first.deadlineInMs).toBeLessThanOrEqual(5_000);
    await attempt(2, `now() - interval '60 seconds'`, 'NOT_SENT', 'ASKED_NOT_FOUND');
    await attempt(3, `now() - interval '30 seconds'`, 'NOT_SENT', 'ASKED_NOT_FOUND');
    const third = await traces();
    expect(third).toMatchObject({ mayHaveArrived: true, deadlineInMs: 0 });
    expect(third.notFoundForMs).toBeGreaterThan(29_000);
    expect(third.notFoundForMs).toBeLessThan(59_000);
  });

  test('what was stored in the future is not of the last minute (R57)', async () => {
    const { sell } = await scenario.store();
    await scenario.settle(await sell(), 'SENT');
    await query(`UPDATE terminal_events SET received_at = ${ahead('1 day')}`);
    await query(`UPDATE delivery_attempts SET started_at = ${ahead('1 day')}`);
    const admin = await scenario.person('ADMIN');
    const { body } = await scenario.api.get('/admin/metrics', admin.token).expect(200);
    expect(body).toMatchObject({
      lastMinute: { received: 0, sent: 0 },
      lastHour: { received: 0, sent: 0 },
      attemptsByAnswer: [],
    });
  });

  test('an order that was stored in the future is late since the time in its id (O39)', async () => {
    const { sell } = await scenario.store();
    const id = await scenario.settle(await sell(), 'FAILED');
    await query(`UPDATE outbox_jobs SET created_at = ${ahead('1 day')}, updated_at = now() - interval '6 minutes'`);
    await alerts.round();
    expect(await alerts.alerts()).toMatchObject([{ kind: 'ORDER_LATE' }]);
    expect(id).toBeDefined();
  });

  test.each([
    [1, '74 minutes', 0],
    [1, '76 minutes', 1],
    [0, '24 hours', 0],
    [0, '26 hours', 1],
  ])('a message after %s tries whose next one is in %s: %s is sent (G42, L149)', async (attempts, time, sent) => {
    const { id, owner } = await scenario.store();
    alerts.sent.length = 0;
    await query(
      `INSERT INTO alerts (id, restaurant_id, kind, count, dedup_key) VALUES ('00000000-0000-4000-8000-000000000001', $1, 'ORDER_LATE', 1, 'x')`,
      id,
    );
    await query(
      `INSERT INTO notifications (id, alert_id, step, channel, recipient, user_id, attempts, next_try_at)
       VALUES (gen_random_uuid(), '00000000-0000-4000-8000-000000000001', 0, 'push', 'user:' || $1::text, $1::uuid, $2, ${ahead(time)})`,
      ...[owner.id, attempts],
    );
    await scenario.relay.get(Outgoing).send();
    expect(alerts.sent).toHaveLength(sent);
  });

  // last: the relays of a process share one guard of tokens, that of the relay that was started last
  test('a POS token of the future is not used, and a renewal of the future blocks no other (O42)', async () => {
    const { sell } = await scenario.store();
    const first = await scenario.start();
    await sell();
    await first.tick();
    await first.close();
    const [before] = await query('SELECT generation FROM pos_tokens');
    await query(
      `UPDATE pos_tokens SET updated_at = ${ahead('1 day')}, expires_at = ${ahead('25 hours')}, renewing_by = 'gone', renewing_until = ${ahead('1 day')}`,
    );
    const relay = await scenario.start();
    const id = await sell();
    await relay.tick();
    expect(await scenario.jobs.get(id)).toMatchObject({ status: 'SENT' });
    expect(await query('SELECT generation FROM pos_tokens')).toEqual([{ generation: Number(before?.generation) + 1 }]);
    await relay.close();
  });
});
