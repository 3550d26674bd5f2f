import type { Day } from '../../domain/business-day.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';

/** A business day whose bounds are not those of the restaurant's clock of now (B15). */
export interface ClosedSpan {
  readonly day: Day;
  readonly begins: string;
  /** exclusive */
  readonly ends: string;
}

/** A date of a sale that counts is in the days of its receipt and this many before and after (R29). */
const REACH_DAYS = 34;

/** SQL: begin or end of a closing of the restaurant, or null. */
const bound = (restaurantId: string, day: Prisma.Sql, name: 'beginsAt' | 'endsAt') => Prisma.sql`(
  SELECT (content::jsonb ->> ${name})::timestamptz FROM business_days WHERE restaurant_id = ${restaurantId}::uuid AND day = ${day})`;

/**
 * SQL: when a business day begins (B15): as it was closed, or where the day before was closed, else by the clock of the restaurant, which the
 * statement has as `timezone` and `closes`. Null for a null.
 */
export const dayBegins = (restaurantId: string, day: Prisma.Sql) => Prisma.sql`coalesce(
  ${bound(restaurantId, day, 'beginsAt')}, ${bound(restaurantId, Prisma.sql`${day} - 1`, 'endsAt')}, (${day} + closes) AT TIME ZONE timezone)`;

/** SQL: when a business day ends. As {@link dayBegins}. */
export const dayEnds = (restaurantId: string, day: Prisma.Sql) => Prisma.sql`coalesce(
  ${bound(restaurantId, day, 'endsAt')}, ${bound(restaurantId, Prisma.sql`${day} + 1`, 'beginsAt')},
  greatest(${bound(restaurantId, Prisma.sql`${day} - 1`, 'endsAt')}, (${day} + 1 + closes) AT TIME ZONE timezone))`;

/**
 * Reads the days around a span whose bounds differ from the clock of now: none, unless somebody has changed time zone or closing time. The
 * open day begins where the last closing ended, and no day before the first closing reaches into it.
 */
export async function closedSpans(
  prisma: PrismaService,
  restaurantId: string,
  { timezone, dayClosesAt, from, to }: { timezone: string; dayClosesAt: string; from: Date; to: Date },
): Promise<readonly ClosedSpan[]> {
  const begin = (day: Prisma.Sql) => Prisma.sql`((${day} + ${dayClosesAt}::time) AT TIME ZONE ${timezone})`;
  const day = Prisma.sql`day`;
  return prisma.reports.$queryRaw<ClosedSpan[]>`
    WITH closing AS MATERIALIZED (
      SELECT number, day, (said ->> 'beginsAt')::timestamptz AS begins, (said ->> 'endsAt')::timestamptz AS ends
      FROM (
        SELECT number, day, content::jsonb AS said FROM business_days
        WHERE restaurant_id = ${restaurantId}::uuid
          AND day BETWEEN ${from}::timestamptz::date - ${REACH_DAYS}::int AND ${to}::timestamptz::date + ${REACH_DAYS}::int
      ) AS closed
    ), span AS (
      SELECT day, begins, ends FROM closing WHERE begins <> ${begin(day)} OR ends <> ${begin(Prisma.sql`day + 1`)}
      UNION ALL
      SELECT day + 1, ends, greatest(ends, ${begin(Prisma.sql`day + 2`)}) FROM closing
      WHERE number = (SELECT max(number) FROM business_days WHERE restaurant_id = ${restaurantId}::uuid) AND ends <> ${begin(Prisma.sql`day + 1`)}
      UNION ALL
      SELECT day - 1, ${begin(day)}, begins FROM closing WHERE number = 1 AND begins > ${begin(day)}
    )
    SELECT to_char(day, 'YYYY-MM-DD') AS day, to_json(begins) #>> '{}' AS begins, to_json(ends) #>> '{}' AS ends
    FROM span WHERE begins < ends ORDER BY begins`;
}
