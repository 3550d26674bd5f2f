import { readdirSync } from 'node:fs';
import { Capabilities } from '../../src/platform/config/capabilities.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { Rounds } from '../../src/platform/schedule/rounds.js';
import { sale } from '../support/client.js';
import { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { routesOf } from '../user-links/routes.js';
import { ownRoutes } from './own-routes.js';

const FOLDERS = readdirSync('src/capabilities').sort();

/** Names of the rounds of receiving, delivering and management. */
const OF_THE_ROAD = /^(outbox|refused_sales|silence)\./;

describe('CAPABILITIES names what an instance loads (S43)', () => {
  let scenario: Scenario;

  beforeAll(async () => {
    scenario = await Scenario.open();
  });
  afterAll(() => scenario.close());

  /** The routes of these capabilities, by the controllers in their folders. */
  const ofFolders = async (names: readonly string[]) => (await Promise.all(names.map(ownRoutes))).flat();
  /** The routes of a relay that are of a capability. */
  const extra = async (relay: TestRelay) => {
    const of = await ofFolders(FOLDERS);
    return routesOf(relay.app).filter((route) => of.includes(route));
  };
  const roundsOf = (relay: TestRelay) =>
    (relay.get(Rounds) as unknown as { added: { name: string }[] }).added.map(({ name }) => name);

  test('none: the routes and rounds of receiving, delivering and management, and a sale reaches the POS', async () => {
    const relay = await scenario.start({ CAPABILITIES: 'none', WORKER_ENABLED: 'true' });
    expect(await extra(relay)).toEqual([]);
    expect(routesOf(relay.app)).toContain('POST /webhooks/terminal');
    expect(routesOf(relay.app).length).toBeGreaterThan(40);
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

  test('all: each folder of capabilities is loaded, and what it adds to the router are the routes of its controllers', async () => {
    const [none, all] = [await scenario.start({ CAPABILITIES: 'none' }), await scenario.start()];
    const [few, many] = [routesOf(none.app), routesOf(all.app)];
    expect(few.filter((route) => !many.includes(route))).toEqual([]);
    const of = await ofFolders(FOLDERS);
    expect(of.length).toBeGreaterThan(50);
    expect(many.filter((route) => !few.includes(route)).toSorted()).toEqual(of.toSorted());
    await Promise.all([none.close(), all.close()]);
    const { loaded } = all.get(Capabilities);
    expect([...loaded].sort()).toEqual(FOLDERS);
  });

  test('the document has the name of each folder as Capability, whatever is loaded (S43)', async () => {
    const relay = await scenario.start({ CAPABILITIES: 'console' });
    const { components } = (await relay.http.get('/docs-json').expect(200)).body;
    expect(components.schemas.Capability.enum).toEqual(FOLDERS);
    await relay.close();
  });

  test.each(FOLDERS)('%s alone starts, with its routes and those of what it needs', async (name) => {
    const relay = await scenario.start({ CAPABILITIES: name });
    const { loaded } = relay.get(Capabilities);
    expect(loaded).toContain(name);
    expect((await extra(relay)).toSorted()).toEqual((await ofFolders(loaded)).toSorted());
    await relay.http.get('/health/live').expect(200);
    await relay.close();
  });

  test.each(['alerts', 'days'])('%s loads channels', async (name) => {
    const relay = await scenario.start({ CAPABILITIES: name });
    expect(await extra(relay)).toEqual(expect.arrayContaining(await ownRoutes('channels')));
    await relay.close();
  });

  test.each(['alrts', 'alerts,alrts', 'all,alerts', 'none,days'])(
    'an unknown name in %j ends the start, and the error has all names',
    async (capabilities) => {
      const config = loadConfig({ ...scenario.environment, CAPABILITIES: capabilities });
      await expect(TestRelay.start(config)).rejects.toThrow(
        /CAPABILITIES must be all, none, or names .* is none of open-delivery/,
      );
    },
  );
});
