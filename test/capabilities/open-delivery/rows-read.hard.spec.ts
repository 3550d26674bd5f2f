import { reconciling } from '../../../src/capabilities/alerts/reconcile.sql.js';
import { allConditions } from '../../../src/platform/conditions/condition.js';
import { countingRows } from '../../support/rows-read.js';
import { Scenario } from '../../support/scenario.js';

/** What a POS has been given today, and confirmed; and what it has not. */
const HEARD = 50_000;
const UNHEARD = 20;
/** Those of which nothing was said, each with its job, the order, what was said of it and its cancel; and the few other rows. */
const ROWS = 500;

describe('the alert about orders that no POS has accepted reads those orders, whatever else was delivered (Q18)', () => {
  const scenario = Scenario.ofSuite();

  beforeAll(async () => {
    scenario.relay.withoutIntervals();
    await scenario.database.query(
      `WITH place AS (
         INSERT INTO restaurants (id, name, slug, pos_vendor, pulls) VALUES (gen_random_uuid(), 'Roma', 'roma', 'open-delivery', true) RETURNING id),
       event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
         SELECT 'T-' || n, 'T-' || n, false, id, '{}', now() - interval '6 minutes' FROM place, generate_series(1, ${HEARD + UNHEARD}) n
         RETURNING transaction_key, restaurant_id, received_at),
       job AS (
         INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, created_at, updated_at)
         SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', 1, NULL, received_at, received_at FROM event
         RETURNING id, restaurant_id, updated_at),
       attempt AS (
         INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach, sent_body)
         SELECT gen_random_uuid(), id, 1, updated_at, 1, 'SENT', 'ANSWERED', json_build_object('id', id) FROM job)
       INSERT INTO unheard_orders (job_id, restaurant_id, delivered_at) SELECT id, restaurant_id, updated_at FROM job`,
    );
    // the trigger takes those away of which something is said
    await scenario.database.query(
      `INSERT INTO pos_acceptances (id, restaurant_id, job_id, "offer", state)
       SELECT gen_random_uuid(), restaurant_id, job_id, 0, 'ACCEPTED' FROM unheard_orders ORDER BY job_id LIMIT ${HEARD}`,
    );
  });

  test.each(['', 'ANALYZE'])('%s', async (analyze) => {
    if (analyze) await scenario.database.query(analyze);
    // a day that has begun: between midnight and six minutes past it the orders are of yesterday
    await scenario.database.query(
      `UPDATE restaurants SET timezone = CASE WHEN extract(hour FROM now()) = 0 THEN 'Etc/GMT-6' ELSE 'UTC' END`,
    );
    const { prisma, read } = countingRows(scenario);
    await prisma.prepared(reconciling(allConditions()), [false, 300_000, Date.now()]);
    expect(read).toHaveLength(1);
    expect(read[0]).toBeLessThan(ROWS);
    expect(await scenario.database.query('SELECT kind, count FROM alerts WHERE closed_at IS NULL')).toContainEqual({
      kind: 'NOT_ACCEPTED',
      count: UNHEARD,
    });
  });
});
