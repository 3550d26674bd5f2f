import { readFileSync } from 'node:fs';
import { OldCauses } from '../../src/outbox/old-causes.js';
import { CAUSE_OF_OLD_ERROR } from '../../src/outbox/store/old-causes.sql.js';
import { Scenario } from '../support/scenario.js';

const MIGRATION = new URL('../../prisma/migrations/20261122180200_causes/migration.sql', import.meta.url);
const squeezed = (text: string) => text.replace(/^\s*--.*$/gm, '').replace(/\s+/g, '');

/** More than two batches. */
const JOBS = 1_100;

describe('jobs that an earlier version left without a cause', () => {
  const scenario = Scenario.ofSuite();

  test('the cause is the one that the migration would have written (R56)', () => {
    expect(squeezed(readFileSync(MIGRATION, 'utf8'))).toContain(squeezed(CAUSE_OF_OLD_ERROR));
  });

  test('get the cause of their error, and so does the attempt that has it; other texts stay without one (R56, L141)', async () => {
    const { database, relay } = scenario;
    const id = await relay.createRestaurant();
    await database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
       SELECT 'OLD-' || i, 'OLD-' || i, false, $1::uuid, '{}' FROM generate_series(1, ${JOBS}) AS i`,
      [id],
    );
    // parked by one statement: all at the same time
    await database.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, last_error, withdrawn)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, status::job_status, 1,
              CASE status WHEN 'FAILED' THEN now() + interval '1 day' END, error, transaction_key LIKE '%7'
       FROM (SELECT *, CASE WHEN transaction_key LIKE '%3' THEN 'FAILED' ELSE 'DLQ' END AS status,
                    CASE WHEN transaction_key LIKE '%3' THEN 'HTTP 503' WHEN transaction_key LIKE '%7' THEN 'withdrawn: order cancelled'
                         WHEN transaction_key LIKE '%5' THEN 'restored from a backup' ELSE 'HTTP 422, POS error 310' END AS error
             FROM terminal_events) AS event`,
    );
    await database.query(
      `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach, error)
       SELECT gen_random_uuid(), id, 1, now(), 1, status::text::attempt_outcome, 'ANSWERED', last_error FROM outbox_jobs`,
    );

    expect(await relay.get(OldCauses).fill()).toBe(JOBS * 0.9);
    const counted = await database.query(
      `SELECT job.cause, attempt.cause AS "ofAttempt", count(*)::int AS jobs
       FROM outbox_jobs job JOIN delivery_attempts attempt ON job_id = job.id GROUP BY 1, 2 ORDER BY 1`,
    );
    expect(counted).toEqual([
      { cause: 'failing', ofAttempt: 'failing', jobs: JOBS * 0.1 },
      { cause: 'refused', ofAttempt: 'refused', jobs: JOBS * 0.7 },
      { cause: 'withdrawn', ofAttempt: 'withdrawn', jobs: JOBS * 0.1 },
      { cause: null, ofAttempt: null, jobs: JOBS * 0.1 },
    ]);
    expect(await relay.get(OldCauses).fill()).toBe(0);
  });
});
