import type { PrismaService } from '../../platform/database/prisma.service.js';
import { CAUSE_OF_OLD_ERROR } from './old-causes.sql.js';

/** Jobs that one statement looks at (L141). */
const BATCH = 500;
/** The jobs whose error may lack a cause, and the rest of the index that has them, after the restaurant. */
export const WALKS = [
  ["status = 'DLQ' AND NOT withdrawn", 'updated_at'],
  ["status = 'DLQ' AND withdrawn", 'updated_at'],
  ["status IN ('PENDING', 'FAILED')", 'next_run_at'],
] as const;

/** Where a batch of a walk ended: a job's restaurant, time and id. */
export type Place = readonly [restaurant: string, at: string, id: string];

const ZERO = '00000000-0000-0000-0000-000000000000';
const START: Place = [ZERO, '-infinity', ZERO];

const statement = (condition: string, at: string) => `
  WITH seen AS MATERIALIZED (
    SELECT id, restaurant_id, ${at} AS at, last_error IS NOT NULL AND cause IS NULL AS lacks FROM outbox_jobs
    WHERE ${condition} AND (restaurant_id, ${at}, id) > ($1::uuid, $2::timestamptz, $3::uuid)
    ORDER BY restaurant_id, ${at}, id LIMIT ${BATCH}
  ), found AS MATERIALIZED (
    SELECT id, ${CAUSE_OF_OLD_ERROR} AS cause FROM outbox_jobs
    WHERE id = ANY (ARRAY(SELECT id FROM seen WHERE lacks)) AND ${condition} AND last_error IS NOT NULL AND cause IS NULL
    FOR UPDATE SKIP LOCKED
  ), caused AS (
    UPDATE outbox_jobs job SET cause = found.cause FROM found WHERE job.id = found.id AND found.cause IS NOT NULL
    RETURNING job.id, job.cause, job.last_error
  ), attempts AS (
    -- of their attempts the last, whose error the job has (O31)
    UPDATE delivery_attempts SET cause = newest.cause
    FROM (SELECT attempt.id, caused.cause FROM caused CROSS JOIN LATERAL (
            SELECT id, error FROM delivery_attempts WHERE job_id = caused.id ORDER BY started_at DESC LIMIT 1) AS attempt
          WHERE attempt.error = caused.last_error) AS newest
    WHERE delivery_attempts.id = newest.id
  )
  SELECT (SELECT count(*)::int FROM caused) AS caused,
         (SELECT ARRAY[restaurant_id::text, at::text, id::text] FROM seen ORDER BY restaurant_id DESC, at DESC, id DESC LIMIT 1) AS end`;

/**
 * Gives the next jobs of a walk that have an error and no cause the cause of their error, and their last attempt too.
 * @param after where the batch before ended; absent: at the first job
 * @returns how many, and where the batch ended; `end` undefined: there was no job
 */
export async function fillCauses(
  prisma: PrismaService,
  [condition, at]: (typeof WALKS)[number],
  after: Place = START,
): Promise<{ readonly caused: number; readonly end: Place | undefined }> {
  const [batch] = await prisma.unprepared<{ caused: number; end: Place | null }>(statement(condition, at), after);
  return { caused: batch?.caused ?? 0, end: batch?.end ?? undefined };
}
