import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../src/database/migrations.js';
import { ADMIN, ADMIN_HASH } from './environment.js';

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

/**
 * @param migrated false: an empty database
 * @param administered whether the first administrator is there already, or the first start creates them
 */
export async function openDatabase({
  migrated = true,
  administered = migrated,
}: {
  migrated?: boolean;
  administered?: boolean;
} = {}): Promise<TestDatabase> {
  const { url, psql, goAway, close } = onServer ? await onTheServer(migrated) : await embedded(migrated);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  if (administered)
    await pool.query(`INSERT INTO users (id, email, password_hash, role) VALUES (gen_random_uuid(), $1, $2, 'ADMIN')`, [
      ADMIN.email,
      ADMIN_HASH,
    ]);
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
  const folder = await ask(migrated ? 'open' : 'open-empty');
  return {
    url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    psql: ['-h', folder, '-U', 'postgres', 'postgres'],
    goAway: async () => {
      await ask('away', folder);
      return async () => void (await ask('back', folder));
    },
    close: async () => void (await ask('close', folder)),
  };
}

/** @see embedded.mjs */
async function ask(what: string, folder = ''): Promise<string> {
  const answer = await fetch(`${process.env.RELAY_TEST_DATABASES}/${what}`, { method: 'POST', body: folder });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the test database does not ${what}: ${text}`);
  return text;
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
