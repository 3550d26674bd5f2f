import { DayCloser } from '../../../src/capabilities/days/day-closer.js';
import { DayRounds } from '../../../src/capabilities/days/day-rounds.js';
import { DaysReader } from '../../../src/capabilities/days/days-reader.js';
import { ExportPages } from '../../../src/capabilities/days/export-pages.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';

const TABLES = ['business_days', 'day_sales', 'day_lines', 'day_pending', 'terminal_events', 'outbox_jobs'];
const RESTAURANTS = 1_000;
const CLOSED_DAYS = 365;

/** A year of closings of 1,000 restaurants, without and with the planner's statistics. */
describe('closing, export and check go by indexes', () => {
  let scenario: Scenario;
  let restaurantId: string;

  beforeAll(async () => {
    scenario = await Scenario.open();
    ({ id: restaurantId } = await scenario.restaurant('YEAR'));
    const { query } = scenario.database;
    await query(
      `INSERT INTO restaurants (id, name, slug) SELECT gen_random_uuid(), 'r ' || n, 'r-' || n FROM generate_series(2, $1) n`,
      [RESTAURANTS],
    );
    await query(`UPDATE restaurants SET days_since = now() - ($1 + 2) * interval '1 day'`, [CLOSED_DAYS]);
    // without triggers and foreign keys, and in pieces: a statement of a test has a limit
    const insert = (sql: string) =>
      query(`SET session_replication_role = replica; ${sql}; SET session_replication_role = origin`);
    for (let from = 1; from <= CLOSED_DAYS; from += 73)
      await insert(
        `INSERT INTO business_days (restaurant_id, number, day, closed_at, content, previous, hash)
         SELECT id, n, (now() - (${CLOSED_DAYS + 2} - n) * interval '1 day')::date, now(),
           json_build_object('beginsAt', date_trunc('day', now()) - (${CLOSED_DAYS + 2} - n) * interval '1 day',
             'endsAt', date_trunc('day', now()) - (${CLOSED_DAYS + 1} - n) * interval '1 day', 'perpetualCents', 0, 'tenders', json_build_array(), 'currency', '',
             'closedAt', now(), 'timezone', 'UTC', 'sales', none, 'refunds', none,
             'states', json_build_object('waiting', none, 'delivered', none, 'parked', none, 'cancelled', none))::text,
           CASE WHEN n = 1 THEN '' ELSE repeat('a', 64) END, repeat('a', 64)
         FROM restaurants CROSS JOIN generate_series(${from}, ${from + 72}) n, (SELECT '{"count": 0, "cents": 0}'::json AS none) AS figures`,
      );
    const some = `restaurant_id = '${restaurantId}' OR restaurant_id IN (SELECT id FROM restaurants ORDER BY id LIMIT 100)`;
    await insert(
      `INSERT INTO day_sales (restaurant_id, number, line, event_key, kind, cents, state, received_at)
       SELECT restaurant_id, number, 1, 'sale-' || number, 'SALE', 100, 'delivered', closed_at FROM business_days WHERE ${some}`,
    );
    await insert(
      `INSERT INTO day_lines (restaurant_id, number, line, on_day, for_day, kind, amount_cents, event_key)
       SELECT restaurant_id, number, 1, day, day - 1, 'LATE', 100, 'sale-' || number FROM business_days WHERE ${some}`,
    );
    await insert(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, received_at, payload)
       SELECT event_key, event_key, false, restaurant_id, now() - (${CLOSED_DAYS + 2} - number) * interval '1 day', '{}' FROM day_sales`,
    );
    await query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', NULL, received_at, received_at FROM terminal_events
       WHERE restaurant_id = $1`,
      [restaurantId],
    );
  }, 300_000);
  afterAll(() => scenario.close());

  /** Rows that were read by scans of whole tables since the server started, of the tables that grow with the history. */
  async function scanned(): Promise<number> {
    await scenario.database.query('SELECT pg_stat_force_next_flush()').catch(() => {});
    const [row] = await scenario.database.query<{ rows: number }>(
      'SELECT coalesce(sum(seq_tup_read), 0)::float8 AS rows FROM pg_stat_user_tables WHERE relname = ANY ($1)',
      [TABLES],
    );
    return (row as { rows: number }).rows;
  }

  /** The statistics of a session reach the server when it is idle for a second at most. */
  const settle = () => scenario.relay.get(PrismaService).$queryRaw`SELECT pg_sleep(1.2)::text AS slept`;

  whereServer.each([
    [
      'without',
      "DELETE FROM pg_statistic USING pg_class WHERE pg_class.oid = starelid AND relnamespace = 'public'::regnamespace",
    ],
    ['with', 'ANALYZE'],
  ])(`%s statistics${NEEDS_SERVER} (B3, B7, B8, B10)`, async (_, prepare) => {
    await scenario.database.query(prepare);
    await settle();
    const before = await scanned();
    const { relay } = scenario;
    const list = await relay.get(DaysReader).list(restaurantId, { limit: 31 });
    await relay.get(DayRounds).run();
    await relay.get(DayCloser).closeByItself(restaurantId, list.open?.day as string);
    await relay.get(DaysReader).check(restaurantId, {});
    const pages = relay.get(ExportPages);
    let sales = 0;
    for await (const { number } of pages.closings({ restaurantId, from: '2000-01-01', to: '2999-12-31' }))
      for await (const sale of pages.sales(restaurantId, number)) sales += sale.line;
    expect(sales).toBeGreaterThanOrEqual(CLOSED_DAYS);
    await settle();
    expect((await scanned()) - before).toBeLessThan(2_000);
  });
});
