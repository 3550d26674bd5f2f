import type { DatabaseClock } from '../../../src/platform/database/clock.js';
import type { OldRows } from '../../../src/platform/schedule/old-rows.js';
import type { Rounds } from '../../../src/platform/schedule/rounds.js';
import { Silence } from '../../../src/webhook/silence/silence.js';
import { countingRows } from '../../support/rows-read.js';
import { Scenario } from '../../support/scenario.js';

const ORDERS = 50_000;
const RESTAURANTS = 200;
/** Of a statement: the restaurants and their rhythms a few times, and of ten restaurants what came in 36 hours. */
const ROWS = 5_000;

describe('what a round of silence reads does not grow with the history (G60, L246)', () => {
  const scenario = Scenario.ofSuite();
  const query = (sql: string) => scenario.database.query(sql);

  beforeAll(() =>
    query(
      `WITH place AS (
         INSERT INTO restaurants (id, name, slug, created_at) SELECT gen_random_uuid(), 'R' || n, 'r-' || n, '2020-01-01' FROM generate_series(1, ${RESTAURANTS}) n RETURNING id),
       numbered AS (SELECT id, row_number() OVER () AS place FROM place)
       INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at, paid_cents)
       SELECT 'T-' || n, 'T-' || n, false, id, '{}', now() - n * interval '2 minutes', 100 FROM generate_series(1, ${ORDERS}) n
       JOIN numbered ON place = n % ${RESTAURANTS} + 1`,
    ),
  );

  test.each(['', 'ANALYZE'])('the first round, one of an hour, and one of a minute; %s', async (analyze) => {
    await query('DELETE FROM sale_hours; DELETE FROM sale_rhythms');
    if (analyze) await query(analyze);
    const { prisma, read } = countingRows(scenario);
    const silence = new Silence(
      prisma,
      { trusted: Date.now() } as DatabaseClock,
      { add: () => {} } as unknown as Rounds,
      { add: () => {} } as unknown as OldRows,
      new AbortController().signal,
    );
    await silence.run();
    expect(read.length).toBeGreaterThan(300);
    await query(`UPDATE sale_rhythms SET counted_until = counted_until - interval '1 hour'`);
    await silence.run();
    // all of them in a usual hour, and silent
    await query(
      `UPDATE sale_rhythms SET usual_hour = now() - interval '1 minute', silent_since = now() - interval '1 day'`,
    );
    await silence.run();
    expect(Math.max(...read)).toBeLessThan(ROWS);
  });
});
