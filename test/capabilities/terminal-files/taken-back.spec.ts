import { Reconciler } from '../../../src/capabilities/alerts/reconciler.js';
import { FileRows } from '../../../src/capabilities/terminal-files/matching/file-rows.js';
import { OldRows } from '../../../src/platform/schedule/old-rows.js';
import { Scenario } from '../../support/scenario.js';
import { FileDesk, lines } from './file-desk.js';

const HEADER = 'reference;date;amount;status';
const DAY = '2026-11-20';
/** Five sales of one evening, of which the last two never came. */
const SALES = [1, 2, 3].map((n) => ({ key: `K-${n}`, at: `${DAY}T19:0${n}:00Z`, cents: n * 1_000 }));
const row = (reference: string, minute: number, amount: string, status = 'approved') =>
  `${reference};${DAY} 19:0${minute}:00;${amount};${status}`;

describe('a confirmed file that was misread', () => {
  const scenario = Scenario.ofSuite();
  let desks = 0;
  let prefix = '';

  const own = (reference: string) => (reference === '' ? '' : `${prefix}${reference}`);
  const opened = async () => {
    const desk = await FileDesk.open(scenario);
    prefix = `${++desks}-`;
    await desk.sold(SALES.map((sale) => ({ ...sale, key: own(sale.key) })));
    return desk;
  };
  /** Two sales without and with another amount, one that is only suggested, one that never came, and one that was declined. */
  const rows = () => [
    row(own('K-1'), 1, '10,00'),
    row(own('K-2'), 2, '20,01'),
    row('', 3, '30,00'),
    row(own('K-4'), 4, '40,00'),
    row(own('K-5'), 5, '50,00', 'declined'),
    row(own('K-6'), 6, '60,00', 'declined'),
  ];
  /** How many missing sales each alert of a file has; 0: it is closed. */
  const alertsOf = async (desk: FileDesk) => {
    await scenario.database.query(`UPDATE alerts SET last_at = last_at - interval '1 minute'`);
    await scenario.relay.get(Reconciler).reconcile();
    const { body } = await scenario.api.get(`/restaurants/${desk.id}/alerts`, desk.token).expect(200);
    const ofFiles = body.data.filter(({ kind }: { kind: string }) => kind === 'MISSING_HERE');
    return ofFiles.map(({ count, closedAt }: { count: number; closedAt: string | null }) => (closedAt ? 0 : count));
  };
  const answersOf = async (desk: FileDesk, id: string) => {
    const { data, file } = await desk.differences(id);
    const open = file.summary.filter((one: { open: number }) => one.open > 0);
    return {
      rows: data.map(
        ({
          line,
          answer,
          decision,
          note,
        }: {
          line: number;
          answer: string;
          decision: string | null;
          note: string | null;
        }) => [line, answer, decision, note].filter((part) => part !== null).join(' '),
      ),
      open: open.map(({ answer, open: count }: { answer: string; open: number }) => `${answer} ${count}`),
    };
  };
  /** Confirms the file as if nobody had seen its status, and decides what the page then says. */
  const misread = async (desk: FileDesk) => {
    const file = await desk.confirmed(lines(HEADER, ...rows()), { status: null }, 'evening.csv');
    expect(await alertsOf(desk)).toEqual([3]);
    await desk.decide(file.id, 5, 'enter', { note: 'table 4' }).expect(200);
    await desk.decide(file.id, 7, 'enter', { note: 'table 6' }).expect(200);
    await desk.decide(file.id, 4, 'accept', { transactionKey: own('K-3') }).expect(200);
    await desk.decide(file.id, 3, 'check', { note: 'a cent for the waiter' }).expect(200);
    expect(await answersOf(desk, file.id)).toEqual({
      rows: [
        '6 MISSING_HERE',
        '3 AMOUNT_DIFFERS CHECKED a cent for the waiter',
        '5 ENTERED ENTERED table 4',
        '7 ENTERED ENTERED table 6',
      ],
      open: ['MISSING_HERE 1'],
    });
    expect(await alertsOf(desk)).toEqual([1]);
    return file;
  };
  /** What is right: nothing is claimed of a declined payment, and every decision is there. */
  const RIGHT = {
    rows: [
      '3 AMOUNT_DIFFERS CHECKED a cent for the waiter',
      '5 ENTERED ENTERED table 4',
      // the POS has it, although it was never paid
      '7 ENTERED ENTERED table 6',
      '6 IGNORED',
    ],
    open: [],
  };
  const auditOf = async (desk: FileDesk, action: string) =>
    (await scenario.api.get(`/restaurants/${desk.id}/audit?action=${action}`, desk.token).expect(200)).body.data;

  test('is read again with another mapping: no false claim, no false alert, every decision (J19)', async () => {
    const desk = await opened();
    const { id, mapping } = await misread(desk);
    expect(mapping.status).toBeNull();
    const right = { ...mapping, status: 3 };
    expect((await desk.confirm(id, right).expect(409)).body.code).toBe('FILE_CONFIRMED');
    const preview = await scenario.api.post(`${desk.path}/${id}/preview`, desk.token, right).expect(200);
    expect(preview.body.data.counts).toMatchObject({ sales: { count: 4 }, ignored: { count: 2 } });
    const { body } = await desk.confirm(id, right, { again: true }).expect(200);
    expect(body.data).toMatchObject({ id, state: 'CONFIRMED', isKept: true, mapping: { status: 3 } });
    expect(await answersOf(desk, id)).toEqual(RIGHT);
    expect(await alertsOf(desk)).toEqual([0]);
    expect((await desk.differences(id, '?answer=MATCHED')).data).toMatchObject([
      { line: 2, decision: null },
      { line: 4, decision: 'ACCEPTED', decidedAt: expect.any(String), sale: { transactionKey: own('K-3') } },
    ]);
    expect(await auditOf(desk, 'terminal_file.read_again')).toMatchObject([
      { target: 'evening.csv', details: { rows: 6, missingHere: 0 } },
    ]);
    const { count } = (
      await scenario.database.query('SELECT count(*)::int FROM terminal_file_rows WHERE file_id = $1', [id])
    )[0] as { count: number };
    expect(count).toBe(6);
  });

  test('is taken back and uploaded again: it counts as nothing in between, and its decisions return with their rows (J20)', async () => {
    const desk = await opened();
    const { id, mapping } = await misread(desk);
    await desk.takeBack(id).expect(200);
    expect(await alertsOf(desk)).toEqual([0]);
    await scenario.api.get(`${desk.path}/${id}`, desk.token).expect(404);
    await desk.takeBack(id).expect(404);
    expect(await auditOf(desk, 'terminal_file.taken_back')).toMatchObject([
      { target: 'evening.csv', details: { rows: 6, missingHere: 1, decisions: 4 } },
    ]);
    const again = await desk.uploaded(lines(HEADER, ...rows()));
    expect(again.mapping.status).toBe(3);
    await desk.confirm(again.id, { ...mapping, status: 3 }).expect(200);
    expect(await answersOf(desk, again.id)).toEqual(RIGHT);
    expect(await alertsOf(desk)).toEqual([0]);
  });

  test('is taken back, and another file has the payments: what was entered is not missing there (J20)', async () => {
    const desk = await opened();
    const { id } = await misread(desk);
    await desk.takeBack(id).expect(200);
    // another export: other columns, and another order of rows
    const other = [row(own('K-4'), 4, '40,00'), row('', 3, '30,00'), row(own('K-8'), 8, '80,00')];
    const file = await desk.confirmed(lines(HEADER, ...other));
    expect(await answersOf(desk, file.id)).toEqual({
      rows: ['4 MISSING_HERE', 'MISSING_THERE', 'MISSING_THERE', '2 ENTERED ENTERED table 4'],
      open: ['MISSING_HERE 1', 'MISSING_THERE 2'],
    });
    expect((await desk.differences(file.id, '?answer=MATCHED')).data).toMatchObject([
      { line: 3, decision: 'ACCEPTED' },
    ]);
  });

  test('rows that were REPEATED of it are compared again when it is taken back, with what was decided (J20)', async () => {
    const desk = await opened();
    const { id } = await misread(desk);
    const week = await desk.confirmed(lines(HEADER, ...rows(), row(own('K-9'), 9, '90,00')), { status: 3 }, 'week.csv');
    const figures = await desk.differences(week.id, '?answer=REPEATED');
    expect(figures.data.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5]);
    await desk.takeBack(id).expect(200);
    expect(await answersOf(desk, week.id)).toMatchObject({
      rows: [
        '8 MISSING_HERE',
        '3 AMOUNT_DIFFERS CHECKED a cent for the waiter',
        '5 ENTERED ENTERED table 4',
        '6 IGNORED',
        '7 IGNORED',
      ],
    });
    expect((await desk.differences(week.id, '?answer=MATCHED')).data).toMatchObject([
      { line: 2 },
      { line: 4, decision: 'ACCEPTED' },
    ]);
  });

  test('each decision is undone by itself, and audited (J13)', async () => {
    const desk = await opened();
    const file = await misread(desk);
    const decided = async () =>
      (await desk.differences(file.id, '?decided=true&limit=3')).data.map(({ line }: { line: number }) => line);
    expect(await decided()).toEqual([3, 4, 5]);
    const undo = async (line: number) => (await desk.decide(file.id, line, 'undo', {}).expect(200)).body.data;
    expect(await undo(5)).toMatchObject({ answer: 'MISSING_HERE', decision: null, note: null, decidedBy: null });
    expect(await undo(4)).toMatchObject({ answer: 'SUGGESTED', decision: null, sale: { transactionKey: own('K-3') } });
    expect(await undo(3)).toMatchObject({ answer: 'AMOUNT_DIFFERS', decision: null });
    await desk.decide(file.id, 4, 'refuse', { transactionKey: own('K-3') }).expect(200);
    expect((await desk.differences(file.id, '?answer=MISSING_HERE')).data[0]).toMatchObject({
      line: 4,
      refusedSales: 1,
    });
    expect(await undo(4)).toMatchObject({ answer: 'SUGGESTED', refusedSales: 0 });
    expect((await desk.decide(file.id, 4, 'undo', {}).expect(409)).body.code).toBe('ROW_NOT_OPEN');
    await desk.decide(file.id, 90, 'undo', {}).expect(404);
    expect(
      (await auditOf(desk, 'terminal_file.decision_undone')).map(
        ({ details }: { details: { undone: string } }) => details.undone,
      ),
    ).toEqual([...['REFUSED', 'CHECKED', 'ACCEPTED', 'ENTERED']]);
    expect(await decided()).toEqual([7]);
    expect(await alertsOf(desk)).toEqual([2]);
  });

  test('only AMOUNT_DIFFERS and DUPLICATE are checked, each once (J13)', async () => {
    const desk = await opened();
    const file = await desk.confirmed(lines(HEADER, ...rows(), row(own('K-4'), 4, '40,00')));
    expect((await answersOf(desk, file.id)).open).toEqual([
      'MISSING_HERE 1',
      'AMOUNT_DIFFERS 1',
      'SUGGESTED 1',
      'DUPLICATE 1',
    ]);
    expect((await desk.differences(file.id, '?answer=DUPLICATE')).data).toMatchObject([{ line: 8, equalLine: 5 }]);
    await desk.decide(file.id, 8, 'check', {}).expect(200);
    await desk.decide(file.id, 8, 'check', {}).expect(409);
    await desk.decide(file.id, 5, 'check', {}).expect(409);
    expect((await desk.decide(file.id, 3, 'check', { note: '' }).expect(400)).body.message).toEqual([
      expect.stringContaining('note'),
    ]);
    expect((await answersOf(desk, file.id)).open).toEqual(['MISSING_HERE 1', 'AMOUNT_DIFFERS 1', 'SUGGESTED 1']);
  });

  test('an entered sale that arrived later needs somebody until it is checked, and stays entered when the file is read again (J13, J19)', async () => {
    const desk = await opened();
    const { id, mapping } = await misread(desk);
    await desk.sold([{ key: own('K-4'), at: `${DAY}T19:04:00Z`, cents: 4_000 }]);
    await scenario.database.query('UPDATE terminal_events SET received_at = now() WHERE transaction_key = $1', [
      own('K-4'),
    ]);
    expect((await answersOf(desk, id)).open).toEqual(['MISSING_HERE 1', 'ENTERED 1']);
    await desk.decide(id, 5, 'check', {}).expect(200);
    await desk.decide(id, 7, 'check', {}).expect(409);
    expect(await answersOf(desk, id)).toMatchObject({
      rows: expect.arrayContaining(['5 ENTERED CHECKED table 4']),
      open: ['MISSING_HERE 1'],
    });
    expect((await desk.decide(id, 5, 'undo', {}).expect(200)).body.data).toMatchObject({
      answer: 'ENTERED',
      decision: 'ENTERED',
      note: 'table 4',
    });
    await desk.decide(id, 5, 'check', {}).expect(200);
    await desk.confirm(id, { ...mapping, status: 3 }, { again: true }).expect(200);
    expect(await answersOf(desk, id)).toMatchObject({
      rows: expect.arrayContaining(['5 ENTERED ENTERED table 4']),
      open: ['ENTERED 1'],
    });
  });

  test('the cells of the last 20 confirmed files are kept, for 31 days; without them a file is not read again (J15, J19, L210)', async () => {
    const desk = await opened();
    const first = await desk.confirmed(lines(HEADER, row('first', 1, '1,00')));
    for (let n = 0; n < 20; n++) await desk.confirmed(lines(HEADER, row(`next-${n}`, 1, '1,00')));
    const keptOf = async () => {
      const { body } = await scenario.api.get(`${desk.path}?limit=30`, desk.token).expect(200);
      return body.data.filter(({ isKept }: { isKept: boolean }) => isKept).length;
    };
    expect(await keptOf()).toBe(20);
    const { body } = await desk.confirm(first.id, first.mapping, { again: true }).expect(409);
    expect(body).toMatchObject({ code: 'FILE_CONFIRMED', message: expect.stringContaining('no longer kept') });
    await scenario.database.query(
      `UPDATE terminal_files SET confirmed_at = confirmed_at - interval '32 days' WHERE restaurant_id = $1`,
      [desk.id],
    );
    await scenario.relay.get(OldRows).remove();
    expect(await keptOf()).toBe(0);
    expect((await desk.differences(first.id)).file).toMatchObject({ state: 'CONFIRMED', isKept: false });
  });

  test('a removal that was interrupted counts as nothing, and ends with the next upload or round (J20)', async () => {
    const desk = await opened();
    const interrupted = async () => {
      const file = await desk.confirmed(lines(HEADER, ...rows()));
      await scenario.database.query(
        `UPDATE terminal_files SET confirmed_at = NULL, matched_at = NULL, from_day = NULL, to_day = NULL, content = NULL WHERE id = $1`,
        [file.id],
      );
      await scenario.api.get(`${desk.path}/${file.id}`, desk.token).expect(404);
      expect((await scenario.api.get(desk.path, desk.token).expect(200)).body.data).toEqual([]);
      return file.id;
    };
    await interrupted();
    const again = await desk.uploaded(lines(HEADER, ...rows()));
    await desk.takeBack(again.id).expect(200);
    const id = await interrupted();
    await scenario.relay.get(OldRows).remove();
    expect(await scenario.database.query('SELECT 1 FROM terminal_file_rows WHERE file_id = $1', [id])).toEqual([]);
  });

  test('decisions of files that were taken back are kept for 400 days (J20, L211)', async () => {
    const desk = await opened();
    await desk.takeBack((await misread(desk)).id).expect(200);
    const kept = () =>
      scenario.database.query('SELECT line FROM terminal_file_decisions WHERE restaurant_id = $1 ORDER BY line', [
        desk.id,
      ]);
    await scenario.database.query(
      `UPDATE terminal_file_decisions SET kept_at = now() - (398 + line) * interval '1 day' WHERE line < 4 AND restaurant_id = $1`,
      [desk.id],
    );
    await scenario.relay.get(OldRows).remove();
    expect(await kept()).toEqual([{ line: 4 }, { line: 5 }, { line: 7 }]);
  });

  test('a confirmation that was interrupted leaves nothing that counts (J8)', async () => {
    const desk = await opened();
    const fileRows = scenario.relay.get(FileRows);
    const broken = jest.spyOn(fileRows, 'summarise').mockRejectedValueOnce(new Error('away'));
    const { id, mapping } = await desk.uploaded(lines(HEADER, ...rows()));
    await desk.confirm(id, mapping).expect(500);
    expect(broken).toHaveBeenCalledTimes(1);
    await scenario.api.get(`${desk.path}/${id}/differences`, desk.token).expect(409);
    // its rows take no sale from another file
    const other = await desk.confirmed(lines(HEADER, ...rows(), row('other', 1, '1,00')));
    expect(other.summary).toContainEqual(expect.objectContaining({ answer: 'REPEATED', count: 0 }));
    await desk.takeBack(other.id).expect(200);
    await desk.confirm(id, mapping).expect(200);
    const left = await scenario.database.query('SELECT line FROM terminal_file_rows WHERE file_id = $1', [id]);
    expect(left).toHaveLength(6);
  });
});
