import { rmSync } from 'node:fs';
import pg from 'pg';
import { EmbeddedDatabase } from '../../../src/platform/database/pglite/embedded.js';
import { makeDataDir } from '../../process/data-dir.js';

/** How long a transaction of a guest may take that executes statements. */
const TRANSACTION_MS = 30_000;

describe('a guest of the embedded database', () => {
  let dataDir: string;
  const logged: unknown[] = [];
  let database: EmbeddedDatabase;
  let relay: pg.Client;
  let guest: pg.Client;

  async function client(application_name: string): Promise<pg.Client> {
    const opened = new pg.Client({ connectionString: database.url, application_name });
    opened.on('error', () => {});
    await opened.connect();
    return opened;
  }
  const setting = async (name: string) =>
    (await relay.query('SELECT current_setting($1) AS value', [name])).rows[0].value as string;

  beforeAll(async () => {
    dataDir = await makeDataDir();
    database = await EmbeddedDatabase.open(dataDir, { warn: (line: unknown) => logged.push(line) } as never);
    relay = await client('relay');
  });
  beforeEach(async () => {
    logged.length = 0;
    guest = await client('psql');
  });
  afterEach(() => guest.end());
  afterAll(async () => {
    await relay.end();
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test.each([
    ['SET synchronous_commit = off', 'synchronous_commit', 'on'],
    [`SET timezone = 'America/Sao_Paulo'`, 'TimeZone', 'UTC'],
    ['SET default_transaction_read_only = on', 'transaction_read_only', 'off'],
    ['SET search_path = pg_catalog', 'search_path', 'public'],
  ])('%s does not reach the relay, while the guest is there and after it has left', async (sql, name, value) => {
    await guest.query(sql);
    expect(await setting(name)).toBe(value);
    await guest.query(sql);
    await guest.end();
    expect(await setting(name)).toBe(value);
  });

  test.each(['SET SESSION AUTHORIZATION', 'SET ROLE'])('%s does not reach the relay', async (set) => {
    await guest.query('DROP ROLE IF EXISTS someone');
    await guest.query('CREATE ROLE someone');
    await guest.query(`${set} someone`);
    expect((await relay.query('SELECT current_user, session_user')).rows).toEqual([
      { current_user: 'postgres', session_user: 'postgres' },
    ]);
  });

  test('each session has the name of its client, whatever client was before (O27)', async () => {
    const named = async (client: pg.Client) => (await client.query('SHOW application_name')).rows[0].application_name;
    const nameless = await client('');
    for (let round = 0; round < 2; round++)
      expect([await named(guest), await named(relay), await named(nameless)]).toEqual(['psql', 'relay', '']);
    await guest.query(`SET application_name = 'relay'`);
    expect([await named(guest), await named(nameless), await named(guest)]).toEqual(['relay', '', 'psql']);
    await nameless.end();
  });

  test('nor another guest', async () => {
    await guest.query(`SET timezone = 'America/Sao_Paulo'`);
    const other = await client('psql');
    expect((await other.query('SHOW timezone')).rows).toEqual([{ TimeZone: 'UTC' }]);
    await other.end();
  });

  test('prepared statements, temporary tables and advisory locks go with it', async () => {
    await guest.query('PREPARE p AS SELECT 1; CREATE TEMP TABLE restaurants (id int); SELECT pg_advisory_lock(7)');
    await guest.end();
    const left = `SELECT (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS prepared,
      (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks,
      (SELECT count(*)::int FROM pg_class WHERE relpersistence = 't' AND relkind = 'r') AS temporary`;
    expect((await relay.query(left)).rows).toEqual([{ prepared: 0, locks: 0, temporary: 0 }]);
  });

  test('keeps its settings inside a transaction, for which everybody waits', async () => {
    await guest.query('BEGIN');
    await guest.query(`SET LOCAL timezone = 'America/Sao_Paulo'`);
    const waiting = setting('TimeZone');
    expect((await guest.query('SHOW timezone')).rows).toEqual([{ TimeZone: 'America/Sao_Paulo' }]);
    await guest.query('COMMIT');
    expect(await waiting).toBe('UTC');
  });

  test('that dies in a transaction is rolled back, and what it set is gone', async () => {
    await guest.query(`BEGIN; SET timezone = 'America/Sao_Paulo'; CREATE TABLE left_behind (id int)`);
    (guest as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    expect(await setting('TimeZone')).toBe('UTC');
    expect((await relay.query(`SELECT to_regclass('left_behind') AS t`)).rows).toEqual([{ t: null }]);
  });

  test('that pauses in a transaction is dropped long before one that works in it', async () => {
    await guest.query('BEGIN');
    const startedAt = performance.now();
    await setting('TimeZone');
    expect(performance.now() - startedAt).toBeLessThan(TRANSACTION_MS / 2);
  });

  describe('whose session Postgres ends is dropped; the relay continues on a new session, and committed rows are kept', () => {
    const continues = async () => {
      await relay.query('INSERT INTO kept VALUES (2)');
      expect((await relay.query('SELECT array_agg(id) AS ids FROM kept')).rows).toEqual([{ ids: [1, 2] }]);
      expect(logged).toEqual([{ event: 'database.session_replaced' }]);
    };
    beforeEach(() => relay.query('CREATE TABLE kept AS SELECT 1 AS id'));
    afterEach(() => relay.query('DROP TABLE kept'));

    test('COPY FROM STDIN', async () => {
      await guest.query('BEGIN; INSERT INTO kept VALUES (3)');
      await expect(guest.query('COPY kept FROM STDIN')).rejects.toThrow(/unexpected EOF|terminat/);
      await continues();
    });

    test('idle_in_transaction_session_timeout', async () => {
      await guest.query(`SET idle_in_transaction_session_timeout = '1ms'`);
      await guest.query('BEGIN; INSERT INTO kept VALUES (3)');
      await continues();
    });
  });

  test('with a long statement cannot be interrupted, but the log tells of it', async () => {
    await guest.query(`SET statement_timeout = '100ms'`);
    await guest.query('SELECT pg_sleep(1.2)');
    expect(logged).toEqual([{ event: 'database.guest_slow', ms: expect.any(Number) }]);
  });
});
