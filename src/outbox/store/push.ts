import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { ClaimedJob } from './claim.js';
import { COLUMNS, JOINS, jobOf, type OfferedJob, POS_HOLDER, type Row } from './offer.js';

const PUSHED = preparedStatement(
  'pushed',
  `SELECT ${COLUMNS}, job.locked_by AS "lockedBy", job.processing_at::text AS "claimedAt", false AS "isNew", NULL AS payload
   FROM outbox_jobs job ${JOINS} WHERE job.id = $1::uuid AND job.locked_by = $2`,
);

/** What the event of a claimed job says (Q19). @returns undefined when the claim was lost */
export async function pushedJob(
  prisma: PrismaService,
  { id, lockedBy }: Pick<ClaimedJob, 'id' | 'lockedBy'>,
): Promise<OfferedJob | undefined> {
  const [row] = await prisma.prepared<Row>(PUSHED, [id, lockedBy]);
  return row && jobOf(row);
}

/** The client secret of credentials, encrypted by SecretBox (S14). */
export interface SealedClientSecret {
  readonly credentialId: string;
  readonly sealed: string;
}

const CLIENT_SECRETS = preparedStatement(
  'client_secrets',
  `SELECT id::text AS "credentialId", secret AS sealed FROM live_pos_credentials
   WHERE restaurant_id = $1::uuid AND secret IS NOT NULL ORDER BY created_at DESC, id`,
);

/** The client secrets of a restaurant that work now, the newest first (Q20). */
export function clientSecrets(prisma: PrismaService, restaurantId: string): Promise<SealedClientSecret[]> {
  return prisma.prepared<SealedClientSecret>(CLIENT_SECRETS, [restaurantId]);
}

/**
 * Claims an order for its POS, which speaks of it although its last event had no clear answer (Q21): the caller settles it. The claim is that of a
 * poll, so that the reaper knows its lease. The caller has made sure that the statement is about the present offer (Q23).
 * @returns whether there was such an order
 */
export async function claimSpokenOf(prisma: PrismaService, restaurantId: string, jobId: string): Promise<boolean> {
  const changed = await prisma.$executeRaw`
    UPDATE outbox_jobs job
    SET status = 'PROCESSING', attempts = attempts + 1, processing_at = now(), updated_at = now(), locked_by = ${POS_HOLDER} || gen_random_uuid()
    WHERE id = ${jobId}::uuid AND restaurant_id = ${restaurantId}::uuid AND action = 'CREATE' AND status = 'FAILED'
      AND EXISTS (SELECT FROM restaurants WHERE restaurants.id = job.restaurant_id AND pos_base_url IS NOT NULL)
      AND (SELECT reach <> 'NOT_SENT' FROM delivery_attempts WHERE job_id = job.id ORDER BY started_at DESC, number DESC LIMIT 1)`;
  return changed > 0;
}
