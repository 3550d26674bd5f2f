import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Log } from '../../telemetry/log.js';
import { inWords, SESSION, type Session } from './blockers.js';
import {
  type CreatedIndex,
  createdIndex,
  definedFunction,
  droppedIndex,
  splitStatements,
} from './migration-statements.js';

/** Indexes have this name until their migration renames them. */
export const BUILT_AHEAD = 'built_ahead_';
const LOG_EVERY_MS = 10_000;

/**
 * Statements of migrations that are not executed on a database with rows: they change many rows of a large table, and a round of
 * the relay does the same in small batches (R56).
 */
const DONE_BY_ROUNDS: Readonly<Record<string, RegExp>> = {
  '20261122180200_causes': /^UPDATE\s+(outbox_jobs|delivery_attempts)\s+SET\s+cause\b/,
};

interface Named {
  readonly name: string;
  readonly sql: string;
}

/** Gets lines about long builds, and opens the connection that watches them. */
export interface Watch {
  readonly log?: Log | undefined;
  readonly connect?: (() => Promise<ClientBase & { end(): Promise<void> }>) | undefined;
}

/**
 * Builds the indexes of missing migrations before their transaction, without locking out writers (S31): under another name, which the
 * migration then changes. The session must be in no transaction.
 *
 * An index that needs what an earlier missing migration makes (a column, a function) ends the part: the earlier ones are applied first.
 * @returns the first part of the migrations, to be applied in one transaction: all that need no further build. Their `sql` renames what was
 * built, and leaves out what a later missing migration drops again
 * @throws the database's error
 */
export async function buildAhead<Migration extends Named>(
  client: ClientBase,
  missing: readonly Migration[],
  watch: Watch,
): Promise<Migration[]> {
  const files = missing.map((migration) => ({ migration, statements: splitStatements(migration.sql) }));
  const shortLived = droppedAgain(files.flatMap(({ statements }) => statements));
  const functions = new Set<string>();
  const part: Migration[] = [];
  for (const { migration, statements } of files) {
    const sql: string[] = [];
    for (const statement of statements) {
      const index = createdIndex(statement);
      const defined = definedFunction(statement);
      if (defined) functions.add(defined);
      if (droppedIndex(statement)) sql.push(statement.replace(/^DROP\s+INDEX/i, '$& IF EXISTS'));
      else if (!(await hasRows(client, index?.table ?? tableOf(migration, statement)))) sql.push(statement);
      else if (!index || shortLived.has(statement)) continue;
      else if ([...functions].some((name) => index.rest.includes(name)) || !(await build(client, index, watch))) {
        if (part.length > 0) return part;
        sql.push(statement);
      } else sql.push(`ALTER INDEX ${nameOf(index)} RENAME TO ${index.name}`);
    }
    part.push({ ...migration, sql: sql.join(';\n') });
  }
  return part;
}

/** Removes indexes that no migration uses any more: of an upgrade that was given up. */
export async function dropUnused(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'i' AND starts_with(relname, $1)`,
    [BUILT_AHEAD],
  );
  for (const { name } of rows) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** The statements that create an index which a later one drops. */
function droppedAgain(statements: readonly string[]): Set<string> {
  const dropped = new Set<string>();
  const created = new Set<string>();
  for (const statement of [...statements].reverse()) {
    const index = createdIndex(statement);
    const name = droppedIndex(statement);
    if (name) dropped.add(name);
    if (index && dropped.delete(index.name)) created.add(statement);
  }
  return created;
}

/** The table of a statement that rounds do in its place. */
function tableOf({ name }: Named, statement: string): string | undefined {
  return DONE_BY_ROUNDS[name]?.exec(statement)?.[1];
}

async function hasRows(client: ClientBase, table: string | undefined): Promise<boolean> {
  if (!table) return false;
  const { rows } = await client.query<{ filled: boolean | null }>(
    'SELECT pg_relation_size(to_regclass($1)) > 0 AS filled',
    [`public.${table}`],
  );
  return rows[0]?.filled === true;
}

const nameOf = ({ name, table, rest }: CreatedIndex) =>
  BUILT_AHEAD + createHash('sha256').update([name, table, rest].join('\n')).digest('hex').slice(0, 16);

/** @returns false: the index refers to something that does not exist yet, or a statement before it makes the rows unique */
async function build(client: ClientBase, index: CreatedIndex, watch: Watch): Promise<boolean> {
  const name = nameOf(index);
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [`public.${name}`],
  );
  if (rows[0]?.valid) return true;
  // a build that was killed leaves an invalid index
  if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
  const startedAt = performance.now();
  try {
    await watched(client, index, watch, () =>
      client.query(
        `CREATE ${index.isUnique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ON ${index.table}${index.rest}`,
      ),
    );
  } catch (error) {
    if (/^(42(703|883|704)|23505)$/.test(String((error as { code?: unknown }).code))) return false;
    throw error;
  }
  const tookMs = Math.round(performance.now() - startedAt);
  watch.log?.info({ event: 'database.index_built', index: index.name, table: index.table, tookMs });
  return true;
}

interface Progress extends Session {
  readonly phase: string;
  readonly percent: number | null;
}

const PROGRESS = `
  SELECT phase, round(100 * blocks_done::numeric / nullif(blocks_total, 0))::int AS percent,
         nullif(current_locker_pid, 0)::int AS pid, ${SESSION}
  FROM pg_stat_progress_create_index progress LEFT JOIN pg_stat_activity activity ON activity.pid = nullif(current_locker_pid, 0)
  WHERE progress.pid = $1`;

/** Waits for the build; every 10 s logs how far it is, and which session it waits for. */
async function watched(
  client: ClientBase,
  { name, table }: CreatedIndex,
  { log, connect }: Watch,
  run: () => Promise<unknown>,
) {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const startedAt = performance.now();
  const look = async () => {
    const watcher = await connect?.();
    if (!watcher) return;
    try {
      const [progress] = (await watcher.query<Progress>(PROGRESS, [rows[0]?.pid])).rows;
      if (!progress) return;
      const { phase, percent, ...session } = progress;
      const waitsFor = session.pid === null ? undefined : session;
      const waitedMs = Math.round(performance.now() - startedAt);
      const text = waitsFor ? `waits for ${inWords(waitsFor)} to end its transaction` : `${phase}, ${percent ?? 0} %`;
      log?.info({ event: 'database.index_building', index: name, table, phase, percent, waitedMs, waitsFor }, text);
    } finally {
      await watcher.end();
    }
  };
  const timer = setInterval(() => void look().catch(() => {}), LOG_EVERY_MS);
  return run().finally(() => clearInterval(timer));
}
