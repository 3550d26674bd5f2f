import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../telemetry/log.js';
import { Connection } from './connection.js';
import { isDatabaseAway, reasonOf } from './errors.js';
import { migrate } from './migrations.js';
import { connectionConfig, type PoolLimits } from './pool.js';

/** Between two tries, in ms. */
const TRY_EVERY_MS = 1_000;

/** What a person is told when the server did not come, or will not have this relay. */
export class DatabaseStartError extends Error {}

export interface StartLimits extends PoolLimits {
  /** ms for which a server that is away at start is tried again */
  readonly patienceMs: number;
}

/**
 * Waits for the server, and migrates the database.
 * @returns whether the server, or a pooler before it, takes the settings of a session at start
 * @throws DatabaseStartError when it does not answer within `patienceMs`; MigrationError; what the server refuses for good
 */
export async function startDatabase(
  url: string,
  limits: StartLimits,
  log: Log,
): Promise<{ readonly sessionSettings: boolean }> {
  const startedAt = performance.now();
  let sessionSettings = true;
  for (;;) {
    try {
      await migrateOnce(url, limits, sessionSettings, log);
      return { sessionSettings };
    } catch (error) {
      if (sessionSettings && isPoolerRefusal(error)) {
        sessionSettings = false;
        continue;
      }
      if (!isDatabaseAway(error) || isRefusal(error)) throw error;
      const waitedMs = Math.round(performance.now() - startedAt);
      const reason = reasonOf(error);
      if (waitedMs + TRY_EVERY_MS > limits.patienceMs)
        throw new DatabaseStartError(
          `the database does not answer, tried for ${Math.round(waitedMs / 1_000)} s: ${reason}`,
        );
      log.warn({ event: 'database.start_waiting', error: reason, waitedMs, givesUpAfterMs: limits.patienceMs });
      await delay(TRY_EVERY_MS);
    }
  }
}

async function migrateOnce(url: string, limits: PoolLimits, sessionSettings: boolean, log: Log): Promise<void> {
  const connection = new Connection(connectionConfig(url, limits, sessionSettings));
  // the statement that waits for an answer tells it
  connection.on('error', () => {});
  try {
    await connection.connect();
    const applied = await migrate(connection, undefined, { log });
    if (applied.length > 0) log.info({ event: 'database.migrated', applied });
  } finally {
    connection.end().catch(() => {});
  }
}

/** PgBouncer refuses parameters that it neither tracks nor ignores. */
function isPoolerRefusal(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message);
}

/** Wrong credentials or a database that does not exist: trying again changes nothing. */
function isRefusal(error: unknown): boolean {
  return /^(28|3D)/.test(String((error as { code?: unknown }).code));
}
