import { Scenario } from '../../support/scenario.js';
import { FileDesk, lines } from './file-desk.js';

describe("a terminal's file, and fields that only OWNERs see", () => {
  const scenario = Scenario.ofSuite({ PAYLOAD_HIDE: 'customer.phone,customer.phone.number,guests.card.code,a.b.c' });

  test('a file does not find what a hidden field has, at any depth; what stands beside it is found (J9, S22)', async () => {
    const desk = await FileDesk.open(scenario);
    const at = '2026-11-20T18:00:00Z';
    const payload = {
      customer: { phone: '5511911', city: 'AUTH-CITY', other: { phone: 'AUTH-OTHER' } },
      guests: [{ card: { code: 'GUEST-1', kind: 'AUTH-KIND' } }, [{ card: [{ code: 'GUEST-2' }] }], 'AUTH-GUEST'],
      a: { b: { c: { d: ['DEEP-1'] } }, c: 'AUTH-C' },
      'customer.phone': 'AUTH-DOTTED',
      phone: { number: 'AUTH-PHONE' },
    };
    const number = { customer: { phone: { number: '5511922' } }, a: { b: 'AUTH-B' }, guests: 'AUTH-TEXT' };
    await desk.sold([
      { key: 'HIDDEN-1', at, cents: 1_000, payload },
      { key: 'HIDDEN-2', at, cents: 1_000, payload: number },
    ]);
    const of = {
      hidden: ['5511911', '5511922', 'GUEST-1', 'GUEST-2', 'DEEP-1'],
      shown: ['CITY', 'OTHER', 'KIND', 'GUEST', 'C', 'DOTTED', 'PHONE', 'B', 'TEXT'].map((name) => `AUTH-${name}`),
    };
    const answers: Record<string, string> = {};
    // one row a file: a sale has one row
    for (const text of [...of.hidden, ...of.shown]) {
      const file = await desk.confirmed(lines('authorisation;date;amount', `${text};2026-11-20 21:00:00;10,00`));
      const [stored] = await scenario.database.query<{ answer: string }>(
        'SELECT answer FROM terminal_file_rows WHERE file_id = $1',
        [file.id],
      );
      answers[text] = stored?.answer as string;
      await scenario.database.query('DELETE FROM terminal_files');
    }
    expect(answers).toEqual(
      Object.fromEntries([
        ...of.hidden.map((text) => [text, 'MISSING_HERE']),
        ...of.shown.map((text) => [text, 'MATCHED']),
      ]),
    );
    const terminal = lines('authorisation;terminal;date;amount', 'AUTH-KIND;GUEST-1;2026-11-20 21:00:00;10,00');
    expect(await desk.named((await desk.confirmed(terminal)).id)).toContainEqual(['MISSING_HERE', null]);
  });
});
