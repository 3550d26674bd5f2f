import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

/** Longer than any round of the worker takes by its limits, in ms. */
const LONG = 600_000;

describe('GET /health/ready (H7)', () => {
  let scenario: Scenario;

  beforeAll(async () => {
    scenario = await Scenario.open();
  });
  afterAll(() => scenario.close());

  const ready = async (of: TestRelay) => (await of.http.get('/health/ready')).status;

  test('503 when no round of the worker has ended for several intervals, where it is enabled; 200 after the next', async () => {
    const working = await scenario.start({ WORKER_ENABLED: 'true' });
    expect(await ready(working)).toBe(200);
    const { now } = performance;
    performance.now = () => now.call(performance) + LONG;
    try {
      expect([await ready(working), await ready(scenario.relay)]).toEqual([503, 200]);
      expect((await working.http.get('/health')).status).toBe(200);
      await working.tick();
      expect(await ready(working)).toBe(200);
    } finally {
      performance.now = now;
    }
  });
});
