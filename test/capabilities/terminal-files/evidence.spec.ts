import { Scenario } from '../../support/scenario.js';
import { FileDesk, lines } from './file-desk.js';

const AT = '2026-11-20T18:00:00Z';
const LATER = '2026-11-20T18:30:00Z';
const card = (authorizationCode: unknown, terminalId?: unknown) => ({
  payments: [{ tenderType: 16, amount: 10, authorizationCode, terminalId }],
});
/** Answer and sale of each row of a file, by line. */
const answersOf = (desk: FileDesk, id: string) =>
  desk.scenario.database
    .query<{ told: [string, string | null] }>(
      'SELECT json_build_array(answer, event_key) AS told FROM terminal_file_rows WHERE file_id = $1 ORDER BY line',
      [id],
    )
    .then((rows) => rows.map(({ told }) => told));

describe("a terminal's file, and the evidence of payments", () => {
  const scenario = Scenario.ofSuite();
  let desk: FileDesk;
  beforeEach(async () => {
    desk = await FileDesk.open(scenario);
  });
  const compared = async (...rows: string[]) => {
    const { id } = await desk.confirmed(lines('authorisation;terminal;date;amount', ...rows));
    return answersOf(desk, id);
  };

  test('J22: authorizationCode of a payment goes before the same text anywhere else, although that is nearer', async () => {
    await desk.sold([
      { key: 'NOTE', at: AT, cents: 1_000, payload: { notes: 'AUTH-1' } },
      { key: 'PAID', at: LATER, cents: 1_000, payload: card('AUTH-1') },
    ]);
    const { id } = await desk.confirmed(lines('authorisation;date;amount', 'AUTH-1;2026-11-20 18:00:00;10,00'));
    expect(await answersOf(desk, id)).toEqual([['MATCHED', 'PAID']]);
  });

  test('J22: one code at two terminals is of the one that terminalId names, also by a text of one character', async () => {
    await desk.sold([
      { key: 'T1', at: AT, cents: 1_000, payload: card(123_456, '1') },
      { key: 'T2', at: AT, cents: 1_000, payload: card(' 123456 ', '2') },
    ]);
    expect(await compared('123456;2;2026-11-20 18:00:00;10,00', '123456;1;2026-11-20 18:00:00;10,00')).toEqual([
      ['MATCHED', 'T2'],
      ['MATCHED', 'T1'],
    ]);
  });

  test('J22, J9: what the evidence does not answer is searched in the payload: another field, a terminal elsewhere, another amount, a row that is there twice', async () => {
    await desk.sold([
      { key: 'EVIDENCE', at: AT, cents: 1_000, payload: card('AUTH-1', 'POS-1') },
      {
        key: 'ELSEWHERE',
        at: AT,
        cents: 1_000,
        payload: { ...card('HOST-9'), acquirer: { nsu: 'AUTH-2', pos: 'POS-1' } },
      },
      { key: 'TERMINAL', at: AT, cents: 1_000, payload: { ...card('AUTH-3'), terminal: 'POS-1' } },
      { key: 'AMOUNT', at: AT, cents: 1_000, payload: card('AUTH-4', 'POS-1') },
    ]);
    expect(
      await compared(
        'AUTH-1;POS-1;2026-11-20 18:00:00;10,00',
        'AUTH-2;POS-1;2026-11-20 18:00:00;10,00',
        'AUTH-3;POS-1;2026-11-20 18:00:00;10,00',
        'AUTH-4;POS-1;2026-11-20 18:00:00;9,00',
        'AUTH-1;POS-1;2026-11-20 18:00:00;10,00',
        'AUTH-5;POS-1;2026-11-20 18:00:00;10,00',
      ),
    ).toEqual([
      ['MATCHED', 'EVIDENCE'],
      ['MATCHED', 'ELSEWHERE'],
      ['MATCHED', 'TERMINAL'],
      ['AMOUNT_DIFFERS', 'AMOUNT'],
      ['DUPLICATE', 'EVIDENCE'],
      ['MISSING_HERE', null],
    ]);
  });

  test('J22: payments that are no list, entries that are no objects, and codes that are no texts find nothing, and stop nothing', async () => {
    const odd = [{ payments: 'x' }, { payments: [null, 1, 'AUTH-0', [], { authorizationCode: {} }] }];
    await desk.sold([
      ...odd.map((payload, i) => ({
        key: `ODD-${i}`,
        at: AT,
        cents: 5_000,
        payload: payload as Record<string, unknown>,
      })),
      { key: 'PAID', at: AT, cents: 1_000, payload: card('AUTH-1', 'POS-1') },
    ]);
    expect(await compared('AUTH-1;POS-1;2026-11-20 18:00:00;10,00')).toEqual([['MATCHED', 'PAID']]);
  });
});

describe.each([
  ['payments.authorizationCode', ['MISSING_HERE', null], ['MISSING_HERE', null]],
  ['payments.terminalId', ['MATCHED', 'PAID'], ['MISSING_HERE', null]],
])('J22, S22: with PAYLOAD_HIDE=%s', (hide, byCode, byTerminal) => {
  const scenario = Scenario.ofSuite({ PAYLOAD_HIDE: hide });

  test('a file does not find what only OWNERs see', async () => {
    const desk = await FileDesk.open(scenario);
    await desk.sold([{ key: 'PAID', at: AT, cents: 1_000, payload: card('AUTH-1', 'POS-1') }]);
    const terminal = await desk.confirmed(
      lines('authorisation;terminal;date;amount', 'AUTH-1;POS-1;2026-11-20 21:00:00;10,00'),
    );
    expect(await answersOf(desk, terminal.id)).toEqual([byTerminal]);
    await scenario.database.query('DELETE FROM terminal_files');
    const code = await desk.confirmed(lines('authorisation;date;amount', 'AUTH-1;2026-11-20 21:00:00;10,00'));
    expect(await answersOf(desk, code.id)).toEqual([byCode]);
  });
});
