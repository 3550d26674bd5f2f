import { Prisma } from '../database/generated/client.js';
import type { Period } from './period.js';

// What reports say of a sale, as parts of their statements.

/** What a CREATE job says of its order. */
export const STATE = Prisma.sql`CASE WHEN withdrawn THEN 'withdrawn' ELSE status::text END AS state`;

/** What became of an order (R17), by `state` ({@link STATE}) and `cancellation`, the status of its CANCEL. */
export const FATE = Prisma.sql`CASE WHEN state = 'withdrawn' OR cancellation <> 'DLQ' THEN 'cancelled'
                WHEN state = 'SENT' THEN 'delivered'
                WHEN state = 'DLQ' THEN 'parked'
                ELSE 'waiting' END AS fate`;

/** What a clock in the zone of a period shows at `received_at`, as `shown.at`. */
export const shownAt = ({ timezone }: Period) =>
  Prisma.sql`LATERAL (SELECT received_at AT TIME ZONE ${timezone} AS at) AS shown`;

/**
 * The business day of `received_at` (R15), by {@link shownAt}. What the clock shows may run back over the closing time: the sale
 * then belongs to the day before, which has not ended.
 */
export function businessDay({ timezone, dayClosesAt }: Period): Prisma.Sql {
  const day = Prisma.sql`(shown.at - ${dayClosesAt}::time)::date`;
  return Prisma.sql`to_char(CASE WHEN received_at < (${day} + ${dayClosesAt}::time) AT TIME ZONE ${timezone} THEN ${day} - 1
                        ELSE ${day} END, 'YYYY-MM-DD')`;
}

/** How many minutes the clock of {@link shownAt} is ahead of UTC. */
export const OFFSET = Prisma.sql`(extract(epoch FROM shown.at - (received_at AT TIME ZONE 'UTC')) / 60)::int`;
