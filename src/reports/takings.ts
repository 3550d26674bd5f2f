import { Prisma } from '../database/generated/client.js';
import type { PrismaService } from '../database/prisma.service.js';
import { timeWithOffset } from '../domain/time.js';
import type { Period } from './period.js';
import { businessDay, FATE, OFFSET, STATE, shownAt } from './sale.sql.js';

/** An amount in cents, and how it is split by what became of the orders (R17): the four parts sum to it. */
export interface Takings {
  readonly cents: number;
  readonly deliveredCents: number;
  readonly waitingCents: number;
  readonly parkedCents: number;
  readonly cancelledCents: number;
}

/**
 * The sales of a period without test transactions (R2), each with what became of its order (R17). A job is created with its
 * event (W17), so that the jobs of a period are read by the index of their times; one of another time is looked up. A cancel is
 * never older than its order.
 */
function salesOf({ restaurantId, from, to }: Period): Prisma.Sql {
  return Prisma.sql`
    SELECT received_at, paid_cents, paid_by_tender, amount_mismatch_cents,
           ${FATE}
    FROM (
      SELECT event.*, cancel.status AS cancellation, coalesce(job.state, (
        SELECT ${STATE} FROM outbox_jobs WHERE restaurant_id = event.restaurant_id
          AND event_key = event.transaction_key AND action = 'CREATE')) AS state
      FROM terminal_events event
      LEFT JOIN (
        SELECT event_key, ${STATE} FROM outbox_jobs WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CREATE'
          AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz
      ) AS job ON job.event_key = event.transaction_key
      LEFT JOIN outbox_jobs cancel ON cancel.restaurant_id = ${restaurantId}::uuid AND cancel.action = 'CANCEL'
        AND cancel.event_key = event.transaction_key AND cancel.created_at >= ${from}::timestamptz
      WHERE event.restaurant_id = ${restaurantId}::uuid AND NOT event.test_mode
        AND event.received_at >= ${from}::timestamptz AND event.received_at < ${to}::timestamptz
    ) AS sale`;
}

/** The columns of {@link Takings}. @param amount SQL expression of the cents of a sale */
function sums(amount: Prisma.Sql): Prisma.Sql {
  const part = (fate: Prisma.Sql) => Prisma.sql`coalesce(sum(${amount}) FILTER (WHERE fate = ${fate}), 0)::float8`;
  return Prisma.sql`
    sum(${amount})::float8 AS cents,
    ${part(Prisma.sql`'delivered'`)} AS "deliveredCents", ${part(Prisma.sql`'waiting'`)} AS "waitingCents",
    ${part(Prisma.sql`'parked'`)} AS "parkedCents", ${part(Prisma.sql`'cancelled'`)} AS "cancelledCents"`;
}

/**
 * The takings of a period by tender type, the largest first. The sales are grouped before their tenders are unfolded: the planner
 * takes every sale for a hundred tenders, and would read the whole table for so many.
 */
export function takingsByTender(
  prisma: PrismaService,
  period: Period,
): Promise<({ readonly tenderType: string } & Takings)[]> {
  return prisma.reports.$queryRaw`
    SELECT tender.key AS "tenderType", ${sums(Prisma.sql`tender.value::bigint * sales`)}
    FROM (SELECT fate, paid_by_tender, count(*) AS sales FROM (${salesOf(period)}) AS sale GROUP BY 1, 2) AS sale,
         jsonb_each_text(paid_by_tender) AS tender
    GROUP BY 1 ORDER BY 2 DESC, 1`;
}

/** The takings of a day, the number of its sales, and how many of them differ from their totalAmount (M9). */
export type DayTakings = { readonly day: string; readonly orders: number; readonly mismatches: number } & Takings;

/** The takings of a period by business day (R15), in order; days without a sale are left out. */
export function takingsByDay(prisma: PrismaService, period: Period): Promise<DayTakings[]> {
  return prisma.reports.$queryRaw`
    SELECT ${businessDay(period)} AS day,
           count(*)::int AS orders, count(amount_mismatch_cents)::int AS mismatches, ${sums(Prisma.sql`paid_cents`)}
    FROM (${salesOf(period)}) AS sale, ${shownAt(period)}
    GROUP BY 1 ORDER BY 1`;
}

/** The takings of an hour that the restaurant's clock showed, and the number of its sales. */
export type HourTakings = { readonly start: string; readonly orders: number } & Takings;

/**
 * The takings of a period by hour of the restaurant's clock (R24), in order; hours without a sale are left out. An hour that the
 * clock shows twice is two, told apart by their offset; the first one may have begun before the period.
 */
export async function takingsByHour(prisma: PrismaService, period: Period): Promise<HourTakings[]> {
  const rows = await prisma.reports.$queryRaw<({ start: Date; offset: number; orders: number } & Takings)[]>`
    SELECT received_at - (shown.at - date_trunc('hour', shown.at)) AS start, ${OFFSET} AS "offset",
           count(*)::int AS orders, ${sums(Prisma.sql`paid_cents`)}
    FROM (${salesOf(period)}) AS sale, ${shownAt(period)}
    GROUP BY 1, 2 ORDER BY 1`;
  return rows.map(({ start, offset, ...takings }) => ({ start: timeWithOffset(start, offset), ...takings }));
}
