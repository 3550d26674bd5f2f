import { Prisma } from '../database/generated/client.js';

/**
 * SQL: whether the business day on which a sale was received differs from the business day of its date (R28); false for a sale without
 * a date. The statement must have `terminal_events`, and `restaurant` with time zone and closing time.
 */
export const RECEIVED_ON_ANOTHER_DAY = Prisma.sql`coalesce(
  business_day(transaction_date, restaurant.timezone, restaurant.day_closes_at)
    <> business_day(received_at, restaurant.timezone, restaurant.day_closes_at), false)`;
