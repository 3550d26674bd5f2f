import { Prisma } from '../database/generated/client.js';

/**
 * Whether a sale was received on another business day than that of its date (R28); false without a date. For a statement with
 * `terminal_events`, and with `restaurant` for time zone and closing time.
 */
export const RECEIVED_ON_ANOTHER_DAY = Prisma.sql`coalesce(
  business_day(transaction_date, restaurant.timezone, restaurant.day_closes_at)
    <> business_day(received_at, restaurant.timezone, restaurant.day_closes_at), false)`;
