import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { migrate } from '../../src/platform/database/migrations/migrations.js';
import { servePGlite } from '../../src/platform/database/pglite/server.js';

/** Creates the migrated template of the suites' databases on a server. @returns its name */
export async function makeTemplate(server: string): Promise<string> {
  const name = `relay_test_template_${randomUUID().replaceAll('-', '')}`;
  await connected(server, (client) => client.query(`CREATE DATABASE ${name}`));
  await connected(Object.assign(new URL(server), { pathname: `/${name}` }).href, migrate);
  return name;
}

/** Migrates an embedded database. @param path of the socket at which it is served meanwhile */
export async function migratePGlite(pglite: PGlite, path: string): Promise<void> {
  const serving = await servePGlite(Promise.resolve(pglite), { path });
  const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(dirname(path))}`;
  await connected(url, migrate);
  await serving.stop();
}

/** Runs `use` with a connected client, and closes it. */
export async function connected<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return use(client).finally(() => client.end());
}
