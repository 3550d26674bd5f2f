import type { PosSimulator } from '../../tools/simulator/simulator.js';
import type { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { ADMIN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked, markedKey } from '../support/secrets.js';

const SECRETS = { 'partner-a': marked('secret-of-a'), 'partner-b': marked('secret-of-b') };
const [OLD, NEW, THIRD] = ['old', 'new', 'third'].map(markedKey) as [string, string, string];

describe('SECRETS_KEY (S14)', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relays: TestRelay[];

  beforeAll(async () => {
    // without credentials of its own: only what the restaurants hold can deliver
    scenario = await Scenario.ofProcesses({ POS_PARTNER_ID: '', POS_SECRET: '' }, { pos: { partners: SECRETS } });
    ({ database, jobs, pos } = scenario);
  });
  beforeEach(() => {
    relays = [];
  });
  afterEach(async () => {
    for (const relay of relays) await relay.close();
    await database.query('TRUNCATE restaurants, pos_tokens CASCADE');
  });
  afterAll(() => scenario.close());

  async function start(keys: { SECRETS_KEY: string; SECRETS_KEY_PREVIOUS?: string }): Promise<TestRelay> {
    const relay = await scenario.start(keys);
    relays.push(relay);
    return relay;
  }

  /** A restaurant of this partner, whose posSecret is encrypted by this relay. */
  function restaurant(relay: TestRelay, name: 'a' | 'b'): Promise<string> {
    const posIdPartner = `partner-${name}` as const;
    return relay.createRestaurant({
      slug: `slug-${name}`,
      codeStoreTerminal: `STORE-${name}`,
      posIdPartner,
      posSecret: SECRETS[posIdPartner],
    });
  }

  /** A sale, one attempt. */
  async function deliver(relay: TestRelay, name: 'a' | 'b' = 'a') {
    const id = await relay.accept(sale({ storeCode: `STORE-${name}` }));
    await relay.tick();
    return jobs.get(id);
  }

  const boxes = async () => {
    const rows = await database.query<{ id: string; pos_secret: string }>(
      'SELECT id::text, pos_secret FROM restaurants',
    );
    return Object.fromEntries(rows.map(({ id, pos_secret }) => [id, pos_secret]));
  };

  test('posSecret lies encrypted in the database, and opens for the POS alone', async () => {
    const relay = await start({ SECRETS_KEY: OLD });
    const ids = [await restaurant(relay, 'a'), await restaurant(relay, 'b')];
    const stored = await boxes();
    expect(Object.keys(stored).sort()).toEqual(ids.sort());
    const rows = await database.query('SELECT r::text AS everything FROM restaurants r');
    for (const secret of Object.values(SECRETS))
      for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const)
        expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString(encoding));
    expect(await deliver(relay)).toMatchObject({ status: 'SENT' });
  });

  test('the same secret, set twice, is another box', async () => {
    const relay = await start({ SECRETS_KEY: OLD });
    const id = await restaurant(relay, 'a');
    const { [id]: before } = await boxes();
    const { api } = relay;
    await api.patch(`/restaurants/${id}`, await relay.login(), { posSecret: SECRETS['partner-a'] }).expect(200);
    expect((await boxes())[id]).not.toBe(before);
  });

  test('rotation: the previous key still opens, at start all is closed with the new one, then the previous one can go', async () => {
    const before = await start({ SECRETS_KEY: OLD });
    for (const name of ['a', 'b'] as const) await restaurant(before, name);
    const old = await boxes();

    const between = await start({ SECRETS_KEY: NEW, SECRETS_KEY_PREVIOUS: OLD });
    expect(await deliver(between)).toMatchObject({ status: 'SENT' });
    const rotated = await boxes();
    for (const [id, box] of Object.entries(rotated)) expect(box).not.toBe(old[id]);
    expect(between.logged).toContainEqual(
      expect.objectContaining({ event: 'restaurants.secrets_rotated', rotated: 2 }),
    );

    const after = await start({ SECRETS_KEY: NEW });
    for (const name of ['a', 'b'] as const) expect(await deliver(after, name)).toMatchObject({ status: 'SENT' });
    expect(await boxes()).toEqual(rotated);
    for (const { logged } of relays) expect(JSON.stringify(logged)).not.toMatch(/secret-of-/);
  });

  test('a key that is lost: FAILED with what to do, and SENT once posSecret is set again', async () => {
    const id = await restaurant(await start({ SECRETS_KEY: OLD }), 'a');
    const relay = await start({ SECRETS_KEY: NEW, SECRETS_KEY_PREVIOUS: THIRD });
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'restaurants.secrets_lost', lost: 1 }));
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

  test('a box copied to another restaurant does not open there', async () => {
    const relay = await start({ SECRETS_KEY: OLD });
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

  test.each(['a flipped bit', 'a box cut short', 'another version', 'plain text'])(
    '%s: does not open',
    async (what) => {
      const relay = await start({ SECRETS_KEY: OLD });
      const id = await restaurant(relay, 'a');
      const box = (await boxes())[id] as string;
      const damaged: Record<string, string> = {
        'a flipped bit': box.slice(0, -3) + (box.at(-3) === 'A' ? 'B' : 'A') + box.slice(-2),
        'a box cut short': box.slice(0, -4),
        'another version': box.replace(/^v1/, 'v2'),
        'plain text': 'a-plain-text',
      };
      await database.query('UPDATE restaurants SET pos_secret = $2 WHERE id = $1', [id, damaged[what]]);
      const job = await deliver(relay);
      expect(job).toMatchObject({ status: 'FAILED' });
      expect(job.last_error).toContain('cannot be decrypted');
    },
  );
});
