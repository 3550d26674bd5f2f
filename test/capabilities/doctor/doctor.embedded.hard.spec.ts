import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedDatabase } from '../../../src/platform/database/pglite/embedded.js';
import { deepIn, makeDataDir } from '../../process/data-dir.js';
import { type RelayClient, sale } from '../../support/client.js';
import { OWN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { CAREFUL } from './deployment.js';
import { complaints, doctor, examined } from './doctor.js';

describe('the doctor on the embedded database', () => {
  let scenario: Scenario;

  beforeEach(async () => {
    scenario = await Scenario.inDataDir(CAREFUL);
  });
  afterEach(() => scenario.close());

  async function withRestaurant<Relay extends RelayClient>(starting: Promise<Relay>): Promise<Relay> {
    const relay = await starting;
    await relay.createRestaurant({ name: 'Roma', timezone: 'Europe/Rome', ...OWN });
    await relay.accept(sale());
    return relay;
  }

  test('beside a running relay and after its stop; a lost key is reported, and no new one is made', async () => {
    const relay = await withRestaurant(scenario.start());
    const { code, text } = await doctor(scenario.environment);
    expect([code, text]).toEqual([
      0,
      expect.stringContaining(`embedded in ${scenario.dataDir}, beside a running relay`),
    ]);
    expect(text).toMatch(/✓ disk +[\d.]+ GiB free/);
    expect(text).toMatch(/30 ok, 0 warnings, 0 bad\n$/);
    await relay.accept(sale());
    await relay.close();

    const stopped = await examined(scenario.environment);
    expect(stopped).toMatchObject({ code: 0, text: expect.stringContaining('no relay runs on it') });
    await (await EmbeddedDatabase.open(scenario.dataDir)).close();

    // without the generated key
    rmSync(join(scenario.dataDir, 'secrets-key'));
    expect(await complaints(scenario.environment)).toMatchObject({
      code: 1,
      found: [
        { name: 'POS credentials', details: ['Roma (roma)'], hint: expect.stringContaining('SECRETS_KEY') },
        { name: 'POS sign-in', level: 'warning' },
      ],
    });
    expect(existsSync(join(scenario.dataDir, 'secrets-key'))).toBe(false);
  });

  test('beside a relay whose DATA_DIR is too long for a socket path', async () => {
    const deep = await makeDataDir(deepIn(scenario.dataDir));
    const held = await EmbeddedDatabase.open(deep);
    const { code, text } = await examined({ ...scenario.environment, DATA_DIR: deep });
    await held.close();
    expect([code, text]).toEqual([0, expect.stringContaining('beside a running relay')]);
  });

  test('after a relay was killed (kill -9): what it acknowledged and left behind is found', async () => {
    const relay = await withRestaurant(scenario.startProcess());
    await relay.accept(sale());
    await relay.kill();
    scenario.pos.behave({ mode: 'status', status: 503, paths: ['/auth'] });
    expect(await complaints(scenario.environment)).toMatchObject({
      code: 1,
      found: [
        { name: 'POS_PARTNER_ID', level: 'warning' },
        { name: 'POS sign-in', text: expect.stringContaining('HTTP 503, POS error 503'), details: ['Roma (roma)'] },
      ],
    });
  });

  test('a new installation: a warning, and nothing is created', async () => {
    const fresh = join(scenario.dataDir, 'fresh');
    const environment = { ...scenario.environment, DATA_DIR: fresh };
    const { code, text } = await examined(environment);
    expect([code, text]).toEqual([0, expect.stringContaining(`! database              none yet in ${fresh}`)]);
    expect(existsSync(fresh)).toBe(false);
    mkdirSync(fresh);
    expect((await examined(environment)).text).toContain('none yet in');
    expect(existsSync(join(fresh, 'secrets-key'))).toBe(false);
  });

  test('a DATA_DIR that is a file: one cross, no stack trace', async () => {
    const { code, text } = await doctor({ ...scenario.environment, DATA_DIR: process.execPath });
    expect([code, text]).toEqual([1, expect.stringMatching(/^✗ configuration.*\n +- DATA_DIR cannot be used: .*\n/)]);
    expect(text).not.toMatch(/\.js:\d/);
  });
});
