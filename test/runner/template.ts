import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../src/database/migrations.js';

/** Makes a migrated database on a server, of which a suite's database is a copy. @returns its name */
export async function makeTemplate(server: string): Promise<string> {
  const name = `relay_test_template_${randomUUID().replaceAll('-', '')}`;
  await connected(server, (client) => client.query(`CREATE DATABASE ${name}`));
  await connected(Object.assign(new URL(server), { pathname: `/${name}` }).href, migrate);
  return name;
}

/** Lets a client do something, and closes it. */
export async function connected<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return use(client).finally(() => client.end());
}
