import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../telemetry/log.js';
import { LimitedClient } from './connection.js';
import { DatabaseStartError } from './database-start-error.js';
import { isDiskFull } from './disk-full.js';
import { isDatabaseAway, isDatabaseUnfit, reasonOf } from './errors.js';
import { migrate } from './migrations/migrations.js';
import { connectionConfig, type PoolLimits } from './pool.js';
import { type ServerSettings, serverSettings, setSettings, unfitEncoding } from './session-settings.js';
import { tlsRefusal } from './tls-errors.js';

/** Time between two tries, in ms. */
const TRY_EVERY_MS = 1_000;

/** Retries `work` during an outage. @throws the error of `work`, or DatabaseStartError */
export type Patience = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * @param limitMs ms from now, for all calls together; again from the end of a call that took longer
 * @param isOwnDisk whether the disk of the database is that of the relay, which is not waited for when it is full (S44)
 */
export function patienceOf(limitMs: number, log: Log, isOwnDisk = false): Patience {
  let startedAt = performance.now();
  return async (work) => {
    for (;;) {
      const triedAt = performance.now();
      try {
        return await work();
      } catch (error) {
        if (!isDatabaseAway(error) || isRefusal(error) || (isOwnDisk && isDiskFull(error))) throw error;
        // the server answered for longer than the whole limit: a migration was under way
        if (performance.now() - triedAt > limitMs) startedAt = performance.now();
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
 * @returns the settings of a session that depend on the server; undefined when a pooler refuses settings in the start-up message
 * @throws DatabaseStartError when the server does not answer in time, or the database is not UTF8; MigrationError; the error of a server that refuses
 */
export async function startDatabase(
  url: string,
  limits: PoolLimits,
  patiently: Patience,
  log: Log,
): Promise<ServerSettings | undefined> {
  let passesSettings = true;
  return patiently(async () => {
    try {
      return await migrateOnce(url, limits, passesSettings, log);
    } catch (error) {
      if (!passesSettings || !isPoolerRefusal(error)) throw tlsRefusal(error) ?? error;
      passesSettings = false;
      return await migrateOnce(url, limits, passesSettings, log);
    }
  });
}

async function migrateOnce(
  url: string,
  limits: PoolLimits,
  passesSettings: boolean,
  log: Log,
): Promise<ServerSettings | undefined> {
  const connect = async () => {
    const client = new LimitedClient(connectionConfig(url, limits, passesSettings ? {} : undefined));
    // an error of the connection also fails the pending statement, which reports it
    client.on('error', () => {});
    await client.connect().catch((error) => {
      client.end().catch(() => {});
      throw error;
    });
    return client;
  };
  const connection = await connect();
  try {
    const unfit = await unfitEncoding(connection);
    if (unfit) throw new DatabaseStartError(unfit);
    const settings = passesSettings ? await serverSettings(connection) : undefined;
    if (settings) await setSettings(connection, settings);
    const applied = await migrate(connection, undefined, { log, connect });
    if (applied.length > 0) log.info({ event: 'database.migrated', applied });
    return settings;
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
