import type { Cursor } from '../../../src/capabilities/receipts/receipt-cursor.js';
import { ReceiptCursors } from '../../../src/capabilities/receipts/receipt-cursors.js';
import { ClockMarks } from '../../../src/platform/database/clock-marks.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { OldRows } from '../../../src/platform/schedule/old-rows.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';
import { withClock } from '../../support/wrong-clock.js';
import { type Listed, receiptsOf } from './receipts.js';

const HOUR_MS = 3_600_000;
const HOUR_US = 3_600_000_000n;

const [whereEmbedded, needsEmbedded] = process.env.TEST_DATABASE_URL
  ? ([test.skip, ' [skipped: needs the embedded database]'] as const)
  : ([test, ''] as const);

describe('V29: the clock of the database was wrong between two lists', () => {
  const scenario = Scenario.ofSuite();
  const { restaurant, list, hold } = receiptsOf(() => scenario);

  beforeAll(() => void scenario.relay.withoutIntervals());

  /** Looks of one process at a clock that differs from the right one. @param answer what a look waits for */
  function looks(answer: () => Promise<unknown> = async () => {}) {
    const prisma = scenario.relay.get(PrismaService);
    let shift = 0;
    const $queryRaw = async () => {
      const row = { now: Date.now() + shift };
      await answer();
      return [row];
    };
    const marks = new ClockMarks({ $queryRaw, $executeRaw: prisma.$executeRaw.bind(prisma) } as never);
    return (ms: number) => {
      shift = ms;
      return marks.look();
    };
  }

  const marks = () => scenario.database.query<{ hour: Date; xmin: string }>('SELECT hour, xmin::text FROM clock_marks');
  const jobsOf = ({ data }: Listed) => data.map(({ jobId }) => jobId);

  /** Moves a sale into the past, in ms. */
  const aged = (jobId: string, ms: number) =>
    scenario.database.query(
      `UPDATE terminal_events SET received_at = received_at - $2::float8 * interval '1 ms'
       WHERE transaction_key = (SELECT event_key FROM outbox_jobs WHERE id = $1::uuid)`,
      [jobId, ms],
    );

  test.each([
    ['a minute', 60_000],
    ['an hour', HOUR_MS],
    ['a day', 24 * HOUR_MS],
  ])('it was back by %s, and is right again: nothing is skipped, nothing comes twice (V29, L197)', async (_, step) => {
    const { key, sell } = await restaurant();
    const look = looks();
    await look(0);
    await sell();
    const { cursor } = await list(key);
    await look(-step);
    const back = await sell();
    await aged(back, step);
    await look(0);
    const later = await sell();
    const page = await list(key, { after: cursor });
    expect(jobsOf(page)).toEqual([back, later]);
    expect(jobsOf(await list(key, { after: page.cursor }))).toEqual([]);
  });

  test('it was ahead together with that of a process that has ended: nothing is skipped (V29)', async () => {
    const { key, sell } = await restaurant();
    await sell();
    const { cursor } = await list(key);
    const cursors = scenario.relay.get(ReceiptCursors);
    const { read } = cursors.read(cursor) as Cursor;
    const ahead = { at: String(BigInt(read.at) + HOUR_US), clock: (read.clock as number) + HOUR_MS };
    // another process has begun 10 minutes ago
    await looks()(-600_000);
    const sold = await sell();
    await aged(sold, 540_000);
    const page = await list(key, { after: cursors.write({ read: { ...read, ...ahead } }) });
    expect(jobsOf(page)).toEqual([sold]);
    expect(jobsOf(await list(key, { after: page.cursor }))).toEqual([]);
  });

  whereEmbedded(`sales of that time are listed when they are stored and delivered (V29)${needsEmbedded}`, async () => {
    const { key, sell } = await restaurant();
    const first = await sell();
    await hold([first]);
    const look = () => scenario.relay.get(ClockMarks).look();
    await look();
    const { cursor } = await list(key);
    const back = await withClock(-HOUR_MS, async () => {
      await look();
      const sold = await sell();
      await scenario.relay.tick();
      return sold;
    });
    await look();
    const late = await sell();
    const page = await list(key, { after: cursor });
    expect(page.data.map(({ type, jobId }) => [type, jobId])).toEqual([
      ['order.stored', back],
      ['order.delivered', back],
      ['order.stored', late],
    ]);
    expect(jobsOf(await list(key, { after: page.cursor }))).toEqual([]);
  });

  whereServer(
    `a list without a cursor begins 24 hours ago by the database's clock, whatever that of the process is (V22, L66)${NEEDS_SERVER}`,
    async () => {
      const { key, sell } = await restaurant();
      const [old, sold] = [await sell(), await sell()];
      await aged(old, 24 * HOUR_MS + 60_000);
      for (const ms of [25 * HOUR_MS, -25 * HOUR_MS])
        expect(await withClock(ms, async () => jobsOf(await list(key)))).toEqual([sold]);
    },
  );

  test('a process marks its first look, and each step back of 10 s or more, also when the first try fails (V29, L147)', async () => {
    await scenario.database.query('DELETE FROM clock_marks');
    const look = looks();
    await look(0);
    const [first] = await marks();
    expect(Date.now() - (first?.hour.getTime() as number)).toBeLessThan(HOUR_MS + 60_000);
    for (const ms of [-9_000, 0, 9_000, HOUR_MS]) await look(ms);
    expect(await marks()).toEqual([first]);
    await scenario.database.query('ALTER TABLE clock_marks RENAME TO away');
    await expect(look(-2 * HOUR_MS)).rejects.toThrow();
    await scenario.database.query('ALTER TABLE away RENAME TO clock_marks');
    await look(0);
    expect(await marks()).toHaveLength(2);
    // in the same hour it is another mark
    await looks()(0);
    expect((await marks()).map(({ xmin }) => xmin)).not.toContain(first?.xmin);
    expect(await marks()).toHaveLength(2);
  });

  test('a slow answer is no step (V29)', async () => {
    const now = performance.now;
    let passed = 0;
    performance.now = () => now.call(performance) + passed;
    try {
      const look = looks(async () => {
        passed += 60_000;
      });
      await look(0);
      const before = await marks();
      // the clock goes on as time does
      for (let i = 1; i < 4; i++) await look(i * 60_000);
      expect(await marks()).toEqual(before);
    } finally {
      performance.now = now;
    }
  });

  test('marks are removed after 62 days (L198, R58)', async () => {
    await scenario.database.query(
      `DELETE FROM clock_marks; INSERT INTO clock_marks SELECT now() - days * interval '1 day' FROM (VALUES (61), (63)) AS old (days)`,
    );
    await scenario.relay.get(OldRows).remove();
    expect(await marks()).toHaveLength(1);
  });
});
