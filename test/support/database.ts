import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { migrate } from '../../src/database/migrations.js';
import { servePGlite } from '../../src/database/pglite-server.js';
import { connected } from '../runner/template.js';
import { leaksInTables, withPassword } from './secrets.js';

/** A database of its own for a suite: on the server that TEST_DATABASE_URL names, else embedded. Real either way. */
export interface TestDatabase {
  /** for any client, `psql` too */
  readonly url: string;
  query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Ends every connection and refuses new ones. @returns brings it back */
  goAway(): Promise<() => Promise<void>>;
  /** Looks through everything in it. @returns a line for each table that shows a secret */
  leaks(): Promise<string[]>;
  close(): Promise<void>;
}

const { TEST_DATABASE_URL: server, RELAY_TEST_TEMPLATE, RELAY_TEST_FOLDER = '' } = process.env;

/** For what one embedded session cannot show: the reason stands in the test's name. */
export const whereServer = server ? test : test.skip;
export const NEEDS_SERVER = server ? '' : ' [skipped: needs a Postgres server]';

/** @param migrated false: an empty one; the first relay on it makes the tables and the first administrator */
export async function openDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const { url, goAway, close } = server ? await onServer(server, migrated) : await embedded(migrated);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  const query: TestDatabase['query'] = async (sql, values) => (await pool.query(sql, values)).rows;
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

/** What suites of this process have closed: emptying a database takes a small part of the time of a new one. */
const free: PGlite[] = [];

async function embedded(migrated: boolean) {
  const pglite = free.pop() ?? (await restored());
  // as new: nothing in it, nothing left of its session
  for (const sql of ['ROLLBACK', 'DISCARD ALL', 'DROP SCHEMA public CASCADE', 'CREATE SCHEMA public'])
    await pglite.exec(sql);
  const folder = makeFolder();
  const serve = () => servePGlite(Promise.resolve(pglite), { path: join(folder, '.s.PGSQL.5432') });
  let serving = await serve();
  if (migrated) await connected(urlIn(folder), migrate);
  return {
    url: urlIn(folder),
    goAway: async () => {
      await serving.stop();
      return async () => {
        serving = await serve();
      };
    },
    close: async () => {
      await serving.stop();
      free.push(pglite);
    },
  };
}

/** A new embedded database, from what the set-up has made. @param dataDir where it is kept; undefined: in memory */
export function restored(dataDir?: string): Promise<PGlite> {
  return PGlite.create({ dataDir, loadDataDir: new Blob([readFileSync(join(RELAY_TEST_FOLDER, 'database.tar'))]) });
}

/** Of what listens on the socket in a folder. */
export const urlIn = (folder: string) =>
  withPassword(`postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`);

/** An empty folder that goes with the tests. */
export const makeFolder = () => mkdtempSync(join(RELAY_TEST_FOLDER, 'd-'));
