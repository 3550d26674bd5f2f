import type { OutboxConfig } from '../../platform/config/config.js';
import type { Queries } from './connection.js';
import type { FindingParams } from './findings.js';

/**
 * The last sale (`webhook`), and the late, stuck and parked jobs (O23). Each map has the params of a finding by restaurant id. A
 * restaurant without such a sale or job is absent from the map.
 */
export type Facts = Readonly<Record<'webhook' | 'late' | 'stuck' | 'parked', ReadonlyMap<string, FindingParams>>>;

/** The most jobs of one restaurant that are counted: staff may ask for its check again and again, and it may have any number (R26). */
const COUNTED = 1_000;

/** Reads the facts of all restaurants that are not deleted. @param only the id of the only restaurant to read; absent: all */
export async function readFacts(
  database: Queries,
  { lateAlarmMs, processingTtlMs }: OutboxConfig,
  only?: string,
): Promise<Facts> {
  const read = async (sql: string, ...values: number[]) => {
    const ofOne = only ? `WHERE id = $${values.length + 1}::uuid` : '';
    const rows = await database.query<{ id: string; fact: FindingParams }>(
      `SELECT id::text, to_jsonb(facts) - 'id' AS fact FROM (${sql}) AS facts ${ofOne}`,
      only ? [...values, only] : values,
    );
    return new Map(rows.map(({ id, fact }) => [id, fact]));
  };
  const counted = (jobs: string, parameter: number, order: string) =>
    only
      ? `(SELECT * FROM ${jobs} WHERE restaurant_id = $${parameter}::uuid ORDER BY ${order} LIMIT ${COUNTED}) AS counted`
      : jobs;
  const waiting = (jobs: string, since: string) =>
    `SELECT restaurant_id AS id, count(*)::int AS jobs, round(max(extract(epoch FROM now() - ${since})) * 1000) AS ms,
            count(*) FILTER (WHERE attempts > 0)::int AS "afterFailure"
     FROM ${counted(`${jobs}($1::int * interval '1 millisecond')`, 2, since)} GROUP BY 1`;
  const [late, stuck, parked, webhook] = await Promise.all([
    read(waiting('late_jobs', 'next_run_at'), lateAlarmMs),
    read(waiting('stuck_jobs', 'processing_at'), processingTtlMs),
    read(
      // the two most frequent causes of each restaurant, grouped as in prisma/sql/list-parked.sql
      `SELECT restaurant_id AS id, cause[1] AS cause, of_cause[1] AS "ofCause", jobs, cardinality(cause) - 1 AS "otherCauses",
              coalesce(cause[2], '') AS "nextCause", coalesce(of_cause[2], 0) AS "ofNextCause"
       FROM (SELECT restaurant_id, array_agg(cause ORDER BY jobs DESC, cause) AS cause, array_agg(jobs ORDER BY jobs DESC, cause) AS of_cause,
                    sum(jobs)::int AS jobs
             FROM (SELECT restaurant_id, error_cause(last_error) AS cause, count(*)::int AS jobs
                   FROM ${counted('parked_jobs', 1, 'updated_at DESC')} GROUP BY 1, 2) AS by_cause
             GROUP BY 1) AS of_one`,
    ),
    read(
      // one index look-up for each restaurant
      `SELECT restaurants.id, to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "receivedAt", test_mode AS test
       FROM restaurants CROSS JOIN LATERAL (SELECT received_at, test_mode FROM terminal_events
                                            WHERE restaurant_id = restaurants.id ORDER BY received_at DESC LIMIT 1) AS last
       WHERE deleted_at IS NULL`,
    ),
  ]);
  return { late, stuck, parked, webhook };
}
