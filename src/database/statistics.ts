import type { Log } from '../telemetry/log.js';
import { reasonOf } from './errors.js';

const INTERVAL_MS = 60_000;

/**
 * What the planner must know the size of: who owns what is joined by every webhook of a user. Without statistics it takes these
 * tables for tiny, and scans one for each row of the other: seconds, where an owner has some hundred restaurants.
 */
const ANALYZE = 'ANALYZE users, restaurants, user_restaurants';

/**
 * Keeps the planner's statistics of the embedded database, which has no autovacuum: at once, and every minute.
 * @param execute runs a statement
 * @returns ends it
 */
export function keepStatistics(execute: (sql: string) => Promise<unknown>, log: Log): () => void {
  const refresh = () =>
    void execute(ANALYZE).catch((error: Error) =>
      log.warn({ event: 'database.statistics_failed', error: reasonOf(error) }),
    );
  refresh();
  const timer = setInterval(refresh, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
