import { ASKED, type Traces } from '../../domain/lookup.js';
import { AHEAD } from '../../platform/database/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { EventReference } from './cancel.js';
import type { HeldJob } from './claim.js';
import { isElsewhere } from './elsewhere.js';
import { ARRIVED } from './may-have-arrived.js';

/**
 * Reads what the recorded attempts of an event's jobs show about the event's order at the POS (D21), by the database's clock.
 *
 * The last contact is the last attempt that sent the order or its cancel, or that found the order at the POS. A request of the last contact
 * may reach the POS until POS_TIMEOUT_MS after the attempt ended; after an expired lease no request is under way (D4). A 404 to a look-up
 * counts only if the attempt that looked up began after that time.
 * Whether another POS may have the order is read for a CREATE job: the cancel asks before (Q30).
 * @param timeoutMs POS_TIMEOUT_MS
 */
export async function tracesOf(
  prisma: PrismaService,
  { eventKey, restaurantId, action }: EventReference & Pick<HeldJob, 'action'>,
  timeoutMs: number,
): Promise<Traces> {
  const deadline = Prisma.sql`CASE WHEN reach = 'NOT_SENT' OR outcome = 'LOST' THEN ended_at
    ELSE ended_at + ${timeoutMs}::int * interval '1 millisecond' END`;
  const ahead = Prisma.raw(AHEAD);
  const [traces] = await prisma.$queryRaw<Traces[]>`
    WITH attempt AS MATERIALIZED (
      SELECT action, started_at, outcome, reach, http_status, error_code,
             CASE WHEN started_at <= ${ahead} THEN started_at + duration_ms * interval '1 millisecond'
               -- recorded while the clock was ahead: it ended before the next attempt of its job began (O41)
               ELSE coalesce(min(started_at) FILTER (WHERE started_at <= ${ahead}) OVER later, now()) END AS ended_at
      FROM outbox_jobs job JOIN delivery_attempts ON job_id = job.id
      WHERE job.event_key = ${eventKey} AND job.restaurant_id = ${restaurantId}::uuid
      WINDOW later AS (PARTITION BY job_id ORDER BY number ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
    ), last_contact AS (
      SELECT max(${deadline}) AS over_at FROM attempt
      WHERE reach <> 'NOT_SENT' OR error_code IN (${ASKED.found}, ${ASKED['in-progress']})
    )
    SELECT EXISTS (SELECT 1 FROM attempt WHERE action = 'CREATE' AND ${ARRIVED}) AS "mayHaveArrived",
           greatest(0, coalesce(extract(epoch FROM last_contact.over_at - now()) * 1000, 0))::float8 AS "deadlineInMs",
           (SELECT extract(epoch FROM now() - min(ended_at)) * 1000 FROM attempt
            WHERE reach = 'NOT_SENT' AND error_code = ${ASKED['not-found']} AND started_at >= last_contact.over_at
           )::float8 AS "notFoundForMs",
           (SELECT ${isElsewhere('job', 'CREATE')} FROM outbox_jobs job
            WHERE job.event_key = ${eventKey} AND job.restaurant_id = ${restaurantId}::uuid AND action = 'CREATE'
              AND ${action}::text = 'CREATE') IS TRUE AS "isElsewhere"
    FROM last_contact`;
  return traces as Traces;
}
