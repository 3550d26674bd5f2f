import { Reconciler } from '../../src/capabilities/alerts/reconciler.js';
import { JobStore } from '../../src/outbox/job-store.js';
import { Pauses } from '../../src/outbox/pauses.js';
import { Reaper } from '../../src/outbox/reaper.js';
import { sale } from '../support/client.js';
import { EAGER } from '../support/environment.js';
import { type Caller, Scenario } from '../support/scenario.js';

const HOUR_MS = 3_600_000;
const REASON = 'the kitchen has too much to do';

describe('a pause of a restaurant (O49, O50)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });
  let id: string;
  let owner: Caller;
  let sell: (changes?: object) => Promise<string>;

  beforeAll(() => scenario.relay.withoutIntervals());
  beforeEach(async () => {
    await scenario.empty();
    ({ id, owner, sell } = await scenario.store());
  });

  const query = (sql: string, values: unknown[] = []) => scenario.database.query(sql, values);
  const job = (jobId: string) => scenario.jobs.get(jobId);
  const pause = (body: object = { reason: REASON }, caller = owner) =>
    scenario.api.post(`/restaurants/${id}/pause`, caller.token, body);
  const resume = (body?: object, caller = owner) => scenario.api.post(`/restaurants/${id}/resume`, caller.token, body);
  const state = async () => (await scenario.api.get(`/restaurants/${id}/state`, owner.token).expect(200)).body;
  const inTwoHours = () => new Date(Date.now() + 2 * HOUR_MS).toISOString();
  /** In how many seconds each job is due. */
  const dueIn = async (ids: readonly string[]) => {
    const rows = await query(
      `SELECT id::text, round(extract(epoch FROM next_run_at - now())::numeric, 0)::float8 AS s FROM outbox_jobs`,
    );
    return ids.map((each) => rows.find((row) => row.id === each)?.s);
  };

  test('nothing of the restaurant is sent, and sales are stored as ever; other restaurants go on (O49)', async () => {
    const other = await scenario.store();
    const failed = await scenario.settle(await sell(), 'FAILED');
    await scenario.jobs.makeDue(failed);
    const until = inTwoHours();
    expect((await pause({ until, reason: REASON }).expect(200)).body.data).toEqual({ until });
    const [waiting, elsewhere] = [await sell(), await other.sell()];
    await scenario.relay.tick();
    expect([await job(waiting), await job(failed), await job(elsewhere)]).toMatchObject([
      { status: 'PENDING', attempts: 0 },
      { status: 'FAILED', attempts: 1 },
      { status: 'SENT' },
    ]);
    await resume().expect(200);
    await query(`UPDATE outbox_jobs SET next_run_at = now() WHERE status IN ('PENDING', 'FAILED')`);
    await scenario.relay.tick();
    expect([(await job(waiting)).status, (await job(failed)).status]).toEqual(['SENT', 'SENT']);
  });

  test('a sale is not claimed when it is stored (O49, O32)', async () => {
    const other = await scenario.store();
    const eager = (await scenario.start(EAGER)).withoutIntervals();
    await pause().expect(200);
    const sellTo = (restaurantId: string) => eager.accept(sale({ storeCode: null, restaurantId }));
    const [waiting, elsewhere] = [await sellTo(id), await sellTo(other.id)];
    await scenario.jobs.until(async () => (await job(elsewhere)).status === 'SENT');
    expect(await job(waiting)).toMatchObject({ status: 'PENDING', attempts: 0 });
  });

  test('a call that is under way ends (O49)', async () => {
    const order = await sell();
    scenario.pos.behave({ mode: 'gate', register: 'before', times: 1 });
    const ticking = scenario.relay.tick();
    await scenario.pos.when(() => scenario.pos.waiting === 1);
    await pause().expect(200);
    scenario.pos.release();
    await ticking;
    expect((await job(order)).status).toBe('SENT');
  });

  test('what waited is due one by one, the oldest first, 60 a minute or as asked; a further call changes the pace (O50)', async () => {
    await pause().expect(200);
    const orders = [await sell(), await sell(), await sell()];
    await query(`UPDATE outbox_jobs SET created_at = now() - interval '1 hour' WHERE id = $1`, [orders[2]]);
    const oldestFirst = [orders[2], orders[0], orders[1]] as string[];
    const { data } = (await resume().expect(200)).body;
    expect(data).toEqual({ orders: 3, until: expect.any(String) });
    expect(await dueIn(oldestFirst)).toEqual([0, 1, 2]);
    expect(await state()).toMatchObject({ pause: null, resumingUntil: data.until, waiting: { late: 0 } });
    await resume({ perMinute: 6 }).expect(200);
    expect(await dueIn(oldestFirst)).toEqual([0, 10, 20]);
    await scenario.relay.tick();
    expect((await job(oldestFirst[0] as string)).status).toBe('SENT');
    expect((await job(oldestFirst[1] as string)).status).toBe('PENDING');
    // a new sale does not wait behind them
    const fresh = await sell();
    await scenario.relay.tick();
    expect((await job(fresh)).status).toBe('SENT');
  });

  test('the last order is looked for, too, when it has become due between two looks (O50)', async () => {
    await pause().expect(200);
    await sell();
    await resume().expect(200);
    const isDue = () => scenario.relay.get(Pauses).update();
    expect(await isDue()).toBe(true);
    await query(`UPDATE restaurants SET resuming_until = now() - interval '10 seconds' WHERE id = $1`, [id]);
    expect(await isDue()).toBe(false);
  });

  test('an order that waits for a retry is not due before it; 12 h are enough for all (O50, L244)', async () => {
    const failed = await scenario.settle(await sell(), 'FAILED');
    await query(`UPDATE outbox_jobs SET next_run_at = now() + interval '5 minutes' WHERE id = $1`, [failed]);
    await pause().expect(200);
    const orders = [await sell(), await sell()];
    await resume().expect(200);
    expect(await dueIn([failed, ...orders])).toEqual([300, 1, 2]);
    await query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT 'M-' || n, 'M-' || n, false, $1, '{}' FROM generate_series(1, 1000) n RETURNING transaction_key, restaurant_id)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, next_run_at) SELECT gen_random_uuid(), transaction_key, restaurant_id, now() FROM event`,
      [id],
    );
    await resume({ perMinute: 1 }).expect(200);
    const [{ last } = { last: 0 }] = await query(
      'SELECT extract(epoch FROM max(next_run_at) - now())::float8 / 3600 AS last FROM outbox_jobs',
    );
    expect(last).toBeGreaterThan(11.9);
    expect(last).toBeLessThanOrEqual(12);
    // waits longer than every other one, and is left alone (O38)
    await scenario.relay.get(Reaper).reap();
    const [{ far } = { far: 0 }] = await query(
      `SELECT count(*)::int AS far FROM outbox_jobs WHERE next_run_at > now() + interval '2 hours'`,
    );
    expect(far).toBeGreaterThan(800);
  });

  test.each(['resume', 'a pause that is over'])(
    'an outage that ends before all are due keeps the pace, also of orders that it held back and of those never tried (O50, O33): %s',
    async (how) => {
      const { endOutage } = scenario.relay.get(JobStore);
      const failed = [];
      for (let n = 0; n < 3; n++) failed.push(await scenario.settle(await sell(), 'FAILED', 'busy'));
      await pause().expect(200);
      const orders = [...failed, await sell()];
      if (how === 'resume') await resume({ perMinute: 6 }).expect(200);
      else {
        await query(`UPDATE restaurants SET paused_until = now() - interval '1 second' WHERE id = $1`, [id]);
        await scenario.relay.get(Pauses).update();
      }
      await query(
        `INSERT INTO pos_outages (restaurant_id, began_at, failed_at) VALUES ($1, now() - interval '1 hour', now())`,
        [id],
      );
      await query(`UPDATE outbox_jobs SET next_run_at = now() + interval '2 minutes' WHERE status = 'FAILED'`);
      expect(await endOutage(id)).toBe(3);
      const apart = how === 'resume' ? 10 : 1;
      expect(await dueIn(orders)).toEqual([0, apart, 2 * apart, 3 * apart]);
      const left = (Date.parse((await state()).resumingUntil) - Date.now()) / 1_000;
      expect(Math.abs(left - 3 * apart)).toBeLessThan(2);
      // another instance, which ends it, too, changes nothing
      await query('UPDATE outbox_jobs SET next_run_at = next_run_at + $1::interval', ['1 minute']);
      expect(await endOutage(id)).toBe(0);
      expect((await dueIn(orders))[0]).toBe(60);
    },
  );

  test('an outage that ends in a further pause leaves the pause (O49, O50)', async () => {
    const failed = await scenario.settle(await sell(), 'FAILED', 'busy');
    await pause().expect(200);
    const orders = [failed, await sell()];
    await resume({ perMinute: 1 }).expect(200);
    await pause().expect(200);
    await query(
      'INSERT INTO pos_outages (restaurant_id, began_at, failed_at) VALUES ($1, now() - $2::interval, now())',
      [...[id, '1 hour']],
    );
    await scenario.relay.get(JobStore).endOutage(id);
    expect((await state()).pause).not.toBeNull();
    await scenario.relay.tick();
    expect(await Promise.all(orders.map(async (each) => (await job(each)).status))).toEqual(['FAILED', 'PENDING']);
  });

  test('it ends by itself, and what waited is then due 60 a minute (O49, O50)', async () => {
    await pause({ until: inTwoHours(), reason: REASON }).expect(200);
    const orders = [await sell(), await sell(), await sell()];
    const pauses = scenario.relay.get(Pauses);
    expect(await pauses.update()).toBe(false);
    expect((await state()).pause).not.toBeNull();
    await query(`UPDATE restaurants SET paused_until = now() - interval '1 second' WHERE id = $1`, [id]);
    await scenario.relay.tick();
    expect((await job(orders[0] as string)).status).toBe('PENDING');
    expect(await pauses.update()).toBe(true);
    expect(await dueIn(orders)).toEqual([0, 1, 2]);
    expect((await state()).pause).toBeNull();
    await query(`UPDATE restaurants SET resuming_until = now() - interval '6 minutes' WHERE id = $1`, [id]);
    expect(await pauses.update()).toBe(false);
    expect(await query('SELECT resuming_until FROM restaurants WHERE id = $1', [id])).toEqual([
      { resuming_until: null },
    ]);
  });

  test('a pause that was begun while the clock was ahead ends (O49, S36)', async () => {
    await pause().expect(200);
    const order = await sell();
    await query(`UPDATE restaurants SET paused_until = now() + interval '1 year' WHERE id = $1`, [id]);
    await scenario.relay.get(Pauses).update();
    await scenario.relay.tick();
    expect((await job(order)).status).toBe('SENT');
  });

  test.each([
    ['over', -1_000],
    ['more than 24 h away', 24 * HOUR_MS + 120_000],
  ])('an end that is %s is a 400 (O49, L243)', async (_, ms) => {
    await pause({ until: new Date(Date.now() + ms).toISOString(), reason: REASON }).expect(400);
    expect((await state()).pause).toBeNull();
  });

  test('without an end it lasts 24 h; a further call changes end and reason; it needs a reason (O49, L243)', async () => {
    await pause({}).expect(400);
    await pause().expect(200);
    const { pause: first } = await state();
    expect(first).toMatchObject({ reason: REASON, by: owner.email });
    expect(Date.parse(first.until) - Date.parse(first.since)).toBe(24 * HOUR_MS);
    const until = inTwoHours();
    await pause({ until, reason: 'the printer is broken' }).expect(200);
    expect((await state()).pause).toEqual({
      since: first.since,
      until,
      reason: 'the printer is broken',
      by: owner.email,
    });
  });

  test('who makes orders due gets a 409: one order, all parked ones, try now, the operator (O49)', async () => {
    const parked = await scenario.settle(await sell(), 'DLQ', 'unknown product');
    const key = await scenario.keyOf(parked);
    await pause().expect(200);
    const code = async (answer: ReturnType<typeof pause>) => (await answer.expect(409)).body.code;
    const admin = await scenario.relay.login();
    expect([
      await code(scenario.api.post(`/restaurants/${id}/orders/${key}/resend`, owner.token, {})),
      await code(scenario.api.post(`/restaurants/${id}/resend`, owner.token, {})),
      await code(
        scenario.api.post(`/restaurants/${id}/orders/${key}/map`, owner.token, {
          codes: [{ kind: 'PRODUCT', terminalCode: 'X', posCode: 'Y' }],
        }),
      ),
      await code(scenario.api.post('/admin/jobs/reset', admin, { jobIds: [parked] })),
      await code(scenario.api.post('/admin/jobs/reset', admin, { restaurantId: id })),
    ]).toEqual(Array(5).fill('RESTAURANT_PAUSED'));
    const { body } = await scenario.api.post('/admin/jobs/reset', admin, { cause: 'unknown product' }).expect(200);
    expect(body.data).toEqual({ matched: 0, reset: 0 });
    expect((await job(parked)).status).toBe('DLQ');
    await resume().expect(200);
    await scenario.api.post(`/restaurants/${id}/orders/${key}/resend`, owner.token, {}).expect(202);
  });

  test('NOT_PAUSED where there is no pause; OWNER, ADMIN and MANAGER may, others may not; both are audited (O49, R27)', async () => {
    expect((await resume().expect(409)).body.code).toBe('NOT_PAUSED');
    for (const role of ['ADMIN', 'MANAGER'] as const) {
      const caller = await scenario.staff(id, role);
      await pause({ reason: role }, caller).expect(200);
      await resume({}, caller).expect(200);
    }
    for (const role of ['EMPLOYEE', 'VIEWER'] as const) {
      const caller = await scenario.staff(id, role);
      await pause({ reason: role }, caller).expect(403);
      await resume({}, caller).expect(403);
    }
    const { data } = (await scenario.api.get(`/restaurants/${id}/audit?limit=100`, owner.token).expect(200)).body;
    const acts = data.filter(({ action }: { action: string }) => /paused|resumed/.test(action));
    expect(acts).toHaveLength(4);
    expect(acts[0]).toMatchObject({ action: 'restaurant.resumed', details: { perMinute: 60, orders: 0 } });
    expect(acts[1]).toMatchObject({
      action: 'restaurant.paused',
      details: { reason: 'MANAGER', until: expect.any(String) },
    });
  });

  test('orders of a paused restaurant are not late, and Tonight says why they wait (O49, O23, R19)', async () => {
    const order = await sell();
    await query(
      `UPDATE outbox_jobs SET created_at = now() - interval '1 hour', next_run_at = now() - interval '1 hour'`,
    );
    const late = async () => (await query(`SELECT count(*)::int AS n FROM late_jobs('1 minute')`))[0]?.n;
    const alerts = async () => {
      await scenario.relay.get(Reconciler).reconcile();
      return (await query(`SELECT kind FROM alerts WHERE closed_at IS NULL AND restaurant_id = $1`, [id])).map(
        ({ kind }) => kind,
      );
    };
    // its heartbeat would say that no process delivers (G58)
    await query('DELETE FROM relay_instances');
    expect(await late()).toBe(1);
    expect(await alerts()).toEqual(['ORDER_LATE']);
    await pause().expect(200);
    await query(`UPDATE alerts SET last_at = now() - interval '1 minute'`);
    expect(await late()).toBe(0);
    expect(await alerts()).toEqual([]);
    expect(await state()).toMatchObject({
      pause: { reason: REASON },
      waiting: { orders: 1, late: 0 },
      needs: [{ kind: 'PAUSED', count: 1 }],
    });
    const { body } = await scenario.api.get('/restaurants/overview', owner.token).expect(200);
    expect(body.data[0].light).toBe('wait');
    await resume({ perMinute: 1 }).expect(200);
    expect(await alerts()).toEqual([]);
    expect((await job(order)).status).toBe('PENDING');
  });
});
