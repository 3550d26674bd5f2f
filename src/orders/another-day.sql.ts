import { Prisma } from '../database/generated/client.js';

/**
 * Whether a sale was received on another business day than that of its own date (R28); false without one. Of `terminal_events`, beside
 * `restaurant` with the time zone and closing time of its restaurant.
 */
export const RECEIVED_ON_ANOTHER_DAY = Prisma.sql`coalesce(
  business_day(transaction_date, restaurant.timezone, restaurant.day_closes_at)
    <> business_day(received_at, restaurant.timezone, restaurant.day_closes_at), false)`;
