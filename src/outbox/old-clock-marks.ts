import type { DatabaseClock } from '../platform/database/clock.js';
import type { PrismaService } from '../platform/database/prisma.service.js';
import type { Removal } from '../platform/schedule/old-rows.js';

/** Twice as long as the earliest begin of a list of receipts (L130), in days (L198). */
const KEPT_DAYS = 62;

/** Marks of the database's clock that no list goes back to (V29). */
export const oldClockMarks = (prisma: PrismaService, clock: DatabaseClock): Removal => ({
  name: 'clockMarks',
  remove: () => prisma.$executeRaw`
    DELETE FROM clock_marks WHERE hour < now() - ${KEPT_DAYS}::int * interval '1 day' AND ${clock.condition}`,
});
