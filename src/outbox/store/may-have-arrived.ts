import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';

/**
 * SQL condition: a recorded attempt may have arrived at the POS (D17). Such an attempt ended without an answer (timeout, reset, expired
 * lease), with an incomplete body, or with a 5xx, which a proxy may have sent in place of the POS. Used for duplicates (D12), cancels
 * (C6, C7) and look-ups (D19).
 */
export const ARRIVED = Prisma.sql`(reach = 'UNKNOWN' OR (reach = 'ANSWERED' AND http_status >= 500))`;

/**
 * SQL condition: a recorded attempt of a job may have arrived at the POS.
 * @param jobId SQL expression of the job's id
 */
export function anAttemptMayHaveArrived(jobId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT 1 FROM delivery_attempts WHERE job_id = ${jobId} AND ${ARRIVED})`;
}

/** Whether a recorded attempt of this job may have arrived at the POS (D17). */
export async function mayHaveArrivedBefore(prisma: PrismaService, jobId: string): Promise<boolean> {
  const [row] = await prisma.$queryRaw<{ arrived: boolean }[]>`
    SELECT ${anAttemptMayHaveArrived(Prisma.sql`${jobId}::uuid`)} AS arrived`;
  return row?.arrived === true;
}
