import { ParkedService } from '../../../src/admin/parked.service.js';
import { type Cursor, cursorAt, readCursor } from '../../../src/capabilities/receipts/receipt-cursor.js';
import { ReceiptCursors } from '../../../src/capabilities/receipts/receipt-cursors.js';
import { ReceiptsReader } from '../../../src/capabilities/receipts/receipts-reader.js';
import { listOrders } from '../../../src/orders/order-list.js';
import { countResettable, describeResettable } from '../../../src/outbox/store/reset.js';
import type { AuditAction } from '../../../src/platform/audit/actions.js';
import type { QueryAuditDto } from '../../../src/platform/audit/audit.dto.js';
import { AuditReader } from '../../../src/platform/audit/audit-reader.js';
import { Config } from '../../../src/platform/config/config.js';
import { StateService } from '../../../src/restaurants/reports/state.service.js';
import { StatisticsService } from '../../../src/restaurants/reports/statistics.service.js';
import { TakingsExport } from '../../../src/restaurants/reports/takings-export.js';
import { countingRows } from '../../support/rows-read.js';
import { Scenario } from '../../support/scenario.js';

/** Never aborts. */
const NEVER = new AbortController().signal;
const ORDERS = 20_000;
/** At most, for any history: the rows of a piece (PIECE_SIZE) and of its jobs. */
const ROWS_OF_A_STATEMENT = 10_000;
/** The embedded database runs one statement at a time: a webhook waits for at most one of them. */
const STATEMENTS_OF_A_REPORT = 60;

describe('R30: no statement reads a whole history of 20,000 orders', () => {
  const scenario = Scenario.ofSuite();
  let restaurantId: string;
  let counting: ReturnType<typeof countingRows>;

  beforeAll(async () => {
    ({ id: restaurantId } = await scenario.restaurant('STORE-1'));
    const { query } = scenario.database;
    for (const table of ['terminal_events', 'outbox_jobs', 'delivery_attempts', 'audit_entries'])
      await query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    // over 30 days, the newest first; one in 200 a test
    await query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, transaction_date,
       received_at, paid_cents, paid_by_tender, payload, of_platform)
     SELECT 'T-' || n, 'T-' || n, n % 200 = 0, $1, n % 10000, at - interval '2 seconds', at, 100, '{"16": 100}', '{}', true
     FROM generate_series(1, ${ORDERS}) n, LATERAL (SELECT now() - n * (interval '720 hours' / ${ORDERS}) AS at) AS time`,
      [restaurantId],
    );
    await query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, last_error, created_at, updated_at)
     SELECT gen_random_uuid(), transaction_key, restaurant_id, status, CASE WHEN status = 'FAILED' THEN now() END,
       CASE WHEN status <> 'SENT' THEN 'HTTP 503' END, received_at, received_at
     FROM terminal_events, LATERAL (SELECT (CASE WHEN source_key ~ '77$' THEN 'DLQ' WHEN source_key ~ '11$' THEN 'FAILED'
       ELSE 'SENT' END)::job_status AS status) AS state`,
    );
    await query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
     SELECT gen_random_uuid(), event_key, restaurant_id, 'CANCEL', 'SENT', NULL, created_at, created_at
     FROM outbox_jobs WHERE event_key ~ '33$'`,
    );
    await query(
      `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach)
     SELECT gen_random_uuid(), id, 1, created_at, 40, 'SENT', 'ANSWERED' FROM outbox_jobs WHERE status = 'SENT'`,
    );
    await query(
      `INSERT INTO audit_entries (id, at, actor_email, restaurant_id, action)
     SELECT gen_random_uuid(), now() - n * interval '1 minute', 'u@example.com', $1, 'user.linked' FROM generate_series(1, 20000) n`,
      [restaurantId],
    );
  });

  // plans must not depend on the planner's statistics; autovacuum analyses the audit before it is long
  describe.each([
    ['without statistics', 'ANALYZE audit_entries'],
    ['with statistics', 'ANALYZE'],
  ])('%s', (statistics, analyze) => {
    beforeAll(() => scenario.database.query(analyze));

    beforeEach(() => {
      counting = countingRows(scenario);
    });
    afterEach(() => {
      const { read } = counting;
      expect(read.length).toBeGreaterThan(0);
      expect(read.filter((rows) => rows > ROWS_OF_A_STATEMENT)).toEqual([]);
      expect(read.length).toBeLessThan(STATEMENTS_OF_A_REPORT);
    });
    const config = () => scenario.relay.get(Config);

    // without statistics Postgres sorts a span; nobody asks for a long one before the first ANALYZE
    const hours = statistics === 'with statistics' ? 31 * 24 : 1;
    test.each(['a restaurant', 'the platform'])('receipts of %s', async (reader) => {
      const since = (ms: number) => cursorAt(String((Date.now() - ms) * 1_000));
      const sender = {
        id: 'sender',
        restaurantIds: reader === 'the platform' ? null : [restaurantId],
        isCurrent: async () => true,
      };
      const receipts = new ReceiptsReader(counting.prisma, scenario.relay.get(ReceiptCursors));
      const first = await receipts.page(sender, since(hours * 3_600_000), NEVER);
      expect(first.data.length).toBe(hours > 24 ? 100 : first.data.length);
      const next = await receipts.page(sender, readCursor(first.cursor) as Cursor, NEVER);
      expect(next.data.length).toBe(hours > 24 ? 100 : 0);
      expect((await receipts.page(sender, since(0), NEVER)).data).toEqual([]);
      expect(Math.max(...counting.read)).toBeLessThan(1_500);
    });

    test.each(['receipt', 'sale'] as const)('statistics of 30 days, by=%s', async (by) => {
      const { orders, tests, amounts } = await new StatisticsService(counting.prisma, config()).compute(restaurantId, {
        by,
      });
      const sold = Object.values(orders).reduce((sum, count) => sum + count, 0);
      expect(tests).toBeGreaterThan(90);
      // the oldest orders may be older than 30 days by now
      expect(sold + tests).toBeGreaterThan(ORDERS - 200);
      expect(amounts.totalCents).toBe(100 * sold);
    });

    test('statistics of a day, and the state', async () => {
      const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);
      await new StatisticsService(counting.prisma, config()).compute(restaurantId, { day });
      await new StateService(counting.prisma, config()).read(restaurantId);
    });

    test('takings.csv of a day', async () => {
      const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);
      const { content } = await new TakingsExport(counting.prisma, config()).open(restaurantId, {
        day,
        separator: 'comma',
      });
      const lines = (await content.toArray()).join('').split('\r\n');
      expect(lines.length).toBeGreaterThan(600);
    });

    test.each([
      {},
      ...(['waiting', 'delivered', 'parked', 'cancelled'] as const).map((state) => ({ state })),
      ...(['PENDING', 'PROCESSING', 'SENT', 'FAILED', 'DLQ'] as const).map((status) => ({ status })),
      { test: true },
      { test: false },
      { cancelled: true },
      { cancelled: false },
      { search: 'T-15000' },
      { search: '777' },
      { search: 'nothing' },
      { search: '777', test: true },
      { action: 'CANCEL' as const },
      { sort: 'receivedAt' as const, state: 'parked' as const },
      { from: new Date(Date.now() - 20 * 86_400_000), to: new Date(Date.now() - 19 * 86_400_000), test: true },
    ])('orders: %j', async (filter) => {
      await listOrders(counting.prisma, restaurantId, { limit: 25, action: 'CREATE', sort: '-receivedAt', ...filter });
    });

    test('the audit, of a restaurant and of all, by page, actor and action', async () => {
      const reader = new AuditReader(counting.prisma);
      const page = { limit: 25 } as QueryAuditDto;
      const first = await reader.list(page, restaurantId);
      await reader.list({ ...page, after: first.meta.next as string });
      await reader.list({ ...page, actor: 'other@example.com' });
      await reader.list({ ...page, action: 'jobs.reset' as AuditAction });
    });

    test('what a reset by cause would send again, and their number (R9)', async () => {
      const filter = { restaurantId, kind: 'failing' } as const;
      await describeResettable(counting.prisma, filter);
      await countResettable(counting.prisma, filter);
      // each parked job a few times: its cause, its restaurant, its sale
      expect(Math.max(...counting.read)).toBeLessThan(2_000);
    });

    // not GET /admin/metrics and /admin/throughput, which count the history or a day of it
    test('parked orders by cause', async () => {
      const { data } = await new ParkedService(counting.prisma).byCause();
      expect(data.map(({ parked }) => parked)).toEqual([200]);
    });
  });
});
