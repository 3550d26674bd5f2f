import { ClosingsExport } from '../../../src/capabilities/days/closings-export.js';
import { ExportPages } from '../../../src/capabilities/days/export-pages.js';
import { whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { RestaurantDays } from './restaurant-days.js';

const DAY = '2026-11-20';
const SALES = 3_000;
/** More than the relay has connections (S13). */
const FILES = 40;

describe('a file of closings is read in pages, as its reader takes it (B10)', () => {
  const scenario = Scenario.ofSuite();
  let days: RestaurantDays;

  beforeAll(async () => {
    days = await RestaurantDays.open(scenario, `${DAY}T12:00:00Z`, 'UTC', '00:00');
    await scenario.database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, paid_cents, paid_by_tender, payload, received_at)
       SELECT 'sale-' || n, 'sale-' || n, false, $1, 100, '{"1": 100}', '{}', $2::timestamptz + n * interval '1 second'
       FROM generate_series(1, ${SALES}) n`,
      [days.id, `${DAY}T10:00:00Z`],
    );
    await days.closed(DAY);
  });

  const open = async (format: 'csv' | 'json') => {
    const files = scenario.relay.get(ClosingsExport);
    const { content } = await (format === 'csv'
      ? files.openCsv(days.id, { separator: 'comma', format: 'records', lang: 'en' })
      : files.openJson(days.id, { separator: 'comma' }));
    return content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  };

  /** Counts the pages that are read from now on. */
  function countPages() {
    const pages = scenario.relay.get(ExportPages) as unknown as { read(...args: unknown[]): Promise<unknown> };
    const real = pages.read.bind(pages);
    const counted = { pages: 0, underWay: 0, restore: () => Object.assign(pages, { read: real }) };
    Object.assign(pages, {
      read: async (...args: unknown[]) => {
        counted.pages++;
        counted.underWay++;
        return real(...args).finally(() => counted.underWay--);
      },
    });
    return counted;
  }

  /** Waits until the reading has stopped: no page is read while another request is answered. */
  const stopped = (counted: { readonly pages: number; readonly underWay: number }) =>
    until(async () => {
      const { pages } = counted;
      await days.get().expect(200);
      return counted.underWay === 0 && counted.pages === pages;
    });

  test.each(['csv', 'json'] as const)(
    '%s: a reader who takes nothing has nothing read but a few pages ahead, and then gets every sale',
    async (format) => {
      const counted = countPages();
      const reader = await open(format);
      let text = String((await reader.next()).value);
      await stopped(counted);
      const ahead = counted.pages;
      // 3,000 sales are 12 pages
      expect(ahead).toBeLessThan(10);
      // other statements run meanwhile, and no page is read
      for (let i = 0; i < 5; i++) await days.get().expect(200);
      expect(counted.pages).toBe(ahead);
      for (let piece = await reader.next(); !piece.done; piece = await reader.next()) text += String(piece.value);
      expect(counted.pages).toBeGreaterThanOrEqual(12);
      expect(new Set(text.match(/sale-\d+/g)).size).toBe(SALES);
      counted.restore();
    },
  );

  test('a page of sales ends after long payloads, and the next one goes on (L108)', async () => {
    const long = await RestaurantDays.open(scenario, `${DAY}T12:00:00Z`, 'UTC', '00:00');
    // 40 sales with 100 KB each, which does not compress well
    await scenario.database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, paid_cents, paid_by_tender, payload, received_at)
       SELECT 'long-' || n, 'long-' || n, false, $1, 100, '{"1": 100}', jsonb_build_object('note', note.text), $2::timestamptz + n * interval '1 second'
       FROM generate_series(1, 40) n,
         LATERAL (SELECT string_agg(encode(sha256(convert_to(n || '-' || i, 'UTF8')), 'base64'), '') AS text FROM generate_series(1, 2300) i) AS note`,
      [long.id, `${DAY}T10:00:00Z`],
    );
    await long.closed(DAY);
    const pages = scenario.relay.get(ExportPages) as unknown as { read(...args: unknown[]): Promise<unknown[]> };
    const real = pages.read.bind(pages);
    const sizes: number[] = [];
    Object.assign(pages, {
      read: async (...args: unknown[]) => {
        const rows = await real(...args);
        sizes.push(rows.length);
        return rows;
      },
    });
    const keys: string[] = [];
    for await (const { key } of scenario.relay.get(ExportPages).sales(long.id, 1)) keys.push(key);
    Object.assign(pages, { read: real });
    expect(keys).toEqual(Array.from({ length: 40 }, (_, i) => `long-${i + 1}`));
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan(10);
  });

  test('a closing of as many sales as a page is read to its end, once each (L108)', async () => {
    const full = await RestaurantDays.open(scenario, `${DAY}T12:00:00Z`, 'UTC', '00:00');
    await scenario.database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, paid_cents, paid_by_tender, payload, received_at)
       SELECT 'full-' || n, 'full-' || n, false, $1, 100, '{"1": 100}', '{}', $2::timestamptz + n * interval '1 second'
       FROM generate_series(1, 250) n`,
      [full.id, `${DAY}T10:00:00Z`],
    );
    await full.closed(DAY);
    // retention has removed some: their payload is unknown, and has no size
    await full.tamper(
      `DELETE FROM terminal_events WHERE restaurant_id = '${full.id}' AND transaction_key LIKE 'full-%5'`,
    );
    const lines: number[] = [];
    let removed = 0;
    for await (const { line, payload } of scenario.relay.get(ExportPages).sales(full.id, 1)) {
      lines.push(line);
      if (payload === null) removed++;
    }
    expect(lines).toEqual(Array.from({ length: 250 }, (_, i) => i + 1));
    expect(removed).toBe(25);
  });

  test(`${FILES} files that nobody reads on hold no connection`, async () => {
    const readers = await Promise.all(Array.from({ length: FILES }, () => open('csv')));
    for (const reader of readers) await reader.next();
    expect((await days.check()).firstBroken).toBeNull();
    await days.get(`/${DAY}`).expect(200);
    for (const reader of readers) await reader.return?.();
  });

  whereServer('between two pages no connection of the database has a transaction or a cursor', async () => {
    const counted = countPages();
    const reader = await open('json');
    await reader.next();
    await stopped(counted);
    const held = await scenario.database.query(
      `SELECT state, query FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' AND query LIKE '%day_sales%'`,
    );
    expect(held).toEqual([]);
    await reader.return?.();
    counted.restore();
  });
});
