import { Comparison } from '../../../src/capabilities/terminal-files/matching/comparison.js';
import { Scenario } from '../../support/scenario.js';
import { FileDesk, lines } from './file-desk.js';

const HEADER = 'reference;date;amount';
/** Each file is another one: the same file is known. */
let references = 0;
const row = (amount: string, date = '20/11/2026 19:00:00') => `R-${++references};${date};${amount}`;

describe("the terminal's files", () => {
  const scenario = Scenario.ofSuite();
  let desk: FileDesk;
  beforeAll(async () => {
    desk = await FileDesk.open(scenario, 'America/Sao_Paulo');
  });
  afterEach(() => scenario.database.query('DELETE FROM terminal_files'));

  const centsOf = async (content: string | Buffer) =>
    (await desk.uploaded(content)).preview.rows.map(
      ({ cents, problem }: { cents: number; problem: string }) => problem ?? cents,
    );

  test.each<[what: string, content: () => string | Buffer, expected: object]>([
    [
      'a byte order mark',
      () => `\ufeff${lines(HEADER, row('1,00'))}`,
      { encoding: 'utf-8', columns: ['reference', 'date', 'amount'] },
    ],
    [
      'semicolons and decimal commas',
      () => lines(HEADER, row('79,80')),
      { delimiter: ';', mapping: { decimal: 'comma' } },
    ],
    [
      'tabs',
      () => lines(HEADER, row('79.80')).replaceAll(';', '\t'),
      { delimiter: '\t', mapping: { decimal: 'point' } },
    ],
    ['names in line 3', () => lines('Report of the day', '', HEADER, row('1,00')), { headerLine: 3, rows: 1 }],
    [
      'windows-1252',
      () =>
        Buffer.from(
          lines('referência;data;valor – €', row('1,00')).replace('€', '\x80').replace('–', '\x96'),
          'latin1',
        ),
      { encoding: 'windows-1252', columns: ['referência', 'data', 'valor – €'] },
    ],
    [
      'UTF-16 with its mark',
      () => Buffer.from(`\ufeff${lines(HEADER, row('1,00'))}`, 'utf16le'),
      { encoding: 'utf-16le', rows: 1 },
    ],
    [
      'UTF-16 of the other order with its mark',
      () => Buffer.from(`\ufeff${lines(HEADER, row('1,00'))}`, 'utf16le').swap16(),
      { encoding: 'utf-16be', rows: 1 },
    ],
    ['line breaks of an old system', () => lines(HEADER, row('1,00')).replaceAll('\r\n', '\r'), { rows: 1 }],
  ])('%s: read (J4)', async (_, content, expected) => {
    expect(await desk.uploaded(content())).toMatchObject(expected);
  });

  test('1.234,56 beside 1,234.56: each has one meaning; the column decides 1.234 (J7)', async () => {
    const amounts = [
      '1.234,56',
      '1,234.56',
      '12,5',
      '1.234',
      '-3,00',
      '(4,00)',
      'R$ 5,00',
      '1.2,3',
      '1,2345',
      '1e5',
      '',
    ];
    expect(await centsOf(lines(HEADER, ...amounts.map((amount) => row(amount))))).toEqual([
      ...[123_456, 123_456, 1_250, 123_400, 300, 400, 500],
      expect.stringContaining('separators'),
      expect.stringContaining('more than two decimals'),
      expect.stringContaining('is no amount'),
      'amount: is empty',
    ]);
  });

  test('quoted line breaks: the line of a row is the one where it begins (J4)', async () => {
    const { preview } = await desk.uploaded(
      lines(`${HEADER};note`, `${row('1,00')};"two\r\nlines; and ""quotes"""`, row('2,00')),
    );
    expect(preview.rows.map(({ line }: { line: number }) => line)).toEqual([2, 4]);
  });

  test('a formula is a text; ="0012" is 0012; neither begins a formula in the file of differences (J4, J12)', async () => {
    const file = await desk.confirmed(
      lines(
        HEADER,
        '=HYPERLINK("http://x");20/11/2026 19:00;1,00',
        '="0012";20/11/2026 19:00;=1+1',
        '@SUM(1);20/11/2026 19:00;2,00',
      ),
    );
    const csv = await scenario.api
      .get(`${desk.path}/${file.id}/differences.csv?separator=semicolon`, desk.token)
      .expect(200);
    expect(csv.text.split('\r\n').map((line) => line.split(';').slice(0, 3).join(';'))).toEqual([
      '\ufeffanswer;line;reference',
      `MISSING_HERE;2;"'=HYPERLINK(""http://x"")"`,
      "MISSING_HERE;4;'@SUM(1)",
      'UNREADABLE;3;0012',
      '',
    ]);
  });

  test('a row without a time of day has its date alone in the file of differences, on the clock of the mapping (J12)', async () => {
    const content = lines(HEADER, row('1,00', '20/11/2026'), row('2,00', '2026-11-20T19:00:00Z'));
    const file = await desk.confirmed(content, { zone: 'Pacific/Kiritimati' });
    const csv = await scenario.api.get(`${desk.path}/${file.id}/differences.csv`, desk.token).expect(200);
    const [names = '', ...rows] = csv.text.trimEnd().split('\r\n');
    const at = names.split(',').indexOf('at');
    expect(rows.map((one) => one.split(',')[at])).toEqual(['2026-11-20', '2026-11-20T19:00:00.000Z']);
  });

  test.each<[what: string, content: () => string | Buffer, message: RegExp]>([
    ['NUL', () => lines(HEADER, row('1,00'), 'R\0;x;1'), /^line 3: has a NUL/],
    ['UTF-16 without its mark', () => Buffer.from(lines(HEADER, row('1,00')), 'utf16le'), /^line 1: has a NUL/],
    [
      'a quote that is not closed',
      () => lines(HEADER, row('1,00'), 'R;"20/11/2026;1,00', row('2,00')),
      /^line 3: a quote/,
    ],
    ['a long row', () => lines(HEADER, row('1,00'), `"${'x\n'.repeat(40_000)}";1`), /^line 3: the row is longer/],
    ['too many columns', () => lines(HEADER, row('1,00'), `${';'.repeat(200)}1`), /^line 3: has more than 200 columns/],
    [
      'too many rows',
      () => lines(HEADER, ...Array.from({ length: 50_001 }, () => 'a;2026-11-20;1')),
      /^line 50002: the file has more/,
    ],
    ['no names', () => lines('1;2;3', '4;5;6'), /no names of columns/],
    ['nothing but names', () => lines(HEADER), /^line 1: no row follows/],
    ['blanks', () => '\r\n \r\n', /empty/],
  ])('%s: refused with the line and the reason (J4, L90, L91)', async (_, content, message) => {
    const { body } = await desk.upload(content()).expect(422);
    expect(body).toMatchObject({ code: 'FILE_REFUSED', message: expect.stringMatching(message) });
  });

  test('dates: of the column, by the clock of the mapping, also from two columns (J5)', async () => {
    const rows = [
      '13/11/2026;19:05',
      '03/11/2026;19:05:30',
      '2026-11-03T19:00:00-03:00;',
      '31/02/2026;10:00',
      '03/11/2026;25:00',
    ];
    const { preview, mapping } = await desk.uploaded(
      lines('data;hora;valor', ...rows.map((one, i) => `${one};${i + 1},00`)),
    );
    expect(mapping).toMatchObject({ dateOrder: 'DMY', time: 1, zone: 'America/Sao_Paulo' });
    expect(preview.rows.map(({ at }: { at: string }) => at)).toEqual([
      ...['2026-11-13T22:05:00.000Z', '2026-11-03T22:05:30.000Z', '2026-11-03T22:00:00.000Z', null, null],
    ]);
    expect(preview.counts.unreadable).toBe(2);
  });

  test.each(['Created (UTC)', 'created_utc'])('the times of a column named %s are UTC (J5)', async (name) => {
    const own = await FileDesk.open(scenario, 'America/Sao_Paulo');
    await own.sold([{ key: `UTC-${name}`, at: '2026-11-20T22:00:00Z', cents: 3_550 }]);
    const file = await own.confirmed(lines(`id,${name},Amount`, 'ch_1,2026-11-20 22:00:10,35.50'));
    expect(file.mapping.zone).toBe('UTC');
    expect(await own.named(file.id)).toEqual([['SUGGESTED', `UTC-${name}`]]);
  });

  test('a row in another currency than the restaurant cannot be read (J7)', async () => {
    await scenario.api.patch(`/restaurants/${desk.id}`, desk.token, { currency: 'BRL' }).expect(200);
    const { preview } = await desk.uploaded(lines(`${HEADER};currency`, `${row('1,00')};BRL`, `${row('1,00')};USD`));
    await scenario.api.patch(`/restaurants/${desk.id}`, desk.token, { currency: null }).expect(200);
    expect(preview.problems).toEqual([{ line: 3, problem: 'currency: is USD, the restaurant has BRL' }]);
  });

  test('the same file twice: the earlier one; in another restaurant it is another file, and nobody reads that of another (J3)', async () => {
    const content = lines(HEADER, row('1,00'));
    const first = await desk.uploaded(content, 'first.csv');
    const { body } = await desk.upload(content, 'second.csv').expect(200);
    expect(body.data).toMatchObject({ id: first.id, name: 'first.csv' });
    await desk.confirm(first.id, first.mapping).expect(200);
    expect((await desk.upload(content).expect(200)).body.data).toMatchObject({ id: first.id, state: 'CONFIRMED' });
    const other = await FileDesk.open(scenario);
    expect((await other.uploaded(content)).id).not.toBe(first.id);
    for (const path of ['', '/differences', '/differences.csv'])
      await scenario.api.get(`${other.path}/${first.id}${path}`, other.token).expect(404);
    await other.confirm(first.id, first.mapping).expect(404);
    await other.decide(first.id, 2, 'enter', { note: 'x' }).expect(404);
    await scenario.api.delete(`${other.path}/${first.id}`, other.token).expect(404);
  });

  test('the same rows in two files: each counts once, in the earlier one (J10)', async () => {
    const rows = [row('1,00'), row('2,00'), row('3,00')];
    await desk.confirmed(lines(HEADER, ...rows.slice(0, 2)), {}, 'monday.csv');
    const later = await desk.confirmed(lines(HEADER, ...rows), {}, 'week.csv');
    expect((await desk.differences(later.id)).data).toMatchObject([
      { answer: 'MISSING_HERE', line: 4 },
      { answer: 'REPEATED', line: 2, repeatOf: { name: 'monday.csv' } },
      { answer: 'REPEATED', line: 3, repeatOf: { name: 'monday.csv' } },
    ]);
  });

  test('of two confirmations at once one counts (J8)', async () => {
    const { id, mapping } = await desk.uploaded(lines(HEADER, row('1,00'), row('2,00')));
    const answers = await Promise.all([1, 2, 3].map(() => desk.confirm(id, mapping)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const count = await scenario.database.query(
      'SELECT count(*)::int AS rows FROM terminal_file_rows WHERE file_id = $1',
      [id],
    );
    expect(count).toEqual([{ rows: 2 }]);
  });

  test('a file that is removed while it is compared is not confirmed: 404 (J8)', async () => {
    const { id, mapping } = await desk.uploaded(lines(HEADER, row('1,00')));
    const comparison = scenario.relay.get(Comparison);
    const compareNew = comparison.compareNew.bind(comparison);
    comparison.compareNew = async (...args) => {
      const compared = await compareNew(...args);
      await scenario.api.delete(`${desk.path}/${id}`, desk.token).expect(200);
      return compared;
    };
    try {
      expect((await desk.confirm(id, mapping).expect(404)).body.code).toBe('NOT_FOUND');
    } finally {
      comparison.compareNew = compareNew;
    }
  });

  test('two files with the same rows, confirmed at once: each row counts once (J9)', async () => {
    const rows = [row('1,00'), row('2,00')];
    const files = [
      await desk.uploaded(lines(HEADER, ...rows)),
      await desk.uploaded(lines(HEADER, ...rows, row('3,00'))),
    ];
    const answers = await Promise.all(files.map(({ id, mapping }) => desk.confirm(id, mapping).expect(200)));
    const counts = answers.map(({ body }) =>
      Object.fromEntries(body.data.summary.map((one: { answer: string; count: number }) => [one.answer, one.count])),
    );
    expect(counts.reduce((sum, { MISSING_HERE }) => sum + MISSING_HERE, 0)).toBe(3);
    expect(counts.reduce((sum, { REPEATED }) => sum + REPEATED, 0)).toBe(2);
  });

  test('a file that is not confirmed counts as nothing, and can be removed (J2)', async () => {
    const { id } = await desk.uploaded(lines(HEADER, row('1,00')));
    await scenario.api.get(`${desk.path}/${id}/differences`, desk.token).expect(409);
    await desk.decide(id, 2, 'enter', { note: 'x' }).expect(409);
    await scenario.api.delete(`${desk.path}/${id}`, desk.token).expect(200);
    await scenario.api.get(`${desk.path}/${id}`, desk.token).expect(404);
  });

  test('20 files wait at most, for 7 days; the 21st is refused (J2, L93)', async () => {
    for (let i = 0; i < 20; i++) await desk.uploaded(lines(HEADER, row('1,00')));
    expect((await desk.upload(lines(HEADER, row('1,00'))).expect(409)).body.code).toBe('TOO_MANY_FILES');
    await scenario.database.query(`UPDATE terminal_files SET uploaded_at = now() - interval '8 days'`);
    await desk.uploaded(lines(HEADER, row('1,00')));
    expect(await scenario.database.query('SELECT count(*)::int AS files FROM terminal_files')).toEqual([{ files: 1 }]);
  });

  test('the mapping that was confirmed is the first preview of the next such file (J5)', async () => {
    const { id, mapping } = await desk.uploaded(lines('a;b;c', 'X1;20/11/2026 10:00;1.234'));
    await desk.confirm(id, { ...mapping, reference: 0, decimal: 'point', zone: 'UTC', amount: 9 }).expect(400);
    await desk.confirm(id, { ...mapping, reference: 0, decimal: 'comma', zone: 'UTC' }).expect(200);
    const next = await desk.uploaded(lines('a;b;c', 'X2;21/11/2026 10:00;2.234'));
    expect(next.mapping).toMatchObject({ reference: 0, decimal: 'comma', zone: 'UTC' });
    const { body } = await scenario.api
      .post(`${desk.path}/${next.id}/preview`, desk.token, { ...next.mapping, reference: null })
      .expect(200);
    expect(body.data.rows).toMatchObject([{ reference: null, cents: 223_400, kind: 'SALE' }]);
  });

  test("Adyen's settlement details: sales, refunds, chargebacks and fees (J5, J6)", async () => {
    const header = [
      ...[
        'Merchant Account',
        'Psp Reference',
        'Merchant Reference',
        'Payment Method',
        'Creation Date',
        'TimeZone',
        'Type',
      ],
      ...[
        'Gross Currency',
        'Gross Debit (GC)',
        'Gross Credit (GC)',
        'Net Debit (NC)',
        'Net Credit (NC)',
        'Batch Number',
      ],
    ].join(',');
    const of = (ref: string, type: string, debit: string, credit: string) =>
      `Roma,PSP-${ref},${ref},visa,2026-11-20 19:00:00,CET,${type},EUR,${debit},${credit},,${credit},12`;
    const { preset, mapping, preview } = await desk.uploaded(
      lines(
        header,
        of('K1', 'Settled', '', '10.50'),
        of('K2', 'Refunded', '3.00', ''),
        of('K3', 'Chargeback', '7.00', ''),
        of('', 'Fee', '', ''),
        of('', 'MerchantPayout', '', ''),
      ),
    );
    expect({ preset, zone: mapping.zone }).toEqual({ preset: 'adyen_settlement', zone: 'Europe/Berlin' });
    expect(preview.rows.map(({ kind, cents }: { kind: string; cents: number }) => `${kind} ${cents}`)).toEqual([
      ...['SALE 1050', 'REFUND 300', 'CHARGEBACK 700', 'IGNORED 0', 'IGNORED 0'],
    ]);
    expect(preview.rows[0]).toMatchObject({ reference: 'K1', authorisation: 'PSP-K1', at: '2026-11-20T18:00:00.000Z' });
  });

  test("the relay's own takings: every row has its sale (J5)", async () => {
    const own = await FileDesk.open(scenario);
    await own.sold([
      { key: '=K1', at: '2026-11-20T19:00:00Z', cents: 123_450 },
      { key: 'K2', at: '2026-11-20T20:00:00Z', cents: 999, number: '7' },
    ]);
    for (const separator of ['comma', 'semicolon']) {
      await scenario.database.query('DELETE FROM terminal_files');
      const { text } = await scenario.api
        .get(`/restaurants/${own.id}/takings.csv?day=2026-11-20&separator=${separator}`, own.token)
        .expect(200);
      const file = await own.confirmed(text);
      expect(file.preset).toBe('relay_takings');
      expect(await own.named(file.id)).toEqual([]);
    }
  });

  test('a number is that of the nearest sale within 12 hours: numbers begin again each day (J9, L95)', async () => {
    const own = await FileDesk.open(scenario);
    await own.sold([
      { key: 'A', at: '2026-11-19T19:00:00Z', cents: 100, number: '7' },
      { key: 'B', at: '2026-11-20T19:00:00Z', cents: 200, number: '7' },
    ]);
    const file = await own.confirmed(lines(HEADER, '7;2026-11-20 19:05:00;2,00'));
    expect((await own.differences(file.id, '?answer=MATCHED')).data).toMatchObject([{ sale: { transactionKey: 'B' } }]);
  });

  test('zeros before a number and .0 after it make no other number: the sale of the day with that amount is suggested (J9)', async () => {
    const own = await FileDesk.open(scenario);
    const at = '2026-11-20T19:00:00Z';
    await own.sold([
      { key: 'A', at, cents: 3_550, number: '000123' },
      { key: '000456', at, cents: 100 },
      { key: 'C', at, cents: 200, number: '789012' },
      { key: 'D', at, cents: 300, number: '0055' },
      { key: 'E', at: '2026-11-22T19:00:00Z', cents: 400, number: '0066' },
    ]);
    const file = await own.confirmed(
      lines(
        HEADER,
        '123;2026-11-20 18:40:00;35,50',
        '456;2026-11-20 18:40:00;1,00',
        '789012.0;2026-11-20 18:40:00;2,00',
        // another amount, another day
        '55;2026-11-20 18:40:00;3,01',
        '66;2026-11-20 18:40:00;4,00',
      ),
    );
    const { data } = await own.differences(file.id);
    expect(
      data.map((one: { answer: string; line: number | null; sale: { transactionKey: string } | null }) => [
        one.answer,
        one.line,
        one.sale?.transactionKey ?? null,
      ]),
    ).toEqual([
      ['MISSING_HERE', 5, null],
      ['MISSING_HERE', 6, null],
      ['SUGGESTED', 2, 'A'],
      ['SUGGESTED', 3, '000456'],
      ['SUGGESTED', 4, 'C'],
      ['MISSING_THERE', null, 'D'],
    ]);
  });

  test('rows of other days are OUTSIDE_DAY, unless their sale is of the days (J10)', async () => {
    const own = await FileDesk.open(scenario);
    // the business day ends at 04:00
    await own.sold([{ key: 'A', at: '2026-11-21T03:59:50Z', cents: 100 }]);
    const file = await own.confirmed(
      lines(HEADER, 'A;2026-11-21 04:00:10;1,00', 'B;2026-11-21 12:00:00;2,00', 'C;2026-11-20 12:00:00;3,00'),
      { from: '2026-11-20', to: '2026-11-20' },
    );
    expect(await own.named(file.id)).toEqual([
      ['MISSING_HERE', 'C'],
      ['OUTSIDE_DAY', 'B'],
    ]);
  });

  test('a card number is stored nowhere (J15)', async () => {
    const pan = '4111111111111111';
    const file = await desk.confirmed(
      lines(`${HEADER};card number`, `${row('1,00')};${pan}`, `${pan};20/11/2026 10:00;1,00;`),
      {},
      `${pan}.csv`,
    );
    const stored = await scenario.database.query<{ text: string }>(
      `SELECT (SELECT json_agg(f) FROM terminal_files f)::text || (SELECT json_agg(r) FROM terminal_file_rows r)::text AS text`,
    );
    expect(stored[0]?.text).toContain('411111******1111');
    expect(stored[0]?.text).not.toContain(pan);
    expect(JSON.stringify(file)).not.toContain(pan);
  });

  test('a preview has 20 rows and 20 problems, and counts all (J5, L92)', async () => {
    const { preview } = await desk.uploaded(lines(HEADER, ...Array.from({ length: 25 }, () => row('x')), row('1,00')));
    expect([preview.rows.length, preview.problems.length, preview.counts.unreadable, preview.counts.rows]).toEqual([
      20, 20, 25, 26,
    ]);
  });

  test('differences are paged: each row once, those first that need somebody (J12, L94)', async () => {
    const { id } = await desk.confirmed(
      lines(HEADER, ...Array.from({ length: 130 }, (_, i) => row(i % 2 ? '1,00' : '0,00'))),
    );
    const seen: string[] = [];
    let after = '';
    do {
      const { data, meta } = await desk.differences(id, `?limit=50${after}`);
      seen.push(...data.map(({ answer, line }: { answer: string; line: number }) => `${answer} ${line}`));
      after = meta.next && `&after=${meta.next}`;
    } while (after);
    expect([seen.length, new Set(seen).size, seen[0], seen[65]]).toEqual([130, 130, 'MISSING_HERE 3', 'IGNORED 2']);
    await scenario.api.get(`${desk.path}/${id}/differences?limit=101`, desk.token).expect(400);
    await scenario.api.get(`${desk.path}/${id}/differences?after=x`, desk.token).expect(400);
  });

  test('a file covers at most 62 days (L97)', async () => {
    const { id, mapping } = await desk.uploaded(
      lines(HEADER, row('1,00', '2026-01-01 10:00'), row('1,00', '2026-03-10 10:00')),
    );
    await desk.confirm(id, mapping).expect(400);
    await desk.confirm(id, mapping, { from: '2026-01-02', to: '2026-01-01' }).expect(400);
    await desk.confirm(id, mapping, { from: '2026-01-01', to: '2026-01-31' }).expect(200);
  });

  test('only text/csv, uncompressed (J1)', async () => {
    await scenario.relay.http
      .post(desk.path)
      .auth(desk.token, { type: 'bearer' })
      .type('application/json')
      .send('{}')
      .expect(415);
    const gzipped = scenario.relay.http.post(desk.path).auth(desk.token, { type: 'bearer' }).type('text/csv');
    await gzipped.set('Content-Encoding', 'gzip').send('x').expect(415);
  });
});
