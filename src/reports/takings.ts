import { Prisma } from '../database/generated/client.js';
import type { PrismaService } from '../database/prisma.service.js';
import type { Period } from './period.js';

/** An amount in cents, and how it is split by what became of the orders (R17): the four parts sum to it. */
export interface Takings {
  readonly cents: number;
  readonly deliveredCents: number;
  readonly waitingCents: number;
  readonly parkedCents: number;
  readonly cancelledCents: number;
}

/** What a CREATE job says of its order. */
const STATE = Prisma.sql`CASE WHEN withdrawn THEN 'withdrawn' ELSE status::text END AS state`;

/**
 * The sales of a period without test transactions (R2), each with what became of its order (R17). A job is created with its
 * event (W17), so that the jobs of a period are read by the index of their times; one of another time is looked up.
 */
function salesOf({ restaurantId, from, to }: Period): Prisma.Sql {
  return Prisma.sql`
    SELECT received_at, paid_cents, paid_by_tender, amount_mismatch_cents,
           CASE WHEN state = 'withdrawn' OR cancellation <> 'DLQ' THEN 'cancelled'
                WHEN state = 'SENT' THEN 'delivered'
                WHEN state = 'DLQ' THEN 'parked'
                ELSE 'waiting' END AS fate
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
        AND cancel.event_key = event.transaction_key
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

/** The takings of a period by tender type, the largest first. */
export function takingsByTender(
  prisma: PrismaService,
  period: Period,
): Promise<({ readonly tenderType: string } & Takings)[]> {
  return prisma.reports.$queryRaw`
    SELECT tender.key AS "tenderType", ${sums(Prisma.sql`tender.value::bigint`)}
    FROM (${salesOf(period)}) AS sale, jsonb_each_text(paid_by_tender) AS tender
    GROUP BY 1 ORDER BY 2 DESC, 1`;
}

/** The takings of a day, the number of its sales, and how many of them differ from their totalAmount (M9). */
export type DayTakings = { readonly day: string; readonly orders: number; readonly mismatches: number } & Takings;

/** The takings of a period by business day (R15), in order; days without a sale are left out. */
export function takingsByDay(prisma: PrismaService, period: Period): Promise<DayTakings[]> {
  const { timezone, dayClosesAt } = period;
  // What the clock shows may run back over the closing time: the sale then belongs to the day before, which has not ended.
  return prisma.reports.$queryRaw`
    SELECT to_char(CASE WHEN received_at < (shown.day + ${dayClosesAt}::time) AT TIME ZONE ${timezone} THEN shown.day - 1
                        ELSE shown.day END, 'YYYY-MM-DD') AS day,
           count(*)::int AS orders, count(amount_mismatch_cents)::int AS mismatches, ${sums(Prisma.sql`paid_cents`)}
    FROM (${salesOf(period)}) AS sale,
         LATERAL (SELECT ((received_at AT TIME ZONE ${timezone}) - ${dayClosesAt}::time)::date AS day) AS shown
    GROUP BY 1 ORDER BY 1`;
}
