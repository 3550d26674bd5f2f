import type { DatabaseClock } from '../../platform/database/clock.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { Removal } from '../../platform/schedule/old-rows.js';

/** Credentials of a POS that have ended are kept for this time, in days (R58). */
const KEPT_DAYS = 90;
const BATCH = 2_000;

export const endedCredentials = (prisma: PrismaService, clock: DatabaseClock): Removal => ({
  name: 'posCredentials',
  remove: () => prisma.$executeRaw`
    DELETE FROM pos_credentials WHERE id IN (
      SELECT id FROM pos_credentials WHERE least(revoked_at, expires_at) < now() - ${KEPT_DAYS}::int * interval '1 day'
        AND ${clock.condition} LIMIT ${BATCH})`,
});
