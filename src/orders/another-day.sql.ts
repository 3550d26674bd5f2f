import { Prisma } from '../platform/database/generated/client.js';

/** SQL: the business day of a time: that of the closing that has it (B15), else by the clock of the restaurant. */
function dayOf(time: Prisma.Sql): Prisma.Sql {
  const byClock = Prisma.sql`business_day(${time}, restaurant.timezone, restaurant.day_closes_at)`;
  return Prisma.sql`closed_day_of(terminal_events.restaurant_id, ${time}, ${byClock})`;
}

/**
 * SQL: whether the business day on which a sale was received differs from the business day of its date (R28); false for a sale without
 * a date. The statement must have `terminal_events`, and `restaurant` with time zone and closing time.
 */
export const RECEIVED_ON_ANOTHER_DAY = Prisma.sql`coalesce(${dayOf(Prisma.sql`transaction_date`)} <> ${dayOf(Prisma.sql`received_at`)}, false)`;
