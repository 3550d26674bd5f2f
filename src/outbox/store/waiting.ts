import type { Prisma } from '../../database/generated/client.js';
import type { Cause } from '../../domain/cause.js';

/** A setting of a restaurant that its orders may wait for. */
export type Setting = 'codeStorePos' | 'credentials';

/** The causes that a change of the setting can mend (R32). A sign-in that met an outage has another one, and keeps its backoff. */
const WAITS_FOR: Readonly<Record<Setting, readonly Cause[]>> = {
  codeStorePos: ['no_code_store_pos'],
  credentials: ['no_credentials', 'sign_in'],
};

/**
 * Makes the jobs of a restaurant due now that failed for want of one of these settings, or whose sign-in was refused (R32). They
 * stay FAILED, with their attempts. Jobs that a worker is locking at this moment are skipped.
 * @param tx the transaction that changes the setting
 * @returns how many there are
 */
export function makeDueAfter(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  settings: readonly Setting[],
): Promise<number> {
  const causes = settings.flatMap((setting) => WAITS_FOR[setting]);
  if (causes.length === 0) return Promise.resolve(0);
  return tx.$executeRaw`
    UPDATE outbox_jobs SET next_run_at = now(), updated_at = now()
    WHERE id IN (
      SELECT id FROM outbox_jobs
      WHERE restaurant_id = ${restaurantId}::uuid AND status = 'FAILED' AND next_run_at > now() AND cause = ANY (${causes}::text[])
      FOR UPDATE SKIP LOCKED)`;
}
