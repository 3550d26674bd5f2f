import { TakingsExport } from '../../../src/restaurants/reports/takings-export.js';
import { Scenario } from '../../support/scenario.js';
import { soldAt } from './sold-at.js';

const COLUMNS =
  'transactionKey,transactionNumber,receivedAt,businessDay,state,tenders,tenderNames,paidCents,paid,transactionDate,' +
  'kind,currency,receivedOnAnotherDay,tipCents,serviceFeeCents,tip,serviceFee';

/** The rows of a CSV file by the names of its columns. */
function read(text: string): Record<string, string>[] {
  expect(text.startsWith('\ufeff')).toBe(true);
  const cells = /(?:"((?:[^"]|"")*)"|([^",;\r\n]*))([,;]|\r\n)/gy;
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.slice(1).matchAll(cells)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') lines.push([]);
  }
  const [names = [], ...rows] = lines.slice(0, -1);
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] as string])));
}

describe('GET /restaurants/:id/takings.csv (R25)', () => {
  const scenario = Scenario.ofSuite();

  const csv = (id: string, token: string, query = '') =>
    scenario.api.get(`/restaurants/${id}/takings.csv?${query}`, token);
  const rowsOf = async (id: string, token: string, query = '') => read((await csv(id, token, query).expect(200)).text);

  /** `count` copies of its only sale, a hundred in each millisecond. */
  const copies = (id: string, count: number) =>
    scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at, paid_cents,
                                      paid_by_tender)
         SELECT transaction_key || '-' || n, source_key, false, restaurant_id, payload,
                received_at - n / 100 * interval '1 millisecond', n, json_build_object('1', n)
         FROM terminal_events, generate_series(1, $2::int) n WHERE restaurant_id = $1
         RETURNING transaction_key, restaurant_id, received_at)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, created_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, received_at FROM event`,
      [id, count],
    );

  test('R70: each row has its tip and service fee; of rows of sales that are not cancelled they add up to the statistics', async () => {
    const { id, token, sell } = await scenario.store();
    const card = (amount: number) => [{ tenderType: 16, amount }];
    await sell({ transactionKey: 'tip', payments: card(90), tipAmount: 9, serviceFeeAmount: 1.255 });
    await sell({ transactionKey: 'plain' });
    await sell({ transactionKey: 'gone', payments: card(50), tipAmount: 5 });
    await sell({ transactionKey: 'back', totalAmount: -20, items: [], payments: [], tipAmount: 2 });
    await sell({ transactionKey: 'test', isTestTransaction: true, tipAmount: 3 });
    await scenario.api.post(`/restaurants/${id}/orders/gone/cancel`, token).expect(202);
    const rows = await rowsOf(id, token, 'separator=semicolon');
    const cells = rows.map(({ transactionKey, state, tipCents, serviceFeeCents, tip, serviceFee }) => [
      ...[transactionKey, state, tipCents, serviceFeeCents, tip, serviceFee],
    ]);
    expect(cells).toEqual([
      ['tip', 'waiting', '900', '126', '9,00', '1,26'],
      ['plain', 'waiting', '0', '0', '0,00', '0,00'],
      ['gone', 'cancelled', '500', '0', '5,00', '0,00'],
      ['back', 'refund', '-200', '0', '-2,00', '0,00'],
    ]);
    const { body } = await scenario.api.get(`/restaurants/${id}/statistics`, token).expect(200);
    expect(body).toMatchObject({ tipCents: 900, serviceFeeCents: 126, refundedCents: 2_000 });
    expect(body.amounts.byDay).toEqual([expect.objectContaining({ tipCents: 900, serviceFeeCents: 126 })]);
  });

  test("a row for each order: time and day in the restaurant's zone, tenders, cents and units", async () => {
    const { id, token, sell } = await scenario.store();
    const zone = { timezone: 'Asia/Kathmandu', dayClosesAt: '04:00' };
    await scenario.api.patch(`/restaurants/${id}`, token, zone).expect(200);
    const payments = [
      { tenderType: 1, amount: 2 },
      { tenderType: 16, amount: 79.8 },
      { tenderType: 99, amount: 0.1 },
    ];
    const job = await sell({ transactionKey: 'T-1', transactionNumber: '4711', payments });
    await scenario.jobs.receivedAt(job, '2026-11-20T19:00:00.120Z');
    const { text, headers } = await csv(id, token, 'day=2026-11-20').expect(200);
    expect(text).toBe(
      `\ufeff${COLUMNS}\r\nT-1,4711,2026-11-21T00:45:00.120+05:45,2026-11-20,waiting,` +
        '16=79.80 + 1=2.00 + 99=0.10,credit card + cash + 99,8190,81.90,2026-02-01T02:00:00+05:45,SALE,,true,0,0,0.00,0.00\r\n',
    );
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="takings-[a-z0-9-]+-2026-11-20\.csv"$/),
    });
  });

  test('separator=semicolon: decimals after a comma', async () => {
    const { id, token, sell } = await scenario.store();
    await sell({ transactionKey: 'T-1' });
    const { text } = await csv(id, token, 'separator=semicolon').expect(200);
    expect(text).toContain('transactionKey;transactionNumber;');
    expect(text).toMatch(
      /;"16=79,80";credit card;7980;"79,80";2026-01-31T20:15:00\+00:00;SALE;;true;0;0;"0,00";"0,00"\r\n$/,
    );
    const { body } = await csv(id, token, 'separator=tab').expect(400);
    expect(body.message).toEqual(['separator must be one of: comma, semicolon']);
  });

  test('the sums by state, without test orders, are those of the statistics', async () => {
    const { id, token, sell } = await scenario.store();
    const sellFor = (amount: number, tenderType: number) => sell({ payments: [{ tenderType, amount }] });
    await scenario.settle(await sellFor(0.1, 1), 'SENT');
    await scenario.settle(await sellFor(0.2, 16), 'DLQ');
    const delivered = await scenario.settle(await sellFor(0.4, 16), 'SENT');
    await scenario.cancel(id, await scenario.keyOf(delivered), token).expect(202);
    const notCancelled = await scenario.settle(await sellFor(0.7, 1), 'SENT');
    const cancel = (await scenario.cancel(id, await scenario.keyOf(notCancelled), token).expect(202)).body.data.jobId;
    await scenario.settle(cancel, 'DLQ');
    await scenario.cancel(id, await scenario.keyOf(await sellFor(0.8, 1)), token).expect(202);
    await sellFor(1_234_567.89, 28);
    await sell({ isTestTransaction: true });
    const rows = await rowsOf(id, token);
    const { amounts } = (await scenario.api.get(`/restaurants/${id}/statistics`, token).expect(200)).body;
    const sum = (state?: string) =>
      rows
        .filter((row) => !state || row.state === state)
        .reduce((total, { paidCents }) => total + Number(paidCents), 0);
    expect(rows.map(({ state }) => state)).toEqual([
      ...['delivered', 'parked', 'cancelled', 'delivered', 'cancelled', 'waiting'],
    ]);
    expect(sum()).toBe(amounts.totalCents);
    for (const state of ['delivered', 'waiting', 'parked', 'cancelled'])
      expect(sum(state)).toBe(amounts[`${state}Cents`]);
    for (const { tenderType, cents } of amounts.byTender) {
      const ofTender = rows.filter(({ tenders }) => tenders?.startsWith(`${tenderType}=`));
      expect(ofTender.reduce((total, { paidCents }) => total + Number(paidCents), 0)).toBe(cents);
    }
    for (const { paidCents, paid } of rows) expect(Number(paid?.replace('.', ''))).toBe(Number(paidCents));
  });

  test('quotes, line breaks, formulas and long texts stay one cell each, and no formula runs', async () => {
    const { id, token, sell } = await scenario.store();
    const hostile = '=cmd|\' /C calc\'!A1;=1,+2\n@"quoted"';
    const payments = [{ tenderType: `=${'x'.repeat(100_000)}`, amount: 1 }];
    await sell({ transactionKey: '=HYPERLINK("http://x";"y")', transactionNumber: hostile, payments });
    await sell({ transactionKey: '-1', transactionNumber: 'n'.repeat(10_000), payments: [] });
    const [first, second, ...others] = await rowsOf(id, token);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      transactionKey: `'=HYPERLINK("http://x";"y")`,
      transactionNumber: `'=cmd|' /C calc'!A1;'=1,'+2\n'@"quoted"`,
      tenders: `'=${'x'.repeat(99)}=1.00`,
      tenderNames: `'=${'x'.repeat(99)}`,
      paidCents: '100',
    });
    expect(second).toMatchObject({
      transactionKey: "'-1",
      transactionNumber: 'n'.repeat(255),
      tenders: '',
      paid: '0.00',
    });
  });

  test('a long history is read in pages: each order once, in order, also within one millisecond', async () => {
    const { id, token, sell } = await scenario.store();
    await sell({ payments: [] });
    await copies(id, 1_250);
    const rows = await rowsOf(id, token);
    expect(rows).toHaveLength(1_251);
    expect(new Set(rows.map(({ transactionKey }) => transactionKey)).size).toBe(1_251);
    const times = rows.map(({ receivedAt }) => receivedAt as string);
    expect(times.toSorted()).toEqual(times);
    expect(rows.reduce((total, { paidCents }) => total + Number(paidCents), 0)).toBe((1_250 * 1_251) / 2);
  });

  test('31 business days at most, also if one of them has 25 hours; without a sale, the header line only', async () => {
    const { id, token } = await soldAt(scenario, 'Europe/Berlin', '04:00', []);
    expect((await csv(id, token).expect(200)).text).toBe(`\ufeff${COLUMNS}\r\n`);
    const { headers } = await csv(id, token, 'from=2026-10-01&to=2026-10-31').expect(200);
    expect(headers['content-disposition']).toContain('2026-10-01-2026-10-31.csv');
    const { body } = await csv(id, token, 'from=2026-10-01&to=2026-11-01').expect(400);
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: ['the span must not be longer than 31 days'],
    });
    await csv(id, token, 'day=2026-10-01&from=2026-10-01').expect(400);
  });

  test('a database that is away before the first row: 503', async () => {
    const { id, token } = await scenario.store();
    const takings = scenario.relay.get(TakingsExport);
    const { open } = takings;
    let comeBack: (() => Promise<void>) | undefined;
    takings.open = async (...args) => {
      takings.open = open;
      comeBack = await scenario.database.goAway();
      return open.apply(takings, args);
    };
    const { body } = await csv(id, token).expect(503);
    await comeBack?.();
    expect(body.code).toBe('DATABASE_UNAVAILABLE');
  });

  test('a database that goes away between two pages: the connection breaks, and the file is not complete', async () => {
    const { id, token, sell } = await scenario.store();
    await sell({});
    await copies(id, 1_250);
    const takings = scenario.relay.get(TakingsExport) as unknown as { page(...args: unknown[]): Promise<unknown> };
    const { page } = takings;
    let pages = 0;
    let comeBack: (() => Promise<void>) | undefined;
    takings.page = async (...args) => {
      if (++pages === 2) comeBack = await scenario.database.goAway();
      return page.apply(takings, args);
    };
    const response = await fetch(`${scenario.relay.url}/restaurants/${id}/takings.csv`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    await comeBack?.();
    takings.page = page;
    expect(pages).toBe(2);
    expect(await rowsOf(id, token)).toHaveLength(1_251);
  });
});
