import { Prisma } from './generated/client.js';

/**
 * The condition of the partial indexes of parked jobs, for statements that are planned for one of them, of restaurants that are not
 * deleted. Everything else reads the view `parked_jobs` (O23).
 */
export const PARKED = Prisma.raw("status = 'DLQ' AND NOT withdrawn");
