import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { ROOT } from '../../root.js';
import type { Log } from '../../telemetry/log.js';
import { LimitedClient } from '../connection.js';
import { isDatabaseAway, isDatabaseUnfit } from '../errors.js';
import { OWN_SESSION } from '../pool.js';
import { advisoryHolder, inWords } from './blockers.js';
import { buildAhead, dropUnused, type Watch } from './built-ahead.js';
import { lockTables } from './table-locks.js';

const FOLDER = join(ROOT, 'prisma/migrations');

/** The advisory lock that Prisma Migrate takes, so that Prisma Migrate and the relay never migrate at the same time. */
const ADVISORY_LOCK = 72707369;

/**
 * The wait for another instance that migrates, in ms: the limit, as long as a statement of it may take, the time between two tries, the time
 * between two log lines.
 */
const LOCK_LIMIT_MS = 3_600_000;
const LOCK_EVERY_MS = 500;
const LOCK_LOG_EVERY_MS = 10_000;
/** Statement limit of a migration, which may rewrite a large table, in ms; on the server and in this process. */
const STATEMENT_LIMIT_MS = 3_600_000;

/** The wait for the tables, in ms (S30). */
const TABLES_LIMIT_MS = 600_000;

const RELEASE = `SELECT pg_advisory_unlock(${ADVISORY_LOCK}); RESET statement_timeout`;

const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/** The migrations in the database and in the folder do not agree; the message is for people. */
export class MigrationError extends Error {}

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, as Prisma records it */
  readonly checksum: string;
}

/** The migrations of this version, in order. */
export function readMigrations(folder = FOLDER): Migration[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const sql = readFileSync(`${folder}/${name}/migration.sql`, 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

export interface MigrateOptions extends Watch {
  /** ms to wait for another instance that migrates */
  readonly lockLimitMs?: number;
  /** ms to wait for the tables */
  readonly tablesLimitMs?: number;
}

/**
 * Applies the missing migrations, as `prisma migrate deploy` does, without its command and engine, under an advisory lock. When several
 * instances start at once, one applies the migrations and the others wait. They are applied in one transaction, which first locks all
 * tables (S30). On a session of its own the indexes of large tables are built before it (S31); then the migrations are applied in several
 * transactions if an index needs an earlier one. A failed migration changes nothing.
 * @returns the names of the applied migrations
 * @throws MigrationError when an applied file was changed, a migration run by Prisma's command failed half-way, or another
 *   instance held the lock for `lockLimitMs`; TablesBusyError when some session held a table for `tablesLimitMs`
 */
export async function migrate(
  client: ClientBase,
  migrations = readMigrations(),
  options: MigrateOptions = {},
): Promise<string[]> {
  const { log, lockLimitMs = LOCK_LIMIT_MS, tablesLimitMs = TABLES_LIMIT_MS } = options;
  const isOwn = await isOwnSession(client);
  await beginLocked(client, isOwn, lockLimitMs, log);
  const limitMs = client instanceof LimitedClient ? client.statementLimitMs : 0;
  const applied: string[] = [];
  try {
    let missing = await missingOf(client, migrations);
    if (missing.length > 0 && client instanceof LimitedClient) client.statementLimitMs = STATEMENT_LIMIT_MS;
    if (missing.length > 0 && isOwn) await client.query(`SET statement_timeout = ${STATEMENT_LIMIT_MS}`);
    while (missing.length > 0) {
      const part = isOwn ? await buildAhead(client, missing, options) : missing;
      if (isOwn) await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      await client.query(`SET LOCAL statement_timeout = ${STATEMENT_LIMIT_MS}; SET LOCAL lock_timeout = 0`);
      await client.query(HISTORY_TABLE);
      await lockTables(client, tablesLimitMs, log);
      for (const migration of part) await apply(client, migration);
      if (isOwn) await client.query('COMMIT');
      applied.push(...part.map(({ name }) => name));
      missing = missing.slice(part.length);
    }
    if (!isOwn) await client.query('COMMIT');
    else if (applied.length > 0) await dropUnused(client);
    return applied;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    if (isOwn) await client.query(RELEASE).catch(() => {});
    if (client instanceof LimitedClient) client.statementLimitMs = limitMs;
  }
}

/** Whether the session is not shared with other clients, as behind a pooler and in the embedded database: it has its settings. */
async function isOwnSession(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ own: boolean }>(
    `SELECT current_setting('${OWN_SESSION}', true) IS NOT DISTINCT FROM 'on' AS own`,
  );
  return rows[0]?.own === true;
}

/**
 * Takes the advisory lock: for the session, or in a transaction that it begins. Polls for the lock, since a statement that waited for it would
 * exceed the statement limit, and would keep an index of the other instance from being built. Between two tries no transaction is open.
 */
async function beginLocked(
  client: ClientBase,
  isOwn: boolean,
  lockLimitMs: number,
  log: Log | undefined,
): Promise<void> {
  const startedAt = performance.now();
  let logAt = 0;
  for (;;) {
    if (!isOwn) await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const { rows } = await client.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_${isOwn ? '' : 'xact_'}lock($1) AS locked`,
      [ADVISORY_LOCK],
    );
    if (rows[0]?.locked) return;
    if (!isOwn) await client.query('ROLLBACK');
    const waitedMs = Math.round(performance.now() - startedAt);
    if (waitedMs >= logAt || waitedMs >= lockLimitMs) {
      const holder = await advisoryHolder(client, ADVISORY_LOCK);
      if (waitedMs >= lockLimitMs)
        throw new MigrationError(
          `another instance has been migrating this database for ${Math.round(waitedMs / 1_000)} s: ${holder ? inWords(holder) : 'a session'} holds advisory lock ${ADVISORY_LOCK} (pg_locks)`,
        );
      log?.info({ event: 'database.migration_waiting', waitedMs, givesUpAfterMs: lockLimitMs, holder });
      logAt = waitedMs + LOCK_LOG_EVERY_MS;
    }
    await delay(Math.min(LOCK_EVERY_MS, lockLimitMs));
  }
}

/** The migrations that the history of the database does not have. */
async function missingOf(client: ClientBase, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`,
  );
  if (!tables[0]?.there) return [...migrations];
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  const history = new Map(rows.map((row) => [row.name, row]));
  return migrations.filter((migration) => !isApplied(migration, history.get(migration.name)));
}

function isApplied(migration: Migration, row?: { checksum: string; finished: boolean }): boolean {
  if (!row) return false;
  if (!row.finished)
    throw new MigrationError(`migration ${migration.name} failed half-way: repair it with \`prisma migrate resolve\``);
  if (row.checksum !== migration.checksum)
    throw new MigrationError(`migration ${migration.name} was changed after it was applied to this database`);
  return true;
}

async function apply(client: ClientBase, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    if (isDatabaseAway(error) && !isDatabaseUnfit(error)) throw error;
    throw new MigrationError(`migration ${name} failed, nothing was changed: ${(error as Error).message}`);
  }
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}
