import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../src/platform/database/migrations/migrations.js';

/** Creates the migrated template of the suites' databases on a server. @returns its name */
export async function makeTemplate(server: string): Promise<string> {
  const name = `relay_test_template_${randomUUID().replaceAll('-', '')}`;
  await connected(server, (client) => client.query(`CREATE DATABASE ${name}`));
  await connected(Object.assign(new URL(server), { pathname: `/${name}` }).href, migrate);
  return name;
}

/** Runs `use` with a connected client, and closes it. */
export async function connected<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return use(client).finally(() => client.end());
}
