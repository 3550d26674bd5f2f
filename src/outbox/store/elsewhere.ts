import type { JobAction } from '../../domain/job.js';
import { AHEAD } from '../../platform/database/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { ARRIVED } from './may-have-arrived.js';

/**
 * SQL condition: the last POS that got this order, or one that may have got it, is one to which the orders of its restaurant do not go any more (Q30), and
 * nobody has decided since: a job that was parked for it, and is sent again, was reset by somebody who knows.
 * @param create SQL: the row of the CREATE job
 * @param action of the job that is parked for it
 */
export function isElsewhere(create: string, action: JobAction): Prisma.Sql {
  const own = Prisma.raw(create);
  return Prisma.sql`EXISTS (
    SELECT FROM restaurants WHERE restaurants.id = ${own}.restaurant_id AND pos_since IS NOT NULL
      AND CASE ${own}.status
        WHEN 'SENT' THEN (
          SELECT started_at < pos_since FROM delivery_attempts WHERE job_id = ${own}.id AND outcome = 'SENT' ORDER BY started_at DESC LIMIT 1)
        ELSE EXISTS (SELECT FROM delivery_attempts WHERE job_id = ${own}.id AND ${ARRIVED} AND started_at < pos_since) END
      AND NOT EXISTS (
        SELECT FROM outbox_jobs parked JOIN delivery_attempts decided ON decided.job_id = parked.id
        WHERE parked.event_key = ${own}.event_key AND parked.restaurant_id = ${own}.restaurant_id AND parked.action = ${action}::job_action
          AND decided.outcome = 'DLQ' AND decided.cause = 'unconfirmed'
          -- a change while the clock was ahead: else each reset would be parked again
          AND (decided.started_at >= pos_since OR pos_since > ${Prisma.raw(AHEAD)})))`;
}
