import type { Prisma } from '../database/generated/client.js';
import { problem } from '../http/problem.js';
import type { Actor, AuditAction } from './actions.js';

/**
 * How often a user does an act within 24 hours (L152). Acts that are missing here are bounded by what they are about: a cancel by its
 * sale, an acknowledgement by its alert.
 */
export const DAILY_QUOTAS: Partial<Readonly<Record<AuditAction, number>>> = {
  'restaurant.created': 200,
  'restaurant.changed': 2_000,
  'restaurant.credentials_changed': 2_000,
  'restaurant.alert_webhook_set': 500,
  'user.linked': 500,
  'user.invited': 500,
  'user.role_changed': 2_000,
  'printer.added': 500,
  'sender_key.created': 500,
  'sender_key.rotated': 500,
  'terminal_file.confirmed': 500,
  'terminal_file.removed': 1_000,
  // each makes an entry, and an attempt, although its object stays one
  'order.resent': 2_000,
  'jobs.reset': 2_000,
  'ownership.transferred': 200,
  'auth.password_changed': 50,
};

/**
 * Refuses an act that the actor has done too often within 24 hours (A35), counted by its audit entries. Platform administrators have no quota.
 * @throws 429 QUOTA_REACHED
 */
export async function refuseBeyondQuota(
  tx: Prisma.TransactionClient,
  { userId, email }: Actor,
  action: AuditAction,
): Promise<void> {
  const most = DAILY_QUOTAS[action];
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
