import { Reconciler } from '../../../src/capabilities/alerts/reconciler.js';
import { FileRounds } from '../../../src/capabilities/terminal-files/file-rounds.js';
import { Scenario } from '../../support/scenario.js';
import { FileDesk, lines, type Sold } from './file-desk.js';

const HEADER = 'reference;date;amount';
const money = (cents: number) => `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`;
const row = ({ key, at, cents }: Sold) => `${key};${at.slice(0, 10)} ${at.slice(11, 19)};${money(cents)}`;

/** The sales of an evening: one each 30 s, of amounts that come again. */
const evening = (count: number, day: string): Sold[] =>
  Array.from({ length: count }, (_, i) => {
    const at = new Date(Date.parse(`${day}T18:00:00Z`) + i * 30_000).toISOString();
    return { key: `${day}-${i}`, number: String(i), at, cents: 1_000 + (i % 40) * 25 };
  });

describe('an evening, compared with the file of the terminal', () => {
  const scenario = Scenario.ofSuite();

  const alerts = async (desk: FileDesk) =>
    (await scenario.api.get(`/restaurants/${desk.id}/alerts`, desk.token).expect(200)).body.data.filter(
      ({ kind }: { kind: string }) => kind === 'MISSING_HERE',
    );
  /** A round of the alerts; those whose condition was not found for a while close. */
  const reconcile = async () => {
    await scenario.database.query(`UPDATE alerts SET last_at = last_at - interval '1 minute'`);
    await scenario.relay.get(Reconciler).reconcile();
  };

  test('a sale whose key or number looks like a card number has its row, although the file is masked (J9, J15)', async () => {
    const desk = await FileDesk.open(scenario);
    const [at, other] = ['2026-11-20T18:00:00Z', '2026-11-20T19:00:00Z'];
    const sales = [
      { key: '4111111111111111', at, cents: 1_200 },
      { key: 'by-number', number: '5555555555554444', at: other, cents: 1_300 },
    ];
    await desk.sold(sales);
    const { id } = await desk.confirmed(
      lines(HEADER, ...sales.map((sale) => row({ ...sale, key: sale.number ?? sale.key }))),
    );
    const stored = await scenario.database.query<{ reference: string; answer: string; key: string }>(
      'SELECT reference, answer, event_key AS key FROM terminal_file_rows WHERE file_id = $1 ORDER BY line',
      [id],
    );
    expect(stored).toEqual([
      { reference: '411111******1111', answer: 'MATCHED', key: '4111111111111111' },
      { reference: '555555******4444', answer: 'MATCHED', key: 'by-number' },
    ]);
  });

  test('of 500 sales of which 3 never arrived, 2 differ by a cent and 1 is double in the file, the page names these six (J9, J10)', async () => {
    const desk = await FileDesk.open(scenario);
    const sales = evening(500, '2026-11-20');
    const lost = new Set([17, 250, 499]);
    await desk.sold(sales.filter((_, i) => !lost.has(i)));
    const rows = sales.map((sale, i) => row(i === 40 || i === 300 ? { ...sale, cents: sale.cents + 1 } : sale));
    rows.splice(101, 0, rows[100] as string);
    const file = await desk.confirmed(lines(HEADER, ...rows));
    const key = (i: number) => sales[i]?.key;
    expect(await desk.named(file.id)).toEqual([
      ...[17, 250, 499].map((i) => ['MISSING_HERE', key(i)]),
      ...[40, 300].map((i) => ['AMOUNT_DIFFERS', key(i)]),
      ['DUPLICATE', key(100)],
    ]);
    const figures = Object.fromEntries(
      file.summary.map((one: { answer: string; count: number }) => [one.answer, one.count]),
    );
    expect(figures).toMatchObject({ MATCHED: 495, MISSING_HERE: 3, AMOUNT_DIFFERS: 2, DUPLICATE: 1, MISSING_THERE: 0 });
    expect((await desk.differences(file.id, '?answer=AMOUNT_DIFFERS')).data[0]).toMatchObject({
      cents: (sales[40] as Sold).cents + 1,
      sale: { transactionKey: key(40), cents: sales[40]?.cents },
    });
  });

  test('missing sales open an alert, which closes when each was entered by hand or has arrived (J14, L99)', async () => {
    const desk = await FileDesk.open(scenario);
    const sales = evening(5, '2026-11-21');
    await desk.sold(sales.slice(0, 3));
    const file = await desk.confirmed(lines(HEADER, ...sales.map(row)), {}, 'evening.csv');
    await reconcile();
    expect(await alerts(desk)).toMatchObject([
      { kind: 'MISSING_HERE', count: 2, closedAt: null, details: { name: 'evening.csv', fileId: file.id } },
    ]);
    await desk.decide(file.id, 5, 'enter', { note: 'table 4, by Ana' }).expect(200);
    await reconcile();
    expect(await alerts(desk)).toMatchObject([{ count: 1, closedAt: null }]);
    // the terminal sends the other one late
    await desk.sold(sales.slice(4));
    await scenario.database.query(
      `UPDATE terminal_files SET matched_at = matched_at - interval '1 minute' WHERE id = $1`,
      [file.id],
    );
    await scenario.database.query('UPDATE terminal_events SET received_at = now() WHERE transaction_key = $1', [
      sales[4]?.key,
    ]);
    await scenario.relay.get(FileRounds).run();
    await reconcile();
    expect(await alerts(desk)).toMatchObject([{ closedAt: expect.any(String) }]);
    expect(await desk.named(file.id)).toEqual([['ENTERED', sales[3]?.key]]);
  });

  test('an entered row whose sale arrives later shows it (J13)', async () => {
    const desk = await FileDesk.open(scenario);
    const [sale] = evening(1, '2026-11-22') as [Sold];
    const file = await desk.confirmed(lines(HEADER, row(sale)));
    const { body } = await desk.decide(file.id, 2, 'enter', { note: 'by hand' }).expect(200);
    expect(body.data).toMatchObject({ answer: 'ENTERED', note: 'by hand', sale: null });
    await desk.sold([sale]);
    await scenario.database.query('UPDATE terminal_events SET received_at = now() WHERE transaction_key = $1', [
      sale.key,
    ]);
    expect((await desk.differences(file.id)).data).toMatchObject([
      { answer: 'ENTERED', sale: { transactionKey: sale.key } },
    ]);
  });

  test('a decision is audited, and only an open row is decided (J13, R27)', async () => {
    const desk = await FileDesk.open(scenario);
    const [sale] = evening(1, '2026-11-23') as [Sold];
    const file = await desk.confirmed(lines(HEADER, row(sale)));
    await desk.decide(file.id, 2, 'enter', { note: 'table 9' }).expect(200);
    const { body: refused } = await desk.decide(file.id, 2, 'enter', { note: 'again' }).expect(409);
    expect(refused.code).toBe('ROW_NOT_OPEN');
    await desk.decide(file.id, 3, 'enter', { note: 'none' }).expect(404);
    const { body } = await scenario.api
      .get(`/restaurants/${desk.id}/audit?action=terminal_file.row_entered`, desk.token)
      .expect(200);
    expect(body.data).toMatchObject([
      { details: { line: 2, reference: sale.key, cents: sale.cents, note: 'table 9' } },
    ]);
    const { length } = (
      await scenario.api.get(`/restaurants/${desk.id}/audit?action=terminal_file.confirmed`, desk.token).expect(200)
    ).body.data;
    expect(length).toBe(1);
  });

  test('where only amount and time fit, a person accepts or refuses the sale; what has no row is MISSING_THERE (J9, J11, J13, L96)', async () => {
    const desk = await FileDesk.open(scenario);
    await desk.sold([
      { key: 'A', at: '2026-11-20T19:00:20Z', cents: 1_000 },
      { key: 'B', at: '2026-11-20T20:00:50Z', cents: 2_000 },
      { key: 'C', at: '2026-11-20T21:05:00Z', cents: 3_000 },
      { key: 'D', at: '2026-11-20T22:00:00Z', cents: 4_000, tender: '1' },
    ]);
    const file = await desk.confirmed(
      lines('date;amount', '2026-11-20 19:00:00;10,00', '2026-11-20 20:00:00;20,00', '2026-11-20 21:00:00;30,00'),
    );
    const view = async () => (await desk.named(file.id)).map(([answer, of]) => `${answer} ${of}`);
    // a minute is a minute; what was paid in cash is in no file
    expect(await view()).toEqual(['MISSING_HERE null', 'SUGGESTED A', 'SUGGESTED B', 'MISSING_THERE C']);
    await desk.decide(file.id, 2, 'accept', { transactionKey: 'B' }).expect(409);
    await desk.decide(file.id, 2, 'accept', { transactionKey: 'A' }).expect(200);
    await desk.decide(file.id, 3, 'refuse', { transactionKey: 'B' }).expect(200);
    expect(await view()).toEqual(['MISSING_HERE null', 'MISSING_HERE null', 'MISSING_THERE B', 'MISSING_THERE C']);
    // neither a late sale nor another reading suggests it again
    await scenario.database.query(
      'UPDATE terminal_events SET received_at = now() WHERE transaction_key = $1 AND restaurant_id = $2',
      ['D', desk.id],
    );
    expect(await view()).toEqual(['MISSING_HERE null', 'MISSING_HERE null', 'MISSING_THERE B', 'MISSING_THERE C']);
  });

  test('authorisation and terminal are found in the payload, wherever they stand (J9)', async () => {
    const desk = await FileDesk.open(scenario);
    const payload = (auth: string, tid: string) => ({ payments: [{ amount: 1, extra: { auth } }], device: { tid } });
    await desk.sold([
      { key: 'A', at: '2026-11-20T19:00:00Z', cents: 1_000, payload: payload('A1B2C3', '77001') },
      { key: 'B', at: '2026-11-20T19:01:00Z', cents: 1_000, payload: payload('A1B2C3', '77002') },
      { key: 'C', at: '2026-11-20T19:02:00Z', cents: 1_500, payload: payload('ZZZ999', '77001') },
    ]);
    const file = await desk.confirmed(
      lines(
        'autorização;terminal;data;valor',
        'A1B2C3;77002;20/11/2026 16:01:00;10,00',
        'ZZZ999;77001;20/11/2026 19:02:30;15,01',
        'A1B2C3;77001;20/11/2026 18:59:00;10,00',
      ),
    );
    expect(
      (await desk.differences(file.id, '?answer=MATCHED')).data.map((one: { sale: object }) => one.sale),
    ).toMatchObject([{ transactionKey: 'B' }, { transactionKey: 'A' }]);
    expect((await desk.differences(file.id)).data).toMatchObject([
      { answer: 'AMOUNT_DIFFERS', cents: 1_501, sale: { transactionKey: 'C', cents: 1_500 } },
    ]);
  });
});

describe('a file of days from which retention has removed sales', () => {
  // nothing is removed by itself
  const scenario = Scenario.ofSuite({ OUTBOX_RETENTION_DAYS: '1', WORKER_ENABLED: 'false' });

  test('a sale that retention or an erasure has removed is suggested by its day and amount, and is not missing (J9)', async () => {
    const desk = await FileDesk.open(scenario);
    const day = '2026-11-20';
    const sales = Array.from({ length: 6 }, (_, i) => ({
      ...{ key: `forgotten-${i}`, number: String(700 + i), cents: 1_000 + 100 * i },
      at: new Date(Date.parse(`${day}T18:00:00Z`) + i * 1_800_000).toISOString(),
    }));
    await desk.sold(sales);
    const removed = sales.slice(0, 2).map(({ key }) => key);
    await scenario.database.query(
      `WITH closed AS (
         INSERT INTO business_days (restaurant_id, number, day, closed_at, content, previous, hash)
         VALUES ($1::uuid, 1, '${day}', now(), '{}', '', repeat('0', 64)))
       INSERT INTO day_sales (restaurant_id, number, line, event_key, kind, cents, state, received_at)
       SELECT $1::uuid, 1, row_number() OVER (ORDER BY transaction_key), transaction_key, 'SALE', paid_cents, 'delivered', received_at
       FROM terminal_events WHERE restaurant_id = $1::uuid`,
      [desk.id],
    );
    for (const table of ['outbox_jobs WHERE event_key', 'terminal_events WHERE transaction_key'])
      await scenario.database.query(`DELETE FROM ${table} = ANY ($1::text[])`, [removed]);
    await scenario.database.query('SELECT erase_orders($1::uuid, ARRAY[$2::text], $3)', [desk.id, 'forgotten-2', 'x']);
    // as the acquirer knows them, ten minutes later; of the erased sale by what its payments said
    const later = (at: string) => new Date(Date.parse(at) + 600_000).toISOString();
    const listed = sales.map((sale, i) => row({ ...sale, key: i === 2 ? 'AUTH-2' : sale.number, at: later(sale.at) }));
    const other = row({ key: '999', at: `${day}T20:00:00Z`, cents: 9_900 });
    const file = await desk.confirmed(lines(HEADER, ...listed, other));
    const figures = Object.fromEntries(
      file.summary.map((one: { answer: string; count: number }) => [one.answer, one.count]),
    );
    expect(figures).toMatchObject({ MATCHED: 3, SUGGESTED: 3, MISSING_HERE: 1, MISSING_THERE: 0 });
    const suggested = (await desk.differences(file.id, '?answer=SUGGESTED')).data;
    expect(suggested.map(({ sale }: { sale: { transactionKey: string } }) => sale.transactionKey).sort()).toEqual(
      sales.slice(0, 3).map(({ key }) => key),
    );
  });
});
