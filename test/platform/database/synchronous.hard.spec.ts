import type { TemporaryServer } from '../../../proof/postgres/temporary-server.js';
import { sale } from '../../support/client.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { NEEDS_CLUSTER, openServer, testWithCluster } from './cluster.js';

const SHOWN = `SELECT current_setting('synchronous_standby_names') AS names`;

describe('a primary whose synchronous standby does not answer', () => {
  let server: TemporaryServer;
  let scenario: Scenario;
  let relay: TestRelay;

  beforeAll(async () => {
    if (testWithCluster !== test) return;
    server = await openServer();
    const settings = { DATABASE_URL: server.url, DATABASE_TIMEOUT_MS: '1000' };
    scenario = await Scenario.ofProcesses(settings, { migrated: false });
    relay = await scenario.start();
    await relay.createRestaurant();
  });
  afterAll(async () => {
    await scenario?.close();
    await server?.close();
  });

  /** @param names `synchronous_standby_names`, in force once the server has read it */
  async function waitForStandby(names: string): Promise<void> {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await server.query('SELECT pg_reload_conf()');
    await until(async () => (await server.query<{ names: string }>(SHOWN))[0]?.names === names);
  }

  testWithCluster(
    `no 200 before a standby has the sale; the repeat says that it is kept, once it is${NEEDS_CLUSTER}`,
    async () => {
      await relay.accept(sale());
      await waitForStandby('a_standby_that_is_away');
      const sold = sale();
      expect((await relay.post(sold).expect(503)).body.code).toBe('DATABASE_UNAVAILABLE');
      // the statement's own limit has ended by now: it does not turn a commit that waits into one that is told as done
      expect((await relay.post(sold)).status).not.toBe(200);

      await waitForStandby('');
      const repeated = await until(async () => {
        const answer = await relay.post(sold);
        return answer.status === 503 ? undefined : answer;
      });
      expect([200, 400]).toContain(repeated.status);
      expect(repeated.body.jobId).toEqual(expect.any(String));
    },
  );
});
