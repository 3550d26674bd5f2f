import { randomUUID } from 'node:crypto';
import { listOrders } from '../../src/orders/order-list.js';
import { centsOf } from '../../src/orders/order-search.js';
import { keysFound } from '../../src/orders/searched-keys.js';
import { Config } from '../../src/platform/config/config.js';
import { PrismaService } from '../../src/platform/database/prisma.service.js';
import { countingRows } from '../support/rows-read.js';
import { Scenario } from '../support/scenario.js';

const DAY_MS = 86_400_000;

describe('finding an order of a restaurant (R43)', () => {
  const scenario = Scenario.ofSuite({ SALE_LABEL_FIELD: 'order.table' });
  let id: string;
  let token: string;
  let sell: (changes?: object) => Promise<string>;
  let stores = 0;

  beforeEach(async () => {
    ({ id, token, sell } = await scenario.restaurant(`SEARCH-${++stores}`));
  });

  const unique = (name: string) => `${name}-${randomUUID()}`;
  const list = async (query: Record<string, string>) =>
    (await scenario.api.get(`/restaurants/${id}/orders?${new URLSearchParams(query)}`, token).expect(200)).body.data;
  const keys = async (q: string, more: Record<string, string> = {}): Promise<string[]> =>
    (await list({ q, ...more })).map(({ transactionKey }: { transactionKey: string }) => transactionKey);
  const ago = async (job: string, days: number) =>
    scenario.jobs.receivedAt(job, new Date(Date.now() - days * DAY_MS).toISOString());

  test('by the beginning of its key or number, in any case', async () => {
    const key = unique('Sale');
    await sell({ transactionKey: key, transactionNumber: 'A-4711' });
    await sell({ transactionNumber: '99' });
    for (const q of [key, key.slice(0, 8).toUpperCase(), 'a-47', 'A-4711', ' a-4 '])
      expect(await keys(q)).toEqual([key]);
    for (const q of ['4711', '-47', 'A-47112', 'A_47%']) expect(await keys(q)).toEqual([]);
  });

  test.each(['42,50', '42.50'])('by the exact amount %s', async (q) => {
    const key = unique('T');
    await sell({ transactionKey: key, payments: [{ tenderType: 1, amount: 42.5 }] });
    await sell({ payments: [{ tenderType: 1, amount: 42.51 }] });
    expect(await keys(q)).toEqual([key]);
  });

  test("by a part of an item's name, or its whole code", async () => {
    const key = unique('T');
    const item = { itemCode: 'PZ-77', itemName: 'Bolo de Cenoura', quantity: 1, price: 10 };
    await sell({ transactionKey: key, items: [item] });
    await sell();
    for (const q of ['cenour', 'BOLO D', 'pz-77']) expect(await keys(q)).toEqual([key]);
    expect(await keys('pz-7')).toEqual([]);
  });

  test('by a part of its label, which list and order show; null without one (R44)', async () => {
    const key = unique('T');
    await sell({ transactionKey: key, order: { table: 'Table 7' } });
    const other = unique('T');
    await sell({ transactionKey: other, order: { table: { number: 7 } } });
    const long = unique('T');
    await sell({ transactionKey: long, order: { table: 'x'.repeat(500) } });
    expect(await keys('table 7')).toEqual([key]);
    const labels = Object.fromEntries(
      (await list({})).map((order: { transactionKey: string; label: string }) => [order.transactionKey, order.label]),
    );
    expect(labels).toEqual({ [key]: 'Table 7', [other]: null, [long]: 'x'.repeat(60) });
    const { body } = await scenario.api.get(`/restaurants/${id}/orders/${key}`, token).expect(200);
    expect(body.label).toBe('Table 7');
  });

  test('the order that the state names for a cause has its label (R19, R44)', async () => {
    await scenario.settle(await sell({ order: { table: 'Table 7' } }), 'DLQ', 'unknown product X1');
    const { body } = await scenario.api.get(`/restaurants/${id}/state`, token).expect(200);
    expect(body.parked.causes).toEqual([expect.objectContaining({ count: 1, label: 'Table 7' })]);
  });

  test('without SALE_LABEL_FIELD there are no labels (R44)', async () => {
    const relay = await scenario.start({ SALE_LABEL_FIELD: '' });
    const key = unique('T');
    await sell({ transactionKey: key, order: { table: 'Table 7' } });
    const { body } = await relay.api.get(`/restaurants/${id}/orders?q=${key}`, token).expect(200);
    expect(body.data[0].label).toBeNull();
  });

  test('of the last seven days; of any day by the whole key or number', async () => {
    const [recent, old] = [unique('T'), unique('T')];
    await ago(await sell({ transactionKey: recent, transactionNumber: '12345' }), 6);
    await ago(await sell({ transactionKey: old, transactionNumber: '12346' }), 8);
    expect(await keys('1234')).toEqual([recent]);
    expect(await keys('12346')).toEqual([old]);
    expect(await keys(old)).toEqual([old]);
  });

  test('with the other filters; not in another restaurant', async () => {
    const key = unique('T');
    const job = await sell({ transactionKey: key, transactionNumber: '500' });
    expect(await keys('50', { state: 'waiting' })).toEqual([key]);
    await scenario.settle(job, 'SENT');
    expect(await keys('50', { state: 'waiting' })).toEqual([]);
    expect(await keys('50', { from: '2030-01-01' })).toEqual([]);
    ({ id, token } = await scenario.restaurant(`SEARCH-${++stores}`));
    expect(await keys('50')).toEqual([]);
    expect(await keys(key)).toEqual([]);
  });

  test('of a long evening it reads the newest 5,000 (L51, R30)', async () => {
    await scenario.database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, received_at, payload)
       SELECT 'L-' || n, 'L-' || n, false, $1, n, now() - n * interval '1 second', '{}' FROM generate_series(1, 6000) n`,
      [id],
    );
    await scenario.database.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', NULL, received_at, received_at
       FROM terminal_events WHERE restaurant_id = $1`,
      [id],
    );
    const counting = countingRows(scenario);
    const find = async (q: string) => {
      const query = { q, limit: 100, action: 'CREATE', sort: '-receivedAt' } as const;
      const { data } = await listOrders(counting.prisma, id, query, scenario.relay.get(Config).saleLabelField);
      return data.length;
    };
    expect(await find('l-4')).toBe(100);
    // 59 and 590 to 599; 5900 to 5999 are older than the newest 5,000
    expect(await find('l-59')).toBe(11);
    expect(await find('L-5999')).toBe(1);
    expect(counting.read.length).toBeGreaterThan(0);
    expect(counting.read.filter((rows) => rows > 10_000)).toEqual([]);
  });

  test('it reads in pieces, and says how far back when its time ends (L51, L129)', async () => {
    await scenario.database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, received_at, payload)
       SELECT 'P-' || n, 'P-' || n, false, $1, now() - n * interval '1 second',
              jsonb_build_object('items', jsonb_build_array(jsonb_build_object('itemName', (SELECT string_agg(md5((n * 1000 + k)::text), '') FROM generate_series(1, 100) k))))
       FROM generate_series(1, 400) n`,
      [id],
    );
    const prisma = scenario.relay.get(PrismaService);
    const report = jest.spyOn(prisma, 'report');
    const search = { restaurantId: id, text: 'nothing has this', labelPath: [] };
    expect(await keysFound(prisma, search)).toEqual({ keys: [], from: null });
    const pieces = report.mock.calls.length;
    expect(pieces).toBeGreaterThan(1);
    // no time: one piece
    jest.spyOn(performance, 'now').mockImplementation(() => report.mock.calls.length * 10_000);
    const { from } = await keysFound(prisma, search);
    jest.restoreAllMocks();
    const [{ before }] = (await scenario.database.query(
      'SELECT count(*)::int AS before FROM terminal_events WHERE restaurant_id = $1 AND received_at < $2',
      [id, from],
    )) as [{ before: number }];
    expect(before).toBeGreaterThan(0);
  });

  test("cases are compared as Unicode does, whatever the database's collation (R43)", async () => {
    const key = unique('T');
    await sell({
      transactionKey: key,
      items: [{ itemCode: 'ÇÃ-1', itemName: 'PÃO DE AÇÚCAR', quantity: 1, price: 10 }],
    });
    for (const q of ['açúcar', 'pão', 'çã-1']) expect(await keys(q)).toEqual([key]);
  });

  test.each([
    ['42,50', 4_250],
    ['42.50', 4_250],
    ['1.234,50', 123_450],
    ['1,234.50', 123_450],
    ['0,05', 5],
    ['42', undefined],
    ['42,5', undefined],
    ['-1,00', undefined],
    ['T-42.50', undefined],
    ['12345678901.00', undefined],
  ])('the amount %s: %p cents', (text, cents) => {
    expect(centsOf(text)).toBe(cents);
  });

  test.each([`q=${'x'.repeat(101)}`, 'q=a&q=b'])('a text that no search takes: 400', async (query) => {
    await scenario.api.get(`/restaurants/${id}/orders?${query}`, token).expect(400);
  });
});
