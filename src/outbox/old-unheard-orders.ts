import type { DatabaseClock } from '../platform/database/clock.js';
import type { PrismaService } from '../platform/database/prisma.service.js';
import type { Removal } from '../platform/schedule/old-rows.js';

/** For this time the order may be of the present business day, in hours, with a change of the clock (Q18). */
const KEPT_HOURS = 48;
const BATCH = 2_000;

/** Delivered orders that their POS never accepted or refused (R58). */
export const oldUnheardOrders = (prisma: PrismaService, clock: DatabaseClock): Removal => ({
  name: 'unheardOrders',
  remove: () => prisma.$executeRaw`
    DELETE FROM unheard_orders WHERE job_id IN (
      SELECT job_id FROM unheard_orders WHERE delivered_at < now() - ${KEPT_HOURS}::int * interval '1 hour'
        AND ${clock.condition} ORDER BY delivered_at LIMIT ${BATCH})`,
});
