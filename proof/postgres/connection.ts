import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Runs a statement. @returns its rows */
export type Query = <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<Row[]>;

/** Runs statements on a connection of their own. @throws when the server does not answer within 10 s */
export async function withConnection<Result>(url: string, work: (query: Query) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(async (sql, values) => (await client.query(sql, values)).rows);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * A new database on a server.
 * @param server URL of a database of it, by a user who may create others
 * @param purpose is part of its name
 * @throws when the server does not answer, or the user may create none
 */
export async function createDatabase(server: string, purpose: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `relay_${purpose}_${process.pid}_${randomBytes(4).toString('hex')}`;
  const run = (sql: string) => withConnection(server, async (query) => void (await query(sql)));
  await run(`CREATE DATABASE ${name}`);
  return {
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    drop: () => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}
