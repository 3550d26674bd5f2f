import { Prisma } from '../platform/database/generated/client.js';

/**
 * The condition of parked jobs that nobody has settled by hand (R40), for statements that need a partial index of parked jobs. Other statements read the view
 * `parked_jobs` (O23), which also excludes deleted restaurants.
 */
export const PARKED = Prisma.raw("status = 'DLQ' AND NOT withdrawn AND resolved_at IS NULL");
