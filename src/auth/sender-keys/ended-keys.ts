import type { DatabaseClock } from '../../platform/database/clock.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { Removal } from '../../platform/schedule/old-rows.js';

/** A sender key that has ended is kept for this time, in days (R58). */
const KEPT_DAYS = 90;
const BATCH = 2_000;

export const endedKeys = (prisma: PrismaService, clock: DatabaseClock): Removal => ({
  name: 'keys',
  remove: () => prisma.$executeRaw`
    DELETE FROM sender_keys WHERE id IN (
      SELECT id FROM sender_keys WHERE least(revoked_at, expires_at) < now() - ${KEPT_DAYS}::int * interval '1 day'
        AND ${clock.condition} LIMIT ${BATCH})`,
});
