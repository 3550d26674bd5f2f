import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { ROOT } from '../root.js';
import type { Log } from '../telemetry/log.js';
import { LimitedClient } from './connection.js';
import { isDatabaseAway, isDatabaseUnfit } from './errors.js';

const FOLDER = join(ROOT, 'prisma/migrations');

/** The advisory lock that Prisma Migrate takes, so that Prisma Migrate and the relay never migrate at the same time. */
const ADVISORY_LOCK = 72707369;

/** The wait for another instance that migrates, in ms: the limit, the time between two tries, the time between two log lines. */
const LOCK_LIMIT_MS = 600_000;
const LOCK_EVERY_MS = 500;
const LOCK_LOG_EVERY_MS = 10_000;
/** Statement limit of a migration, which may rewrite a large table, in ms; on the server and in this process. */
const STATEMENT_LIMIT_MS = 3_600_000;

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

/**
 * Applies the missing migrations, as `prisma migrate deploy` does, without its command and engine: in one transaction under an
 * advisory lock. When several instances start at once, one applies the migrations and the others wait. A failed migration changes nothing.
 * @param log gets a line while another instance migrates
 * @returns the names of the applied migrations
 * @throws MigrationError when an applied file was changed, a migration run by Prisma's command failed half-way, or another
 *   instance held the lock for `lockLimitMs`
 */
export async function migrate(
  client: ClientBase,
  migrations = readMigrations(),
  log?: Log,
  lockLimitMs = LOCK_LIMIT_MS,
): Promise<string[]> {
  await beginLocked(client, log, lockLimitMs);
  const limitMs = client instanceof LimitedClient ? client.statementLimitMs : 0;
  try {
    await client.query(HISTORY_TABLE);
    const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    );
    const history = new Map(rows.map((row) => [row.name, row]));
    const missing = migrations.filter((migration) => !isApplied(migration, history.get(migration.name)));
    if (missing.length > 0)
      await client.query(`SET LOCAL statement_timeout = ${STATEMENT_LIMIT_MS}; SET LOCAL lock_timeout = 0`);
    if (client instanceof LimitedClient) client.statementLimitMs = STATEMENT_LIMIT_MS;
    for (const migration of missing) await apply(client, migration);
    await client.query('COMMIT');
    return missing.map(({ name }) => name);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    if (client instanceof LimitedClient) client.statementLimitMs = limitMs;
  }
}

/**
 * Begins a transaction that holds the advisory lock. Polls for the lock, since a statement that waited for it would exceed the statement
 * limit. Between two tries no transaction is open.
 */
async function beginLocked(client: ClientBase, log: Log | undefined, lockLimitMs: number): Promise<void> {
  const startedAt = performance.now();
  let logAt = 0;
  for (;;) {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
      ADVISORY_LOCK,
    ]);
    if (rows[0]?.locked) return;
    await client.query('ROLLBACK');
    const waitedMs = Math.round(performance.now() - startedAt);
    if (waitedMs >= lockLimitMs)
      throw new MigrationError(
        `another instance has been migrating this database for ${Math.round(waitedMs / 1_000)} s; look for a session that holds advisory lock ${ADVISORY_LOCK} in pg_locks`,
      );
    if (waitedMs >= logAt) {
      log?.info({ event: 'database.migration_waiting', waitedMs, givesUpAfterMs: lockLimitMs });
      logAt = waitedMs + LOCK_LOG_EVERY_MS;
    }
    await delay(Math.min(LOCK_EVERY_MS, lockLimitMs));
  }
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
