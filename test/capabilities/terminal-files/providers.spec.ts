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
});
