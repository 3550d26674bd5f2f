import { Prisma } from '../../database/generated/client.js';

/** A setting of a restaurant that its orders may wait for. */
export type Setting = 'codeStorePos' | 'credentials';

/** What `last_error` begins with where an attempt could not ask for its order first (O25). */
const NOT_ASKED = '^(the order may have arrived, and the POS could not be asked: )?';

/**
 * The errors of failed attempts that a setting can mend, as regular expressions of PostgreSQL: it was missing (M13, D3), or the POS
 * refused the sign-in with it (D16). A sign-in that failed of an outage (5xx, 408, 425, 429, no answer) keeps its backoff.
 */
const WAITS_FOR: Readonly<Record<Setting, string>> = {
  codeStorePos: `${NOT_ASKED}restaurant has no codeStorePos`,
  credentials:
    `${NOT_ASKED}(no POS credentials: |the restaurant's posSecret cannot be decrypted|POS authentication failed: ` +
    '|POS sign-in failed: (HTTP (?!5|408|425|429)|no answer from the POS: NO_TOKEN: the answer ))',
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
  const waits = settings.map((setting) => Prisma.sql`last_error ~ ${WAITS_FOR[setting]}`);
  if (waits.length === 0) return Promise.resolve(0);
  return tx.$executeRaw`
    UPDATE outbox_jobs SET next_run_at = now(), updated_at = now()
    WHERE id IN (
      SELECT id FROM outbox_jobs
      WHERE restaurant_id = ${restaurantId}::uuid AND status = 'FAILED' AND next_run_at > now() AND (${Prisma.join(waits, ' OR ')})
      FOR UPDATE SKIP LOCKED)`;
}
