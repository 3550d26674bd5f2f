import { AlertRound } from '../../../src/capabilities/alerts/alert-round.js';
import { Escalation } from '../../../src/capabilities/alerts/escalation.js';
import { Outgoing } from '../../../src/capabilities/channels/outgoing.js';
import { Alarms } from '../../../src/outbox/alarms.js';
import { Instances } from '../../../src/outbox/instances.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { Evening } from './evening.js';

describe('alerts of the platform', () => {
  const evening = Evening.ofSuite();
  type Store = Awaited<ReturnType<Evening['scenario']['restaurant']>>;
  let admin: Awaited<ReturnType<Evening['scenario']['person']>>;

  beforeEach(async () => {
    admin = await evening.scenario.person('ADMIN');
    evening.reach(admin.id);
  });

  const query = (sql: string, values: unknown[] = []) => evening.scenario.database.query(sql, values);
  const open = async () =>
    (await evening.alerts())
      .filter(({ closed_at }) => closed_at === null)
      .map(({ kind }) => kind)
      .sort();
  const of = async (kind: string) => (await evening.alerts()).filter((alert) => alert.kind === kind);

  /**
   * Restaurants with an order each that failed with this error, in an outage since some minutes.
   * @param founder of all of them; absent: each has its own
   */
  async function failing(count: number, cause: string, error: string, founder?: string): Promise<Store[]> {
    const stores: Store[] = [];
    for (let i = 0; i < count; i++) {
      const store = await evening.scenario.store();
      if (founder) await query('UPDATE restaurants SET founded_by = $2 WHERE id = $1', [store.id, founder]);
      evening.reach(store.owner.id);
      await evening.scenario.settle(await store.sell(), 'FAILED');
      await query('UPDATE outbox_jobs SET cause = $2, last_error = $3 WHERE restaurant_id = $1', [
        store.id,
        cause,
        error,
      ]);
      await query(
        `INSERT INTO pos_outages (restaurant_id, began_at, failed_at) VALUES ($1, now() - interval '10 minutes', now())`,
        [store.id],
      );
      stores.push(store);
    }
    return stores;
  }

  test('three restaurants with the same answer of the POS are one alert of the platform, and none of theirs (G50, G55, L200)', async () => {
    await failing(3, 'failing', 'HTTP 503: maintenance until 09:12');
    await evening.begin();
    expect(await open()).toEqual(['VENDOR_DOWN']);
    expect(await of('VENDOR_DOWN')).toMatchObject([
      {
        ...{ restaurant_id: null, cause: 'failing', count: 3 },
        details: { short: 'HTTP 503', answer: 'HTTP 503: maintenance until #', orders: 3, since: expect.any(String) },
      },
    ]);
    expect(evening.sent.map(({ recipient }) => (recipient as { userId: string }).userId)).toEqual([admin.id]);
    expect(evening.told()).toEqual([
      expect.stringMatching(/^push The POS of 3 restaurants fails \(HTTP 503\): 3 orders wait, since .*UTC$/),
    ]);
  });

  test('two restaurants, and three with different answers, are told each (G50)', async () => {
    await failing(2, 'failing', 'HTTP 503: maintenance');
    const [away] = await failing(
      1,
      'unanswered',
      'no answer from the POS: ECONNREFUSED: connect ECONNREFUSED 10.0.0.1:443',
    );
    await evening.begin();
    expect(await open()).toEqual(['POS_REFUSES', 'POS_REFUSES', 'POS_REFUSES']);
    // what waits is sent automatically: nobody sends it again, or enters it by hand (R67)
    const { message } = evening.sent.find(
      ({ recipient }) => (recipient as { userId: string }).userId === away?.owner.id,
    ) as (typeof evening.sent)[number];
    expect(message.text).toContain(
      'Check that the POS is on and has a network. Nothing is lost: it is sent automatically as soon as the POS accepts it. Do not enter it in the till by hand: it would be there twice.',
    );
  });

  test('an open alert of a restaurant stays, and takes no step while the vendor is down; it goes on afterwards (G55)', async () => {
    const [first] = await failing(1, 'failing', 'HTTP 503: maintenance');
    await evening.begin();
    expect(evening.told()).toEqual([expect.stringContaining('the POS takes no orders')]);
    const others = await failing(2, 'failing', 'HTTP 503: maintenance');
    await evening.after(6);
    await evening.after(30);
    expect(evening.told().filter((title) => title.includes('takes no orders'))).toEqual([]);
    expect(await open()).toEqual(['POS_REFUSES', 'VENDOR_DOWN']);
    for (const { id } of others) await query('UPDATE pos_outages SET ended_at = now() WHERE restaurant_id = $1', [id]);
    await evening.after(1);
    await evening.after(2);
    expect(await open()).toEqual(['POS_REFUSES']);
    expect(evening.told()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^push Solved: the POS no longer fails/),
        expect.stringMatching(/^mail .*the POS takes no orders/),
      ]),
    );
    expect(await of('POS_REFUSES')).toMatchObject([{ restaurant_id: first?.id }]);
  });

  test('a refused sign-in is told to the platform with the names, and to the restaurant, which can mend it (G52)', async () => {
    const stores = await failing(3, 'sign_in', 'POS sign-in failed: HTTP 401: unknown partner');
    await evening.begin();
    expect(await open()).toEqual(['POS_REFUSES', 'POS_REFUSES', 'POS_REFUSES', 'SIGN_IN']);
    const [alert] = await of('SIGN_IN');
    const names = await query('SELECT name FROM restaurants WHERE id = ANY ($1)', [stores.map(({ id }) => id)]);
    expect(alert).toMatchObject({ restaurant_id: null, count: 3, details: { orders: 3 } });
    expect((alert as unknown as { details: { names: string[] } }).details.names.sort()).toEqual(
      names.map(({ name }) => name).sort(),
    );
  });

  test('a process that does not deliver tells it while no other does; late orders are told once, to the platform (G58, G55)', async () => {
    const store = await evening.scenario.store();
    evening.reach(store.owner.id);
    await store.sell();
    await query(
      `UPDATE outbox_jobs SET created_at = now() - interval '9 minutes', next_run_at = now() - interval '9 minutes'`,
    );
    const process = (id: string, delivers: boolean, ago = '0') =>
      query(
        `INSERT INTO relay_instances (id, version, host, worker_enabled, pace, started_at, last_seen_at)
         VALUES ($1, '1', 'kitchen', $2, 'eager', now() - interval '1 hour', now() - $3::interval)`,
        [id, delivers, ago],
      );
    const round = evening.scenario.relay.get(AlertRound);
    await process('desk:1', false);
    await process('kitchen:1', true, '1 second');
    await round.turn();
    expect(await evening.alerts()).toEqual([]);
    await query(`UPDATE relay_instances SET last_seen_at = now() - interval '2 minutes' WHERE id = 'kitchen:1'`);
    await round.turn();
    expect(await open()).toEqual(['NOTHING_SENT']);
    await evening.after(1.1);
    // the late order and the lost process are due to the same cause
    expect(await open()).toEqual(['NOTHING_SENT']);
    expect(evening.sent.map(({ recipient }) => (recipient as { userId: string }).userId)).toEqual([admin.id]);
    const [{ message }] = evening.sent as [(typeof evening.sent)[number]];
    expect(message.title + message.text).toContain('The relay sends nothing: no process that delivers is alive');
    await process('kitchen:2', true);
    await evening.after(1);
    expect(await open()).toEqual(['INSTANCE_LOST', 'ORDER_LATE']);
    expect((await of('NOTHING_SENT'))[0]?.closed_at).not.toBeNull();
  });

  const HTTP_500 = 'HTTP 500: unknown store';
  const MALLORY = '00000000-0000-4000-8000-00000000000a';
  const acknowledge = async (kind: string) => {
    const [alert] = await of(kind);
    await evening.scenario.api.post(`/admin/alerts/${alert?.id}/acknowledge`, admin.token).expect(200);
    await evening.after(1.1);
    evening.told();
  };

  test('restaurants of one founder count as one: they are no outage of the vendor, and hide no other (G50, L200)', async () => {
    await failing(3, 'failing', HTTP_500, MALLORY);
    await evening.begin();
    expect(await open()).toEqual(['POS_REFUSES', 'POS_REFUSES', 'POS_REFUSES']);
    const [bob] = await failing(1, 'failing', HTTP_500);
    await evening.begin();
    expect(await open()).toEqual(Array(4).fill('POS_REFUSES'));
    expect((await of('POS_REFUSES')).map(({ restaurant_id }) => restaurant_id)).toContain(bob?.id);
    await failing(1, 'failing', HTTP_500);
    await evening.round();
    expect(await of('VENDOR_DOWN')).toMatchObject([{ count: 5, details: { orders: 5 } }]);
  });

  test.each([
    ['VENDOR_DOWN', 'failing', HTTP_500, /^push The POS of 5 restaurants fails/],
    ['SIGN_IN', 'sign_in', 'POS sign-in failed: HTTP 401: unknown partner', /^push The POS refuses the sign-in of 5/],
  ])(
    'a founder who joins an acknowledged %s begins a new round; a further restaurant of one that was in it does not (G57)',
    async (kind, cause, error, title) => {
      await failing(1, cause, error, MALLORY);
      await failing(2, cause, error);
      await evening.begin();
      await acknowledge(kind);
      await failing(1, cause, error, MALLORY);
      for (let i = 0; i < 3; i++) await evening.after(1.1);
      expect(await of(kind)).toMatchObject([{ count: 4, acknowledged_at: expect.any(Date) }]);
      await failing(1, cause, error);
      await evening.after(1.1);
      expect(await of(kind)).toMatchObject([{ count: 5, acknowledged_at: null }]);
      evening.told();
      await evening.after(1.1);
      expect(evening.told()).toContainEqual(expect.stringMatching(title));
      await acknowledge(kind);
      for (let i = 0; i < 3; i++) await evening.after(1.1);
      expect(await of(kind)).toMatchObject([{ count: 5, acknowledged_at: expect.any(Date) }]);
    },
  );

  test('an acknowledged alert covers the restaurants that were in it, and no other (G55)', async () => {
    await failing(1, 'failing', HTTP_500, MALLORY);
    await failing(2, 'failing', HTTP_500);
    await evening.begin();
    await acknowledge('VENDOR_DOWN');
    const [later] = await failing(1, 'failing', HTTP_500, MALLORY);
    await evening.begin();
    expect(await of('POS_REFUSES')).toMatchObject([{ restaurant_id: later?.id, step: 1 }]);
    expect(evening.told()).toEqual([expect.stringContaining('the POS takes no orders')]);
  });

  /** Orders of a restaurant that have been due for some minutes. */
  const due = (restaurantId: string, orders: number) =>
    query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT 'due-' || n, 'due-' || n, false, $1, '{}' FROM generate_series(1, $2::int) n RETURNING transaction_key, restaurant_id)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, next_run_at, created_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, now() - interval '6 minutes', now() - interval '6 minutes' FROM event`,
      [restaurantId, orders],
    );

  test('100 orders that are due and not sent are a backlog with a forecast; their restaurants get no alert (G51, G55, L201, L202)', async () => {
    const store = await evening.scenario.store();
    evening.reach(store.owner.id);
    await due(store.id, 99);
    await evening.round();
    expect(await open()).toEqual(['ORDER_LATE']);
    await evening.scenario.empty();
    const other = await evening.scenario.store();
    const sent = await evening.scenario.settle(await other.sell(), 'SENT');
    await due(other.id, 100);
    await query(`UPDATE outbox_jobs SET created_at = now() - interval '6 minutes' WHERE id = $1`, [sent]);
    await evening.round();
    expect(await open()).toEqual(['BACKLOG']);
    expect(await of('BACKLOG')).toMatchObject([
      { restaurant_id: null, count: 100, details: { orders: 100, minutes: 500, since: expect.any(String) } },
    ]);
    await query(`UPDATE outbox_jobs SET next_run_at = now() + interval '1 minute' WHERE event_key LIKE 'due-%'`);
    await evening.after(1);
    expect((await open()).includes('BACKLOG')).toBe(false);
  });

  test('an acknowledged backlog covers the restaurants that were in it; L201 orders of other founders begin a new round (G55, G57)', async () => {
    const [store, other] = [await evening.scenario.store(), await evening.scenario.store()];
    evening.reach(other.owner.id);
    await due(store.id, 100);
    await evening.begin();
    expect(await open()).toEqual(['BACKLOG']);
    await acknowledge('BACKLOG');
    await due(other.id, 99);
    await evening.begin();
    expect(await of('BACKLOG')).toMatchObject([{ count: 199, acknowledged_at: expect.any(Date) }]);
    expect(await of('ORDER_LATE')).toMatchObject([{ restaurant_id: other.id }]);
    expect(evening.told()).toEqual([expect.stringContaining('99 orders or cancels have waited')]);
    await query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         VALUES ('one-more', 'one-more', false, $1, '{}') RETURNING transaction_key)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, next_run_at) SELECT gen_random_uuid(), transaction_key, $1, now() - interval '2 minutes' FROM event`,
      [other.id],
    );
    await evening.round();
    expect(await of('BACKLOG')).toMatchObject([{ count: 200, acknowledged_at: null }]);
  });

  test('urgent kinds take their steps before others, and one message for several names them first (G57)', async () => {
    await failing(3, 'failing', HTTP_500);
    await failing(1, 'sign_in', 'POS sign-in failed: HTTP 401: unknown partner');
    await evening.round();
    await query(
      `INSERT INTO alerts (id, kind, dedup_key, count, opened_at, last_at, next_step_at)
       SELECT gen_random_uuid(), 'SENDER_REFUSED', 'flood:' || n, 1, now(), now(), now() - interval '1 hour' FROM generate_series(1, 120) n`,
    );
    await query(`UPDATE alerts SET next_step_at = now() WHERE next_step_at > now()`);
    await evening.scenario.relay.get(Escalation).advance();
    expect(await of('VENDOR_DOWN')).toMatchObject([{ step: 1 }]);
    await query(`UPDATE notifications SET created_at = created_at - interval '1 minute'
      WHERE alert_id IN (SELECT id FROM alerts WHERE kind = 'VENDOR_DOWN')`);
    await evening.scenario.relay.get(Outgoing).send();
    expect(evening.sent.find(({ recipient }) => JSON.stringify(recipient).includes(admin.id))?.message.title).toMatch(
      /^The POS of 3 restaurants fails/,
    );
  });

  test('three slow checks of the database in a row are an alert, which folds orders that wait for the relay (G53, G55, L203)', async () => {
    const { relay } = evening.scenario;
    const prisma = relay.get(PrismaService);
    const canWrite = jest.spyOn(prisma, 'canWrite').mockImplementation(async () => {
      prisma.answeredInMs = 1_500;
      return true;
    });
    const store = await evening.scenario.store();
    evening.reach(store.owner.id);
    await due(store.id, 5);
    for (let i = 0; i < 2; i++) await relay.get(Alarms).watchDatabase();
    await relay.get(Instances).beat();
    await evening.round();
    expect(await open()).toEqual(['ORDER_LATE']);
    await query('DELETE FROM alerts');
    await relay.get(Alarms).watchDatabase();
    await relay.get(Instances).beat();
    await evening.round();
    expect(await open()).toEqual(['DATABASE_SLOW']);
    expect(await of('DATABASE_SLOW')).toMatchObject([{ restaurant_id: null, details: { ms: 1_500 } }]);
    canWrite.mockRestore();
    await relay.get(Alarms).watchDatabase();
    await relay.get(Instances).beat();
    await evening.after(1);
    expect(await open()).toEqual(['ORDER_LATE']);
  });
});
