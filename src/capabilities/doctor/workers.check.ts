import { LOST_AFTER } from '../../outbox/conditions.sql.js';
import type { OutboxConfig } from '../../platform/config/config.js';
import { AHEAD } from '../../platform/database/clock.js';
import { bad, type Check, count, duration } from './check.js';
import type { Connection } from './connection.js';

const NAME = 'workers';
/** The most late orders that are counted. */
const COUNTED = 10_000;

interface Row {
  readonly late: number;
  /** of the oldest, ms */
  readonly ms: number;
  /** live processes with WORKER_ENABLED=true */
  readonly workers: number;
  /** when such a process was last seen; null: none is known */
  readonly seen: string | null;
  readonly [column: string]: unknown;
}

/**
 * Whether anybody works on the late orders (O23, R21): without a worker all restaurants are late, and the cause is one. No order is late: no
 * check, since the command also runs before the first start.
 */
export async function workersCheck(database: Connection, { lateAlarmMs }: OutboxConfig): Promise<Check[]> {
  const [row] = await database.query<Row>(
    `SELECT late.*, seen.* FROM
       (SELECT count(*)::int AS late, round(max(extract(epoch FROM now() - next_run_at)) * 1000)::float8 AS ms
        FROM (SELECT next_run_at FROM late_jobs($1::int * interval '1 millisecond') ORDER BY next_run_at LIMIT ${COUNTED}) AS counted) AS late,
       (SELECT count(*) FILTER (WHERE last_seen_at BETWEEN now() - ${LOST_AFTER} AND ${AHEAD})::int AS workers,
               to_char(max(last_seen_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') AS seen
        FROM relay_instances WHERE worker_enabled) AS seen`,
    [lateAlarmMs],
  );
  if (!row || row.late === 0) return [];
  const orders = `${row.late === COUNTED ? `${COUNTED} or more orders are` : row.late === 1 ? '1 order is' : `${row.late} orders are`} late, by up to ${duration(row.ms)}`;
  if (row.workers === 0) {
    const last = row.seen === null ? 'none is known' : `the last one was seen on ${row.seen}`;
    return [
      {
        name: NAME,
        ...bad(`${orders}, and no relay works on orders: ${last}`, {
          hint: 'start a relay with WORKER_ENABLED=true; the orders are sent then, the oldest first',
        }),
      },
    ];
  }
  return [
    {
      name: NAME,
      ...bad(`${orders}, and ${count(row.workers, 'relay works', 'relays work')} on orders`, {
        hint: 'they do not keep up, or the POS refuses: see the POS below, OUTBOX_BATCH_SIZE and OUTBOX_PACE, and the throughput on the page of operators',
      }),
    },
  ];
}
