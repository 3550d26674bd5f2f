import type { Prisma } from '../database/generated/client.js';
import { problem } from '../http/problem.js';
import { type Actor, type AuditAction, DAILY_QUOTAS } from './actions.js';

/**
 * Refuses an act that the actor has done too often within 24 hours (A35), counted by its audit entries. Platform administrators have no quota.
 * @throws 429 QUOTA_REACHED
 */
export async function refuseBeyondQuota(
  tx: Prisma.TransactionClient,
  { userId, email }: Actor,
  action: AuditAction,
): Promise<void> {
  const most = DAILY_QUOTAS.get(action);
  if (most === undefined) return;
  const [found] = await tx.$queryRaw<{ seconds: number | null }[]>`
    SELECT ceil(extract(epoch FROM at + interval '24 hours' - now()))::int AS seconds
    FROM audit_entries
    WHERE actor_email = ${email} AND at > now() - interval '24 hours' AND action = ${action}
      AND NOT EXISTS (SELECT FROM users WHERE id = ${userId}::uuid AND role = 'ADMIN')
    ORDER BY at DESC, id DESC OFFSET ${most - 1} LIMIT 1`;
  if (found)
    throw problem(
      'QUOTA_REACHED',
      `you have done this ${most} times within 24 hours: ask a platform administrator, or try again later`,
      Math.max(1, found.seconds ?? 1),
    );
}
