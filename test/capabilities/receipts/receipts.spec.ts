import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { keysOf, nowSeconds, type ShownKey, sendBy, signatureOf } from '../../auth/sender-keys/keys.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { type Listed, PATH, receiptsOf, SCOPES, type Shown } from './receipts.js';

describe('V20: receipts', () => {
  const scenario = Scenario.ofSuite();
  let relay: TestRelay;
  let admin: string;
  const { restaurant, ask, list, one, hold } = receiptsOf(() => scenario);

  beforeAll(async () => {
    relay = scenario.relay;
    admin = await relay.login();
  });

  const typesOf = ({ data }: Listed, jobId: string) =>
    data.filter((each) => each.jobId === jobId).map(({ type }) => type);

  test('what became of a sale: stored, delivered, parked with its cause, cancelled (V21)', async () => {
    const { id, owner, key, sell } = await restaurant();
    const begun = Date.now();
    const [delivered, parked, cancelled, waiting] = [await sell(), await sell(), await sell(), await sell()];
    const { cursor } = await list(key);
    await hold([delivered, parked, cancelled, waiting]);
    await scenario.settle(delivered, 'SENT');
    await scenario.settle(parked, 'DLQ');
    await scenario.cancel(id, await scenario.keyOf(cancelled), owner).expect(202);
    await relay.tick();
    const page = await list(key, { after: cursor });
    expect(typesOf(page, delivered)).toEqual(['order.delivered']);
    expect(typesOf(page, parked)).toEqual(['order.parked']);
    expect(typesOf(page, cancelled)).toEqual(['order.cancelled']);
    const shown = page.data.find(({ jobId }) => jobId === parked) as Shown;
    expect(shown).toEqual({
      ...{ type: 'order.parked', at: expect.any(String), transactionKey: await scenario.keyOf(parked), jobId: parked },
      ...{ restaurantId: id, state: 'parked', cause: (await scenario.jobs.get(parked)).cause },
    });
    expect(shown.cause).toBeTruthy();
    expect(Date.parse(shown.at)).toBeGreaterThanOrEqual(begun - 1_000);
    expect(
      (await list(key)).data
        .filter(({ type }) => type === 'order.stored')
        .map(({ jobId }) => jobId)
        .sort(),
    ).toEqual([delivered, parked, cancelled, waiting].sort());
  });

  test('the receipt of one sale is its last change (V21)', async () => {
    const { id, owner, key, sell } = await restaurant();
    const [restaurantId, transactionKey] = [id, 'ONE-1'];
    const jobId = await sell({ transactionKey });
    const read = async () => (await one(key, jobId).expect(200)).body.data;
    expect(await read()).toEqual({
      type: 'order.stored',
      at: expect.any(String),
      restaurantId,
      transactionKey,
      jobId,
      state: 'waiting',
    });
    await scenario.settle(jobId, 'DLQ');
    const { cause } = await scenario.jobs.get(jobId);
    expect(await read()).toMatchObject({ type: 'order.parked', state: 'parked', cause });
    await scenario.jobs.reset(jobId);
    await scenario.settle(jobId, 'SENT');
    expect(await read()).toEqual({
      type: 'order.delivered',
      at: expect.any(String),
      restaurantId,
      transactionKey,
      jobId,
      state: 'delivered',
    });
    await scenario.cancel(id, 'ONE-1', owner).expect(202);
    await relay.tick();
    expect(await read()).toMatchObject({ type: 'order.cancelled', state: 'cancelled' });
  });

  test('a refund is stored, and has no other receipt (V21, M16)', async () => {
    const { key, sell } = await restaurant();
    const jobId = await sell({ totalAmount: -10, payments: [] });
    await relay.tick();
    expect((await scenario.jobs.get(jobId)).cause).toBe('refund');
    expect(typesOf(await list(key), jobId)).toEqual(['order.stored']);
    const { data } = (await one(key, jobId).expect(200)).body;
    expect(data).toMatchObject({ type: 'order.stored' });
    expect(data).not.toHaveProperty('cause');
  });

  test('a parked cancel is an order that is parked, with the cause of the cancel (V21)', async () => {
    const { id, owner, key, sell } = await restaurant();
    const jobId = await sell({ transactionKey: 'ODD-1' });
    await scenario.settle(jobId, 'SENT');
    const { cursor } = await list(key);
    const cancel = (await scenario.cancel(id, 'ODD-1', owner).expect(202)).body.data.jobId;
    await scenario.settle(cancel, 'DLQ');
    const { cause } = await scenario.jobs.get(cancel);
    const expected = { type: 'order.parked', jobId, transactionKey: 'ODD-1', state: 'parked', cause };
    expect((await list(key, { after: cursor })).data).toMatchObject([expected]);
    expect((await one(key, jobId).expect(200)).body.data).toMatchObject(expected);
    expect((await one(key, cancel).expect(200)).body.data).toMatchObject(expected);
  });

  test('a key reads its restaurant, a user the restaurants they own, the platform what it sent (V20)', async () => {
    const [own, other] = [await restaurant(), await restaurant()];
    const platformKey = await keysOf(relay, null, admin).create({ scopes: SCOPES });
    const byKey = await own.sell();
    const byPlatform = (await sendBy(relay, TERMINAL_TOKEN, { storeCode: own.code }).expect(200)).body.jobId;
    const byPlatformKey = (await sendBy(relay, platformKey.token, { storeCode: own.code }).expect(200)).body.jobId;
    const byUser = (await sendBy(relay, own.owner, { storeCode: own.code }).expect(200)).body.jobId;
    const all = [byKey, byPlatform, byPlatformKey, byUser].sort();
    const readers: [token: string, jobs: string[]][] = [
      [own.key, all],
      [own.owner, all],
      [other.key, []],
      [other.owner, []],
      [TERMINAL_TOKEN, [byPlatform, byPlatformKey].sort()],
      [platformKey.token, [byPlatform, byPlatformKey].sort()],
    ];
    for (const [token, jobs] of readers) {
      const { data } = await list(token);
      expect(
        data
          .map(({ jobId }) => jobId)
          .filter((jobId) => all.includes(jobId))
          .sort(),
      ).toEqual(jobs);
      for (const jobId of all) await one(token, jobId).expect(jobs.includes(jobId) ? 200 : 404);
    }
    expect((await list(other.key)).data).toEqual([]);
    await one(own.key, randomUUID()).expect(404);
    expect((await one(own.key, 'no-uuid').expect(400)).body.code).toBe('INVALID_ID');
  });

  test('a restaurant that others linked a person to is in none of their receipts, until they accept it (V20, W32)', async () => {
    const [own, other] = [await restaurant(), await restaurant()];
    const mine = await own.sell({ transactionKey: 'SAME-1' });
    const theirs = await other.sell({ transactionKey: 'SAME-1' });
    const { sub: userId } = JSON.parse(Buffer.from(own.owner.split('.')[1] as string, 'base64url').toString());
    await relay.api.post(`/restaurants/${other.id}/users`, other.owner, { userId, role: 'OWNER' }).expect(201);
    expect((await list(own.owner)).data.map(({ jobId, restaurantId }) => [jobId, restaurantId])).toEqual([
      [mine, own.id],
    ]);
    await one(own.owner, theirs).expect(404);
    await relay.api.post(`/users/me/restaurants/${other.id}/accept`, own.owner).expect(200);
    expect((await list(own.owner)).data.map(({ restaurantId }) => restaurantId).toSorted()).toEqual(
      [own.id, other.id].toSorted(),
    );
  });

  test('an order that was parked, sent again and delivered has no receipt of the parking (V21)', async () => {
    const { key, sell } = await restaurant();
    const jobId = await sell();
    const { cursor } = await list(key);
    await scenario.settle(jobId, 'DLQ');
    await scenario.jobs.reset(jobId);
    await scenario.settle(jobId, 'SENT');
    expect(typesOf(await list(key, { after: cursor }), jobId)).toEqual(['order.delivered']);
  });

  test('a key without the scope, a revoked key and a wrong one read nothing (V4, V20)', async () => {
    const { keys, key, row, sell } = await restaurant();
    const jobId = await sell();
    const { token: writesOnly } = await keys.create();
    for (const call of [ask(writesOnly), one(writesOnly, jobId)])
      expect((await call.expect(403)).body.code).toBe('MISSING_SCOPE');
    await list(key);
    await keys.revoke(row).expect(200);
    await ask(key).expect(401);
    await one(key, jobId).expect(401);
    await ask('wrong').expect(401);
    await relay.http.get(PATH).expect(401);
  });

  test('a key that signs asks with the signature of an empty body (V23)', async () => {
    const { keys } = await restaurant();
    const key = await keys.create({ kind: 'SIGNING', scopes: SCOPES });
    const signed = (path: string, { keyId, secret }: ShownKey, body = '') => {
      const at = nowSeconds();
      const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at) };
      return relay.http
        .get(`/webhooks/terminal/${keyId}/${path}`)
        .set({ ...headers, 'webhook-signature': new Webhook(secret).sign('msg_1', new Date(at * 1_000), body) });
    };
    const body = JSON.stringify({ transactionKey: 'SIGNED-1', items: [], payments: [] });
    const at = nowSeconds();
    const accepted = await relay.http
      .post(key.path as string)
      .set({ 'Content-Type': 'application/json', 'webhook-id': 'm', 'webhook-timestamp': String(at) })
      .set('webhook-signature', signatureOf(key.secret, 'm', at, body))
      .send(body)
      .expect(200);
    const { jobId, receipt } = accepted.body;
    expect(receipt).toBe(`${key.path}/receipts/${jobId}`);
    expect((await signed('receipts', key).expect(200)).body.data).toMatchObject([
      { transactionKey: 'SIGNED-1', jobId },
    ]);
    expect((await signed(`receipts/${jobId}`, key).expect(200)).body.data).toMatchObject({
      type: 'order.stored',
      jobId,
    });
    await signed('receipts', key, 'x').expect(401);
    await relay.http.get(`/webhooks/terminal/${key.keyId}/receipts`).expect(401);
    await signed('receipts', { ...key, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }).expect(401);
    await signed('receipts', await keys.create({ kind: 'SIGNING' })).expect(403);
  });

  test('the answer of the webhook names its receipt (V26)', async () => {
    const { key } = await restaurant();
    const { jobId, receipt } = (await sendBy(relay, key).expect(200)).body;
    expect(receipt).toBe(`${PATH}/${jobId}`);
    expect((await relay.api.get(receipt, key).expect(200)).body.data.jobId).toBe(jobId);
  });

  test('If-None-Match: 304 until there is something new (V25)', async () => {
    const { key, sell } = await restaurant();
    const jobId = await sell();
    const { cursor } = await list(key);
    const { etag } = (await ask(key, { after: cursor }).expect(200)).headers as { etag: string };
    const known = await ask(key, { after: cursor }).set('If-None-Match', `"other", ${etag}`).expect(304);
    expect(known.text).toBe('');
    const single = (await one(key, jobId).expect(200)).headers.etag as string;
    await one(key, jobId).set('If-None-Match', single).expect(304);
    await scenario.settle(jobId, 'SENT');
    await ask(key, { after: cursor }).set('If-None-Match', etag).expect(200);
    await one(key, jobId).set('If-None-Match', single).expect(200);
  });
});
