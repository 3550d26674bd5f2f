import pg from 'pg';
import { claimDue } from '../../../src/outbox/store/claim.js';
import type { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';

const RESTAURANT = '00000000-0000-4000-8000-000000000001';
const CLOSED = '00000000-0000-4000-8000-000000000002';

/** A reset that an operator types (O2). */
const RESET = `UPDATE outbox_jobs SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL,
  processing_at = NULL, locked_by = NULL`;
/** The two ways to reset: by hand, and by the function that the relay and prisma/sql/ call. */
const RESETS: [way: string, (where: string) => string][] = [
  ['an UPDATE', (where) => `${RESET} WHERE ${where}`],
  ['reset_jobs()', (where) => `SELECT FROM reset_jobs(ARRAY(SELECT id FROM outbox_jobs WHERE ${where}))`],
];
const CLAIM = `UPDATE outbox_jobs SET status = 'PROCESSING', processing_at = now() - interval '10 minutes', locked_by = 'x'`;
const UNLOCKED = 'processing_at = NULL, locked_by = NULL';

describe('SQL by hand on jobs', () => {
  let database: TestDatabase;
  /** of a person; `notices` has what the server notices */
  let session: pg.Client;
  let relay: pg.Client;
  const notices: string[] = [];

  async function open(application_name: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url, application_name });
    client.on('notice', ({ message }) => notices.push(message ?? ''));
    await client.connect();
    return client;
  }

  beforeAll(async () => {
    database = await openDatabase();
    await database.query(
      `INSERT INTO restaurants (id, name, slug, deleted_at) VALUES ($1, 'Roma', 'roma', NULL), ($2, 'Napoli', 'napoli', now())`,
      [RESTAURANT, CLOSED],
    );
    session = await open('psql');
    relay = await open('relay');
  });
  afterEach(async () => {
    await session.query('RESET relay.force');
    await database.query('TRUNCATE terminal_events, outbox_jobs, delivery_attempts');
    notices.length = 0;
  });
  afterAll(async () => {
    await session.end();
    await relay.end();
    await database.close();
  });

  /** Jobs in a state, by its columns. */
  async function jobs(columns: string, { many = 1, restaurant = RESTAURANT, key = 'K' } = {}): Promise<string[]> {
    const rows = await database.query<{ id: string }>(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT $1 || n, $1 || n, false, $2, '{}' FROM generate_series(1, $3::int) n RETURNING transaction_key, restaurant_id)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id) SELECT gen_random_uuid(), event.* FROM event RETURNING id`,
      [key, restaurant, many],
    );
    const ids = rows.map(({ id }) => id);
    // as the relay, which alone may make some of these moves
    await relay.query(`UPDATE outbox_jobs SET ${columns} WHERE id = ANY ($1)`, [ids]);
    return ids;
  }
  const one = async (columns: string, more: Parameters<typeof jobs>[1] = {}) =>
    (await jobs(columns, more))[0] as string;
  const PARKED = `status = 'DLQ', attempts = 3, last_error = 'no', next_run_at = NULL`;
  const WITHDRAWN = `${PARKED}, withdrawn = true`;
  const FAILED = `status = 'FAILED', attempts = 2, last_error = 'no', next_run_at = now() + interval '1 hour'`;
  const HELD = `status = 'PROCESSING', attempts = 1, processing_at = now(), locked_by = 'w/1'`;
  const SENT = `status = 'SENT', next_run_at = NULL`;
  const statuses = async (...ids: string[]) => {
    const rows = await database.query<{ id: string; status: string }>('SELECT id, status FROM outbox_jobs');
    return ids.map((id) => rows.find((row) => row.id === id)?.status);
  };

  test.each(RESETS)(
    'R11, O28: %s makes parked and failed jobs PENDING, due now, with 0 attempts; those of cancelled orders and deleted restaurants are skipped with a notice',
    async (_, reset) => {
      const ids = [await one(PARKED, { key: 'P' }), await one(FAILED, { key: 'F' })];
      const kept = await one(PARKED, { key: 'K' });
      const cancelled = await one(WITHDRAWN, { key: 'W' });
      const closed = [
        await one(PARKED, { key: 'C', restaurant: CLOSED }),
        await one(FAILED, { key: 'D', restaurant: CLOSED }),
      ];
      expect((await session.query(reset(`status IN ('DLQ', 'FAILED') AND event_key <> 'K1'`))).rowCount).toBe(2);
      const rows = await database.query(
        `SELECT status, next_run_at <= now() AS due, attempts, last_error AS error, processing_at AS claimed, locked_by AS claim
       FROM outbox_jobs WHERE id = ANY ($1)`,
        [ids],
      );
      const expected = { status: 'PENDING', due: true, attempts: 0, error: null, claimed: null, claim: null };
      expect(rows).toEqual([expected, expected]);
      expect(await statuses(kept, cancelled, ...closed)).toEqual(['DLQ', 'DLQ', 'DLQ', 'FAILED']);
      const said = [
        `outbox job ${cancelled} (order W1) is skipped: its order was cancelled; it is never sent`,
        `outbox job ${closed[0]} (order C1) is skipped: its restaurant was deleted`,
        `outbox job ${closed[1]} (order D1) is skipped: its restaurant was deleted`,
      ];
      expect(notices.toSorted()).toEqual(said.toSorted());
    },
  );

  test.each(RESETS)(
    'O28, R65: %s of everything in DLQ skips what was entered in the till, and its entry stays; with relay.force, and by the relay, it is reset',
    async (_, reset) => {
      const [kept, settled] = [
        await one(PARKED, { key: 'P' }),
        await one(`${PARKED}, resolved_at = now()`, { key: 'S' }),
      ];
      const entered = await one(`${PARKED}, resolved_at = now()`, { key: 'E' });
      const enter = () =>
        database.query(
          `UPDATE terminal_events SET entered_at = now(), entered_by = 'Ana', entered_note = 'at the bar' WHERE transaction_key = 'E1'`,
        );
      const entry = () =>
        database.query(
          `SELECT entered_by AS by, entered_note AS note, resolved_at IS NOT NULL AS resolved FROM terminal_events
           JOIN outbox_jobs ON event_key = transaction_key WHERE transaction_key = 'E1'`,
        );
      await enter();
      expect((await session.query(reset(`status = 'DLQ'`))).rowCount).toBe(2);
      expect(await statuses(kept, settled, entered)).toEqual(['PENDING', 'PENDING', 'DLQ']);
      expect(await entry()).toEqual([{ by: 'Ana', note: 'at the bar', resolved: true }]);
      expect(notices).toEqual([
        expect.stringMatching(
          `^outbox job ${entered} \\(order E1\\) is skipped: its order was entered in the till by hand`,
        ),
      ]);
      await session.query(`SET relay.force = 'on'`);
      for (const client of [session, relay]) {
        expect((await client.query(reset(`status = 'DLQ'`))).rowCount).toBe(1);
        expect(await entry()).toEqual([{ by: null, note: null, resolved: false }]);
        await relay.query(`UPDATE outbox_jobs SET ${PARKED}, resolved_at = now() WHERE id = $1`, [entered]);
        await enter();
      }
    },
  );

  test('O28, R66: a refund that was ticked keeps its tick', async () => {
    await one(`${PARKED}, cause = 'refund', resolved_at = now()`, { key: 'R' });
    await database.query('UPDATE terminal_events SET entered_at = now(), paid_cents = 0, amount_mismatch_cents = -500');
    expect((await session.query(`${RESET} WHERE status = 'DLQ'`)).rowCount).toBe(0);
    expect(await database.query('SELECT FROM terminal_events WHERE entered_at IS NOT NULL')).toHaveLength(1);
  });

  test('O28: twenty notices at most, then one with the number of all; each statement counts for itself', async () => {
    await jobs(WITHDRAWN, { many: 500, key: 'W' });
    const kept = await one(PARKED, { key: 'P' });
    await session.query('BEGIN');
    expect((await session.query(`${RESET} WHERE status = 'DLQ'`)).rowCount).toBe(1);
    expect(notices).toHaveLength(21);
    expect(notices.at(-1)).toMatch(/^500 outbox jobs are skipped in all/);
    notices.length = 0;
    await session.query(`${RESET} WHERE event_key IN ('W1', 'W2', 'P1')`);
    expect(notices).toHaveLength(2);
    await session.query('COMMIT');
    expect(await statuses(kept)).toEqual(['PENDING']);
  });

  test.each(RESETS)(
    'R12: %s of a SENT or PROCESSING job among others is an error, and nothing is reset',
    async (_, reset) => {
      const parked = await one(PARKED, { key: 'P' });
      for (const columns of [SENT, HELD]) {
        const other = await one(columns, { key: columns });
        await expect(session.query(reset('true'))).rejects.toMatchObject({
          code: '23514',
          message: /cannot be moved to PENDING/,
        });
        await database.query('DELETE FROM outbox_jobs WHERE id = $1', [other]);
      }
      expect(await statuses(parked)).toEqual(['DLQ']);
    },
  );

  test.each(['psql', '', 'relay doctor', 'my tool'])(
    'O27: a session with application_name %p moves no job out of PROCESSING',
    async (name) => {
      const job = await one(HELD);
      const other = await open(name);
      for (const move of [
        `status = 'PENDING', ${UNLOCKED}`,
        `status = 'PENDING', ${UNLOCKED}, attempts = 0, next_run_at = now()`,
        `status = 'FAILED', ${UNLOCKED}, next_run_at = now()`,
        `status = 'DLQ', ${UNLOCKED}`,
        `status = 'SENT', ${UNLOCKED}`,
      ])
        await expect(other.query(`UPDATE outbox_jobs SET ${move}`)).rejects.toMatchObject({
          code: '23514',
          message: expect.stringMatching(`^outbox job ${job} is PROCESSING: it cannot be moved to `),
          hint: expect.stringMatching(/wait until it has settled.*the reaper returns it.*SET relay\.force = 'on'/),
        });
      await other.end();
      expect(await statuses(job)).toEqual(['PROCESSING']);
    },
  );

  test("O27: SET relay.force = 'on' allows it, in this session only", async () => {
    const job = await one(HELD);
    await session.query(`SET relay.force = 'on'`);
    await session.query(RESET);
    expect(await statuses(job)).toEqual(['PENDING']);
    await session.query(CLAIM);
    const other = await open('psql');
    await expect(other.query(RESET)).rejects.toThrow(/is PROCESSING/);
    await other.end();
    await session.query(`SET relay.force = 'off'`);
    await expect(session.query(RESET)).rejects.toThrow(/is PROCESSING/);
  });

  test('O27: relay.force resets no SENT and no withdrawn job', async () => {
    const [sent, cancelled] = [await one(SENT, { key: 'S' }), await one(WITHDRAWN, { key: 'W' })];
    await session.query(`SET relay.force = 'on'`);
    await expect(session.query(`${RESET} WHERE id = $1`, [sent])).rejects.toThrow(/is SENT/);
    expect((await session.query(`${RESET} WHERE id = $1`, [cancelled])).rowCount).toBe(0);
    for (const move of [`status = 'PENDING', withdrawn = false`, 'withdrawn = false', `status = 'FAILED'`])
      await expect(
        session.query(`UPDATE outbox_jobs SET ${move}, next_run_at = now() WHERE id = $1`, [cancelled]),
      ).rejects.toThrow(/is withdrawn/);
  });

  test.each([
    ['FAILED', FAILED],
    ['DLQ', PARKED],
  ])('O29: no session makes a %s job SENT without an attempt', async (status, columns) => {
    const job = await one(columns);
    await session.query(`SET relay.force = 'on'`);
    for (const client of [session, relay])
      await expect(client.query(`UPDATE outbox_jobs SET status = 'SENT'`)).rejects.toMatchObject({
        code: '23514',
        message: `outbox job ${job} is ${status}: it cannot be moved to SENT`,
        hint: expect.stringContaining('cancel it over the API'),
      });
  });

  test('O3: claims, ages, due times, parking and removal by hand stay possible', async () => {
    const job = await one('attempts = 0');
    for (const sql of [
      CLAIM,
      `UPDATE outbox_jobs SET processing_at = processing_at - interval '1 hour'`,
      `UPDATE outbox_jobs SET locked_by = 'y', attempts = 7`,
    ])
      expect((await session.query(sql)).rowCount).toBe(1);
    expect(await statuses(job)).toEqual(['PROCESSING']);
    await relay.query(`UPDATE outbox_jobs SET status = 'FAILED', ${UNLOCKED}`);
    for (const sql of [
      `UPDATE outbox_jobs SET next_run_at = now()`,
      `UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL`,
      RESET,
      'DELETE FROM outbox_jobs',
      'DELETE FROM terminal_events',
    ])
      expect((await session.query(sql)).rowCount).toBe(1);
    expect(notices).toEqual([]);
  });

  test('O23: jobs of a deleted restaurant are neither due, late nor stuck', async () => {
    const [due, stuck] = [await one('attempts = 0', { key: 'A' }), await one(HELD, { key: 'B' })];
    await one('attempts = 0', { key: 'C', restaurant: CLOSED });
    await one(HELD, { key: 'D', restaurant: CLOSED });
    await session.query(`UPDATE outbox_jobs SET next_run_at = now() - interval '1 hour'`);
    await session.query(`UPDATE outbox_jobs SET processing_at = now() - interval '1 hour' WHERE status = 'PROCESSING'`);
    const read = async (from: string) =>
      (await session.query<{ id: string }>(`SELECT id FROM ${from}`)).rows.map(({ id }) => id);
    expect(await read('due_jobs')).toEqual([due]);
    expect(await read(`late_jobs('1 minute')`)).toEqual([due]);
    expect(await read(`stuck_jobs('1 minute')`)).toEqual([stuck]);
  });

  test('O23: waiting jobs of 40 deleted restaurants do not displace a due job at a claim', async () => {
    await database.query(
      `INSERT INTO restaurants (id, name, slug, deleted_at) SELECT gen_random_uuid(), 'gone', 'gone-' || n, now() FROM generate_series(1, 40) n`,
    );
    const gone = await database.query<{ id: string }>(`SELECT id FROM restaurants WHERE name = 'gone'`);
    for (const { id } of gone) await one(`next_run_at = now() - interval '1 hour'`, { restaurant: id });
    const due = await one('attempts = 0', { key: 'A' });
    const prisma = {
      prepared: async (statement: { text: string }, values: unknown[]) =>
        (await relay.query(statement.text, values)).rows,
    };
    const claim = { claimIds: [`w/${crypto.randomUUID()}`], inHand: new Map(), cap: 1 };
    expect((await claimDue(prisma as unknown as PrismaService, claim)).map(({ id }) => id)).toEqual([due]);
  });
});
