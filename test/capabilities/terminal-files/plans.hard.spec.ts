import { DifferencesExport } from '../../../src/capabilities/terminal-files/api/differences-export.js';
import { DifferencesReader } from '../../../src/capabilities/terminal-files/api/differences-reader.js';
import { FilesReader } from '../../../src/capabilities/terminal-files/api/files-reader.js';
import { FileRounds } from '../../../src/capabilities/terminal-files/file-rounds.js';
import { Comparison } from '../../../src/capabilities/terminal-files/matching/comparison.js';
import { Confirmations } from '../../../src/capabilities/terminal-files/matching/confirmations.js';
import { DecisionsReader } from '../../../src/capabilities/terminal-files/matching/decisions-reader.js';
import { FileRows } from '../../../src/capabilities/terminal-files/matching/file-rows.js';
import { OpenRows } from '../../../src/capabilities/terminal-files/matching/open-rows.js';
import { Recomparison } from '../../../src/capabilities/terminal-files/matching/recomparison.js';
import { SalesReader } from '../../../src/capabilities/terminal-files/matching/sales-reader.js';
import { TakeBack } from '../../../src/capabilities/terminal-files/matching/take-back.js';
import { FileThreads } from '../../../src/capabilities/terminal-files/reading/file-threads.js';
import { AuditTrail } from '../../../src/platform/audit/audit-trail.js';
import { Config } from '../../../src/platform/config/config.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { FileQueue } from '../../../src/platform/files/file-queue.js';
import { Rounds } from '../../../src/platform/schedule/rounds.js';
import { Log } from '../../../src/platform/telemetry/log.js';
import type { Link } from '../../../src/user-links/restaurant.guard.js';
import { planning } from '../../support/plans.js';
import { Scenario } from '../../support/scenario.js';
import { FileDesk, lines } from './file-desk.js';

/** Restaurants with a year of orders, and with a file of each week. */
const RESTAURANTS = 4;
const ORDERS_OF_A_DAY = 25;
const DAYS = 365;
const TABLES = ['terminal_events', 'terminal_file_rows', 'terminal_file_missing', 'outbox_jobs'];
const DAY_MS = 86_400_000;

/** The sales of the day before: some are in the file by key, some by authorisation, some by amount and time; some are in none. */
const sold = (prefix: string, from: number, to: number) => {
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  return Array.from({ length: to - from }, (_, i) => ({
    key: `${prefix}-${from + i}`,
    at: new Date(Date.parse(`${day}T12:00:00Z`) + (from + i) * 60_000).toISOString(),
    // of no other prefix: a file that is taken back sets its sales free
    cents: prefix.length * 100_000 + from + i,
    payload: { authorisation: `AUTH${prefix}${from + i}` },
  }));
};

describe(`comparing files goes by indexes in a history of ${RESTAURANTS} restaurants and ${DAYS} days`, () => {
  let scenario: Scenario;
  let desk: FileDesk;

  beforeAll(async () => {
    scenario = await Scenario.open();
    const { query } = scenario.database;
    for (const table of TABLES) await query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    for (let place = 0; place < RESTAURANTS; place++) {
      desk = await FileDesk.open(scenario);
      await query(
        `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, paid_cents, received_at, transaction_date)
         SELECT $1::uuid || '/' || n, $1::uuid || '/' || n, false, $1::uuid, '{}', 1000 + n % 900, at, at
         FROM generate_series(1, ${ORDERS_OF_A_DAY * DAYS}) n,
           LATERAL (SELECT now() - interval '2 days' - n * interval '1 day' / ${ORDERS_OF_A_DAY} AS at) AS time`,
        [desk.id],
      );
      await query(
        `INSERT INTO terminal_files (id, restaurant_id, name, sha256, bytes, rows, columns, header_line, delimiter, encoding, mapping,
           uploaded_at, confirmed_at, matched_at, from_day, to_day)
         SELECT gen_random_uuid(), $1::uuid, 'week ' || week, encode(sha256(($1::uuid || '/' || week)::bytea), 'hex'), 1, 1, '{a}', 1, ';', 'utf-8', '{}',
           at, at, at, at::date, at::date
         FROM generate_series(0, ${DAYS} / 7) week, LATERAL (SELECT now() - interval '2 days' - week * interval '7 days' AS at) AS time`,
        [desk.id],
      );
      await query(
        `INSERT INTO terminal_file_rows (file_id, restaurant_id, line, kind, reference, cents, at, identity, answer, event_key, event_cents,
           event_at, refused)
         SELECT file.id, $1::uuid, n, 'SALE', source_key, paid_cents, received_at, 'reference ' || source_key, 'MATCHED', transaction_key,
           paid_cents, received_at, '{}'
         FROM terminal_events, LATERAL (SELECT split_part(source_key, '/', 2)::int AS n) AS number
           JOIN terminal_files file ON file.restaurant_id = $1::uuid AND file.name = 'week ' || (n / (7 * ${ORDERS_OF_A_DAY}))
         WHERE terminal_events.restaurant_id = $1::uuid`,
        [desk.id],
      );
      await query(
        `INSERT INTO terminal_file_missing (file_id, place, event_key, event_cents, event_at)
         SELECT id, n, 'other-' || n, 100, now() FROM terminal_files, generate_series(1, 100) n WHERE restaurant_id = $1::uuid`,
        [desk.id],
      );
    }
    await query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', NULL, received_at, received_at FROM terminal_events`,
    );
  }, 300_000);
  afterAll(() => scenario.close());

  test.each([
    ['without', 'SELECT 1'],
    ['with', 'ANALYZE'],
  ])('%s statistics of the planner (J8, J9, J12)', async (name, prepare) => {
    await scenario.database.query(prepare);
    const { relay } = scenario;
    const { prisma, plans } = planning(relay.get(PrismaService));
    const [config, log] = [relay.get(Config), relay.get(Log)];
    const [queue, threads] = [relay.get(FileQueue), relay.get(FileThreads)];
    const { signal } = new AbortController();
    const [sales, open, decisions] = [
      new SalesReader(prisma, config),
      new OpenRows(prisma),
      new DecisionsReader(prisma),
    ];
    const comparison = new Comparison(prisma, sales, open, decisions, threads);
    const fileRows = new FileRows(prisma);
    const recomparison = new Recomparison(prisma, comparison, fileRows, queue, signal);
    const files = new FilesReader(prisma, queue, threads, comparison);
    const differences = new DifferencesReader(prisma, files, recomparison);

    const all = sold(name, 0, 40);
    await desk.sold(all.slice(0, 30));
    const header = 'reference;authorisation;date;amount';
    const rows = all.map(({ key, at, cents, payload }, i) => {
      const reference = i % 3 === 0 ? key : '';
      const authorisation = i % 3 === 1 ? payload.authorisation : '';
      return `${reference};${authorisation};${at.slice(0, 10)} ${at.slice(11, 19)};${(cents / 100).toFixed(2)}`;
    });
    const { id, mapping } = await desk.uploaded(lines(header, ...rows), `${name}.csv`);
    const user = await scenario.database.query<{ id: string }>('SELECT id FROM users LIMIT 1');
    const caller = { restaurantId: desk.id, userId: user[0]?.id } as unknown as Link;
    const audit = relay.get(AuditTrail);
    const confirmations = new Confirmations(prisma, comparison, fileRows, recomparison, queue, audit, log);
    const confirmation = { mapping, named: {}, claim: true, again: true };
    await confirmations.confirm(caller, id, confirmation, signal);
    await confirmations.confirm(caller, id, confirmation, signal);

    // ten arrive late: the round finds them
    await desk.sold(all.slice(30));
    await scenario.database.query(`UPDATE terminal_events SET received_at = now() WHERE transaction_key = ANY ($1)`, [
      all.slice(30).map(({ key }) => key),
    ]);
    await scenario.database.query(
      `UPDATE terminal_files SET matched_at = matched_at - interval '1 minute' WHERE id = $1`,
      [id],
    );
    const missing = async () => {
      const { data } = await files.list(desk.id, { limit: 20 });
      return data.find((file) => file.id === id)?.summary.find(({ answer }) => answer === 'MISSING_HERE')?.count;
    };
    const before = await missing();
    await new FileRounds(prisma, recomparison, relay.get(Rounds), signal, log).run();
    expect(await missing()).toBeLessThan(before as number);

    await recomparison.again(desk.id, id, signal);
    const page = await differences.list({ restaurantId: desk.id }, id, { limit: 3 }, signal);
    await differences.list({ restaurantId: desk.id }, id, { limit: 3, after: page.meta.next as string }, signal);
    await differences.list({ restaurantId: desk.id }, id, { limit: 100, answer: 'MATCHED' }, signal);
    const { content } = await new DifferencesExport(prisma, differences, recomparison).open(
      { restaurantId: desk.id },
      id,
      ',',
    );
    const written = (await content.toArray()).join('').split('\r\n');
    expect(written.length).toBeGreaterThan(page.data.length);

    const takeBack = new TakeBack(prisma, fileRows, recomparison, queue, audit, log, signal);
    await takeBack.remove(caller, id, signal);
    const scanned = plans.filter(({ scans }) => scans.some((table) => TABLES.includes(table)));
    expect(scanned).toEqual([]);
    const read = plans.flatMap(({ indexes }) => indexes);
    expect(read).toEqual(expect.arrayContaining(['terminal_events', 'terminal_file_rows', 'terminal_file_missing']));
  });
});
