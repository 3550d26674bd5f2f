import type { OutboxConfig } from '../config/config.js';
import type { Queries } from './connection.js';

/** Jobs of one restaurant that wait; `ms`: the longest wait. */
interface Waiting {
  readonly jobs: number;
  readonly ms: number;
}

/** The parked jobs of one restaurant, by cause (O23). */
interface Parked {
  readonly jobs: number;
  /** the most frequent cause */
  readonly cause: string;
  /** jobs of that cause */
  readonly ofCause: number;
  readonly otherCauses: number;
}

/** The last sale that a restaurant sent. */
interface LastSale {
  /** ISO time */
  readonly receivedAt: string;
  readonly test: boolean;
}

type ById<Fact> = ReadonlyMap<string, Fact>;

/** What the database knows of the sales and jobs of restaurants, by restaurant id. A restaurant without any is absent. */
export interface Facts {
  readonly late: ById<Waiting>;
  readonly stuck: ById<Waiting>;
  readonly parked: ById<Parked>;
  /** the last sale */
  readonly webhook: ById<LastSale>;
}

/** Reads the facts of all restaurants that are not deleted. @param only the id of the one to read; absent: all */
export async function readFacts(
  database: Queries,
  { lateAlarmMs, processingTtlMs }: OutboxConfig,
  only?: string,
): Promise<Facts> {
  const read = async <Fact>(sql: string, ...values: number[]) => {
    const ofOne = only ? `WHERE id = $${values.length + 1}::uuid` : '';
    const rows = await database.query<{ id: string; fact: Fact }>(
      `SELECT id::text, to_jsonb(facts) - 'id' AS fact FROM (${sql}) AS facts ${ofOne}`,
      only ? [...values, only] : values,
    );
    return new Map(rows.map(({ id, fact }) => [id, fact]));
  };
  const waiting = (jobs: string, since: string) =>
    `SELECT restaurant_id AS id, count(*)::int AS jobs, round(max(extract(epoch FROM now() - ${since})) * 1000) AS ms
     FROM ${jobs}($1::int * interval '1 millisecond') GROUP BY 1`;
  const [late, stuck, parked, webhook] = await Promise.all([
    read<Waiting>(waiting('late_jobs', 'next_run_at'), lateAlarmMs),
    read<Waiting>(waiting('stuck_jobs', 'processing_at'), processingTtlMs),
    read<Parked>(
      // grouped as in prisma/sql/list-parked.sql
      `SELECT DISTINCT ON (1) restaurant_id AS id, error_cause(last_error) AS cause, count(*)::int AS "ofCause",
              sum(count(*)) OVER of_one AS jobs, count(*) OVER of_one - 1 AS "otherCauses"
       FROM parked_jobs GROUP BY 1, 2 WINDOW of_one AS (PARTITION BY restaurant_id) ORDER BY 1, 3 DESC, 2`,
    ),
    read<LastSale>(
      // one look into the index for each restaurant
      `SELECT restaurants.id, to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "receivedAt", test_mode AS test
       FROM restaurants CROSS JOIN LATERAL (SELECT received_at, test_mode FROM terminal_events
                                            WHERE restaurant_id = restaurants.id ORDER BY received_at DESC LIMIT 1) AS last
       WHERE deleted_at IS NULL`,
    ),
  ]);
  return { late, stuck, parked, webhook };
}
