import { cursorAt, writeCursor } from '../../../src/capabilities/receipts/receipt-cursor.js';
import type { ReceiptsReader } from '../../../src/capabilities/receipts/receipts-reader.js';
import { WaitingPolls } from '../../../src/capabilities/receipts/waiting-polls.js';
import type { Config } from '../../../src/platform/config/config.js';
import { ClientGoneError } from '../../../src/platform/http/client-gone.js';
import { Pace } from '../../../src/platform/schedule/pace.js';
import type { Log } from '../../../src/platform/telemetry/log.js';
import { until } from '../../support/until.js';
import { NEVER, readerOn, sender } from './reader-on.js';

/** Restaurants of a statement, and lists of a sender in it. */
const MOST_RESTAURANTS = 20;
const LISTS_OF_SENDER = 10;

const CONFIG = { databasePoolSize: 10, outbox: { batchSize: 10 } } as Config;

/** A reader on the embedded database, which reads the list of `first` until `end`. */
async function heldReader(answer?: (senders: readonly string[]) => unknown) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const embedded = readerOn('the embedded database', (senders) =>
    senders.includes('first') ? ended : answer?.(senders),
  );
  const first = embedded.list('first');
  await until(() => embedded.statements.length === 1);
  return { ...embedded, end, first };
}
const busyFor = (ms: number) => {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
};
const slotsOf = (receipts: ReceiptsReader) =>
  (receipts as unknown as { turns: { work: { slots: { underWay: number } } } }).turns.work.slots;

describe('lists of receipts take turns on the embedded database', () => {
  test.each([
    ['a server', [['many', 'many', 'many']]],
    ['the embedded database', [['many'], ['many'], ['many']]],
  ] as const)('on %s the statements of lists of 200 restaurants are %j (V31, L165)', async (database, expected) => {
    const { list, statements } = readerOn(database);
    await Promise.all([list('many', 200), list('many', 200), list('many', 200)]);
    expect(statements).toEqual(expected);
  });

  test('the list of another sender is read between those of a sender with many restaurants (V31)', async () => {
    const { list, statements } = readerOn('the embedded database', () => busyFor(5));
    await Promise.all([...[1, 2, 3].map(() => list('many', 200)), list('other')]);
    expect(statements).toEqual([['many'], ['other'], ['many'], ['many']]);
  });

  test('lists that wait share statements, of 20 restaurants at most (V31, L165)', async () => {
    const { list, statements, sums, first, end } = await heldReader();
    const lists = Array.from({ length: 7 }, (_, i) => list(`${i}`, 6));
    lists.push(list('large', MOST_RESTAURANTS), list('larger', MOST_RESTAURANTS + 1));
    end();
    await Promise.all([first, ...lists]);
    expect(sums.toSorted((one, other) => one - other)).toEqual([1, 6, 18, 18, 20, 21]);
    expect(statements.flat().toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6', 'first', 'large', 'larger']);
  });

  test('a statement has 10 lists of one sender at most (V30, L131)', async () => {
    const { list, statements, first, end } = await heldReader();
    const lists = [...Array.from({ length: 15 }, () => list('busy')), list('other')];
    end();
    await Promise.all([first, ...lists]);
    expect(statements[1]).toEqual([...Array(LISTS_OF_SENDER).fill('busy'), 'other']);
    expect(statements).toHaveLength(3);
  });

  test('the time of a shared statement counts for each sender, by its restaurants (V31)', async () => {
    const { list, statements, first, end, receipts } = await heldReader(() => busyFor(20));
    const lists = [list('few'), list('some', 19)];
    end();
    await Promise.all([first, ...lists]);
    expect(statements[1]).toEqual(['few', 'some']);
    // both wait while nobody has a turn
    expect(slotsOf(receipts).underWay).toBe(1);
    await Promise.all([list('some', 20), list('few', 20)]);
    expect(statements.slice(2)).toEqual([['few'], ['some']]);
  });

  test('after a long statement nobody has a turn for a while (V31, L165)', async () => {
    const { list, receipts } = readerOn('the embedded database', () => busyFor(50));
    await list('many', 200);
    // the slot is taken, although the statement has ended
    expect(slotsOf(receipts).underWay).toBe(1);
    await until(() => slotsOf(receipts).underWay === 0);
  });

  test('a list that waits when a hundred others of its sender wait is a 503 TOO_MANY_AT_ONCE (V31, L165)', async () => {
    const { list, first, end } = await heldReader();
    const lists = Array.from({ length: 100 }, () => list('busy'));
    await expect(list('busy')).rejects.toMatchObject({ status: 503, response: { code: 'TOO_MANY_AT_ONCE' } });
    const other = list('other');
    end();
    await Promise.all([first, other, ...lists]);
  });

  test('when a statement fails that lists share, each of them is read alone (V31)', async () => {
    const { list, statements, first, end } = await heldReader((senders) => {
      if (senders.includes('wrong')) throw new Error('invalid input');
    });
    const lists = [list('a'), list('wrong'), list('b')];
    end();
    await first;
    expect((await Promise.allSettled(lists)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(statements[1]).toEqual(['a', 'wrong', 'b']);
    expect(statements.slice(2).toSorted()).toEqual([['a'], ['b'], ['wrong']]);
  });

  test('a list whose client has gone is not read (V31)', async () => {
    const { list, statements, first, end } = await heldReader();
    const gone = new AbortController();
    const left = list('left', 1, gone.signal);
    gone.abort();
    await expect(left).rejects.toThrow(ClientGoneError);
    const other = list('other');
    end();
    await Promise.all([first, other]);
    expect(statements).toEqual([['first'], ['other']]);
  });

  test('the list of a poll whose client has gone is not read, and the round goes on (V24, V31)', async () => {
    const { receipts, statements, first, end } = await heldReader();
    const lines: unknown[] = [];
    const log = { warn: (line: unknown) => lines.push(line) } as unknown as Log;
    const polls = new WaitingPolls(receipts, new Pace(), log, NEVER, CONFIG);
    const round = polls as unknown as { most: number; readAll(): Promise<void> };
    const gone = new AbortController();
    const page = { data: [], cursor: writeCursor(cursorAt('0')), more: false };
    const poll = polls.wait(sender('poll', 200), page, 25_000, gone.signal);
    const read = round.readAll();
    gone.abort();
    expect(await poll).toBe(page);
    await read;
    expect(lines).toEqual([]);
    end();
    await first;
    expect(statements).toEqual([['first']]);
  });
});
