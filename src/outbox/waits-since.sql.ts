import { AHEAD } from '../platform/database/clock.js';

/**
 * SQL: since when a job waits, from its columns `id`, `created_at` and `updated_at`. A job that was stored while the database's clock was ahead waits
 * since the time in its id (a UUID of version 7, by the clock of its process), or since its last move, whichever was earlier (O39).
 */
export const WAITS_SINCE = `CASE WHEN created_at <= ${AHEAD} THEN created_at
  WHEN substr(id::text, 15, 1) = '7'
  THEN least(to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0), updated_at)
  ELSE updated_at END`;
