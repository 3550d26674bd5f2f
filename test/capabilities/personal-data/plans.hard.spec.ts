import { ErasureService } from '../../../src/capabilities/personal-data/erasure.service.js';
import { AuditTrail } from '../../../src/platform/audit/audit-trail.js';
import { Config } from '../../../src/platform/config/config.js';
import { Log } from '../../../src/platform/telemetry/log.js';
import type { Link } from '../../../src/user-links/restaurant.guard.js';
import { countingRows } from '../../support/rows-read.js';
import { Scenario } from '../../support/scenario.js';

const ORDERS = 20_000;
/** Parked or withdrawn and old, of this restaurant. */
const OLD = 40;

describe(`what erases old orders reads them by index in a history of ${ORDERS} orders`, () => {
  const scenario = Scenario.ofSuite();
  let restaurantId: string;

  beforeAll(async () => {
    ({ id: restaurantId } = await scenario.restaurant('OLD-1'));
    const { id: other } = await scenario.restaurant('OLD-2');
    const { query } = scenario.database;
    for (const table of ['terminal_events', 'outbox_jobs'])
      await query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    await query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
       SELECT 'T-' || n, 'T-' || n, false, CASE WHEN n % 10 = 0 THEN $2 ELSE $1 END::uuid, '{}', now() - interval '2 years'
       FROM generate_series(1, ${ORDERS}) n`,
      [restaurantId, other],
    );
    // one in 200 of the other restaurant is parked; of this one, some are parked and some withdrawn
    await query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, withdrawn, created_at, updated_at, next_run_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, (CASE WHEN parked OR withdrawn THEN 'DLQ' ELSE 'SENT' END)::job_status,
         withdrawn, received_at, received_at, NULL
       FROM terminal_events, LATERAL (SELECT substr(source_key, 3)::int AS n) AS number,
         LATERAL (SELECT n % 200 = 0 OR n % 1000 = 1 AS parked, n % 1000 = 3 AS withdrawn) AS state`,
    );
  });

  test.each([
    ['without', 'SELECT 1'],
    ['with', 'ANALYZE'],
  ])('%s statistics of the planner (W41)', async (_, prepare) => {
    await scenario.database.query(prepare);
    const { prisma, read } = countingRows(scenario);
    const { relay } = scenario;
    const erasure = new ErasureService(prisma, relay.get(AuditTrail), relay.get(Config), relay.get(Log));
    const { data } = await erasure.eraseOld({ restaurantId } as Link, true);
    expect(data.matched).toBe(OLD);
    // the job, its event, and the jobs of its order
    expect(Math.max(...read)).toBeLessThanOrEqual(OLD * 10);
  });
});
