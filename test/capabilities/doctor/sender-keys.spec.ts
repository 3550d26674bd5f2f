import { keysOf } from '../../auth/sender-keys/keys.js';
import { Scenario } from '../../support/scenario.js';
import { examined } from './doctor.js';

const DAY = 86_400_000;

describe('the doctor and sender keys (V11)', () => {
  const scenario = Scenario.ofSuite();

  interface Check {
    readonly name: string;
    readonly level: string;
    readonly text: string;
    readonly details?: readonly string[];
  }
  const examine = async (): Promise<Check | undefined> => {
    const { text } = await examined(scenario.environment, { json: true });
    return (JSON.parse(text) as Check[]).find(({ name }) => name === 'sender keys');
  };

  test('a key that expires within a week is a warning, until it is rotated or revoked (V11)', async () => {
    expect(await examine()).toMatchObject({ level: 'ok', text: 'there are none' });
    const { id, token } = await scenario.restaurant();
    const keys = keysOf(scenario.relay, id, token);
    const platform = keysOf(scenario.relay, null, await scenario.relay.login());
    const expiresIn = (days: number) => ({ expiresAt: new Date(Date.now() + days * DAY).toISOString() });
    await keys.create();
    await keys.create(expiresIn(8));
    expect(await examine()).toMatchObject({ level: 'ok', text: '2 keys; none expires within a week' });
    const [bar, shared] = [await keys.create(expiresIn(6)), await platform.create(expiresIn(3))];
    const found = await examine();
    expect(found).toMatchObject({ level: 'warning', text: '2 keys of 4 will expire within a week' });
    expect(found?.details?.[0]).toMatch(
      new RegExp(`^the platform: Bar \\(${shared.keyId}\\): expires on \\d{4}-.* UTC$`),
    );
    expect(found?.details?.[1]).toContain(`Bar (${bar.keyId})`);
    await keys.rotate(bar.id, { expiresAt: new Date(Date.now() + 90 * DAY).toISOString() }).expect(201);
    await platform.revoke(shared.id).expect(200);
    expect(await examine()).toMatchObject({ level: 'ok' });
  });

  test('a key that is refused again and again is a warning, while it is tried (V41)', async () => {
    const { id, token } = await scenario.restaurant();
    const keys = keysOf(scenario.relay, id, token);
    const key = await keys.create();
    await keys.revoke(key.id).expect(200);
    const tried = (times: number, ago: string) =>
      scenario.database.query(
        `UPDATE sender_keys SET refused_at = now() - $2::interval, refused_since = now() - $2::interval, refused_count = $3, refused_reason = 'revoked'
         WHERE id = $1`,
        [key.id, ago, times],
      );
    await tried(2, '1 minute');
    expect(await examine()).toMatchObject({ level: 'ok' });
    await tried(12, '1 minute');
    const found = await examine();
    expect(found).toMatchObject({
      level: 'warning',
      text: '1 key refused, and still tried: these sales are not stored',
    });
    expect(found?.details).toEqual([expect.stringContaining(`Bar (${key.keyId}): revoked, refused 12 times since `)]);
    await tried(12, '1 hour');
    expect(await examine()).toMatchObject({ level: 'ok' });
  });

  test('a key with a sale of the last week that named another store is a warning (W49)', async () => {
    const { id, token } = await scenario.restaurant();
    const key = await keysOf(scenario.relay, id, token).create();
    const used = (ago: string) =>
      scenario.database.query('UPDATE sender_keys SET foreign_store_at = now() - $2::interval WHERE id = $1', [
        key.id,
        ago,
      ]);
    await used('6 days');
    const found = await examine();
    expect(found).toMatchObject({ level: 'warning', text: '1 key sent sales that name another store, within a week' });
    expect(found?.details).toEqual([expect.stringContaining(`Bar (${key.keyId}): another store, last on `)]);
    await used('8 days');
    expect(await examine()).toMatchObject({ level: 'ok' });
  });

  test('an expired key is a warning for a week, if a sale came by it in its last week (V11, V12)', async () => {
    const { id, token } = await scenario.restaurant();
    const keys = keysOf(scenario.relay, id, token);
    const [used, unused] = [await keys.create(), await keys.create()];
    const expired = (key: string, ago: string, usedBefore: string) =>
      scenario.database.query(
        `UPDATE sender_keys SET expires_at = now() - $2::interval, last_used_at = now() - $2::interval - $3::interval WHERE id = $1`,
        [key, ago, usedBefore],
      );
    await expired(unused.id, '1 hour', '8 days');
    expect(await examine()).toMatchObject({ level: 'ok' });
    await expired(used.id, '6 days', '6 days');
    expect(await examine()).toMatchObject({
      level: 'warning',
      text: '1 key expired in use: these terminals send no sales',
      details: [expect.stringContaining(`Bar (${used.keyId}): expired on `)],
      hint: 'for an expired key: make a new one, then revoke the old one',
    });
    await expired(used.id, '8 days', '1 hour');
    expect(await examine()).toMatchObject({ level: 'ok' });
    await expired(used.id, '1 day', '1 hour');
    await keys.revoke(used.id).expect(200);
    expect(await examine()).toMatchObject({ level: 'ok' });
  });
});
