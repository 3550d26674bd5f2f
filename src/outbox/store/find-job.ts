import type { PrismaService } from '../../database/prisma.service.js';
import { readStoredTrace, type Trace } from '../../domain/trace.js';

/** @returns the id of the CREATE job with this key (W20), also if its event was removed; undefined when the restaurant has no such job */
export async function findJob(
  prisma: PrismaService,
  restaurantId: string,
  transactionKey: string,
): Promise<string | undefined> {
  const job = await prisma.outboxJob.findUnique({
    where: { eventKey_restaurantId_action: { eventKey: transactionKey, restaurantId, action: 'CREATE' } },
    select: { id: true },
  });
  if (job) return job.id;
  const spent = await prisma.spentKey.findUnique({
    where: { transactionKey_restaurantId: { transactionKey, restaurantId } },
    select: { jobId: true },
  });
  return spent?.jobId;
}

/**
 * @returns the CREATE job of this source key in test mode (W23), and the trace of its event if the event has one; undefined when there is no
 *   such job
 */
export async function findTestJob(
  prisma: PrismaService,
  restaurantId: string,
  sourceKey: string,
): Promise<{ readonly jobId: string; readonly trace: Trace | undefined } | undefined> {
  const job = await prisma.outboxJob.findFirst({
    where: { action: 'CREATE', event: { restaurantId, sourceKey, testMode: true } },
    select: { id: true, event: { select: { trace: true } } },
  });
  if (job) return { jobId: job.id, trace: readStoredTrace(hexOf(job.event.trace)) };
  const spent = await prisma.spentKey.findFirst({
    where: { restaurantId, sourceKey, testMode: true },
    select: { jobId: true },
  });
  return spent ? { jobId: spent.jobId, trace: undefined } : undefined;
}

function hexOf(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString('hex');
}
