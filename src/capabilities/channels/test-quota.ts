import { founderOf } from '../../auth/founder.js';
import type { Prisma } from '../../platform/database/generated/client.js';
import { problem } from '../../platform/http/problem.js';
import { CHANNEL_CODES } from './error-codes.js';

/** Test mails to addresses that nobody has confirmed (L154), for all instances together. */
const MOST_AN_HOUR = 20;
/** to an account and all accounts that it, or one of them, has created */
const MOST_OF_FOUNDER_AN_HOUR = 3;
/** To one account, until a day has passed without one. */
const MOST_OF_ACCOUNT = 3;
const HOUR_SECONDS = 3_600;

interface Counts {
  readonly confirmed: boolean;
  readonly ofAccount: number;
  readonly ofAll: number;
  readonly ofFounder: number;
  readonly others: number;
}

/**
 * Refuses a test mail, already counted in the row of the user, beyond the limits for addresses that nobody has confirmed (G46): otherwise
 * anybody with an account could make the relay write to strangers. Must be called under {@link lockTestMails}.
 * @throws 429 TOO_MANY_TESTS
 */
export async function refuseBeyondTestQuota(tx: Prisma.TransactionClient, userId: string): Promise<void> {
  const founder = await founderOf(tx, userId);
  const [counts] = await tx.$queryRaw<Counts[]>`
    WITH RECURSIVE recent AS MATERIALIZED (
      SELECT users.id, regexp_replace(email, '[+][^@]*@', '@') AS mailbox, created_by, mail_tests, mail_tested_at, mail_confirmed_at
      FROM notification_preferences JOIN users ON users.id = user_id
      WHERE mail_tested_at > now() - interval '1 day'),
    unproven AS (
      SELECT * FROM recent WHERE mail_confirmed_at IS NULL AND mail_tested_at > now() - interval '1 hour'),
    ancestors AS (
      SELECT id AS account, id, created_by, mail_tests FROM unproven
      UNION ALL
      SELECT account, creator.id, creator.created_by, mail_tests FROM ancestors JOIN users creator ON creator.id = ancestors.created_by)
    SELECT mail_confirmed_at IS NOT NULL AS confirmed, mail_tests AS "ofAccount",
           (SELECT coalesce(sum(mail_tests), 0)::int FROM unproven) AS "ofAll",
           (SELECT coalesce(sum(mail_tests), 0)::int FROM ancestors WHERE ancestors.id = ${founder}::uuid) AS "ofFounder",
           (SELECT count(*)::int FROM recent WHERE recent.mailbox = own.mailbox AND recent.id <> own.id) AS others
    FROM recent own WHERE own.id = ${userId}::uuid`;
  if (!counts || counts.confirmed) return;
  const { ofAccount, ofAll, ofFounder, others } = counts;
  if (ofAccount <= MOST_OF_ACCOUNT && ofAll <= MOST_AN_HOUR && ofFounder <= MOST_OF_FOUNDER_AN_HOUR && others === 0)
    return;
  throw problem(
    CHANNEL_CODES.TOO_MANY_TESTS,
    'too many test mails went to addresses that nobody has confirmed: confirm the one that arrived, or try again later',
    HOUR_SECONDS,
  );
}

/** One test mail of all instances is counted at a time, until the transaction ends. */
export async function lockTestMails(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('test mails'))`;
}
