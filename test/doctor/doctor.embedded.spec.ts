import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedDatabase } from '../../src/database/embedded.js';
import { EmbeddedHouse } from '../support/embedded-house.js';
import type { Instance } from '../support/instance.js';
import { complaints, doctor, examined } from './doctor.js';

describe('the doctor on the embedded database', () => {
  let house: EmbeddedHouse;

  beforeEach(async () => {
    house = await EmbeddedHouse.open();
  });
  afterEach(() => house.close());

  async function startWithRestaurant(): Promise<Instance> {
    const relay = await house.start();
    await house.createRestaurant(relay, { posIdPartner: 'own', posSecret: 'hush-hush' });
    return relay;
  }

  test('beside a running relay, which goes on', async () => {
    const relay = await startWithRestaurant();
    const { code, text } = await doctor(house.environment);
    expect([code, text]).toEqual([0, expect.stringContaining(`embedded in ${house.dataDir}, beside a running relay`)]);
    expect(text).toMatch(/✓ disk +[\d.]+ GiB free/);
    expect(text).toMatch(/15 good, 0 warnings, 0 bad\n$/);
    expect((await house.sell(relay)).status).toBe(200);
  });

  test('beside a relay whose folder has too long a path for a socket', async () => {
    const deep = house.makeDeepDataDir();
    const held = await EmbeddedDatabase.open(deep);
    const { code, text } = await examined({ ...house.environment, DATA_DIR: deep });
    await held.close();
    expect([code, text]).toEqual([0, expect.stringContaining('beside a running relay')]);
  });

  test('after a relay was stopped: the database is opened for the check and free afterwards; a lost key is told, none is made', async () => {
    expect(await (await startWithRestaurant()).stop()).toBe(0);
    const { code, text } = await examined(house.environment);
    expect([code, text]).toEqual([0, expect.stringContaining('no relay runs on it')]);
    await (await EmbeddedDatabase.open(house.dataDir)).close();

    // and when the generated key was lost: the restaurants whose posSecret no key opens are named, no new key is made
    rmSync(join(house.dataDir, 'secrets-key'));
    expect(await complaints(house.environment)).toMatchObject({
      code: 1,
      found: [{ name: 'POS credentials', details: [expect.stringMatching(/^Roma .*SECRETS_KEY/)] }],
    });
    expect(existsSync(join(house.dataDir, 'secrets-key'))).toBe(false);
  });

  test('after a relay was killed (kill -9): what it acknowledged and left behind is found', async () => {
    const relay = await startWithRestaurant();
    expect((await house.sell(relay)).status).toBe(200);
    await relay.kill();
    house.pos.behave({ mode: 'status', status: 503, paths: ['/auth'] });
    expect(await complaints(house.environment)).toMatchObject({
      code: 1,
      found: [{ name: 'POS sign-in', details: ['Roma (roma): HTTP 503, POS error 503', expect.any(String)] }],
    });
  });

  test('a new installation: said so, nothing is created', async () => {
    const fresh = join(house.dataDir, 'fresh');
    const environment = { ...house.environment, DATA_DIR: fresh };
    const { code, text } = await examined(environment);
    expect([code, text]).toEqual([0, expect.stringContaining(`! database              none yet in ${fresh}`)]);
    expect(existsSync(fresh)).toBe(false);
    mkdirSync(fresh);
    expect((await examined(environment)).text).toContain('none yet in');
    expect(existsSync(join(fresh, 'secrets-key'))).toBe(false);
  });

  test('a DATA_DIR that is a file: one cross, no stack trace', async () => {
    const { code, text } = await doctor({ ...house.environment, DATA_DIR: process.execPath });
    expect([code, text]).toEqual([1, expect.stringMatching(/^✗ configuration.*\n +- DATA_DIR cannot be used: .*\n/)]);
    expect(text).not.toMatch(/\.js:\d/);
  });
});
