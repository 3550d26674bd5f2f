import type { Log } from '../telemetry/log.js';
import { reasonOf } from './errors.js';

const INTERVAL_MS = 60_000;

/**
 * Every webhook of a user joins these tables. Without statistics the planner assumes that these tables are tiny and uses nested scans,
 * which take seconds for an owner of some hundred restaurants.
 */
const SMALL = 'users, restaurants, user_restaurants';

/** Finds those tables that grow with every sale and have grown by a fifth and 16 pages since they were last analysed (R30). */
const GROWN = `
  SELECT relname AS name FROM pg_class
  WHERE oid = ANY (ARRAY['terminal_events', 'outbox_jobs', 'delivery_attempts', 'audit_entries', 'spent_keys']::regclass[])
    AND pg_relation_size(oid) > (relpages * 1.2 + 16) * current_setting('block_size')::int`;

/** Analyses a sample of 3,000 rows in place of 30,000: this takes about 20 ms of the thread that all webhooks share, for any table. */
const analyze = (tables: string) => `SET LOCAL default_statistics_target = 10; ANALYZE ${tables}`;

/** Runs one statement, or several as one transaction. @returns the rows of a single statement */
export type Execute = (sql: string) => Promise<{ readonly rows: readonly { readonly name: string }[] }>;

/** Analyses the small tables, and the other tables that have grown, in separate statements, so that webhooks run in between. */
export async function refreshStatistics(execute: Execute): Promise<void> {
  await execute(analyze(SMALL));
  for (const { name } of (await execute(GROWN)).rows) await execute(analyze(name));
}

/**
 * Refreshes the planner's statistics of the embedded database, which has no autovacuum: at once, and then every minute.
 * @returns a function that ends the refreshing
 */
export function keepStatistics(execute: Execute, log: Log): () => void {
  const refresh = () =>
    void refreshStatistics(execute).catch((error: Error) =>
      log.warn({ event: 'database.statistics_failed', error: reasonOf(error) }),
    );
  refresh();
  const timer = setInterval(refresh, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
