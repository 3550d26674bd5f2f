import type { OutboxConfig } from '../config/config.js';
import { bad, type Check, count, duration, good, warning } from './check.js';
import type { Queries } from './connection.js';

/** Jobs of one restaurant. */
export interface JobGroup {
  readonly restaurant: string;
  readonly jobs: number;
  /** the longest wait, in ms */
  readonly ms: number;
}

/** The jobs that have been due for longer than this (O23), by restaurant. @param only the id of a restaurant; absent: of all */
export function lateJobs(database: Queries, longerThanMs: number, only?: string): Promise<JobGroup[]> {
  return database.query<JobGroup & Record<string, unknown>>(
    `SELECT restaurant.name || ' (' || restaurant.slug || ')' AS restaurant, count(*)::int AS jobs,
            max(extract(epoch FROM now() - job.next_run_at))::float8 * 1000 AS ms
     FROM late_jobs($1::int * interval '1 millisecond') job JOIN restaurants restaurant ON restaurant.id = job.restaurant_id
     ${only ? 'WHERE job.restaurant_id = $2::uuid' : ''}
     GROUP BY restaurant.id ORDER BY jobs DESC, restaurant`,
    [longerThanMs, ...(only ? [only] : [])],
  );
}

/** Looks for jobs that have been due for longer than ALARM_LATE_MS. */
export async function lateCheck(database: Queries, { lateAlarmMs: limit }: OutboxConfig): Promise<Check> {
  const late = await lateJobs(database, limit);
  if (late.length === 0) return good('late jobs', `none is due for longer than ${duration(limit)}`);
  return bad('late jobs', `${count(sum(late), 'job')} due for longer than ${duration(limit)}`, {
    details: late.map(({ restaurant, jobs, ms }) => `${restaurant}: ${jobs}, for up to ${duration(ms)}`),
    hint: 'no relay with WORKER_ENABLED=true runs, or they do not keep up: see OUTBOX_BATCH_SIZE and OUTBOX_PACE',
  });
}

/** The jobs that are PROCESSING for longer than their lease (O23), by restaurant and instance. @param only as in {@link lateJobs} */
export function stuckJobs(database: Queries, leaseMs: number, only?: string) {
  return database.query<JobGroup & { readonly lockedBy: string } & Record<string, unknown>>(
    `SELECT restaurant.name || ' (' || restaurant.slug || ')' AS restaurant, count(*)::int AS jobs,
            max(extract(epoch FROM now() - job.processing_at))::float8 * 1000 AS ms,
            split_part(job.locked_by, '/', 1) AS "lockedBy"
     FROM stuck_jobs($1::int * interval '1 millisecond') job JOIN restaurants restaurant ON restaurant.id = job.restaurant_id
     ${only ? 'WHERE job.restaurant_id = $2::uuid' : ''}
     GROUP BY restaurant.id, split_part(job.locked_by, '/', 1) ORDER BY jobs DESC, restaurant`,
    [leaseMs, ...(only ? [only] : [])],
  );
}

/** Looks for jobs that are PROCESSING for longer than their lease. */
export async function stuckCheck(database: Queries, { processingTtlMs }: OutboxConfig): Promise<Check> {
  const stuck = await stuckJobs(database, processingTtlMs);
  const lease = duration(processingTtlMs);
  if (stuck.length === 0) return good('stuck jobs', `none is locked for longer than its lease of ${lease}`);
  return bad('stuck jobs', `${count(sum(stuck), 'job')} locked for longer than the lease of ${lease}`, {
    details: stuck.map(
      ({ restaurant, jobs, ms, lockedBy }) => `${restaurant}: ${jobs}, for up to ${duration(ms)}, by ${lockedBy}`,
    ),
    hint: 'a running relay takes them back every REAPER_INTERVAL_MS: start one; with one running, look again in a minute',
  });
}

/** Parked jobs of one cause. */
export interface ParkedCause {
  readonly cause: string;
  readonly jobs: number;
  /** all parked jobs, whatever their cause */
  readonly total: number;
  /** number of causes, those left out here too */
  readonly causes: number;
}

/** The three most frequent causes of parked jobs (O23), grouped as in prisma/sql/list-parked.sql. @param only as in {@link lateJobs} */
export function parkedCauses(database: Queries, only?: string) {
  return database.query<ParkedCause & Record<string, unknown>>(
    `SELECT error_cause(last_error) AS cause, count(*)::int AS jobs, sum(count(*)) OVER ()::int AS total, count(*) OVER ()::int AS causes
     FROM parked_jobs ${only ? 'WHERE restaurant_id = $1::uuid' : ''}
     GROUP BY cause ORDER BY jobs DESC, cause LIMIT 3`,
    only ? [only] : [],
  );
}

/** Counts parked jobs and names their causes. */
export async function parkedCheck(database: Queries): Promise<Check> {
  const causes = await parkedCauses(database);
  const [first] = causes;
  if (!first) return good('parked jobs', 'none');
  return warning('parked jobs', `${count(first.total, 'job')} given up (DLQ)`, {
    details: [...causes.map(({ cause, jobs }) => `${jobs}: ${cause}`), ...rest(causes)],
    hint: 'fix the cause, then reset them with prisma/sql/reset-*.sql (docs/operations.md, Parked orders)',
  });
}

/** What the causes shown leave out, in one line. */
function rest(shown: readonly ParkedCause[]): string[] {
  const { total = 0, causes = 0 } = shown[0] ?? {};
  const left = causes - shown.length;
  return left > 0 ? [`${total - sum(shown)}: ${count(left, 'other cause')} (prisma/sql/list-parked.sql)`] : [];
}

function sum(groups: readonly Pick<JobGroup, 'jobs'>[]): number {
  return groups.reduce((total, { jobs }) => total + jobs, 0);
}
