import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { MigrationError, migrate, readMigrations } from '../../src/database/migrations.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

describe('the database guards the invariants itself', () => {
  let database: TestDatabase;
  let job: string;

  beforeAll(async () => {
    database = await openDatabase();
    await database.query(`
      INSERT INTO restaurants (id, name, slug) VALUES ('00000000-0000-4000-8000-000000000001', 'Roma', 'roma')`);
    await database.query(`
      INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
      VALUES ('K', 'K', false, '00000000-0000-4000-8000-000000000001', '{}')`);
    const [row] = await database.query<{ id: string }>(`
      INSERT INTO outbox_jobs (id, event_key, restaurant_id)
      VALUES (gen_random_uuid(), 'K', '00000000-0000-4000-8000-000000000001') RETURNING id`);
    job = row?.id as string;
  });
  afterAll(() => database.close());

  test.each([
    ['a status that does not exist', `UPDATE outbox_jobs SET status = 'LOST'`],
    ['PROCESSING without a lock', `UPDATE outbox_jobs SET status = 'PROCESSING'`],
    ['PROCESSING without lockedBy', `UPDATE outbox_jobs SET status = 'PROCESSING', processing_at = now()`],
    ['a lock without PROCESSING', `UPDATE outbox_jobs SET locked_by = 'me/1', processing_at = now()`],
    ['negative attempts', 'UPDATE outbox_jobs SET attempts = -1'],
    ['a waiting job without a due time', 'UPDATE outbox_jobs SET next_run_at = NULL'],
    [
      'a second CREATE job of one event',
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id)
       SELECT gen_random_uuid(), event_key, restaurant_id FROM outbox_jobs`,
    ],
    ['a job without an event', `UPDATE outbox_jobs SET event_key = 'nothing'`],
    [
      'a second event of one key',
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
       SELECT transaction_key, 'x', false, restaurant_id, payload FROM terminal_events`,
    ],
    [
      'a job of another restaurant than its event',
      `WITH other AS (INSERT INTO restaurants (id, name, slug) VALUES (gen_random_uuid(), 'Napoli', 'napoli') RETURNING id)
       UPDATE outbox_jobs SET restaurant_id = other.id FROM other`,
    ],
    ['an event without a restaurant', 'UPDATE terminal_events SET restaurant_id = gen_random_uuid()'],
    ['an event deleted under its job', 'DELETE FROM terminal_events'],
    ['an email with capitals', `INSERT INTO users (id, email, password_hash) VALUES (gen_random_uuid(), 'A@b.c', 'x')`],
    [
      'two restaurants of one slug',
      `INSERT INTO restaurants (id, name, slug) VALUES (gen_random_uuid(), 'Roma 2', 'roma')`,
    ],
    [
      'an attempt of no job',
      `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach)
       VALUES (gen_random_uuid(), gen_random_uuid(), 1, now(), 1, 'SENT', 'ANSWERED')`,
    ],
  ])('%s is refused', async (_, sql) => {
    await expect(database.query(sql)).rejects.toMatchObject({ code: expect.stringMatching(/^(23|22P02)/) });
  });

  test('leaving SENT is refused, whoever tries', async () => {
    await database.query(
      `UPDATE outbox_jobs SET status = 'PROCESSING', processing_at = now(), locked_by = 'me/1', attempts = 1 WHERE id = $1`,
      [job],
    );
    await database.query(
      `UPDATE outbox_jobs SET status = 'SENT', processing_at = NULL, locked_by = NULL, next_run_at = NULL WHERE id = $1`,
      [job],
    );
    for (const status of ['PENDING', 'FAILED', 'DLQ'])
      await expect(
        database.query(`UPDATE outbox_jobs SET status = $1::job_status, next_run_at = now()`, [status]),
      ).rejects.toThrow(/cannot be moved/);
  });
});

describe('migrations', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeEach(async () => {
    database = await openDatabase({ migrated: false });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.close();
  });

  const tables = async () =>
    (await database.query<{ name: string }>(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)).map(
      ({ name }) => name,
    );

  test('are applied once', async () => {
    expect(await migrate(client)).toEqual(readMigrations().map(({ name }) => name));
    expect(await migrate(client)).toEqual([]);
    expect(await tables()).toEqual(expect.arrayContaining(['outbox_jobs', '_prisma_migrations']));
  });

  test('one that fails leaves no trace of any', async () => {
    const broken = { name: '99999999999999_broken', sql: 'CREATE TABLE half (id int); SELECT 1/0', checksum: 'x' };
    await expect(migrate(client, [...readMigrations(), broken])).rejects.toThrow(MigrationError);
    expect(await tables()).toEqual([]);
  });

  test('one that was changed after it was applied stops the start', async () => {
    await migrate(client);
    const [first, ...rest] = readMigrations();
    const changed = { ...first, checksum: 'another' } as ReturnType<typeof readMigrations>[number];
    await expect(migrate(client, [changed, ...rest])).rejects.toThrow(/was changed after it was applied/);
  });

  test('sums by tender that were stored as text, or lost, are read from the sale again', async () => {
    const migrations = readMigrations();
    const at = migrations.findIndex(({ name }) => name.endsWith('_job_states'));
    await migrate(client, migrations.slice(0, at));
    const text = 'function toString() { [native code] }';
    const cases: Record<string, [paid: [tender: unknown, amount: unknown][], stored: object, mended: object]> = {
      sound: [[[16, 1.5]], { 16: 150 }, { 16: 150 }],
      'one text': [
        [
          ['toString', 1],
          [16, 2],
          ['toString', 0.5],
        ],
        { toString: `${text}10050`, 16: 200 },
        { toString: 150, 16: 200 },
      ],
      lost: [
        [
          [1, 3],
          ['__proto__', 2],
        ],
        { 1: 300 },
        JSON.parse('{"1": 300, "__proto__": 200}'),
      ],
      'two texts': [
        [
          ['toString', 1],
          ['valueOf', 2],
        ],
        { toString: `${text}100`, valueOf: `${text}200` },
        { toString: 100, valueOf: 200 },
      ],
      // 0.333 and 0.334 are 0.67 together
      rounded: [
        [
          ['toString', 0.333],
          ['valueOf', 0.334],
        ],
        { toString: 'x33', valueOf: 'x34' },
        { toString: 34, valueOf: 33 },
      ],
      'not valid': [
        [
          ['toString', 1],
          ['toString', -1],
          ['toString', '1'],
          [null, 2],
        ],
        { toString: 'x100', none: 200 },
        { toString: 100, none: 200 },
      ],
      'not readable': [
        [
          ['__proto__', 1],
          [1, 1e10],
        ],
        {},
        {},
      ],
    };
    await client.query(
      `INSERT INTO restaurants (id, name, slug) VALUES ('00000000-0000-4000-8000-000000000001', 'Roma', 'roma')`,
    );
    for (const [key, [paid, stored, mended]] of Object.entries(cases)) {
      const payments = paid.map(([tenderType, amount]) => ({ tenderType, amount }));
      const cents = Object.values(mended).reduce((sum, tender) => sum + tender, 0);
      await client.query(
        `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, paid_cents, paid_by_tender, payload)
         VALUES ($1, $1, false, '00000000-0000-4000-8000-000000000001', $2, $3, $4)`,
        [key, cents, JSON.stringify(stored), JSON.stringify({ payments })],
      );
    }
    await migrate(client, migrations);
    const { rows } = await client.query(
      'SELECT transaction_key AS key, paid_by_tender::text AS text FROM terminal_events',
    );
    expect(Object.fromEntries(rows.map(({ key, text }) => [key, Object.entries(JSON.parse(text)).sort()]))).toEqual(
      Object.fromEntries(Object.entries(cases).map(([key, [, , mended]]) => [key, Object.entries(mended).sort()])),
    );
  });

  test("one that Prisma's own command left half-way stops the start", async () => {
    await migrate(client);
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL');
    await expect(migrate(client)).rejects.toThrow(/failed half-way/);
  });

  test('`prisma migrate status` agrees with the applied history', async () => {
    const status = () =>
      promisify(execFile)('node_modules/.bin/prisma', ['migrate', 'status'], {
        env: { ...process.env, DATABASE_URL: database.url },
      });
    await expect(status()).rejects.toMatchObject({ stdout: expect.stringMatching(/not yet been applied/) });
    await migrate(client);
    expect((await status()).stdout).toContain('Database schema is up to date');
  });
});
