import { Evening } from '../alerts/evening.js';
import { checksMayBegin } from '../doctor/checks-may-begin.js';
import { PullingPos } from './pulling.js';

describe('a POS that has stopped polling (Q13)', () => {
  const evening = Evening.ofSuite();
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

  test('the open set-up is a currency and credentials for the POS, then the first sale', async () => {
    const { restaurant } = await PullingPos.ofRestaurant(opened, { currency: null });
    const setup = async () =>
      (await evening.scenario.api.get('/restaurants/overview', restaurant.token).expect(200)).body.data[0].setup;
    expect(await setup()).toEqual(['credentials', 'firstSale']);
    await evening.scenario.api
      .patch(`/restaurants/${restaurant.id}`, restaurant.token, { currency: 'BRL' })
      .expect(200);
    expect(await setup()).toEqual(['firstSale']);
    await query('UPDATE pos_credentials SET revoked_at = now() WHERE restaurant_id = $1::uuid', restaurant.id);
    expect(await setup()).toEqual(['credentials', 'firstSale']);
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
