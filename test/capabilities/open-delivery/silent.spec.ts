import { Evening } from '../alerts/evening.js';
import { Receiver } from '../channels/receiver.js';
import { checksMayBegin } from '../doctor/checks-may-begin.js';
import { PullingPos } from './pulling.js';

describe('a POS that has stopped polling (Q13)', () => {
  const evening = Evening.ofSuite({ OUTBOUND_ALLOW: '127.0.0.1' });
  const receiver = new Receiver();
  let address: string;
  beforeAll(async () => {
    address = await receiver.listen();
    receiver.answers.set('/v1/newEvent', { status: 204 });
  });
  afterAll(() => receiver.close());
  const opened = () => evening.scenario;
  const query = (sql: string, ...values: unknown[]) => evening.scenario.database.query(sql, values);
  const polledAgo = (restaurantId: string, minutes: number) =>
    query(
      `UPDATE pos_credentials SET polled_at = now() - $2::int * interval '1 minute' WHERE restaurant_id = $1::uuid`,
      restaurantId,
      minutes,
    );
  const due = (jobId: string, minutes: number) =>
    query(
      `UPDATE outbox_jobs SET next_run_at = now() - $2::int * interval '1 minute', created_at = now() - $2::int * interval '1 minute' WHERE id = $1::uuid`,
      jobId,
      minutes,
    );
  const kinds = async () => {
    await evening.round();
    return (await evening.alerts()).map(({ kind, count }) => `${kind} ${count}`);
  };

  test('orders wait and it has not polled for three minutes: one alert, no ORDER_LATE, no late job; it closes after a poll', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobs = [await restaurant.sell(), await restaurant.sell()];
    await pos.poll('?eventType=CONFIRMED');
    for (const job of jobs) await due(job, 10);
    expect(await kinds()).toEqual(['ORDER_LATE 2']);
    await polledAgo(restaurant.id, 4);
    await query('DELETE FROM alerts');
    expect(await kinds()).toEqual(['POS_SILENT 2']);
    expect(await query(`SELECT * FROM late_jobs('1 minute')`)).toEqual([]);
    await pos.acknowledge(...(await pos.poll()));
    // the round finds the condition no more (G3)
    await evening.after(1);
    await evening.round();
    expect(await evening.alerts()).toMatchObject([{ kind: 'POS_SILENT', closed_at: expect.any(Date) }]);
  });

  test('nothing waits: after 30 minutes of a business day with sales; never polled counts too; not without a sale', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    expect(await kinds()).toEqual([]);
    await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    await polledAgo(restaurant.id, 29);
    expect(await kinds()).toEqual([]);
    await polledAgo(restaurant.id, 31);
    expect(await kinds()).toEqual(['POS_SILENT 0']);
  });

  test.each([
    ['fetches', () => ({})],
    ['gets events', () => ({ posBaseUrl: address })],
  ])(
    'an order that a POS that %s has had for five minutes and has neither accepted nor refused: NOT_ACCEPTED, until it says something of it (Q18)',
    async (_, fields) => {
      const { restaurant, pos } = await PullingPos.ofRestaurant(opened, fields());
      const [first, second] = [await restaurant.sell(), await restaurant.sell()] as const;
      await pos.acknowledge(...(await pos.poll()));
      await evening.scenario.relay.tick();
      const sentAgo = (minutes: number) =>
        query(
          `UPDATE unheard_orders SET delivered_at = now() - $2::int * interval '1 minute' WHERE restaurant_id = $1::uuid`,
          restaurant.id,
          minutes,
        );
      await sentAgo(4);
      expect(await kinds()).toEqual([]);
      await sentAgo(6);
      expect(await kinds()).toEqual(['NOT_ACCEPTED 2']);
      await pos.accept(first, '4711').expect(202);
      expect(await kinds()).toEqual(['NOT_ACCEPTED 1']);
      await pos.refuse(second).expect(202);
      await evening.after(1);
      await evening.round();
      expect(await evening.alerts()).toMatchObject([
        { kind: 'NOT_ACCEPTED', closed_at: expect.any(Date) },
        { kind: 'ORDER_PARKED', count: 1 },
      ]);
    },
  );

  test('the open set-up is a currency, credentials for the POS, the first poll and the first sale (R45)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened, { currency: null });
    const setup = async () =>
      (await evening.scenario.api.get('/restaurants/overview', restaurant.token).expect(200)).body.data[0].setup;
    expect(await setup()).toEqual(['currency', 'firstPoll', 'firstSale']);
    await evening.scenario.api
      .patch(`/restaurants/${restaurant.id}`, restaurant.token, { currency: 'BRL' })
      .expect(200);
    await restaurant.sell();
    expect(await setup()).toEqual(['firstPoll']);
    await pos.poll();
    expect(await setup()).toEqual([]);
    await query('UPDATE pos_credentials SET revoked_at = now() WHERE restaurant_id = $1::uuid', restaurant.id);
    expect(await setup()).toEqual(['credentials']);
  });

  test('its check says what it lacks, and calls no POS (Q12)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened, { currency: null });
    const { api, relay } = evening.scenario;
    const found = async () => {
      checksMayBegin(relay);
      const { body } = await api.post(`/restaurants/${restaurant.id}/check`, restaurant.token).expect(200);
      return body.data.checks.map(({ code }: { code: string }) => code);
    };
    expect(await found()).toEqual(expect.arrayContaining(['CURRENCY_MISSING', 'POLL_NEVER']));
    await api.patch(`/restaurants/${restaurant.id}`, restaurant.token, { currency: 'BRL' }).expect(200);
    await pos.poll('?eventType=CANCELLED');
    expect(await found()).toEqual(expect.arrayContaining(['CURRENCY_SET', 'POLL_LEAVES_OUT']));
    await pos.poll();
    expect(await found()).toEqual(expect.arrayContaining(['POLLS']));
    await polledAgo(restaurant.id, 4);
    const codes = await found();
    expect(codes).toEqual(expect.arrayContaining(['POLL_SILENT']));
    expect(codes.filter((code: string) => /^(POS_|SIGN_IN|CREDENTIALS|LOOKUP)/.test(code))).toEqual([]);
    await query('UPDATE pos_credentials SET revoked_at = now() WHERE restaurant_id = $1::uuid', restaurant.id);
    expect(await found()).toEqual(expect.arrayContaining(['POLL_CREDENTIALS_MISSING']));
  });
});
