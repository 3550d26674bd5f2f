import type { Log } from '../telemetry/log.js';
import { reasonOf } from './errors.js';

const INTERVAL_MS = 60_000;

/**
 * Every webhook of a user joins these tables. Without statistics the planner assumes that they are tiny and uses nested scans, which
 * take seconds for an owner of some hundred restaurants.
 */
const SMALL = 'users, restaurants, user_restaurants';

/** The tables that grow with every sale, when they have grown by a fifth and by 16 pages since they were analysed (R30). */
const GROWN = `
  SELECT relname AS name FROM pg_class
  WHERE oid = ANY (ARRAY['terminal_events', 'outbox_jobs', 'delivery_attempts', 'audit_entries', 'spent_keys']::regclass[])
    AND pg_relation_size(oid) > (relpages * 1.2 + 16) * current_setting('block_size')::int`;

/** A sample of 3,000 rows in place of 30,000: about 20 ms of the thread that all webhooks share, for a table of any size. */
const analyze = (tables: string) => `SET LOCAL default_statistics_target = 10; ANALYZE ${tables}`;

/** Runs one statement, or several as one transaction. @returns the rows of a single one */
export type Execute = (sql: string) => Promise<{ readonly rows: readonly { readonly name: string }[] }>;

/** Analyses the small tables, and the others that have grown; one statement each, so that webhooks run between them. */
export async function refreshStatistics(execute: Execute): Promise<void> {
  await execute(analyze(SMALL));
  for (const { name } of (await execute(GROWN)).rows) await execute(analyze(name));
}

/**
 * Keeps the planner's statistics of the embedded database, which has no autovacuum: at once, and every minute.
 * @returns a function that ends it
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
