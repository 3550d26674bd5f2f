import { refreshStatistics } from '../../../src/platform/database/statistics.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';

/** The embedded database has no autovacuum; on a server the same statements do the same. */
describe('R30: what grows is analysed as it grows', () => {
  let database: TestDatabase;
  let said: string[];

  beforeAll(async () => {
    database = await openDatabase();
    await database.query('ALTER TABLE terminal_events SET (autovacuum_enabled = false)');
    await database.query(`INSERT INTO restaurants (id, name, slug) VALUES (gen_random_uuid(), 'one', 'one')`);
  });
  afterAll(() => database.close());

  const sell = (from: number, to: number) =>
    database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
       SELECT n, n, false, restaurants.id, to_jsonb(repeat('x', 500)) FROM generate_series($1::int, $2::int) n, restaurants`,
      [from, to],
    );
  /** @returns the large tables that were analysed */
  const refresh = async () => {
    said = [];
    await refreshStatistics(async (sql) => {
      said.push(sql);
      return { rows: await database.query(sql) };
    });
    return said.flatMap((sql) => / ANALYZE (\w+)$/.exec(sql)?.[1] ?? []);
  };
  const known = async () => {
    const [row] = await database.query(`SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'terminal_events'`);
    return row?.rows;
  };

  test('a table that has grown is analysed once, and again when it has grown by more than a fifth', async () => {
    expect(await refresh()).toEqual([]);
    await sell(1, 5_000);
    expect(await refresh()).toEqual(['terminal_events']);
    expect(await known()).toBe(5_000);
    expect(await refresh()).toEqual([]);
    await sell(5_001, 5_300);
    expect(await refresh()).toEqual([]);
    await sell(5_301, 8_000);
    expect(await refresh()).toEqual(['terminal_events']);
    expect(await known()).toBe(8_000);
  });

  test('the sample of every ANALYZE is small, and no longer than its statement', async () => {
    await refresh();
    for (const sql of said.filter((each) => each.includes('ANALYZE')))
      expect(sql).toMatch(/^SET LOCAL default_statistics_target = 10; /);
    expect(await database.query('SHOW default_statistics_target')).toEqual([{ default_statistics_target: '100' }]);
  });
});
