import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { failOnFatal } from '../../src/platform/database/pglite/fatal.js';
import { servePGlite } from '../../src/platform/database/pglite/server.js';
import { connected, migratePGlite } from '../runner/template.js';
import { leaksInTables, withPassword } from './secrets.js';
import { until, within } from './until.js';

/** The database of a suite: on the server of TEST_DATABASE_URL, else embedded. */
export interface TestDatabase {
  /** a connection string for any client, also `psql` */
  readonly url: string;
  query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Ends every connection and refuses new ones. @returns a function that makes it reachable again */
  goAway(): Promise<() => Promise<void>>;
  /** @returns a line for each table that contains a secret in plain text */
  leaks(): Promise<string[]>;
  close(): Promise<void>;
}

const { TEST_DATABASE_URL: server, RELAY_TEST_TEMPLATE, RELAY_TEST_FOLDER = '' } = process.env;

/** Limit of a statement of a test, in ms. */
const LIMIT_MS = 60_000;

/** For tests that need several database sessions; the name of a skipped test has the reason. */
export const whereServer = server ? test : test.skip;
export const NEEDS_SERVER = server ? '' : ' [skipped: needs a Postgres server]';

/** @returns the number of sessions that wait for a lock */
export async function waitingSessions({ query }: Pick<TestDatabase, 'query'>): Promise<number> {
  const [row] = await query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}

/** Waits until this number of sessions wait for a lock. @param sessions undefined: one or more */
export async function untilWaiting(database: Pick<TestDatabase, 'query'>, sessions?: number): Promise<void> {
  await until(async () => {
    const waiting = await waitingSessions(database);
    return sessions === undefined ? waiting > 0 : waiting === sessions;
  });
}

/** @param migrated false: an empty database; the first relay migrates it and creates the administrator */
export async function openDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const { url, goAway, close } = server ? await onServer(server, migrated) : await embedded(migrated);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  const query: TestDatabase['query'] = async (sql, values) =>
    (await within(LIMIT_MS, sql, pool.query(sql, values))).rows;
  return {
    url,
    query,
    leaks: () => leaksInTables(query),
    goAway,
    close: () => pool.end().then(close),
  };
}

async function onServer(server: string, migrated: boolean) {
  const name = `relay_test_${randomUUID().replaceAll('-', '')}`;
  const run = (sql: string) => connected(server, async (client) => void (await client.query(sql)));
  await run(`CREATE DATABASE ${name} ${migrated ? `TEMPLATE ${RELAY_TEST_TEMPLATE}` : ''}`);
  return {
    url: withPassword(Object.assign(new URL(server), { pathname: `/${name}` }).href),
    goAway: async () => {
      await run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      return () => run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    },
    close: () => run(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** Migrated databases of closed suites, emptied for the next: migrating costs more. */
const migratedOnes: PGlite[] = [];
/** Databases that a suite left with another schema. */
const others: PGlite[] = [];
/** The schema of each migrated database: a suite must leave it as it was. */
const schemas = new WeakMap<PGlite, string>();

async function embedded(migrated: boolean) {
  const pglite = await (migrated ? migratedOne() : emptyOne());
  const folder = makeFolder();
  const serve = () => servePGlite(Promise.resolve(pglite), { path: join(folder, '.s.PGSQL.5432') });
  let serving = await serve();
  return {
    url: urlIn(folder),
    goAway: async () => {
      await serving.stop();
      // the clients are in this process: they read that their connections have ended
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      return async () => {
        serving = await serve();
      };
    },
    close: async () => {
      await serving.stop();
      await execute(pglite, ['ROLLBACK', 'DISCARD ALL']);
      const isSame = migrated && (await schemaOf(pglite)) === schemas.get(pglite);
      if (isSame) await empty(pglite);
      (isSame ? migratedOnes : others).push(pglite);
    },
  };
}

async function migratedOne(): Promise<PGlite> {
  const free = migratedOnes.pop();
  if (free) return free;
  // one with another schema is migrated again, since a further one takes memory
  const isOther = others.length > 0;
  const pglite = await (isOther ? emptyOne() : restored({ dump: 'migrated.tar' }));
  if (isOther) await migratePGlite(pglite, join(makeFolder(), '.s.PGSQL.5432'));
  schemas.set(pglite, await schemaOf(pglite));
  return pglite;
}

async function emptyOne(): Promise<PGlite> {
  const pglite = others.pop() ?? migratedOnes.pop() ?? (await restored());
  await execute(pglite, ['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public']);
  return pglite;
}

/** A hash of all definitions in the schema. */
async function schemaOf(pglite: PGlite): Promise<string> {
  const { rows } = await pglite.query<{ hash: string }>(`
    SELECT md5(string_agg(line, ',' ORDER BY line)) AS hash FROM (
      SELECT concat_ws(' ', relname, relkind, reloptions, relacl, pg_get_viewdef(CASE WHEN relkind = 'v' THEN oid END)) AS line
      FROM pg_class WHERE relnamespace = 'public'::regnamespace
      UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname, atttypid, atttypmod, attnotnull, attstattarget)
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND attnum > 0
      UNION ALL SELECT concat_ws(' ', tgname, tgenabled, pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT concat_ws(' ', conname, convalidated, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL SELECT concat_ws(' ', oid::regprocedure, md5(prosrc), provolatile, proacl)
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT concat_ws(' ', migration_name, checksum, finished_at IS NULL) FROM _prisma_migrations
    ) AS definitions`);
  return rows[0]?.hash ?? '';
}

/** Tables up to this size in sum are emptied by DELETE and VACUUM, in a tenth of the time of TRUNCATE; bytes. */
const SMALL_BYTES = 1_048_576;

/** Removes all rows and their statistics. */
async function empty(pglite: PGlite): Promise<void> {
  const { rows } = await pglite.query<{ name: string; bytes: number }>(`
    SELECT oid::regclass::text AS name, pg_relation_size(oid)::int AS bytes FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'`);
  const used = rows.filter(({ bytes }) => bytes > 0);
  const isSmall = used.reduce((sum, { bytes }) => sum + bytes, 0) <= SMALL_BYTES;
  await execute(pglite, [
    // triggers refuse the removal of audit entries, and those of foreign keys look for other rows
    'SET session_replication_role = replica',
    ...(isSmall
      ? [...used.map(({ name }) => `DELETE FROM ${name}`), ...used.map(({ name }) => `VACUUM ${name}`)]
      : [`TRUNCATE ${rows.map(({ name }) => name)}`]),
    `SELECT setval(seqrelid, seqstart, false) FROM pg_sequence`,
    `UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
    `DELETE FROM pg_statistic USING pg_class WHERE pg_class.oid = starelid AND relnamespace = 'public'::regnamespace`,
    'DISCARD ALL',
  ]);
}

async function execute(pglite: PGlite, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await pglite.exec(statement);
}

/** A new embedded database, restored from a dump of the set-up. @param dataDir its folder; undefined: in memory */
export async function restored({ dataDir, dump = 'database.tar' }: { dataDir?: string; dump?: string } = {}) {
  const loadDataDir = new Blob([readFileSync(join(RELAY_TEST_FOLDER, dump))]);
  const pglite = await PGlite.create({ dataDir, loadDataDir });
  failOnFatal(pglite);
  return pglite;
}

/** The URL of the database whose socket is in a folder. */
export const urlIn = (folder: string) =>
  withPassword(`postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`);

/** A new empty folder, removed after the tests. */
export const makeFolder = () => mkdtempSync(join(RELAY_TEST_FOLDER, 'd-'));
