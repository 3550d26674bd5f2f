import { Prisma } from '../../platform/database/generated/client.js';

/**
 * SQL: whether a line was written wrongly by a version before (B14): it told that a refund was settled, cancelled or delivered, of which
 * nothing becomes later. The statement has `day_lines` as `line`.
 */
export const IS_WRONG = Prisma.sql`(line.kind <> 'LATE' AND coalesce((
  SELECT sale.kind = 'REFUND' FROM day_sales sale
  WHERE sale.restaurant_id = line.restaurant_id AND sale.event_key = line.event_key), false))`;
