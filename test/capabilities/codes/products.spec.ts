import { randomBytes } from 'node:crypto';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import type { NeedView } from '../../../src/restaurants/reports/needs.dto.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { examined } from '../doctor/doctor.js';

describe('the products of a restaurant', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });
  let id: string;
  let owner: Caller;
  let sell: (changes?: object) => Promise<string>;
  let stores = 0;

  beforeEach(async () => {
    ({ id, owner, sell } = await scenario.restaurant(`PRODUCTS-${++stores}`));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
  });

  const item = (itemCode: unknown, price: number, itemName: unknown = `Dish ${itemCode}`) => ({
    ...{ itemCode, itemName, price, quantity: 1 },
  });
  const set = (code: string, posCode: string, name?: string) =>
    scenario.api.put(`/restaurants/${id}/codes/ITEM/${code}`, owner.token, { posCode, name });
  const get = async (path: string) =>
    (await scenario.api.get(`/restaurants/${id}${path}`, owner.token).expect(200)).body;
  const products = () => get('/products');
  const refused = async (message: string, ...items: object[]) => scenario.settle(await sell({ items }), 'DLQ', message);
  const receivedBefore = async (job: string, hours: number) =>
    scenario.database.query(
      `UPDATE terminal_events SET received_at = now() - $2::int * interval '1 hour' WHERE transaction_key = $1`,
      [await scenario.keyOf(job), hours],
    );

  test('codes of 30 days with count, last name and price, code at the POS and state; test sales and older ones are not (I10)', async () => {
    await receivedBefore(await sell({ items: [item('A', 3, 'Old'), item('B', 2)] }), 24);
    await receivedBefore(await sell({ items: [item('X', 1)] }), 721);
    await sell({ items: [item('A', 4, 'New'), item('A', 4.5, 'New'), item(7, 1), item(undefined, 9), item(' ', 9)] });
    await sell({ items: [item('T', 1)], isTestTransaction: true });
    await sell({ items: [{ ...item('C', 2), options: [item('O', 0.5), 'strange'] }] });
    await set('B', 'P-2', 'Brioche').expect(201);
    await refused('unknown product C!', item('C', 5));
    const line = (terminalCode: string | null, count: number, lastPrice: number, state: string, more: object = {}) => ({
      ...{ terminalCode, count, lastPrice, state, name: terminalCode && `Dish ${terminalCode}` },
      ...{
        posCode: null,
        posName: null,
        inCatalogue: null,
        cataloguePriceCents: null,
        lastSoldAt: expect.stringMatching(/^\d{4}-.*Z$/),
        ...more,
      },
    });
    const { data, meta } = await products();
    expect(meta).toEqual({ sales: 5, from: null });
    expect(data[0]).toEqual(line('C', 2, 5, 'refused'));
    expect(new Map(data.map((each: { terminalCode: string }) => [each.terminalCode, each]))).toEqual(
      new Map([
        ['C', line('C', 2, 5, 'refused')],
        ['A', line('A', 3, expect.any(Number) as never, 'unmapped', { name: 'New' })],
        [null, line(null, 2, 9, 'unmapped', { name: expect.anything() })],
        ['B', line('B', 1, 2, 'mapped', { posCode: 'P-2', posName: 'Brioche' })],
        ['7', line('7', 1, 1, 'unmapped')],
        ['O', line('O', 1, 0.5, 'unmapped')],
      ] as [string | null, object][]),
    );
    await scenario.api.patch(`/restaurants/${id}`, owner.token, { defaultItemCode: 'MISC' }).expect(200);
    const again = (await products()).data.find(({ terminalCode }: { terminalCode: unknown }) => terminalCode === null);
    expect(again).toMatchObject({ posCode: 'MISC', state: 'default' });
  });

  test('a list reads its sales in pieces, each sale once, and says how far it came (I10, L236)', async () => {
    const job = await sell({ items: [item('A', 1)] });
    await scenario.database.query(
      `INSERT INTO terminal_events SELECT (jsonb_populate_record(event, jsonb_build_object('transaction_key', 'P' || n, 'source_key', 'P' || n,
         'received_at', now() - interval '1 hour' - n / 4 * interval '1 second'))).*
       FROM terminal_events event, generate_series(1, 2500) AS n WHERE transaction_key = $1`,
      [await scenario.keyOf(job)],
    );
    const { data, meta } = await products();
    expect(meta).toEqual({ sales: 2_501, from: null });
    expect(data).toMatchObject([{ terminalCode: 'A', count: 2_501 }]);
  });

  test('options that PAYLOAD_HIDE hides are shown to OWNERs alone (I8, I10, S23)', async () => {
    const job = await refused('unknown product O', { ...item('C', 2), options: [item('O', 0.5)] });
    const relay = await scenario.start({ PAYLOAD_HIDE: 'items.options' });
    const manager = await scenario.staff(id, 'MANAGER');
    const codes = async (path: string, { token }: Caller) => {
      const { data } = (await relay.api.get(`/restaurants/${id}${path}`, token).expect(200)).body;
      return (data.items ?? data).map(({ terminalCode }: { terminalCode: string }) => terminalCode).toSorted();
    };
    for (const path of ['/products', `/orders/${encodeURIComponent(await scenario.keyOf(job))}/map`]) {
      expect(await codes(path, owner)).toEqual(['C', 'O']);
      expect(await codes(path, manager)).toEqual(['C']);
    }
  });

  test('a restaurant has at most 1,000 products in the list (I10, L236)', async () => {
    for (const side of ['L', 'M', 'N'])
      await sell({ items: Array.from({ length: 400 }, (_, n) => item(`${side}${n}`, 1)) });
    expect((await products()).data).toHaveLength(1_000);
  });

  test('what needs somebody names the products that the POS named, by what is sent for them (I11, R67)', async () => {
    await set('B', 'P-2').expect(201);
    const orders = [
      await refused('Unknown product integration code (422): A', item('A', 1), item('B', 2), item('AA', 1)),
      await refused('unknown product P-2', item('B', 2), item('P', 3)),
      await refused('unknown product P-2', item('B', 2)),
      await refused('unknown product', item('310', 1)),
    ];
    const found: NeedView[] = (await get('/state')).needs;
    expect(found).toMatchObject([
      {
        ...{ kind: 'ORDER_PARKED', cause: 'refused', subject: 'product', count: orders.length },
        products: [
          { code: 'B', name: 'Dish B', posCode: 'P-2', orders: 2 },
          { code: 'A', name: 'Dish A', posCode: 'A', orders: 1 },
        ],
      },
    ]);
  });

  test('a large sale names no product, and neither do orders that were refused for something else (I11, L235)', async () => {
    const noise = Array.from({ length: 400 }, (_, n) => item(`N${n}`, 1, randomBytes(120).toString('hex')));
    await refused('unknown product A', item('A', 1), ...noise);
    await refused('unknown store A', item('A', 1));
    const found: NeedView[] = (await get('/state')).needs;
    expect(found.map(({ subject, products }) => [subject, products])).toEqual(
      expect.arrayContaining([
        ['product', []],
        ['store', []],
      ]),
    );
  });

  test('of a sale the first 1,000 items and options are looked at, those of options three deep (I11, I21, L235)', async () => {
    const nested = (depth: number): object => ({
      ...{ itemCode: `OF-${depth}`, options: depth < 4 ? [nested(depth + 1)] : [] },
    });
    const options = Array.from({ length: 1_000 }, (_, n) => ({ itemCode: `O-${n}` }));
    const message = 'unknown product A, OF-1, OF-2, OF-3, OF-4, O-0, O-999';
    await refused(message, { ...item('A', 1), options: [nested(1), ...options] });
    await refused(message, { ...item('A', 1), options: [nested(1)] });
    const [need] = (await get('/state')).needs as NeedView[];
    expect(need?.products.map(({ code, orders }) => `${code} ${orders}`)).toEqual([
      ...['OF-1 2', 'A 2', 'OF-2 1', 'OF-3 1', 'O-0 1'],
    ]);
  });

  test('refused orders are looked through in pieces, each once, so that large ones hold up nobody (I9, I10, I21)', async () => {
    // unpacked it has some 200 times the bytes
    const options = Array.from({ length: 9_000 }, () => ({ itemCode: 'O', itemName: 'Option' }));
    const ORDERS = 9;
    for (let n = 0; n < ORDERS; n++) await refused(`unknown product R-${n}`, { ...item(`R-${n}`, 1), options });
    const report = jest.spyOn(scenario.relay.get(PrismaService), 'report');
    const list: { terminalCode: string; state: string }[] = (await products()).data;
    const isRefused = ({ state }: { state: string }) => state === 'refused';
    expect(list.filter(isRefused).map(({ terminalCode }) => terminalCode)).toHaveLength(ORDERS);
    const body = { itemCodes: ['R-0', 'R-8', 'none'], dryRun: true };
    const { data } = (await scenario.api.post(`/restaurants/${id}/resend`, owner.token, body).expect(200)).body;
    expect(data.matched).toBe(2);
    const rows = await Promise.all(report.mock.results.map(({ value }) => value as Promise<object[]>));
    report.mockRestore();
    const refusals = rows.filter(([row]) => row && 'lastError' in row).map(({ length }) => length);
    expect(refusals.length).toBeGreaterThan(1);
    const pieces = rows.flatMap(([row]) => (row && 'found' in row ? [(row as { read?: number }).read] : []));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.reduce((sum = 0, read = 0) => sum + read, 0)).toBe(ORDERS);
  });

  test('the doctor names the restaurants with such orders, and their products (I12)', async () => {
    const check = async () => {
      const { text } = await examined(scenario.environment, { json: true });
      return (JSON.parse(text) as { name: string }[]).find(({ name }) => name === 'unknown products');
    };
    await scenario.database.query(`DELETE FROM outbox_jobs`);
    expect(await check()).toBeUndefined();
    await set('A', 'P-1').expect(201);
    await refused('unknown product P-1', item('A', 1));
    await refused('unknown product', item('B', 1));
    const other = await scenario.store();
    await scenario.settle(await other.sell({ items: [item('Z', 1)] }), 'DLQ', 'no such product');
    expect(await check()).toMatchObject({
      ...{ level: 'warning', text: '3 orders are parked: the POS does not know a product' },
      details: [
        expect.stringMatching(/: 2 orders; A “Dish A”, sent as P-1$/),
        expect.stringMatching(/: 1 order; the POS names no product$/),
      ],
    });
  });

  const withCatalogue = (csv: string) =>
    scenario.api.put(`/restaurants/${id}/catalogue`, owner.token).type('text/csv').send(csv).expect(200);

  test('each product says whether the catalogue has what is sent for it, and its price there (I20)', async () => {
    await sell({ items: [item('A', 3), item('B', 2), item('C', 1), item(undefined, 1)] });
    await set('B', 'P-2').expect(201);
    const shown = async () =>
      Object.fromEntries(
        (await products()).data.map((each: Record<string, unknown>) => [
          ...[each.terminalCode, [each.inCatalogue, each.cataloguePriceCents]],
        ]),
      );
    expect(await shown()).toEqual({ A: [null, null], B: [null, null], C: [null, null], null: [null, null] });
    await withCatalogue('code;name;price\nA;Coffee;3,10\nP-2;Brioche;\n');
    const expected = { A: [true, 310], B: [true, null], C: [false, null] };
    expect(await shown()).toEqual({ ...expected, null: [null, null] });
    await scenario.api.patch(`/restaurants/${id}`, owner.token, { defaultItemCode: 'MISC' }).expect(200);
    expect(await shown()).toEqual({ ...expected, null: [false, null] });
  });

  test('the doctor names codes sold in 7 days that the catalogue lacks, and prices that differ (I19, L241)', async () => {
    const check = async () => {
      const { text } = await examined(scenario.environment, { json: true });
      return (JSON.parse(text) as { name: string }[]).find(({ name }) => name === 'catalogue');
    };
    const sold = [
      ...[item('A', 3.1), item('A', 3.1), item('A', 2), item('A', 0)],
      ...[item('B', 5), item('B', 5), item('B', 5)],
      // less than three times, at no price, without one in the catalogue, and of a code that is mapped
      ...[item('C', 9), item('C', 9), item('D', 0), item('E', 1), item('E', 1), item('E', 1), item('F', 1)],
      ...[item('X', 1), item(' ', 1), { ...item('A', 3.1), options: [item('O', 1)] }, { ...item(null, 1), price: 'x' }],
    ];
    await sell({ items: sold });
    await sell({ items: [item('T', 1)], isTestTransaction: true });
    await receivedBefore(await sell({ items: [item('OLD', 1)] }), 169);
    await set('F', 'P-6').expect(201);
    await scenario.database.query(`UPDATE restaurants SET catalogue_id = 0`);
    expect(await check()).toBeUndefined();
    await withCatalogue('code;name;price\nA;a;3,10\nB;b;4,90\nC;c;1\nD;d;1\nE;e;\nP-6;f;1\n');
    const label = expect.stringMatching(
      /: 2 codes not in the catalogue: O \(sold 1 ×\), X \(sold 1 ×\); 1 other price: B sold at 5\.00, catalogue 4\.90$/,
    );
    expect(await check()).toMatchObject({
      level: 'warning',
      text: 'sold in the last 7 days: 2 codes that the catalogue of the POS lacks, 1 price other than its own',
      details: [label],
    });
    await withCatalogue('code;name\nA;a\nB;b\nC;c\nD;d\nE;e\nP-6;f\nO;o\nX;x\n');
    expect(await check()).toBeUndefined();
  });
});
