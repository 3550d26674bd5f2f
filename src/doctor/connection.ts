import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Config } from '../config.js';
import { EmbeddedDatabase } from '../database/embedded.js';
import { isThere } from './configuration.js';

const CONNECT_LIMIT_MS = 5_000;
const QUERY_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 5_000;

/** A database that is only looked at. */
export class Connection {
  private constructor(
    /** for people */
    readonly where: string,
    private readonly client: pg.Client,
    private readonly afterwards: () => Promise<void>,
  ) {}

  static async open(url: string, where: string, afterwards = async () => {}): Promise<Connection> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      query_timeout: QUERY_LIMIT_MS,
      application_name: 'relay doctor',
      options: '-c timezone=UTC',
    });
    // the next query tells it
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      await afterwards();
      throw error;
    }
    return new Connection(where, client, afterwards);
  }

  /**
   * One statement in a read-only transaction of its own. Not a setting of the session: the embedded database has only one,
   * which the running relay shares.
   */
  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    await this.client.query('BEGIN TRANSACTION READ ONLY');
    try {
      await this.client.query(`SET LOCAL statement_timeout = ${QUERY_LIMIT_MS}`);
      return (await this.client.query<Row>(sql, values)).rows;
    } finally {
      await this.client.query('ROLLBACK').catch(() => {});
    }
  }

  /** Waits for it no longer than a moment: a server that hangs does not say goodbye. */
  async close(): Promise<void> {
    const closed = this.client.end().then(this.afterwards);
    await Promise.race([closed, delay(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }
}

/**
 * The relay's database; the embedded one beside a running relay, or, when none runs, opened for the time of the check.
 * @returns undefined when there is none yet: the relay's first start would make it
 */
export async function connect({ databaseUrl, dataDir }: Config): Promise<Connection | undefined> {
  if (databaseUrl) return Connection.open(databaseUrl, serverOf(databaseUrl));
  if (!isThere(join(dataDir, 'postgres', 'PG_VERSION'))) return undefined;
  try {
    return await Connection.open(EmbeddedDatabase.urlIn(dataDir), `embedded in ${dataDir}, beside a running relay`);
  } catch (error) {
    if (!['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  const { uid } = statSync(dataDir);
  if (uid !== userInfo().uid)
    throw new Error(`${dataDir} belongs to another user (uid ${uid}): files made here would shut that user out`);
  const embedded = await EmbeddedDatabase.open(dataDir);
  return Connection.open(embedded.url, `embedded in ${dataDir}, no relay runs on it`, () => embedded.close());
}

/** Host, port and name, without credentials. */
function serverOf(databaseUrl: string): string {
  const { host, pathname, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? host}${pathname}`;
}
