import { Prisma } from './generated/client.js';

/**
 * The condition of the partial indexes of parked jobs, for statements that need one of these indexes. Other statements read the view
 * `parked_jobs` (O23), which also excludes deleted restaurants.
 */
export const PARKED = Prisma.raw("status = 'DLQ' AND NOT withdrawn");
