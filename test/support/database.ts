import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { migrate } from '../../src/database/migrations.js';
import { servePGlite } from '../../src/database/pglite-server.js';

/** A database of its own for a suite: on the server that TEST_DATABASE_URL names, else embedded. Real either way. */
export interface TestDatabase {
  readonly url: string;
  /** arguments with which `psql` connects */
  readonly psql: readonly string[];
  /** Ends every connection and refuses new ones. @returns brings it back */
  goAway(): Promise<() => Promise<void>>;
  query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const onServer = Boolean(process.env.TEST_DATABASE_URL);

/** For what one embedded session cannot show: the reason stands in the test's name. */
export const whereServer = onServer ? test : test.skip;
export const NEEDS_SERVER = onServer ? '' : ' [skipped: needs a Postgres server, set TEST_DATABASE_URL]';

/** @param migrated false: an empty database */
export async function openDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const { url, psql, goAway, close } = onServer ? await onTheServer(migrated) : await embedded(migrated);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  return {
    url,
    psql,
    goAway,
    query: async (sql, values) => (await pool.query(sql, values)).rows,
    close: async () => {
      await pool.end();
      await close();
    },
  };
}

async function embedded(migrated: boolean) {
  const folder = process.env.RELAY_TEST_FOLDER as string;
  const image = migrated ? new Blob([readFileSync(join(folder, 'template.tar'))]) : undefined;
  const pglite = await PGlite.create(image ? { loadDataDir: image } : {});
  const socketFolder = mkdtempSync(join(folder, 's-'));
  const serve = () => servePGlite(Promise.resolve(pglite), { path: join(socketFolder, '.s.PGSQL.5432') });
  let server = await serve();
  return {
    url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(socketFolder)}`,
    psql: ['-h', socketFolder, '-U', 'postgres', 'postgres'],
    goAway: async () => {
      await server.stop();
      return async () => {
        server = await serve();
      };
    },
    close: async () => {
      await server.stop();
      await pglite.close();
    },
  };
}

async function onTheServer(migrated: boolean) {
  const server = process.env.TEST_DATABASE_URL as string;
  const name = `relay_test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await once(server, (client) => client.query(`CREATE DATABASE ${name}`));
  if (migrated) await once(url.href, (client) => migrate(client));
  return {
    url: url.href,
    psql: [url.href],
    goAway: async () => {
      await once(server, async (client) => {
        await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
        await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      });
      return () => once(server, (client) => client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
    },
    close: () => once(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

async function once(url: string, run: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}
