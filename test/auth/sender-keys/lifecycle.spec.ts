import { hash, randomUUID } from 'node:crypto';
import { auditOf, type Entry } from '../../platform/audit/entries.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { keysOf, type ShownKey, sendBy } from './keys.js';

const HOUR = 3_600_000;

describe('V: the life of a sender key', () => {
  const scenario = Scenario.ofSuite();
  let relay: TestRelay;
  let admin: string;

  beforeAll(async () => {
    relay = scenario.relay;
    admin = await relay.login();
  });

  async function restaurant() {
    const { id, token } = await scenario.restaurant();
    return { id, token, keys: keysOf(relay, id, token) };
  }
  const rowOf = async (id: string) =>
    (await scenario.database.query('SELECT * FROM sender_keys WHERE id = $1', [id]))[0];
  const left = ({ expiresAt }: ShownKey) => Date.parse(expiresAt as string) - Date.now();

  test('a token is shown once; the database has its SHA-256 (V2)', async () => {
    const { id, keys } = await restaurant();
    const answer = await keys.post({ name: '  Bar  ' }).expect(201);
    const { token, ...key } = answer.body.data as ShownKey;
    expect(token).toMatch(new RegExp(`^rly_${key.keyId}_[0-9A-Za-z]{36}$`));
    expect(key).toMatchObject({ name: 'Bar', kind: 'TOKEN', scopes: ['sales:write'], live: true, expiresAt: null });
    expect(await rowOf(key.id)).toMatchObject({
      restaurant_id: id,
      token_hash: hash('sha256', token, 'hex'),
      secret: null,
    });
    expect(await keys.list()).toEqual([key]);
  });

  test('a secret is shown once, and stored encrypted; revocation removes it (V1, V5)', async () => {
    const { keys } = await restaurant();
    const key = await keys.create({ kind: 'SIGNING' });
    expect(key.secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect((await rowOf(key.id))?.secret).toMatch(/^v1\./);
    await keys.revoke(key.id).expect(200);
    expect(await rowOf(key.id)).toMatchObject({ secret: null, token_hash: null });
    expect(await keys.list()).toMatchObject([{ live: false, revokedAt: expect.any(String) }]);
    expect((await keys.revoke(key.id).expect(409)).body.code).toBe('KEY_ENDED');
  });

  test.each([
    ['an empty name', { name: '' }],
    ['a blank name', { name: '  ' }],
    ['a name of 61 characters', { name: 'x'.repeat(61) }],
    ['a control character in the name', { name: 'a\u0000b' }],
    ['another kind', { kind: 'JWT' }],
    ['no kind', { kind: undefined }],
    ['an unknown scope', { scopes: ['sales:read'] }],
    ['no scope', { scopes: [] }],
    ['a scope twice', { scopes: ['sales:write', 'sales:write'] }],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['an expiry that is no time', { expiresAt: 'soon' }],
    ['an unknown field', { restaurantId: randomUUID() }],
  ])('%s: 400 (V10)', async (_, fields) => {
    const { keys } = await restaurant();
    expect((await keys.post(fields).expect(400)).body.code).toBe('VALIDATION_FAILED');
    expect(await keys.list()).toEqual([]);
  });

  test('OWNER and ADMIN manage the keys of a restaurant; the platform role does not count, and the reverse (V10)', async () => {
    const { id, token } = await restaurant();
    const statusOf = async (caller: string) => (await keysOf(relay, id, caller).post()).status;
    expect(await statusOf(token)).toBe(201);
    for (const role of ['ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'] as const)
      expect(await statusOf((await scenario.staff(id, role)).token)).toBe(role === 'ADMIN' ? 201 : 403);
    expect(await statusOf(admin)).toBe(403);
    await keysOf(relay, null, token).post().expect(403);
    await keysOf(relay, null, admin).create();
  });

  test('a key of another restaurant, or of the platform, is a 404 (V10)', async () => {
    const [own, other] = [await restaurant(), await restaurant()];
    const platform = keysOf(relay, null, admin);
    const foreign = [await other.keys.create(), await platform.create()];
    for (const { id } of [...foreign, { id: randomUUID() }]) {
      await own.keys.rotate(id).expect(404);
      await own.keys.revoke(id).expect(404);
    }
    const { id } = await own.keys.create();
    await platform.rotate(id).expect(404);
    await platform.revoke(id).expect(404);
    expect((await own.keys.list()).map((key) => key.id)).toEqual([id]);
    for (const key of foreign) await relay.api.delete(`${own.keys.path}/${key.keyId}`, own.token).expect(400);
  });

  test('at most five keys work, also of requests at the same time; a revoked or expired one makes room (V3, L60)', async () => {
    const { keys } = await restaurant();
    const answers = await Promise.all(Array.from({ length: 8 }, () => keys.post()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 409, 409, 409]);
    const [first, second] = answers.filter(({ status }) => status === 201).map(({ body }) => body.data as ShownKey);
    expect((await keys.post().expect(409)).body.code).toBe('TOO_MANY_KEYS');
    expect((await keys.rotate(first?.id as string).expect(409)).body.code).toBe('TOO_MANY_KEYS');
    await keys.revoke(first?.id as string).expect(200);
    await keys.create();
    await scenario.database.query('UPDATE sender_keys SET expires_at = now() WHERE id = $1', [second?.id]);
    await keys.create();
    await keys.post().expect(409);
    expect((await keys.list()).map(({ live }) => live)).toEqual([true, true, true, true, true, false, false]);
  });

  test('after a rotation both keys send; the old one ends after 24 hours (V3, L61)', async () => {
    const { keys } = await restaurant();
    const old = await keys.create({ scopes: ['sales:test', 'receipts:read'] });
    const fresh = (await keys.rotate(old.id).expect(201)).body.data as ShownKey;
    expect(fresh).toMatchObject({ name: old.name, kind: 'TOKEN', scopes: old.scopes, expiresAt: null, live: true });
    const replaced = (await keys.list()).find(({ id }) => id === old.id) as ShownKey;
    expect(replaced).toMatchObject({ replacedBy: fresh.id, live: true });
    expect(Math.abs(left(replaced) - 24 * HOUR)).toBeLessThan(60_000);
    for (const { token } of [old, fresh]) await sendBy(relay, token, { isTestTransaction: true }).expect(200);
    await scenario.database.query('UPDATE sender_keys SET expires_at = now() WHERE id = $1', [old.id]);
    await sendBy(relay, old.token, { isTestTransaction: true }).expect(401);
    await sendBy(relay, fresh.token, { isTestTransaction: true }).expect(200);
  });

  test('the overlap of a rotation is 0 hours to 30 days, and never longer than the old key would live (V3, L61)', async () => {
    const { keys } = await restaurant();
    const old = await keys.create({ expiresAt: new Date(Date.now() + 48 * HOUR).toISOString() });
    for (const overlapHours of [-1, 721, 1.5, '24', null])
      expect((await keys.rotate(old.id, { overlapHours }).expect(400)).body.code).toBe('VALIDATION_FAILED');
    const second = (await keys.rotate(old.id, { overlapHours: 720 }).expect(201)).body.data as ShownKey;
    const byId = async (id: string) => (await keys.list()).find((key) => key.id === id) as ShownKey;
    expect((await byId(old.id)).expiresAt).toBe(old.expiresAt);
    // it lives as long as the old one was given
    expect(Math.abs(left(second) - 48 * HOUR)).toBeLessThan(60_000);
    const expiresAt = new Date(Date.now() + 9 * HOUR).toISOString();
    const third = (await keys.rotate(second.id, { overlapHours: 0, expiresAt }).expect(201)).body.data as ShownKey;
    expect(third.expiresAt).toBe(expiresAt);
    expect(await byId(second.id)).toMatchObject({ live: false, replacedBy: third.id });
    await sendBy(relay, second.token).expect(401);
    await sendBy(relay, third.token).expect(200);
  });

  test('a key is replaced once, and only while it works (V3)', async () => {
    const { keys } = await restaurant();
    const [one, revoked] = [await keys.create(), await keys.create()];
    const answers = await Promise.all([keys.rotate(one.id), keys.rotate(one.id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    await keys.revoke(revoked.id).expect(200);
    expect((await keys.rotate(revoked.id).expect(409)).body.code).toBe('KEY_ENDED');
  });

  test('making, rotating and revoking are audited, without tokens (V10, R27)', async () => {
    const { id, token, keys } = await restaurant();
    const old = await keys.create();
    const fresh = (await keys.rotate(old.id, { overlapHours: 2 }).expect(201)).body.data as ShownKey;
    await keys.revoke(fresh.id).expect(200);
    const page = await auditOf(scenario).ofRestaurant(id, token);
    const shown = (entries: Entry[]) => entries.map(({ action, target, details }) => ({ action, target, details }));
    const key = { kind: 'TOKEN', scopes: ['sales:write'] };
    expect(shown(page.data)).toEqual([
      { action: 'sender_key.revoked', target: 'Bar', details: { ...key, keyId: fresh.keyId } },
      {
        action: 'sender_key.rotated',
        target: 'Bar',
        details: { ...key, keyId: old.keyId, newKeyId: fresh.keyId, overlapHours: 2 },
      },
      { action: 'sender_key.created', target: 'Bar', details: { ...key, keyId: old.keyId, expiresAt: null } },
    ]);
    const platform = await keysOf(relay, null, admin).create({ name: 'Platform' });
    const [entry] = (await auditOf(scenario).ofAll(admin, { action: 'sender_key.created' })).data;
    expect(entry).toMatchObject({ restaurantId: null, target: 'Platform', details: { keyId: platform.keyId } });
  });

  test('the list has at most 100 keys, those that work first (V10)', async () => {
    const { id, keys } = await restaurant();
    const { keyId } = await keys.create();
    await scenario.database.query(
      `INSERT INTO sender_keys (id, restaurant_id, name, kind, key_id, token_hash, scopes, created_at, revoked_at)
       SELECT gen_random_uuid(), $1, 'Old', 'TOKEN', lpad(number::text, 8, '0'), number::text, '{sales:write}', now() + interval '1 day', now()
       FROM generate_series(1, 120) AS number`,
      [id],
    );
    const list = await keys.list();
    expect([list.length, list[0]?.keyId]).toEqual([100, keyId]);
  });
});
