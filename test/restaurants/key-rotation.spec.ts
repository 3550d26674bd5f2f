import { Connection } from '../../src/capabilities/doctor/connection.js';
import { keysCheck } from '../../src/capabilities/doctor/database.checks.js';
import type { Config } from '../../src/platform/config/config.js';
import { SecretBox } from '../../src/platform/secrets/secret-box.js';
import { sale } from '../support/client.js';
import { ADMIN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked, markedKey } from '../support/secrets.js';

const SECRETS = { 'partner-a': marked('secret-of-a'), 'partner-b': marked('secret-of-b') };
const [OLD, NEW, THIRD] = ['old', 'new', 'third'].map(markedKey) as [string, string, string];

describe('SECRETS_KEY (S14)', () => {
  // the relays have no credentials: orders are sent with those of the restaurants
  const scenario = Scenario.ofSuite(
    { POS_PARTNER_ID: '', POS_SECRET: '', SECRETS_KEY: OLD },
    { pos: { partners: SECRETS } },
  );

  beforeEach(() => scenario.empty());

  /** Creates a restaurant of this partner through this relay. */
  function restaurant(relay: TestRelay, name: 'a' | 'b'): Promise<string> {
    const posIdPartner = `partner-${name}` as const;
    return relay.createRestaurant({
      slug: `slug-${name}`,
      codeStoreTerminal: `STORE-${name}`,
      posIdPartner,
      posSecret: SECRETS[posIdPartner],
    });
  }

  /** Accepts a sale and makes one attempt. */
  async function deliver(relay: TestRelay, name: 'a' | 'b' = 'a') {
    const id = await relay.accept(sale({ storeCode: `STORE-${name}` }));
    await relay.tick();
    return scenario.jobs.get(id);
  }

  /** restaurant -> its encrypted posSecret */
  const boxes = async () => {
    const rows = await scenario.database.query<{ id: string; pos_secret: string }>(
      'SELECT id::text, pos_secret FROM restaurants',
    );
    return Object.fromEntries(rows.map(({ id, pos_secret }) => [id, pos_secret]));
  };

  test('posSecret is encrypted in the database, each time to another text', async () => {
    const { relay } = scenario;
    const id = await restaurant(relay, 'a');
    const { [id]: before } = await boxes();
    expect(before).toMatch(/^v1\./);
    expect(await scenario.database.leaks()).toEqual([]);
    const { api } = relay;
    await api.patch(`/restaurants/${id}`, await relay.login(), { posSecret: SECRETS['partner-a'] }).expect(200);
    expect((await boxes())[id]).not.toBe(before);
    expect(await deliver(relay)).toMatchObject({ status: 'SENT' });
  });

  test('rotation: a start with the previous key encrypts every posSecret with the new one; then the previous key can go', async () => {
    for (const name of ['a', 'b'] as const) await restaurant(scenario.relay, name);
    const old = await boxes();

    const between = await scenario.start({ SECRETS_KEY: NEW, SECRETS_KEY_PREVIOUS: OLD });
    expect(await deliver(between)).toMatchObject({ status: 'SENT' });
    const rotated = await boxes();
    for (const [id, box] of Object.entries(rotated)) expect(box).not.toBe(old[id]);
    expect(between.logged).toContainEqual(
      expect.objectContaining({ event: 'restaurants.secrets_rotated', rotated: 2 }),
    );

    const after = await scenario.start({ SECRETS_KEY: NEW });
    for (const name of ['a', 'b'] as const) expect(await deliver(after, name)).toMatchObject({ status: 'SENT' });
    expect(await boxes()).toEqual(rotated);
  });

  test('rotation one instance after the other: with the new key as the previous one everywhere, each decrypts what the other encrypts', async () => {
    await restaurant(scenario.relay, 'a');
    const [first, second] = [
      await scenario.start({ SECRETS_KEY: OLD, SECRETS_KEY_PREVIOUS: NEW }),
      await scenario.start({ SECRETS_KEY: OLD, SECRETS_KEY_PREVIOUS: NEW }),
    ];
    const swapped = await scenario.start({ SECRETS_KEY: NEW, SECRETS_KEY_PREVIOUS: OLD });
    for (const relay of [first, second, swapped]) expect(await deliver(relay)).toMatchObject({ status: 'SENT' });
    await restaurant(second, 'b');
    expect(await deliver(swapped, 'b')).toMatchObject({ status: 'SENT' });
  });

  test('a start warns of live instances that cannot decrypt what it encrypts (S33)', async () => {
    const live = async (id: string, keys: string[] | null, age = '0 s') => {
      await scenario.database.query(
        `INSERT INTO relay_instances (id, version, host, worker_enabled, pace, secrets_keys, last_seen_at)
         VALUES ($1, '1', 'h', true, 'tick', $2, now() - $3::interval)`,
        [id, keys, age],
      );
    };
    const box = (key: string) => new SecretBox({ secretsKey: Buffer.from(key, 'base64') } as Config).current;
    await live('with-the-old:1', [box(OLD)]);
    await live('with-both:1', [box(OLD), box(NEW)]);
    await live('of-before:1', null);
    await live('dead:1', [box(OLD)], '10 minutes');
    const swapped = await scenario.start({ SECRETS_KEY: NEW, SECRETS_KEY_PREVIOUS: OLD });
    const warnings = swapped.logged.filter(({ event }) => event === 'secrets.other_keys');
    expect(warnings).toEqual([expect.objectContaining({ instances: ['with-the-old:1'] })]);
    const doctor = await Connection.open(scenario.database.url, 'the test');
    const secretsKey = Buffer.from(NEW, 'base64');
    expect(await keysCheck(doctor, new SecretBox({ secretsKey } as Config))).toEqual([
      expect.objectContaining({ level: 'warning', details: ['with-the-old:1'] }),
    ]);
    await doctor.close();
    const same = await scenario.start({ SECRETS_KEY: OLD });
    expect(same.logged.filter(({ event }) => event === 'secrets.other_keys')).toEqual([]);
    await scenario.database.query('DELETE FROM relay_instances');
  });

  test('a lost key: the job is FAILED with the remedy in lastError, and SENT after posSecret is set again', async () => {
    const id = await restaurant(scenario.relay, 'a');
    const relay = await scenario.start({ SECRETS_KEY: NEW, SECRETS_KEY_PREVIOUS: THIRD });
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'restaurants.secrets_lost', lost: 1 }));
    const { pos, jobs } = scenario;
    const calls = pos.orderCalls + pos.authCalls;
    const job = await deliver(relay);
    expect(job).toMatchObject({ status: 'FAILED', attempts: 1 });
    expect(job.last_error).toMatch(/posSecret.*cannot be decrypted.*set posSecret again/);
    expect(pos.orderCalls + pos.authCalls).toBe(calls);

    const { api } = relay;
    const token = await relay.login(ADMIN);
    expect((await api.get(`/restaurants/${id}`, token)).body.hasPosSecret).toBe(true);
    await api.patch(`/restaurants/${id}`, token, { posSecret: SECRETS['partner-a'] }).expect(200);
    await jobs.makeDue(job.id);
    await relay.tick();
    expect(await jobs.get(job.id)).toMatchObject({ status: 'SENT', attempts: 2, last_error: null });
  });

  test('the encrypted posSecret of another restaurant cannot be decrypted', async () => {
    const { relay, database } = scenario;
    const [a, b] = [await restaurant(relay, 'a'), await restaurant(relay, 'b')];
    await database.query(
      `UPDATE restaurants SET pos_secret = (SELECT pos_secret FROM restaurants WHERE id = $1), pos_id_partner = 'partner-a' WHERE id = $2`,
      [a, b],
    );
    const job = await deliver(relay, 'b');
    expect(job.status).toBe('FAILED');
    expect(job.last_error).toContain('cannot be decrypted');
    expect(await deliver(relay, 'a')).toMatchObject({ status: 'SENT' });
  });

  test('a damaged posSecret cannot be decrypted: a flipped bit, cut short, another version, plain text', async () => {
    const { relay } = scenario;
    const id = await restaurant(relay, 'a');
    const box = (await boxes())[id] as string;
    const flipped = box.slice(0, -3) + (box.at(-3) === 'A' ? 'B' : 'A') + box.slice(-2);
    for (const damaged of [flipped, box.slice(0, -4), box.replace(/^v1/, 'v2'), 'a-plain-text']) {
      await scenario.database.query('UPDATE restaurants SET pos_secret = $2 WHERE id = $1', [id, damaged]);
      expect(await deliver(relay)).toMatchObject({
        status: 'FAILED',
        last_error: expect.stringContaining('cannot be decrypted'),
      });
    }
  });
});
