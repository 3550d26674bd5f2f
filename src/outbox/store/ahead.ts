import { AHEAD } from '../../platform/database/clock.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { RESUMING_RESTAURANTS } from './pause.js';

/**
 * SQL: no order waits beyond this time (O38, L148). The longest wait is 60 min and its jitter (O14, O15), or such a wait of the oldest order of an
 * outage, POS_TIMEOUT_MS and 10 s (O33). After a pause orders may wait longer (O50).
 */
export const LONGEST_WAIT = "now() + interval '75 minutes'";

/**
 * Two ranges of two indexes of few rows. Only if a sale or an attempt is stored in the future, shorter waits are looked at too: those that were
 * written in the future. `$1`: the most jobs of each kind.
 */
const COME_BACK = preparedStatement(
  'jobs_ahead',
  `WITH stepped AS MATERIALIZED (
    SELECT (EXISTS (SELECT FROM terminal_events WHERE received_at > ${AHEAD})
            OR EXISTS (SELECT FROM delivery_attempts WHERE started_at > ${AHEAD})) AS seen
  ), waiting AS MATERIALIZED (
    SELECT id FROM outbox_jobs
    WHERE status IN ('PENDING', 'FAILED') AND next_run_at > CASE WHEN (SELECT seen FROM stepped) THEN ${AHEAD} ELSE ${LONGEST_WAIT} END
      AND (next_run_at > ${LONGEST_WAIT} OR updated_at > ${AHEAD})
      -- what waited during a pause may wait longer
      AND restaurant_id <> ALL (ARRAY(${RESUMING_RESTAURANTS}))
    ORDER BY next_run_at DESC LIMIT $1::int FOR UPDATE SKIP LOCKED
  ), held AS MATERIALIZED (
    SELECT id FROM outbox_jobs WHERE status = 'PROCESSING' AND processing_at > ${AHEAD}
    ORDER BY processing_at DESC LIMIT $1::int FOR UPDATE SKIP LOCKED
  ), due AS (
    UPDATE outbox_jobs SET next_run_at = now(), updated_at = now() FROM waiting
    WHERE outbox_jobs.id = waiting.id AND outbox_jobs.status::text IN ('PENDING', 'FAILED') RETURNING 1
  ), leased AS (
    UPDATE outbox_jobs SET processing_at = now() FROM held WHERE outbox_jobs.id = held.id AND outbox_jobs.status::text = 'PROCESSING' RETURNING 1
  )
  SELECT (SELECT count(*) FROM due)::int AS due, (SELECT count(*) FROM leased)::int AS leased,
         (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "databaseMs"`,
);

/** What a clock that was ahead has left in the outbox, and that was ended. */
export interface CameBack {
  /** number of jobs that were made due */
  readonly due: number;
  /** number of claims whose lease begins now */
  readonly leased: number;
  /** the database's clock, epoch ms */
  readonly databaseMs: number;
}

/**
 * Ends what a clock that was ahead has written (O38): jobs whose due time is beyond every wait are due now, and the lease of a claim of the future
 * begins now, because its worker may still be sending.
 * @param limit the most jobs of each kind
 */
export async function comeBack(prisma: PrismaService, limit: number): Promise<CameBack> {
  const [row] = await prisma.prepared<CameBack>(COME_BACK, [limit]);
  return row as CameBack;
}
