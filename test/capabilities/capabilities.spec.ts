import { readdirSync } from 'node:fs';
import { Capabilities } from '../../src/platform/config/capabilities.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { Rounds } from '../../src/platform/schedule/rounds.js';
import { sale } from '../support/client.js';
import { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

const FOLDERS = readdirSync('src/capabilities').sort();

/** Names of the rounds of receiving, delivering and management. */
const OF_THE_ROAD = /^(outbox|refused_sales)\./;

/** Parts of paths that only capabilities have. */
const OF_CAPABILITIES =
  /alert|print\/|devices|notifications|console|\/days|closings|\/check$|Id}\/live|personal-data|erase|receipts|resend|reset|resolve|entered|terminal-files|printers|tickets|cloudprnt/;

describe('CAPABILITIES names what an instance loads (S43)', () => {
  let scenario: Scenario;

  beforeAll(async () => {
    scenario = await Scenario.open();
  });
  afterAll(() => scenario.close());

  const pathsOf = async (relay: TestRelay) =>
    Object.keys((await relay.http.get('/docs-json').expect(200)).body.paths as object);
  const roundsOf = (relay: TestRelay) =>
    (relay.get(Rounds) as unknown as { added: { name: string }[] }).added.map(({ name }) => name);

  test('none: the routes and rounds of receiving, delivering and management, and a sale reaches the POS', async () => {
    const relay = await scenario.start({ CAPABILITIES: 'none', WORKER_ENABLED: 'true' });
    const paths = await pathsOf(relay);
    expect(paths.filter((path) => OF_CAPABILITIES.test(path))).toEqual([]);
    expect(paths).toContain('/webhooks/terminal');
    expect(paths.length).toBeGreaterThan(25);
    expect(roundsOf(relay).filter((name) => !OF_THE_ROAD.test(name))).toEqual([]);
    expect(roundsOf(scenario.relay).filter((name) => !OF_THE_ROAD.test(name))).not.toEqual([]);
    await relay.http.get('/console/').expect(404);
    expect((await relay.http.get('/').expect(302)).headers.location).toBe('/docs');
    await relay.createRestaurant();
    const id = await relay.accept(sale());
    await relay.tick();
    expect((await scenario.jobs.get(id)).status).toBe('SENT');
    await relay.close();
  });

  test('all: each folder of capabilities is loaded, and adds routes', async () => {
    const [none, all] = [await scenario.start({ CAPABILITIES: 'none' }), await scenario.start()];
    const [few, many] = [await pathsOf(none), await pathsOf(all)];
    expect(few.filter((path) => !many.includes(path))).toEqual([]);
    expect(many.filter((path) => !few.includes(path) && !OF_CAPABILITIES.test(path))).toEqual([]);
    await Promise.all([none.close(), all.close()]);
    const { loaded } = all.get(Capabilities);
    expect([...loaded].sort()).toEqual(FOLDERS);
  });

  test.each(FOLDERS)('%s alone starts', async (name) => {
    const relay = await scenario.start({ CAPABILITIES: name });
    await relay.http.get('/health/live').expect(200);
    await relay.close();
  });

  test('alerts and days load channels', async () => {
    for (const name of ['alerts', 'days']) {
      const relay = await scenario.start({ CAPABILITIES: name });
      expect((await pathsOf(relay)).some((path) => path.includes('devices'))).toBe(true);
      await relay.close();
    }
  });

  test.each(['alrts', 'alerts,alrts', 'all,alerts', 'none,days'])(
    'an unknown name in %j ends the start, and the error has all names',
    async (capabilities) => {
      const config = loadConfig({ ...scenario.environment, CAPABILITIES: capabilities });
      await expect(TestRelay.start(config)).rejects.toThrow(
        /CAPABILITIES must be all, none, or names .* is none of receipts/,
      );
    },
  );
});
