import type { OutboxConfig } from '../config.js';
import { bad, type Check, count, duration, good, warning } from './check.js';
import type { Connection } from './connection.js';

/** A worker that ticks every few milliseconds is not late after two of them. */
const LEAST_LATE_MS = 1_000;

interface Waiting {
  readonly restaurant: string;
  readonly jobs: number;
  /** the longest */
  readonly ms: number;
}

/** Due, but nobody takes them. */
export async function lateCheck(database: Connection, { tickMs }: OutboxConfig): Promise<Check> {
  const limit = Math.max(2 * tickMs, LEAST_LATE_MS);
  const late = await database.query<Waiting>(
    `SELECT restaurant.name || ' (' || restaurant.slug || ')' AS restaurant, count(*)::int AS jobs,
            max(extract(epoch FROM now() - job.next_run_at))::float8 * 1000 AS ms
     FROM outbox_jobs job JOIN restaurants restaurant ON restaurant.id = job.restaurant_id
     WHERE job.status IN ('PENDING', 'FAILED') AND job.next_run_at < now() - $1::int * interval '1 millisecond'
       -- a cancel does not overtake its order
       AND (job.action = 'CREATE' OR NOT EXISTS (
         SELECT 1 FROM outbox_jobs sending
         WHERE sending.event_key = job.event_key AND sending.action = 'CREATE' AND sending.status = 'PROCESSING'))
     GROUP BY restaurant.id ORDER BY jobs DESC, restaurant`,
    [limit],
  );
  if (late.length === 0) return good('late jobs', `none is due for longer than ${duration(limit)}`);
  return bad('late jobs', `${count(sum(late), 'job')} due for longer than ${duration(limit)}`, {
    details: late.map(({ restaurant, jobs, ms }) => `${restaurant}: ${jobs}, for up to ${duration(ms)}`),
    hint: 'no relay with WORKER_ENABLED=true runs, or they do not keep up: see OUTBOX_BATCH_SIZE and OUTBOX_PACE',
  });
}

/** Locked by a worker that has not settled them within its lease. */
export async function stuckCheck(database: Connection, { processingTtlMs }: OutboxConfig): Promise<Check> {
  const stuck = await database.query<Waiting & { readonly lockedBy: string }>(
    `SELECT restaurant.name || ' (' || restaurant.slug || ')' AS restaurant, count(*)::int AS jobs,
            max(extract(epoch FROM now() - job.processing_at))::float8 * 1000 AS ms,
            split_part(job.locked_by, '/', 1) AS "lockedBy"
     FROM outbox_jobs job JOIN restaurants restaurant ON restaurant.id = job.restaurant_id
     WHERE job.status = 'PROCESSING' AND job.processing_at < now() - $1::int * interval '1 millisecond'
     GROUP BY restaurant.id, split_part(job.locked_by, '/', 1) ORDER BY jobs DESC, restaurant`,
    [processingTtlMs],
  );
  const lease = duration(processingTtlMs);
  if (stuck.length === 0) return good('stuck jobs', `none is locked for longer than its lease of ${lease}`);
  return bad('stuck jobs', `${count(sum(stuck), 'job')} locked for longer than the lease of ${lease}`, {
    details: stuck.map(
      ({ restaurant, jobs, ms, lockedBy }) => `${restaurant}: ${jobs}, for up to ${duration(ms)}, by ${lockedBy}`,
    ),
    hint: 'a running relay takes them back every REAPER_INTERVAL_MS: start one; with one running, look again in a minute',
  });
}

/** Given up, until an operator resets them. */
export async function parkedCheck(database: Connection): Promise<Check> {
  const causes = await database.query<{ cause: string; jobs: number; total: number }>(
    `SELECT coalesce(last_error, 'no reason is kept') AS cause, count(*)::int AS jobs, sum(count(*)) OVER ()::int AS total
     FROM outbox_jobs WHERE status = 'DLQ' AND NOT withdrawn
     GROUP BY cause ORDER BY jobs DESC, cause LIMIT 3`,
  );
  const [first] = causes;
  if (!first) return good('parked jobs', 'none');
  return warning('parked jobs', `${count(first.total, 'job')} given up (DLQ)`, {
    details: causes.map(({ cause, jobs }) => `${jobs}: ${cause}`),
    hint: 'mend the cause, then reset them with prisma/sql/reset-*.sql (docs/operations.md, Parked orders)',
  });
}

function sum(waiting: readonly Waiting[]): number {
  return waiting.reduce((total, { jobs }) => total + jobs, 0);
}
