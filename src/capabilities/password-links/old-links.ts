import type { DatabaseClock } from '../../platform/database/clock.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { Removal } from '../../platform/schedule/old-rows.js';
import { PASSWORD_MAIL } from './password-mail.js';

const BATCH = 2_000;

/** Links that have expired, and their mails, are removed after a day (R58), unless the clocks differ (S36). */
export const oldLinks = (prisma: PrismaService, clock: DatabaseClock): Removal => ({
  name: 'passwordLinks',
  remove: () => prisma.$executeRaw`
    WITH old AS (
      DELETE FROM password_links WHERE id IN (
        SELECT id FROM password_links WHERE expires_at < now() - interval '1 day' AND ${clock.condition} LIMIT ${BATCH})
      RETURNING id
    ), mails AS (DELETE FROM notifications USING old WHERE message_kind = ${PASSWORD_MAIL} AND subject = old.id RETURNING old.id)
    SELECT id FROM mails`,
});
