import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PosSimulator } from '../../src/pos/simulator.js';
import { makeDataDir } from '../support/data-dir.js';
import type { TestDatabase } from '../support/database.js';
import { Instance } from '../support/instance.js';
import { ADMIN, PARTNER, TERMINAL_TOKEN, testEnvironment } from '../support/relay.js';
import { sale } from '../support/sale.js';
import { complaints, doctor } from './doctor.js';

describe('the doctor on the embedded database', () => {
  let dataDir: string;
  let pos: PosSimulator;
  let environment: Record<string, string>;
  const running = new Set<Instance>();

  beforeEach(async () => {
    dataDir = makeDataDir();
    pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret, own: 'hush-hush' } });
    const { DATABASE_URL, JWT_SECRET, SECRETS_KEY, ...rest } = testEnvironment({ url: '' } as TestDatabase);
    environment = { ...rest, NODE_ENV: 'development', DATA_DIR: dataDir, POS_BASE_URL: await pos.listen() };
  });
  afterEach(async () => {
    for (const instance of running) await instance.kill();
    running.clear();
    await pos.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(changes: Record<string, string> = {}): Promise<Instance> {
    const instance = await Instance.start({ ...environment, ...changes });
    running.add(instance);
    return instance;
  }

  async function post(url: string, body: unknown, token: string): Promise<{ status: number; body: unknown }> {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  }

  async function createRestaurant({ url }: Instance): Promise<void> {
    const login = await post(`${url}/auth/login`, ADMIN, '');
    const { access_token } = login.body as { access_token: string };
    const codes = { codeStoreTerminal: 'STORE-1', codeStorePos: '1001' };
    const fields = { name: 'Roma', ...codes, posIdPartner: 'own', posSecret: 'hush-hush' };
    expect((await post(`${url}/restaurants`, fields, access_token)).status).toBe(201);
  }

  const sell = async ({ url }: Instance) => (await post(`${url}/webhooks/terminal`, sale(), TERMINAL_TOKEN)).status;

  test('beside a running relay, which goes on', async () => {
    const relay = await start();
    await createRestaurant(relay);
    const { code, text } = await doctor(environment);
    expect([code, text]).toEqual([0, expect.stringContaining(`embedded in ${dataDir}, beside a running relay`)]);
    expect(text).toMatch(/✓ disk +[\d.]+ GiB free/);
    expect(text).toMatch(/15 good, 0 warnings, 0 bad\n$/);
    expect(await sell(relay)).toBe(200);
  });

  test('after a relay was stopped: the database is opened for the check, and free for the relay afterwards', async () => {
    const first = await start();
    await createRestaurant(first);
    expect(await first.stop()).toBe(0);
    const { code, text } = await doctor(environment);
    expect([code, text]).toEqual([0, expect.stringContaining('no relay runs on it')]);
    expect(await sell(await start())).toBe(200);
  });

  test('after a relay was killed (kill -9): what it acknowledged and left behind is found', async () => {
    const relay = await start();
    await createRestaurant(relay);
    expect(await sell(relay)).toBe(200);
    await relay.kill();
    pos.behave({ mode: 'status', status: 503, paths: ['/auth'] });
    const { code, found } = await complaints(environment);
    expect([code, found]).toMatchObject([
      1,
      [{ name: 'POS sign-in', details: ['Roma (roma): HTTP 503, POS error 503', expect.any(String)] }],
    ]);
  });

  test('beside a relay whose folder has too long a path for a socket', async () => {
    const deep = join(dataDir, 'a'.repeat(60), 'b'.repeat(60));
    await start({ DATA_DIR: deep });
    const { code, text } = await doctor({ ...environment, DATA_DIR: deep });
    expect([code, text]).toEqual([0, expect.stringContaining('beside a running relay')]);
  });

  test('a new installation: said so, nothing is created', async () => {
    const fresh = join(dataDir, 'fresh');
    const { code, text } = await doctor({ ...environment, DATA_DIR: fresh });
    expect([code, text]).toEqual([0, expect.stringContaining(`! database              none yet in ${fresh}`)]);
    expect(existsSync(fresh)).toBe(false);
    mkdirSync(fresh);
    expect((await doctor({ ...environment, DATA_DIR: fresh })).text).toContain('none yet in');
    expect(existsSync(join(fresh, 'secrets-key'))).toBe(false);
  });

  test('the generated key was lost: the restaurants whose posSecret no key opens are named, no new key is made', async () => {
    const relay = await start();
    await createRestaurant(relay);
    await relay.stop();
    rmSync(join(dataDir, 'secrets-key'));
    const { code, found } = await complaints(environment);
    expect([code, found]).toMatchObject([
      1,
      [{ name: 'POS credentials', details: [expect.stringMatching(/^Roma .*SECRETS_KEY/)] }],
    ]);
    expect(existsSync(join(dataDir, 'secrets-key'))).toBe(false);
  });

  test('a DATA_DIR that is a file: one cross, no stack trace', async () => {
    const { code, text } = await doctor({ ...environment, DATA_DIR: process.execPath });
    expect([code, text]).toEqual([1, expect.stringMatching(/^✗ configuration.*\n +- DATA_DIR cannot be used: .*\n/)]);
    expect(text).not.toMatch(/\.js:\d/);
  });
});
