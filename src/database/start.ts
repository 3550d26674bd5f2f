import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../telemetry/log.js';
import { LimitedClient } from './connection.js';
import { isDatabaseAway, isDatabaseUnfit, reasonOf } from './errors.js';
import { migrate } from './migrations.js';
import { connectionConfig, type PoolLimits } from './pool.js';

/** Time between two tries, in ms. */
const TRY_EVERY_MS = 1_000;

/** The server does not answer, or refuses this relay; the message is for people. */
export class DatabaseStartError extends Error {}

/** Retries `work` during an outage. @throws the error of `work`, or DatabaseStartError */
export type Patience = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** @param limitMs ms from now, for all calls together */
export function patienceOf(limitMs: number, log: Log): Patience {
  const startedAt = performance.now();
  return async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isDatabaseAway(error) || isRefusal(error)) throw error;
        const waitedMs = Math.round(performance.now() - startedAt);
        const reason = reasonOf(error);
        if (waitedMs + TRY_EVERY_MS > limitMs)
          throw new DatabaseStartError(
            `the database does not answer, tried for ${Math.round(waitedMs / 1_000)} s: ${reason}`,
          );
        log.warn({ event: 'database.start_waiting', error: reason, waitedMs, givesUpAfterMs: limitMs });
        await delay(TRY_EVERY_MS);
      }
    }
  };
}

/**
 * Waits for the server, and migrates the database.
 * @returns whether the server, or a pooler before it, accepts session settings in the start-up message
 * @throws DatabaseStartError when the server does not answer in time; MigrationError; the error of a server that refuses
 */
export async function startDatabase(
  url: string,
  limits: PoolLimits,
  patiently: Patience,
  log: Log,
): Promise<{ readonly sessionSettings: boolean }> {
  let sessionSettings = true;
  await patiently(async () => {
    try {
      await migrateOnce(url, limits, sessionSettings, log);
    } catch (error) {
      if (!sessionSettings || !isPoolerRefusal(error)) throw error;
      sessionSettings = false;
      await migrateOnce(url, limits, sessionSettings, log);
    }
  });
  return { sessionSettings };
}

async function migrateOnce(url: string, limits: PoolLimits, sessionSettings: boolean, log: Log): Promise<void> {
  const connection = new LimitedClient(connectionConfig(url, limits, sessionSettings));
  // an error of the connection also fails the pending statement, which reports it
  connection.on('error', () => {});
  try {
    await connection.connect();
    const applied = await migrate(connection, undefined, log);
    if (applied.length > 0) log.info({ event: 'database.migrated', applied });
  } finally {
    connection.end().catch(() => {});
  }
}

/** PgBouncer refuses a start-up parameter unless it tracks or ignores this parameter. */
export function isPoolerRefusal(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message);
}

/** Wrong credentials, a missing database or privilege: a retry does not help. */
function isRefusal(error: unknown): boolean {
  return isDatabaseUnfit(error) || /^(28|3D)/.test(String((error as { code?: unknown }).code));
}
