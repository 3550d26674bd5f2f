import { Scenario } from '../../support/scenario.js';
import { FileDesk, lines } from './file-desk.js';

describe("the terminal's file as providers write it", () => {
  const scenario = Scenario.ofSuite();
  let desk: FileDesk;
  beforeEach(async () => {
    desk = await FileDesk.open(scenario);
  });

  const at = '2026-11-20T19:00:00Z';
  const WHEN = '2026-11-20 19:00:00';
  const answered = async (id: string) =>
    Object.fromEntries(
      (await desk.differences(id)).file.summary
        .filter(({ count }: { count: number }) => count > 0)
        .map(({ answer, count }: { answer: string; count: number }) => [answer, count]),
    );

  test('a sale that a provider calls payment is one (J6)', async () => {
    await desk.sold([{ key: 'M-1', at, cents: 3_550 }]);
    const file = await desk.confirmed(
      lines(
        'Order id,Date,Type,Amount',
        `M-1,${WHEN},charge,35.50`,
        `M-3,${WHEN},payment,80.00`,
        `,${WHEN},payout,-100.00`,
      ),
    );
    expect(await answered(file.id)).toEqual({ MISSING_HERE: 1, IGNORED: 1, MATCHED: 1 });
  });

  test('what was not paid is IGNORED, whatever its kind (J6)', async () => {
    await desk.sold([{ key: 'B-1', at, cents: 3_550 }]);
    const file = await desk.confirmed(
      lines(
        'Transaction ID,Date,Type,Amount,Currency,Status',
        `B-1,${WHEN},Sale,35.50,BRL,Successful`,
        `B-2,${WHEN},Sale,80.00,BRL,Failed`,
        `B-3,${WHEN},Sale,70.00,BRL,Cancelled`,
        `B-4,${WHEN},Refund,70.00,BRL,Pending`,
      ),
    );
    expect(await answered(file.id)).toEqual({ MATCHED: 1, IGNORED: 3 });
  });

  test('a word that nobody knows is asked for: its rows cannot be read until a person says what it means (J5)', async () => {
    const { id, mapping, preview } = await desk.uploaded(
      lines(
        'Reference;Date;Type;Amount;Status',
        `C-1;${WHEN};Sale;1,00;Approved`,
        `C-2;${WHEN};Zorp;2,00;Approved`,
        `C-3;${WHEN};Sale;3,00;Glorp`,
      ),
    );
    expect(preview).toMatchObject({
      kinds: [{ value: 'Sale', kind: 'SALE' }],
      unknownKinds: ['Zorp'],
      statuses: [{ value: 'Approved', counts: true }],
      unknownStatuses: ['Glorp'],
      problems: [
        { line: 3, problem: 'Type: "Zorp" is no value that the mapping names' },
        { line: 4, problem: 'Status: "Glorp" is no status that the mapping names' },
      ],
    });
    const said = {
      kinds: [...mapping.kinds, { value: 'zorp', kind: 'IGNORED' }],
      statuses: [...mapping.statuses, { value: 'GLORP', counts: true }],
    };
    const { body } = await scenario.api
      .post(`${desk.path}/${id}/preview`, desk.token, { ...mapping, ...said })
      .expect(200);
    expect(body.data).toMatchObject({
      kinds: [{ kind: 'SALE' }, { value: 'Zorp', kind: 'IGNORED' }],
      unknownKinds: [],
      unknownStatuses: [],
      problems: [],
      counts: { sales: { count: 2, cents: 400 }, ignored: { count: 1 } },
    });
    await desk.confirm(id, { ...mapping, statuses: [{ value: 'x', counts: 'yes' }] }).expect(400);
  });

  test('sums after the rows, and what says that it is one, ask for nobody (J6)', async () => {
    await desk.sold([{ key: 'X1', at, cents: 350 }]);
    const file = await desk.confirmed(
      lines(
        'Reference;Date;Amount',
        `X1;${WHEN};3,50`,
        'Subtotal;;3,50',
        `X2;;3,50`,
        'Total;;8,00',
        ';;8,00',
        'Printed today;;',
      ),
    );
    expect(await desk.named(file.id)).toEqual([
      ['UNREADABLE', 'X2'],
      ['IGNORED', 'Subtotal'],
      ['IGNORED', 'Total'],
      ['IGNORED', null],
      ['IGNORED', 'Printed today'],
    ]);
  });

  test('a file none of whose rows has a date has no sums (J6)', async () => {
    const { preview } = await desk.uploaded(lines('Date;Note;Amount', ';a;3,50', ';b;4,50'));
    expect(preview.counts).toMatchObject({ unreadable: 2, ignored: { count: 0 } });
  });

  test('a bill on two cards is MATCHED with both rows, also when one comes in another file (J10)', async () => {
    await desk.sold([
      { key: 'D-1', at, cents: 7_980 },
      { key: 'D-2', at, cents: 7_980 },
    ]);
    const header = 'Date,Reference,Authorization code,Amount';
    const file = await desk.confirmed(
      lines(header, `${WHEN},D-1,555001,30.00`, `${WHEN},D-1,555002,49.80`, `${WHEN},D-2,555003,7.00`),
    );
    expect(await answered(file.id)).toEqual({ AMOUNT_DIFFERS: 1, MATCHED: 2 });
    const [differs] = (await desk.differences(file.id)).data;
    expect(differs).toMatchObject({ reference: 'D-2', cents: 700, saleRows: { count: 1, cents: 700 } });
    const other = await desk.confirmed(lines(header, `${WHEN},D-2,555004,72.80`, `${WHEN},D-1,555001,30.00`));
    expect(await answered(other.id)).toEqual({ MATCHED: 1, REPEATED: 1 });
  });

  test('rows that do not add up say it once, with their sum (J10, J12)', async () => {
    await desk.sold([{ key: 'D-1', at, cents: 3_000 }]);
    const file = await desk.confirmed(
      lines('Date,Reference,Authorization code,Amount', `${WHEN},D-1,A1,20.00`, `${WHEN},D-1,A2,15.00`),
    );
    expect((await desk.differences(file.id)).data).toMatchObject([
      { answer: 'AMOUNT_DIFFERS', cents: 2_000, sale: { cents: 3_000 }, saleRows: { count: 2, cents: 3_500 } },
    ]);
    const csv = await scenario.api.get(`${desk.path}/${file.id}/differences.csv`, desk.token).expect(200);
    const [names = '', first = ''] = csv.text.split('\r\n');
    expect(first.split(',')[names.split(',').indexOf('differenceCents')]).toBe('500');
  });

  test('instalments are one sale; one that never came is missing with each of them (J10)', async () => {
    await desk.sold([{ key: 'Q-1', at, cents: 3_550 }]);
    const header = 'Order id;Date;Parcela;Amount';
    const thirds = (key: string) => ['11,84', '11,83', '11,83'].map((cents, i) => `${key};${WHEN};${i + 1}/3;${cents}`);
    const file = await desk.confirmed(lines(header, ...thirds('Q-1'), ...thirds('Q-2')));
    expect(await answered(file.id)).toEqual({ MATCHED: 3, MISSING_HERE: 3 });
    // the sale arrives late
    await desk.sold([{ key: 'Q-2', at, cents: 3_550 }]);
    await scenario.database.query('UPDATE terminal_events SET received_at = now() WHERE restaurant_id = $1', [desk.id]);
    expect(await answered(file.id)).toEqual({ MATCHED: 6 });
  });

  test('an equal row is DUPLICATE, also when its sale never came (J10)', async () => {
    const file = await desk.confirmed(lines('Reference;Date;Amount', `E-1;${WHEN};5,00`, `E-1;${WHEN};5,00`));
    expect(await desk.named(file.id)).toEqual([
      ['MISSING_HERE', 'E-1'],
      ['DUPLICATE', 'E-1'],
    ]);
  });

  test('a row without a reference that a person has accepted in one file is REPEATED in the next (J10)', async () => {
    // sales are looked for up to a week after the file: one that arrives now is of these days
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await desk.sold([{ key: 'T-5', at: `${yesterday}T15:00:00Z`, cents: 4_444 }]);
    const [day, week] = [`${yesterday} 15:00:00;44,44`, `${yesterday} 18:00:00;10,00`];
    const waiting = await desk.confirmed(lines('date;amount', week, day), {}, 'waiting.csv');
    const first = await desk.confirmed(lines('date;amount', day), {}, 'day.csv');
    expect(await answered(first.id)).toEqual({ SUGGESTED: 1 });
    await desk.decide(first.id, 2, 'accept', { transactionKey: 'T-5' }).expect(200);
    const second = await desk.confirmed(lines('date;amount', day, week), {}, 'week.csv');
    expect((await desk.differences(second.id)).data).toMatchObject([
      { answer: 'MISSING_HERE', line: 3 },
      { answer: 'REPEATED', line: 2, repeatOf: { id: first.id, name: 'day.csv' }, sale: { transactionKey: 'T-5' } },
    ]);
    // the file that suggested it too
    await scenario.database.query('UPDATE terminal_events SET received_at = now() WHERE restaurant_id = $1', [desk.id]);
    expect((await desk.differences(waiting.id)).data).toMatchObject([
      { answer: 'MISSING_HERE', line: 2 },
      { answer: 'REPEATED', line: 3, repeatOf: { id: first.id } },
    ]);
  });

  test('a row that an earlier version has kept by its day and reference is REPEATED (J10)', async () => {
    const file = await desk.confirmed(lines('Reference;Date;Amount', `O-1;${WHEN};5,00`));
    await scenario.database.query(`UPDATE terminal_file_rows SET identity = 'SALE|2026-11-20|O-1' WHERE file_id = $1`, [
      file.id,
    ]);
    const next = await desk.confirmed(lines('Reference;Date;Amount', `O-1;${WHEN};5,00`, `O-1;${WHEN};6,00`));
    expect(await answered(next.id)).toEqual({ MISSING_HERE: 1, REPEATED: 1 });
  });

  test('the mapping may be the body, or stand in it (J8)', async () => {
    const { id, mapping } = await desk.uploaded(lines('Reference;Date;Amount', `B-1;${WHEN};5,00`));
    const { body } = await scenario.api.post(`${desk.path}/${id}/preview`, desk.token, { mapping }).expect(200);
    expect(body.data.counts).toMatchObject({ sales: { count: 1, cents: 500 } });
    await desk.confirm(id, { mapping, more: 1 }).expect(400);
    await desk.confirm(id, { mapping: { ...mapping, more: 1 } }).expect(400);
    await desk.confirm(id, { mapping }, { from: '2026-11-20', to: '2026-11-21' }).expect(200);
  });

  test('the mapping that finds most of the sales is proposed, with how many it finds (J5)', async () => {
    await desk.sold(
      ['701', '702', '703'].map((number, i) => ({
        key: `P-${number}`,
        number,
        at: `2026-11-20T19:0${i}:00Z`,
        cents: 500,
      })),
    );
    const rows = ['701', '702', '799'].map((number, i) => `L${i};${number};20/11/2026 19:0${i}:00;5,00`);
    const { id, mapping, preview } = await desk.uploaded(lines('Lote;Nummer;Data;Valor', ...rows));
    expect([mapping.reference, preview.score]).toEqual([1, { rows: 3, known: 3 }]);
    const { body } = await scenario.api
      .post(`${desk.path}/${id}/preview`, desk.token, { ...mapping, zone: 'America/Sao_Paulo' })
      .expect(200);
    expect(body.data.score).toEqual({ rows: 3, known: 2 });
    const nothing = await desk.uploaded(lines('Data;Valor', 'x;1,00'));
    expect(nothing.preview.score).toBeNull();
  });

  test('a clock that no name says is found by the sales (J5)', async () => {
    const own = await FileDesk.open(scenario, 'America/Sao_Paulo');
    await own.sold([{ key: 'Z-1', at, cents: 1_234 }]);
    expect((await own.uploaded(lines('date;amount', `${WHEN};12,34`))).mapping.zone).toBe('UTC');
    expect((await own.uploaded(lines('date;amount', `2026-11-20 16:00:00;12,34`))).mapping.zone).toBe(
      'America/Sao_Paulo',
    );
  });
});
