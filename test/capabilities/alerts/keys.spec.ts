import { keysOf } from '../../auth/sender-keys/keys.js';
import { Evening } from './evening.js';

const DAY = 86_400_000;
const inDays = (days: number) => ({ expiresAt: new Date(Date.now() + days * DAY).toISOString() });

describe('alerts of sender keys that end', () => {
  const evening = Evening.ofSuite();
  let roma: Awaited<ReturnType<Evening['scenario']['restaurant']>>;
  let keys: ReturnType<typeof keysOf>;

  beforeEach(async () => {
    roma = await evening.scenario.store();
    evening.reach(roma.owner.id);
    keys = keysOf(evening.scenario.relay, roma.id, roma.token);
  });

  const open = async () => (await evening.alerts()).filter(({ closed_at }) => closed_at === null);
  const only = async () => {
    const alerts = await open();
    expect(alerts).toHaveLength(1);
    return alerts[0] as (typeof alerts)[number];
  };
  /** The key has expired since; it was last used this long before. */
  const expire = (id: string, usedBefore: string | null) =>
    evening.scenario.database.query(
      `UPDATE sender_keys SET expires_at = now() - interval '1 second', last_used_at = now() - $2::interval WHERE id = $1`,
      [id, usedBefore],
    );
  const mail = () => evening.sent.findLast(({ recipient }) => recipient.channel === 'mail')?.message;

  test('it opens a week before, for each key that nobody has replaced, and says restaurant, name and key id (G30)', async () => {
    await keys.create(inDays(8));
    const { keyId } = await keys.create({ name: 'Terrace', ...inDays(6) });
    await keys.create();
    await evening.begin();
    expect(await only()).toMatchObject({
      ...{ kind: 'KEY_EXPIRES', restaurant_id: roma.id, count: 1, cause: null },
      details: { name: 'Terrace', keyId, expiresAt: expect.stringMatching(/^\d{4}-/) },
    });
    const [{ name }] = (await evening.scenario.database.query('SELECT name FROM restaurants WHERE id = $1', [
      roma.id,
    ])) as [{ name: string }];
    const title = expect.stringContaining(`${name}: the terminals' key Terrace (${keyId}) expires on `);
    expect(evening.sent.splice(0).map(({ message }) => message.title)).toEqual([title]);
    const { body } = await evening.scenario.api.get(`/restaurants/${roma.id}/alerts`, roma.token).expect(200);
    expect(body.data[0]).toMatchObject({ kind: 'KEY_EXPIRES', details: { name: 'Terrace', keyId } });
    expect(JSON.stringify(body)).not.toContain('rly_');
  });

  test('in the language of its recipient (G8, G30)', async () => {
    evening.reach(roma.owner.id, { language: 'pt-BR' });
    const { id, keyId } = await keys.create(inDays(2));
    await evening.begin();
    expect(evening.told()).toEqual([expect.stringContaining(`a chave Bar (${keyId}) dos terminais expira em `)]);
    await expire(id, '1 hour');
    await evening.begin();
    expect(evening.told()).toEqual([expect.stringContaining(`a chave Bar (${keyId}) expirou`)]);
  });

  test.each(['rotated', 'revoked'] as const)(
    'it closes when the key is %s, and those who were notified get a message (G3, G30)',
    async (how) => {
      const { id } = await keys.create(inDays(2));
      await evening.begin();
      evening.told();
      if (how === 'rotated') await keys.rotate(id, inDays(90)).expect(201);
      else await keys.revoke(id).expect(200);
      await evening.after(1.1);
      expect(await open()).toEqual([]);
      expect(evening.told()).toEqual([expect.stringContaining('was replaced or revoked')]);
    },
  );

  test('an expired key that was in use stays open, and its expiry tells people again although somebody has acknowledged (G30, G31)', async () => {
    const { id, keyId } = await keys.create(inDays(2));
    await evening.begin();
    const { id: alert } = await only();
    await evening.scenario.api.post(`/restaurants/${roma.id}/alerts/${alert}/acknowledge`, roma.token).expect(200);
    await evening.after(1.1);
    evening.told();
    await expire(id, '2 days');
    await evening.begin();
    expect(await only()).toMatchObject({ id: alert, acknowledged_at: null });
    expect(evening.told()).toEqual([
      expect.stringContaining(`the key Bar (${keyId}) has expired, its terminals send no sales`),
    ]);
    await evening.scenario.api.post(`/restaurants/${roma.id}/alerts/${alert}/acknowledge`, roma.token).expect(200);
    for (let i = 0; i < 3; i++) await evening.after(40);
    expect(evening.told()).toEqual([]);
    await keys.revoke(id).expect(200);
    await evening.after(1);
    expect(await open()).toEqual([]);
  });

  test('an expired key that was not used in its last week, or expired more than a week ago, opens none (G30)', async () => {
    const [unused, never, old] = [
      await keys.create(inDays(2)),
      await keys.create(inDays(2)),
      await keys.create(inDays(2)),
    ];
    await expire(unused.id, '8 days');
    await expire(never.id, null);
    await expire(old.id, '1 hour');
    await evening.scenario.database.query(
      `UPDATE sender_keys SET expires_at = now() - interval '8 days', last_used_at = now() - interval '8 days' WHERE id = $1`,
      [old.id],
    );
    await evening.round();
    expect(await open()).toEqual([]);
    const used = await keys.create(inDays(2));
    await expire(used.id, '1 hour');
    await evening.round();
    expect(await only()).toMatchObject({ details: { keyId: used.keyId } });
    await evening.scenario.database.query('UPDATE restaurants SET deleted_at = now()');
    await evening.after(1);
    expect(await open()).toEqual([]);
  });

  test('before the expiry it repeats each day, afterwards each 30 min (G31)', async () => {
    const { id } = await keys.create(inDays(5));
    await evening.begin();
    await evening.after(5.1);
    await evening.after(10.1);
    expect(mail()?.text).toContain('Replace it in the set-up');
    evening.told();
    await evening.after(31);
    expect(evening.told()).toEqual([]);
    await evening.after(24 * 60);
    expect(evening.told()).toHaveLength(1);
    await expire(id, '1 hour');
    await evening.begin();
    await evening.after(5.1);
    await evening.after(10.1);
    expect(mail()?.text).toContain('Make a new key in the set-up');
    evening.told();
    await evening.after(31);
    expect(evening.told()).toHaveLength(1);
  });

  test('of a key of the platform its administrators are notified (G4, G30)', async () => {
    const { relay, database } = evening.scenario;
    const [administrator] = await database.query<{ id: string }>(`SELECT id FROM users WHERE role = 'ADMIN'`);
    evening.reach(String(administrator?.id));
    const { keyId } = await keysOf(relay, null, await relay.login()).create(inDays(3));
    await evening.begin();
    expect(await only()).toMatchObject({ kind: 'KEY_EXPIRES', restaurant_id: null });
    expect(evening.sent.map(({ recipient }) => recipient)).toEqual([{ channel: 'push', userId: administrator?.id }]);
    expect(evening.told()).toEqual([
      expect.stringMatching(new RegExp(`Platform: the terminals' key Bar \\(${keyId}\\) expires on .* UTC$`)),
    ]);
  });
});
