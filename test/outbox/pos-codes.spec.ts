import { RestaurantCodes } from '../../src/outbox/restaurant-codes.js';
import { Worker } from '../../src/outbox/worker.js';
import { PrismaService } from '../../src/platform/database/prisma.service.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { LossyLine } from '../platform/database/lossy-line.js';
import { sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

/** No tick of the schedule during a test. */
const NEVER = '3600000';

interface Sent {
  readonly items: readonly { readonly integration_code: string; readonly desc_item: string }[];
  readonly payment_types: readonly { readonly code: string; readonly amount: number }[];
}

describe('the codes of a restaurant when its orders are sent', () => {
  let scenario: Scenario;
  let jobs: Jobs;
  let pos: PosSimulator;
  let line: LossyLine;
  let relay: TestRelay;
  let id: string;

  const EAGER = { WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: NEVER };

  beforeEach(async () => {
    scenario = await Scenario.ofProcesses();
    ({ jobs, pos } = scenario);
    line = new LossyLine();
    relay = await scenario.start({
      DATABASE_URL: await line.listen(scenario.database),
      POS_UNKNOWN_TENDER: 'reject',
      ...EAGER,
    });
    // a statement of a schedule would be counted
    await relay.quiet();
    id = await relay.createRestaurant();
    for (let first = 0; first < 2; first++) await delivered();
  });
  afterEach(async () => {
    await relay.close();
    line.close();
    await scenario.close();
  });

  const set = (kind: 'ITEM' | 'TENDER', terminalCode: string, posCode: string, name: string | null = null) =>
    scenario.database.query(
      `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code, name) VALUES ($1, $2::code_kind, $3, $4, $5)
       ON CONFLICT (restaurant_id, kind, terminal_code) DO UPDATE SET pos_code = EXCLUDED.pos_code, name = EXCLUDED.name`,
      [id, kind, terminalCode, posCode, name],
    );
  const sell = (changes: Record<string, unknown> = {}, by = relay) => by.accept(sale(changes));
  const isIn = (job: string, status: string) => jobs.until(async () => (await jobs.get(job)).status === status);
  const bodyOf = async (job: string) => pos.orders.get(await scenario.keyOf(job))?.order as unknown as Sent;
  const delivered = async (changes: Record<string, unknown> = {}, by = relay): Promise<Sent> => {
    const job = await sell(changes, by);
    await isIn(job, 'SENT');
    return bodyOf(job);
  };
  const statements = async (act: () => Promise<unknown>) => {
    const before = line.statements;
    await act();
    return line.statements - before;
  };
  const codesOf = ({ items }: Sent) => items.map(({ integration_code }) => integration_code);
  const items = (...codes: (string | undefined)[]) =>
    codes.map((itemCode) => ({ itemCode, itemName: 'Coffee', quantity: 1, price: 10 }));

  test('without codes a sale takes the statements that it took, and its body is as before (I4, O32)', async () => {
    expect(await statements(() => delivered())).toBe(2);
    expect(codesOf(await delivered({ items: items('A', undefined) }))).toEqual(['A', '']);
  });

  test('codes are read once for each version, and not again: a sale then takes no statement more (I4, I5)', async () => {
    await set('ITEM', 'A', 'P-1');
    expect(await statements(() => delivered())).toBe(3);
    expect(await statements(() => delivered())).toBe(2);
    await set('ITEM', 'B', 'P-2');
    expect(await statements(() => delivered())).toBe(3);
    expect(await statements(() => delivered())).toBe(2);
  });

  test('a sale that is claimed when it is stored has them, duplicate codes too (I2, I5)', async () => {
    await set('ITEM', 'A', 'P-1');
    await set('ITEM', 'B', 'B', 'Brioche');
    const { items: sent } = await delivered({ items: items('A', 'B', 'A', 'C') });
    expect(sent.map(({ integration_code, desc_item }) => [integration_code, desc_item])).toEqual([
      ['P-1', 'Coffee'],
      ['B', 'Brioche'],
      ['P-1', 'Coffee'],
      ['C', 'Coffee'],
    ]);
  });

  test('an order that was refused is sent with what was entered since, and the sale stays as it was (I1)', async () => {
    pos.behave({ mode: 'status', status: 422, errorCode: 310, message: 'unknown product A', times: 1 });
    const job = await sell({ items: items('A') });
    await isIn(job, 'DLQ');
    await set('ITEM', 'A', 'P-1');
    await scenario.database.query(`SELECT * FROM reset_jobs(ARRAY[$1::uuid])`, [job]);
    relay.get(Worker).wake();
    await isIn(job, 'SENT');
    expect(codesOf(await bodyOf(job))).toEqual(['P-1']);
    const [stored] = await scenario.database.query<{ code: string }>(
      `SELECT payload #>> '{items,0,itemCode}' AS code FROM terminal_events WHERE transaction_key = $1`,
      [await scenario.keyOf(job)],
    );
    expect(stored).toEqual({ code: 'A' });
  });

  test('a code that was changed elsewhere holds for the next order that an instance sends (I4)', async () => {
    const other = await scenario.start(EAGER);
    other.withoutIntervals();
    for (const [code, by] of [
      ['P-1', relay],
      ['P-2', other],
      ['P-3', relay],
      ['P-4', other],
    ] as const) {
      await set('ITEM', 'A', code);
      expect(codesOf(await delivered({ items: items('A') }, by))).toEqual([code]);
    }
    await scenario.database.query(`DELETE FROM pos_codes WHERE restaurant_id = $1`, [id]);
    for (const by of [relay, other]) expect(codesOf(await delivered({ items: items('A') }, by))).toEqual(['A']);
  });

  test('of a restaurant with more than 1,000 codes those of the order are looked up, by one statement (I4, L214)', async () => {
    const add = (kind: string, from: number, to: number) =>
      scenario.database.query(
        `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code) SELECT $1::uuid, $2::code_kind, 'N-' || n, 'P-' || n FROM generate_series($3::int, $4::int) AS n`,
        [id, kind, from, to],
      );
    await add('ITEM', 1, 1_000);
    expect(await statements(() => delivered())).toBe(3);
    expect(await statements(() => delivered())).toBe(2);
    await add('ITEM', 1_001, 1_200);
    await set('TENDER', '16|VISA', 'CRE-V');
    const sold = { items: [...items('N-7', 'A'), { ...items('B')[0], options: [{ itemCode: 'N-1200', price: 0 }] }] };
    const payments = [{ tenderType: 16, amount: 30, brand: ' VISA ' }];
    for (const expected of [4, 3]) {
      let body: Sent | undefined;
      const act = async () => {
        body = await delivered({ ...sold, payments });
      };
      expect(await statements(act)).toBe(expected);
      expect([codesOf(body as Sent), (body as Sent).payment_types.map(({ code }) => code)]).toEqual([
        ['P-7', 'A', 'B', 'P-1200'],
        ['CRE-V'],
      ]);
    }
    // the size of what was read does not grow with the codes
    const rows = jest.spyOn(relay.get(PrismaService), 'prepared');
    await set('ITEM', 'N-7', 'P-7b');
    expect(codesOf(await delivered(sold))).toEqual(['P-7b', 'A', 'B', 'P-1200']);
    const results = (await Promise.all(rows.mock.results.map(({ value }) => value as Promise<object[]>))).flat();
    rows.mockRestore();
    const read = results.flatMap((row) => ('codes' in row ? [(row.codes as unknown[] | null)?.length ?? null] : []));
    expect(read).toEqual([null, 2]);
  });

  test('calls at once read the codes of a restaurant once (I4)', async () => {
    await set('ITEM', 'A', 'P-1');
    const codes = relay.get(RestaurantCodes);
    const wanted = { restaurantId: id, codesVersion: 1 };
    expect(await statements(() => Promise.all([1, 2, 3].map(() => codes.of(wanted, {}))))).toBe(1);
    // what an instance knows is never older than what is asked for
    await set('ITEM', 'A', 'P-2');
    expect(await codes.of(wanted, {})).toMatchObject({ items: new Map([['A', { code: 'P-1', name: null }]]) });
    expect(await codes.of({ ...wanted, codesVersion: 2 }, {})).toMatchObject({
      items: new Map([['A', { code: 'P-2', name: null }]]),
    });
    expect(await statements(async () => codes.of(wanted, {}))).toBe(0);
  });

  test('a restaurant that was deleted has no codes, and its version is raised (I1, I4)', async () => {
    await set('ITEM', 'A', 'P-1');
    await scenario.database.query(`UPDATE restaurants SET deleted_at = now() WHERE id = $1`, [id]);
    expect(await scenario.database.query(`SELECT 1 FROM pos_codes`)).toEqual([]);
    const [row] = await scenario.database.query(`SELECT codes_version FROM restaurants WHERE id = $1`, [id]);
    expect(row).toEqual({ codes_version: 2 });
  });

  describe('items without a code', () => {
    const WARNING =
      'items: some have no itemCode; they are sent with the default item code of the restaurant, and the name of the terminal';
    const setDefault = (code: string | null) =>
      scenario.database.query(`UPDATE restaurants SET default_item_code = $2 WHERE id = $1`, [id, code]);
    const warningsOf = async (changes: Record<string, unknown>) =>
      (await relay.post(sale(changes)).expect(200)).body.warnings;

    test('have the default where it is set, with a warning that is stored, too (I3)', async () => {
      const changes = { items: items('A', undefined, '', '  ') };
      expect(await warningsOf(changes)).toBeUndefined();
      await setDefault('MISC');
      expect(await warningsOf(changes)).toEqual([WARNING]);
      expect(await warningsOf({ items: items('A', '  ') })).toEqual([WARNING]);
      expect(await warningsOf({ items: items('A') })).toBeUndefined();
      const job = await sell(changes);
      await isIn(job, 'SENT');
      const { items: sent } = await bodyOf(job);
      expect(sent.map(({ integration_code }) => integration_code)).toEqual(['A', 'MISC', 'MISC', 'MISC']);
      expect(new Set(sent.map(({ desc_item }) => desc_item))).toEqual(new Set(['Coffee']));
      const [event] = await scenario.database.query(`SELECT warnings FROM terminal_events WHERE transaction_key = $1`, [
        await scenario.keyOf(job),
      ]);
      expect(event).toEqual({ warnings: [WARNING] });
      await setDefault(null);
      expect(codesOf(await delivered(changes))).toEqual(['A', '', '', '  ']);
    });
  });

  describe('tenders', () => {
    const UNKNOWN = 'payments[0].tenderType: 99 is not in the tender table (POS_TENDER_TYPES)';
    const paidBy = (tenderType: unknown, brand?: string) => ({
      items: items('A'),
      totalAmount: 10,
      payments: [{ tenderType, amount: 10, ...(brand !== undefined && { brand }) }],
    });
    const tendersOf = ({ payment_types }: Sent) => payment_types.map(({ code }) => code);

    test('the brand comes before the tender, and both before POS_TENDER_TYPES (I6)', async () => {
      await set('TENDER', '16', 'CARD');
      await set('TENDER', '16|VISA', 'VIS');
      expect(tendersOf(await delivered(paidBy(16, 'VISA')))).toEqual(['VIS']);
      expect(tendersOf(await delivered(paidBy('16', 'ELO')))).toEqual(['CARD']);
      expect(tendersOf(await delivered(paidBy(1)))).toEqual(['DIN']);
    });

    test('POS_UNKNOWN_TENDER=reject: a tender that the restaurant knows is no reason to warn or to park (I6, M11)', async () => {
      await set('TENDER', '99|X', 'OUR');
      const { body } = await relay.post(sale(paidBy(99, 'X'))).expect(200);
      expect(body.warnings).toBeUndefined();
      await isIn(body.jobId, 'SENT');
      expect(tendersOf(await bodyOf(body.jobId))).toEqual(['OUR']);
      const [event] = await scenario.database.query(`SELECT warnings FROM terminal_events WHERE transaction_key = $1`, [
        await scenario.keyOf(body.jobId),
      ]);
      expect(event).toEqual({ warnings: [] });
      expect((await relay.post(sale(paidBy(99))).expect(200)).body.warnings).toEqual([UNKNOWN]);
    });

    test('a sale that was parked for its tender is sent once the code is there (I6)', async () => {
      const { body } = await relay.post(sale(paidBy(99))).expect(200);
      expect(body.warnings).toEqual([UNKNOWN]);
      await isIn(body.jobId, 'DLQ');
      await set('TENDER', '99', 'OUR');
      await scenario.database.query(`SELECT * FROM reset_jobs(ARRAY[$1::uuid])`, [body.jobId]);
      relay.get(Worker).wake();
      await isIn(body.jobId, 'SENT');
      expect(tendersOf(await bodyOf(body.jobId))).toEqual(['OUR']);
    });
  });
});

describe('what an instance keeps of the codes of restaurants', () => {
  const COUNT = 1_000;

  test('those used least recently are left out when they take too much (I4, L232)', async () => {
    const read: string[] = [];
    const prepared = async (_: object, [id]: [string]) => {
      read.push(id);
      const codes = Array.from({ length: COUNT }, (_, n) => [
        'ITEM',
        `${n}`.padEnd(2_000, 'x'),
        'y'.repeat(2_000),
        null,
      ]);
      return [{ version: 1, defaultItem: null, codes }];
    };
    const codes = new RestaurantCodes({ prepared } as unknown as PrismaService);
    const use = async (...ids: string[]) => {
      for (const restaurantId of ids)
        expect((await codes.of({ restaurantId, codesVersion: 1 }, {})).items.size).toBe(COUNT);
    };
    // each takes a quarter of the bound
    await use('a', 'b', 'c', 'd', 'a');
    expect(read).toEqual(['a', 'b', 'c', 'd']);
    await use('e', 'a', 'e');
    expect(read.slice(4)).toEqual(['e']);
    await use('b');
    expect(read.slice(5)).toEqual(['b']);
  });
});
