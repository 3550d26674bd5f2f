import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ClientBase } from 'pg';

const FOLDER = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));

/** The lock that Prisma Migrate takes itself, so that the two never run at once. */
const ADVISORY_LOCK = 72707369;

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

/**
 * Applies what is missing, as `prisma migrate deploy` would, without its command and engine. All of it is one transaction
 * under a lock: of several instances starting at once one applies, the others wait and find nothing to do, and a migration
 * that fails leaves no trace.
 * @returns the names applied
 * @throws MigrationError when an applied file was changed, or a migration run by Prisma's command failed half-way
 */
export async function migrate(client: ClientBase, migrations = readMigrations()): Promise<string[]> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    await client.query(HISTORY_TABLE);
    const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    );
    const history = new Map(rows.map((row) => [row.name, row]));
    const missing = migrations.filter((migration) => !isApplied(migration, history.get(migration.name)));
    for (const migration of missing) await apply(client, migration);
    await client.query('COMMIT');
    return missing.map(({ name }) => name);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
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
    throw new MigrationError(`migration ${name} failed, nothing was changed: ${(error as Error).message}`);
  }
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}
