import { type Caller, Scenario } from '../support/scenario.js';

describe('orders of all restaurants (R37)', () => {
  const scenario = Scenario.ofSuite();
  let admin: Caller;
  let roma: Awaited<ReturnType<Scenario['restaurant']>>;
  let osteria: Awaited<ReturnType<Scenario['restaurant']>>;

  beforeAll(async () => {
    admin = await scenario.person('ADMIN');
    roma = await scenario.restaurant('STORE-1');
    osteria = await scenario.restaurant('STORE-2');
  });

  const search = async (q: string) =>
    (await scenario.api.get(`/admin/orders?q=${encodeURIComponent(q)}`, admin.token).expect(200)).body;
  const keysOf = async (q: string) =>
    (await search(q)).data.map(({ transactionKey }: { transactionKey: string }) => transactionKey).toSorted();

  test('by key, by number in each restaurant, by job; the same key of two restaurants is found twice', async () => {
    const same = { transactionKey: 'SAME', transactionNumber: 'N-77' };
    const job = await roma.sell(same);
    await osteria.sell(same);
    await roma.sell({ transactionKey: 'OTHER', transactionNumber: 'N-78' });
    const { data, meta } = await search('SAME');
    expect(meta).toEqual({ more: false });
    expect(data.map(({ restaurantId }: { restaurantId: string }) => restaurantId).toSorted()).toEqual(
      [roma.id, osteria.id].toSorted(),
    );
    expect(data[0]).toMatchObject({ transactionNumber: 'N-77', state: 'waiting', paidCents: 7_980, test: false });
    expect(await keysOf('N-77')).toEqual(['SAME', 'SAME']);
    expect(await keysOf(job)).toEqual(['SAME']);
    expect(await keysOf('N-7')).toEqual([]);
  });

  test('by the key as sent in test mode, and by the id of an audited request', async () => {
    const test = await roma.sell({ transactionKey: 'TRAINING', isTestTransaction: true });
    const key = await scenario.keyOf(test);
    expect(await keysOf('TRAINING')).toEqual([key]);
    const parked = await roma.sell({ transactionKey: 'WITH-REQUEST' });
    const { headers } = await scenario.cancel(roma.id, await scenario.keyOf(parked), roma.token).expect(202);
    expect(await keysOf(headers['x-request-id'] as string)).toEqual(['WITH-REQUEST']);
  });

  test('a number that 60 orders have: the 50 newest, and more', async () => {
    for (let i = 0; i < 60; i++) await roma.sell({ transactionKey: `MANY-${i}`, transactionNumber: 'MANY' });
    const { data, meta } = await search('MANY');
    expect([data.length, data[0].transactionKey, meta.more]).toEqual([50, 'MANY-59', true]);
  });

  test('an order as its staff see it; the reading is audited, for the OWNERs of the restaurant', async () => {
    await roma.sell({ transactionKey: 'READ/ME' });
    const path = `/admin/orders/${roma.id}/key?key=${encodeURIComponent('READ/ME')}`;
    const { body } = await scenario.api.get(path, admin.token).expect(200);
    const own = await scenario.api.get(`/restaurants/${roma.id}/orders/key?key=READ%2FME`, roma.token).expect(200);
    const { name } = (await scenario.api.get(`/restaurants/${roma.id}`, roma.token).expect(200)).body;
    expect(body).toEqual({ ...own.body, restaurantName: name });
    const audit = `/restaurants/${roma.id}/audit?action=order.read_by_operator`;
    const { data } = (await scenario.api.get(audit, roma.token).expect(200)).body;
    expect(data).toMatchObject([{ actorEmail: admin.email, target: 'READ/ME' }]);
    await scenario.api.get(`/admin/orders/${osteria.id}/key?key=READ%2FME`, admin.token).expect(404);
    expect((await scenario.api.get(audit, roma.token).expect(200)).body.data).toHaveLength(1);
  });

  test('a missing or too long q is a 400 that names it', async () => {
    for (const query of ['', '?q=', `?q=${'x'.repeat(300)}`])
      expect((await scenario.api.get(`/admin/orders${query}`, admin.token).expect(400)).body.message.join()).toContain(
        'q',
      );
  });
});
