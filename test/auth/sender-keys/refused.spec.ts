import { RefusedKeys } from '../../../src/auth/sender-keys/refused-keys.js';
import { newKeyToken } from '../../../src/auth/sender-keys/token.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { RefusalLines } from '../../../src/platform/http/limits/refusal-lines.js';
import { Evening } from '../../capabilities/alerts/evening.js';
import { sale } from '../../support/client.js';
import type { TestRelay } from '../../support/relay.js';
import { keysOf, nowSeconds, type ShownKey, sendBy, signatureOf } from './keys.js';

type Refused = ShownKey & {
  refusedAt: string | null;
  refusedSince: string | null;
  refusedCount: number;
  refusedReason: string;
};

const OTHER_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('refused sender keys (V40, V41)', () => {
  const evening = Evening.ofSuite();
  let relay: TestRelay;
  let roma: Awaited<ReturnType<Evening['scenario']['restaurant']>>;
  let keys: ReturnType<typeof keysOf>;

  beforeEach(async () => {
    relay = evening.scenario.relay;
    roma = await evening.scenario.restaurant();
    keys = keysOf(relay, roma.id, roma.token);
    relay.logged.length = 0;
    // a fast machine sends more than L100 within a second
    jest.spyOn(relay.get(RefusalLines), 'mayLog').mockReturnValue(true);
  });
  afterEach(() => jest.restoreAllMocks());

  const refusals = () => relay.logged.filter(({ event }) => event === 'http.refused');
  const signed = ({ path }: ShownKey, secret: string, at = nowSeconds()) => {
    const body = JSON.stringify(sale({ storeCode: undefined }));
    const signature = signatureOf(secret, 'm1', at, body);
    return relay.http
      .post(path as string)
      .set('content-type', 'application/json')
      .set({ 'webhook-id': 'm1', 'webhook-timestamp': String(at), 'webhook-signature': signature })
      .send(body);
  };
  const only = async () => {
    await relay.get(RefusedKeys).write();
    return (await keys.list())[0] as Refused;
  };

  test('a revoked key: its id and restaurant stand in the log, and how often it was refused in the list (V40)', async () => {
    const { id, token, keyId } = await keys.create();
    expect(await only()).toMatchObject({ refusedAt: null, refusedCount: 0, refusedReason: null });
    await sendBy(relay, token).expect(200);
    await keys.revoke(id).expect(200);
    for (let i = 0; i < 3; i++) {
      const { body } = await sendBy(relay, token).expect(401);
      expect(JSON.stringify(body)).not.toContain(keyId);
    }
    expect(refusals()).toHaveLength(3);
    for (const line of refusals()) expect(line).toMatchObject({ keyId, restaurantId: roma.id, reason: 'revoked' });
    expect(await only()).toMatchObject({
      ...{ refusedAt: expect.any(String), refusedSince: expect.any(String), refusedCount: 3, refusedReason: 'revoked' },
    });
    const { body } = await relay.api.get(`/restaurants/${roma.id}/state`, roma.token).expect(200);
    expect(body.refusedKeys).toEqual([{ keyId, name: 'Bar', count: 3, since: expect.any(String), reason: 'revoked' }]);
  });

  test('a key that was revoked elsewhere, and that this instance still knows, is counted from the first refusal (V5, V40)', async () => {
    const { id, token, keyId } = await keys.create();
    await sendBy(relay, token).expect(200);
    await evening.scenario.database.query('UPDATE sender_keys SET revoked_at = now() WHERE id = $1', [id]);
    await sendBy(relay, token).expect(401);
    expect(refusals()).toEqual([expect.objectContaining({ keyId, restaurantId: roma.id, reason: 'revoked' })]);
    expect(await only()).toMatchObject({ refusedCount: 1 });
  });

  test.each([
    ['expired', 'UPDATE sender_keys SET expires_at = now() WHERE restaurant_id = $1'],
    ['deleted', 'UPDATE restaurants SET deleted_at = now() WHERE id = $1'],
  ])('a key that is %s (V40)', async (reason, ending) => {
    const { token, keyId } = await keys.create();
    await evening.scenario.database.query(ending, [roma.id]);
    await sendBy(relay, token).expect(401);
    expect(refusals()).toEqual([expect.objectContaining({ keyId, reason })]);
  });

  test.each([
    ['expired', 'UPDATE sender_keys SET expires_at = now() WHERE restaurant_id = $1', 'expired'],
    ['deleted', 'UPDATE restaurants SET deleted_at = now() WHERE id = $1', 'deleted'],
    ['revoked', 'UPDATE sender_keys SET revoked_at = now(), secret = NULL WHERE restaurant_id = $1', 'wrong_signature'],
  ])('a signing key that is %s: a request without its signature is no proof of it (V40)', async (_, ending, reason) => {
    const key = await keys.create({ kind: 'SIGNING' });
    await evening.scenario.database.query(ending, [roma.id]);
    const messages = new Set<string>();
    for (const call of [
      relay.http.post(key.path as string),
      signed(key, OTHER_SECRET),
      signed(key, key.secret),
      // whatever its clock says
      signed(key, key.secret, nowSeconds() - 3_600),
    ])
      messages.add((await call.expect(401)).body.message);
    expect([...messages]).toEqual(['no signing key of this id works']);
    expect(refusals().map((line) => line.reason)).toEqual(['wrong_signature', 'wrong_signature', reason, reason]);
  });

  test('a wrong token of a known key, and a wrong signature; an unknown id writes nothing (V40)', async () => {
    const { token, keyId } = await keys.create();
    await sendBy(relay, newKeyToken(keyId)).expect(401);
    expect(refusals()).toEqual([expect.objectContaining({ keyId, reason: 'wrong_token' })]);
    await sendBy(relay, token).expect(200);
    relay.logged.length = 0;
    const signing = await keys.create({ kind: 'SIGNING' });
    await signed(signing, OTHER_SECRET).expect(401);
    await signed(signing, signing.secret, nowSeconds() - 3_600).expect(401);
    expect(refusals().map(({ keyId: id, reason }) => [id, reason])).toEqual([
      [signing.keyId, 'wrong_signature'],
      [signing.keyId, 'wrong_clock'],
    ]);
    relay.logged.length = 0;
    await sendBy(relay, newKeyToken('Zz000000')).expect(401);
    expect(refusals()).toEqual([expect.not.objectContaining({ keyId: expect.anything() })]);
    await relay.get(RefusedKeys).write();
    // a wrong clock is proven, and counts without the wrong signature before it
    const counted = (await keys.list()).map((key) => [(key as Refused).refusedReason, (key as Refused).refusedCount]);
    expect(counted.toSorted()).toEqual([
      ['wrong_clock', 1],
      ['wrong_token', 1],
    ]);
  });

  test('however often a key is repeated, it costs one statement; a failed one is made up for (V40, L205)', async () => {
    const { id, token } = await keys.create();
    await keys.revoke(id);
    await relay.get(RefusedKeys).write();
    const written = jest.spyOn(relay.get(PrismaService), '$executeRaw');
    written.mockRejectedValueOnce(new Error('away'));
    const writes = () => written.mock.calls.filter(([text]) => String(text).includes('refused_at')).length;
    for (let i = 0; i < 50; i++) await sendBy(relay, token).expect(401);
    await relay.get(RefusedKeys).write();
    expect(writes()).toBeLessThanOrEqual(3);
    written.mockRestore();
    expect(await only()).toMatchObject({ refusedCount: 50 });
  });

  test('a refusal an hour after the last begins a new series (L204)', async () => {
    const { id, token } = await keys.create();
    await keys.revoke(id);
    for (let i = 0; i < 2; i++) await sendBy(relay, token).expect(401);
    await only();
    await evening.scenario.database.query(
      `UPDATE sender_keys SET refused_at = now() - interval '61 minutes', refused_since = now() - interval '2 hours'`,
    );
    await sendBy(relay, token).expect(401);
    expect(await only()).toMatchObject({ refusedCount: 1 });
  });

  test('three refusals are an alert of the platform and one of the restaurant, until nobody has sent for a quarter of an hour (G54)', async () => {
    const admin = await evening.scenario.person('ADMIN');
    evening.reach(admin.id);
    const { id, token, keyId } = await keys.create();
    await keys.revoke(id);
    for (let i = 0; i < 2; i++) await sendBy(relay, token).expect(401);
    await only();
    await evening.round();
    expect(await evening.alerts()).toEqual([]);
    await sendBy(relay, token).expect(401);
    await only();
    await evening.begin();
    const details = { name: 'Bar', keyId, reason: 'revoked', since: expect.any(String) };
    const alerts = await evening.alerts();
    expect(alerts).toHaveLength(2);
    for (const restaurant_id of [null, roma.id])
      expect(alerts).toContainEqual(
        expect.objectContaining({
          kind: 'SENDER_REFUSED',
          count: 3,
          restaurant_id,
          details: expect.objectContaining(details),
        }),
      );
    expect(evening.told()).toEqual([
      expect.stringMatching(/the key Bar \(.{8}\) was refused 3 times since .*UTC: it was revoked$/),
    ]);
    await evening.scenario.database.query(`UPDATE sender_keys SET refused_at = now() - interval '16 minutes'`);
    await evening.after(1);
    expect((await evening.alerts()).every(({ closed_at }) => closed_at !== null)).toBe(true);
  });

  test('keys of the restaurants of a founder are one alert of the platform, and one of each restaurant, with the newest key (G54, G57)', async () => {
    const admin = await evening.scenario.person('ADMIN');
    const { query } = evening.scenario.database;
    const other = await evening.scenario.restaurant();
    await query('UPDATE restaurants SET founded_by = $1 WHERE id = ANY ($2)', [roma.owner.id, [roma.id, other.id]]);
    const bar = await evening.scenario.restaurant();
    /** Keys of a restaurant that were refused so often, the newest last. */
    const refused = (restaurantId: string | null, count: number, times: number) =>
      query(
        `INSERT INTO sender_keys (id, restaurant_id, name, kind, key_id, token_hash, scopes, revoked_at, refused_at, refused_since, refused_count, refused_reason)
         SELECT gen_random_uuid(), $1::uuid, 'Key ' || n, 'TOKEN', right(md5(random()::text), 8), md5(random()::text) || md5(random()::text), '{sales:write}', now(),
                now() - ($2::int - n) * interval '1 second', now() - interval '1 minute', $3::int, 'revoked' FROM generate_series(1, $2::int) n`,
        [restaurantId, count, times],
      );
    await refused(other.id, 1, 7);
    await refused(roma.id, 500, 3);
    await refused(bar.id, 1, 3);
    await refused(null, 2, 4);
    await evening.begin();
    const names = new Map(
      ((await query('SELECT id, name FROM restaurants')) as { id: string; name: string }[]).map(({ id, name }) => [
        id,
        name,
      ]),
    );
    const nameOf = (id: string) => names.get(id);
    const alerts = (await evening.alerts()).map(({ restaurant_id, count, details }) => {
      return [restaurant_id, count, details.keys, details.name, details.restaurant];
    });
    expect(alerts.toSorted()).toEqual(
      [
        // keys of several restaurants name none
        [null, 1_507, 501, 'Key 500', null],
        [null, 3, 1, 'Key 1', nameOf(bar.id)],
        [null, 8, 2, 'Key 2', null],
        [roma.id, 1_500, 500, 'Key 500', nameOf(roma.id)],
        [other.id, 7, 1, 'Key 1', nameOf(other.id)],
        [bar.id, 3, 1, 'Key 1', nameOf(bar.id)],
      ].toSorted(),
    );
    const { body } = await relay.api.get('/admin/incidents', admin.token).expect(200);
    expect(
      (body.data as { key: { keys: number; count: number }; affected: { restaurantId: string }[] }[])
        .map(({ key, affected }) => [key.keys, key.count, affected.map(({ restaurantId }) => restaurantId).toSorted()])
        .toSorted(),
    ).toEqual(
      [
        [501, 1_507, [roma.id, other.id].toSorted()],
        [1, 3, [bar.id]],
        [2, 8, []],
      ].toSorted(),
    );
    await query('DELETE FROM sender_keys WHERE restaurant_id IS NULL');
  });

  test('a further key begins a new round of the alert of its restaurant, and none of the alert of the platform (G54, G6)', async () => {
    const { query } = evening.scenario.database;
    const revoked = async () => {
      const { id, token } = await keys.create();
      await keys.revoke(id);
      return token;
    };
    const refuse = async (token: string, times: number) => {
      for (let i = 0; i < times; i++) await sendBy(relay, token).expect(401);
      await relay.get(RefusedKeys).write();
    };
    const further = await revoked();
    await refuse(await revoked(), 3);
    // its series began before the acknowledgement
    await refuse(further, 2);
    await evening.begin();
    await query('UPDATE alerts SET acknowledged_at = now(), next_step_at = NULL, covered_until = now()');
    await evening.round();
    expect((await evening.alerts()).map(({ acknowledged_at }) => acknowledged_at)).not.toContain(null);
    await refuse(further, 1);
    await evening.round();
    expect(
      Object.fromEntries(
        (await evening.alerts()).map(({ restaurant_id, acknowledged_at }) => [
          restaurant_id === null ? 'platform' : 'restaurant',
          acknowledged_at !== null,
        ]),
      ),
    ).toEqual({ platform: true, restaurant: false });
  });

  test('a stranger who knows the key id neither uses up the alert of a revoked key nor hides why it is refused (V40, G54)', async () => {
    const { id, token, keyId } = await keys.create();
    const refuse = async (by: string, times: number) => {
      for (let i = 0; i < times; i++) await sendBy(relay, by).expect(401);
      return only();
    };
    const ofRestaurant = async () => (await evening.alerts()).find(({ restaurant_id }) => restaurant_id === roma.id);
    await refuse(newKeyToken(keyId), 4);
    await evening.begin();
    const before = await ofRestaurant();
    await relay.api.post(`/restaurants/${roma.id}/alerts/${before?.id}/acknowledge`, roma.token).expect(200);
    await keys.revoke(id).expect(200);
    // each in a burst with the other's
    await sendBy(relay, newKeyToken(keyId)).expect(401);
    await sendBy(relay, token).expect(401);
    const proven = await refuse(newKeyToken(keyId), 1);
    expect(proven).toMatchObject({ refusedReason: 'revoked', refusedCount: 1 });
    expect(await refuse(newKeyToken(keyId), 9)).toEqual(proven);
    expect(await refuse(token, 3)).toMatchObject({
      ...{ refusedReason: 'revoked', refusedCount: 4, refusedSince: proven.refusedSince },
    });
    await evening.round();
    expect(await ofRestaurant()).toMatchObject({
      ...{ id: before?.id, acknowledged_at: null, next_step_at: expect.any(Date), count: 4 },
      details: expect.objectContaining({ reason: 'revoked' }),
    });
    await evening.scenario.database.query(`UPDATE sender_keys SET refused_at = now() - interval '61 minutes'`);
    expect(await refuse(newKeyToken(keyId), 1)).toMatchObject({ refusedReason: 'wrong_token', refusedCount: 1 });
  });
});
