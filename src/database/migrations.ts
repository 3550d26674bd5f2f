import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ClientBase } from 'pg';
import type { Log } from '../telemetry/log.js';
import { LimitedClient } from './connection.js';
import { isDatabaseAway, isDatabaseUnfit } from './errors.js';

const FOLDER = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));

/** The lock that Prisma Migrate takes itself, so that the two never run at once. */
const ADVISORY_LOCK = 72707369;

/** How long another instance may be migrating, in ms, before this one gives up; how often it looks, and tells. */
const LOCK_LIMIT_MS = 600_000;
const LOCK_EVERY_MS = 500;
const LOCK_TOLD_EVERY_MS = 10_000;
/** A migration may rewrite a large table: what a statement of one may take, in ms, on the server and here. */
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

/** What a person is told when the history in the database and the folder do not agree. */
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

export interface MigrateOptions {
  /** tells that another instance is being waited for */
  readonly log?: Log;
  /** ms to wait for it */
  readonly lockLimitMs?: number;
}

/**
 * Applies what is missing, as `prisma migrate deploy` would, without its command and engine. All of it is one transaction
 * under a lock: of several instances starting at once one applies, the others wait and find nothing to do, and a migration
 * that fails leaves no trace.
 * @returns the names applied
 * @throws MigrationError when an applied file was changed, a migration run by Prisma's command failed half-way, or another
 *   instance held the lock for longer than `lockLimitMs`
 */
export async function migrate(
  client: ClientBase,
  migrations = readMigrations(),
  options: MigrateOptions = {},
): Promise<string[]> {
  await beginLocked(client, options);
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
 * A transaction that holds the lock. It is tried for, not waited for: a try has the deadline of any statement, the wait a
 * limit of its own, and between two tries nothing is held.
 */
async function beginLocked(client: ClientBase, { log, lockLimitMs = LOCK_LIMIT_MS }: MigrateOptions): Promise<void> {
  const startedAt = performance.now();
  let tellAt = 0;
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
    if (waitedMs >= tellAt) {
      log?.info({ event: 'database.migration_waiting', waitedMs, givesUpAfterMs: lockLimitMs });
      tellAt = waitedMs + LOCK_TOLD_EVERY_MS;
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
