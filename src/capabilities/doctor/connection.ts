import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import type { Config } from '../../platform/config/config.js';
import { LimitedClient } from '../../platform/database/connection.js';
import { EmbeddedDatabase } from '../../platform/database/pglite/embedded.js';
import { connectionConfig } from '../../platform/database/pool.js';
import { serverSettings, setSettings } from '../../platform/database/session-settings.js';
import { isPoolerRefusal } from '../../platform/database/start.js';
import { tlsRefusal } from '../../platform/database/tls-errors.js';
import { withLimit } from '../../platform/time-limit.js';
import { pathExists } from './configuration.js';

const CONNECT_LIMIT_MS = 5_000;
const QUERY_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 5_000;

/** Runs the database reads of the checks, on a connection of the doctor or of a running relay. */
export interface Queries {
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** A read-only connection to the relay's database. */
export class Connection implements Queries {
  /** the previous statement; statements run one after the other, each in its own transaction */
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    /** the database's location for people, without credentials */
    readonly where: string,
    private readonly client: pg.Client,
    private readonly onClose: () => Promise<void>,
  ) {}

  /** Connects within 5 s. @throws the error of `pg`, after `onClose` has run */
  static async open(url: string, where: string, onClose = async () => {}): Promise<Connection> {
    try {
      return new Connection(where, await connected(url), onClose);
    } catch (error) {
      await onClose();
      throw error;
    }
  }

  /**
   * Runs one statement in its own read-only transaction, within 10 s. The session itself is not made read-only: the embedded database
   * has only one session, which a running relay uses too.
   */
  query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const rows = this.last.then(() => this.run<Row>(sql, values));
    this.last = rows.catch(() => {});
    return rows;
  }

  /** As {@link query}. @param around runs the statement, without those of its transaction, and may take the time */
  timed<Row extends pg.QueryResultRow>(
    sql: string,
    around: (run: () => Promise<Row[]>) => Promise<Row[]>,
  ): Promise<Row[]> {
    const rows = this.last.then(() => this.run<Row>(sql, [], around));
    this.last = rows.catch(() => {});
    return rows;
  }

  private async run<Row extends pg.QueryResultRow>(
    sql: string,
    values: unknown[],
    around: (run: () => Promise<Row[]>) => Promise<Row[]> = (run) => run(),
  ): Promise<Row[]> {
    await this.client.query('BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY');
    try {
      // a pooler may have dropped the session settings
      await this.client.query(`SET LOCAL statement_timeout = ${QUERY_LIMIT_MS}; SET LOCAL lock_timeout = 0`);
      return await around(async () => (await this.client.query<Row>(sql, values)).rows);
    } finally {
      await this.client.query('ROLLBACK').catch(() => {});
    }
  }

  /** Closes the connection; waits 5 s at most, since a server that hangs does not answer. */
  async close(): Promise<void> {
    const closed = this.client.end().then(this.onClose);
    await withLimit(CLOSE_LIMIT_MS, closed, () => undefined);
  }
}

/** The rows of a statement; none when there is no database yet. */
export async function rowsOf<Row extends pg.QueryResultRow>(database: Connection | 'new', sql: string): Promise<Row[]> {
  return database === 'new' ? [] : database.query<Row>(sql);
}

/** Connects with the relay's session settings (S16). If a pooler refuses the settings, connects without them. */
async function connected(url: string, passesSettings = true): Promise<LimitedClient> {
  const limits = { connectMs: CONNECT_LIMIT_MS, statementMs: QUERY_LIMIT_MS, readsTables: true };
  const client = new LimitedClient({
    ...connectionConfig(url, limits, passesSettings ? {} : undefined),
    application_name: 'relay doctor',
  });
  // without a listener the process would crash; the next query reports the lost connection
  client.on('error', () => {});
  try {
    await client.connect();
    if (passesSettings) await setSettings(client, await serverSettings(client));
    return client;
  } catch (error) {
    if (!passesSettings || !isPoolerRefusal(error)) throw tlsRefusal(error) ?? error;
    return connected(url, false);
  }
}

/**
 * Connects to the relay's database. An embedded database is reached through the socket of a running relay. When no relay runs, the
 * doctor opens the embedded database for the duration of the checks.
 * @returns undefined when the embedded database does not exist yet: the relay's first start creates it
 * @throws when the database cannot be reached, or DATA_DIR belongs to another user
 */
export async function connect({ databaseUrl, dataDir }: Config): Promise<Connection | undefined> {
  if (databaseUrl) return Connection.open(databaseUrl, serverOf(databaseUrl));
  if (!pathExists(join(dataDir, 'postgres', 'PG_VERSION'))) return undefined;
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

/** Host, port and database name, without credentials. */
function serverOf(databaseUrl: string): string {
  const { host, pathname, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? host}${pathname}`;
}
