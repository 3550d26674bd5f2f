import { IncidentsService } from '../../../src/admin/incidents.service.js';
import { reconciling } from '../../../src/capabilities/alerts/reconcile.sql.js';
import { allConditions } from '../../../src/platform/conditions/condition.js';
import { Config } from '../../../src/platform/config/config.js';
import { countingRows } from '../../support/rows-read.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';

const ORDERS = 50_000;
const RESTAURANTS = 200;
/** At most 100 waiting orders of a restaurant, and the 10,000 that are due first, each read a few times. */
const ROWS = 25_000;

describe('what alerts and incidents read does not grow with the history (R30, G2)', () => {
  const scenario = Scenario.ofSuite();

  beforeAll(async () => {
    const { query } = scenario.database;
    // its heartbeat would say that no process delivers
    scenario.relay.withoutIntervals();
    // the first one is written while the suite begins
    await until(async () => (await query('SELECT 1 FROM relay_instances')).length > 0);
    await query('DELETE FROM relay_instances');
    await query(
      `WITH place AS (
         INSERT INTO restaurants (id, name, slug) SELECT gen_random_uuid(), 'R' || n, 'r-' || n FROM generate_series(1, ${RESTAURANTS}) n RETURNING id),
       numbered AS (SELECT id, row_number() OVER () AS place FROM place),
       event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
         SELECT 'T-' || n, 'T-' || n, false, id, '{}', now() - n * interval '2 minutes' FROM generate_series(1, ${ORDERS}) n
         JOIN numbered ON place = n % ${RESTAURANTS} + 1 RETURNING transaction_key, restaurant_id, received_at)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, cause, last_error, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, (CASE WHEN waits THEN 'FAILED' ELSE 'SENT' END)::job_status, 1,
              CASE WHEN waits THEN 'failing' END, CASE WHEN waits THEN 'HTTP 503: maintenance' END,
              CASE WHEN waits THEN now() - interval '3 minutes' END, received_at, received_at
       FROM event, LATERAL (SELECT hashtext(transaction_key) % 10 = 0 AS waits) AS state`,
    );
    await query(`INSERT INTO pos_outages (restaurant_id, began_at, failed_at)
      SELECT id, now() - interval '1 hour', now() FROM restaurants WHERE slug ~ '^r-[0-9]*[0-4]$'`);
  });

  test.each(['', 'ANALYZE'])('a round, and GET /admin/incidents; %s', async (analyze) => {
    if (analyze) await scenario.database.query(analyze);
    const { prisma, read } = countingRows(scenario);
    await prisma.prepared(reconciling(allConditions()), [false, 300_000, Date.now()]);
    const incidents = await new IncidentsService(prisma, scenario.relay.get(Config)).list('en');
    expect(incidents.map(({ kind }) => kind)).toEqual(['VENDOR_DOWN', 'BACKLOG']);
    for (const rows of read) expect(rows).toBeLessThan(ROWS);
  });
});
