import type { Cause } from '../../domain/cause.js';
import type { Prisma } from '../../platform/database/generated/client.js';

/** A setting of a restaurant that its orders may wait for. */
export type Setting = 'codeStorePos' | 'credentials' | 'currency' | 'address';

/**
 * The causes that a change of the setting can remove (R32). A sign-in that failed in an outage has another cause, and its job keeps the
 * backoff.
 */
const WAITS_FOR: Readonly<Record<Setting, readonly Cause[]>> = {
  codeStorePos: ['no_code_store_pos'],
  credentials: ['no_credentials', 'sign_in'],
  currency: ['no_currency'],
  address: ['unanswered', 'failing', 'busy'],
};

/**
 * Makes those jobs of a restaurant due now that failed because one of these settings was missing or wrong, or because the POS refused the sign-in
 * (R32). With another address an outage ends (O33). These jobs stay FAILED and keep their attempts. Jobs that a worker is claiming at this moment are skipped.
 * @param tx the transaction that changes the settings
 * @returns the number of jobs that were made due
 */
export async function makeDueAfter(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  settings: readonly Setting[],
): Promise<number> {
  const causes = settings.flatMap((setting) => WAITS_FOR[setting]);
  if (causes.length === 0) return 0;
  // the outage was that of the POS of before
  if (settings.includes('address')) await tx.posOutage.deleteMany({ where: { restaurantId } });
  return tx.$executeRaw`
    UPDATE outbox_jobs SET next_run_at = now(), updated_at = now()
    WHERE id IN (
      SELECT id FROM outbox_jobs
      WHERE restaurant_id = ${restaurantId}::uuid AND status = 'FAILED' AND next_run_at > now() AND cause = ANY (${causes}::text[])
      FOR UPDATE SKIP LOCKED)`;
}
