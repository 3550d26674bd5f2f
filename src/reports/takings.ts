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

/** The takings of a tender type, of a business day (R15), and of an hour of the restaurant's clock. */
export type TenderTakings = { readonly tenderType: string } & Takings;
export type DayTakings = { readonly day: string; readonly orders: number; readonly mismatches: number } & Takings;
export type HourTakings = { readonly start: string; readonly orders: number } & Takings;

/** The takings of a period, all of one moment, so that the parts sum to the same. */
export interface PeriodTakings {
  /** the largest first */
  readonly byTender: readonly TenderTakings[];
  /** in order; days without a sale are left out; with how many of the sales differ from their totalAmount (M9) */
  readonly byDay: readonly DayTakings[];
  /**
   * In order (R24); hours without a sale are left out. An hour that the clock shows twice is two, told apart by their offset; the
   * first one may have begun before the period. null: not asked for.
   */
  readonly byHour: HourTakings[] | null;
}

type Row = Omit<PeriodTakings, 'byHour'> & {
  readonly byHour: readonly ({ startMs: number; offset: number; orders: number } & Takings)[] | null;
};

/** Computes the takings of a period, in one statement that reads its sales once. */
export async function takingsOf(prisma: PrismaService, period: Period, withHours: boolean): Promise<PeriodTakings> {
  const [row] = await prisma.reports.$queryRaw<Row[]>`
    WITH sale AS MATERIALIZED (
      SELECT sale.*, shown.at, ${businessDay(period)} AS day
      FROM (${salesOf(period)}) AS sale, ${shownAt(period)}
    ),
    by_tender AS (
      -- grouped before the tenders are unfolded: the planner takes every sale for a hundred of them
      SELECT tender.key AS "tenderType", ${sums(Prisma.sql`tender.value::bigint * sales`)}
      FROM (SELECT fate, paid_by_tender, count(*) AS sales FROM sale GROUP BY 1, 2) AS alike,
           jsonb_each_text(paid_by_tender) AS tender
      GROUP BY 1
    ),
    by_day AS (
      SELECT day, count(*)::int AS orders, count(amount_mismatch_cents)::int AS mismatches, ${sums(Prisma.sql`paid_cents`)}
      FROM sale GROUP BY 1
    ),
    by_hour AS (
      SELECT floor(extract(epoch FROM received_at - (shown.at - date_trunc('hour', shown.at))) * 1000) AS "startMs",
             ${OFFSET} AS "offset", count(*)::int AS orders, ${sums(Prisma.sql`paid_cents`)}
      FROM sale AS shown WHERE ${withHours} GROUP BY 1, 2
    )
    SELECT coalesce((SELECT json_agg(by_tender ORDER BY cents DESC, "tenderType") FROM by_tender), '[]') AS "byTender",
           coalesce((SELECT json_agg(by_day ORDER BY day) FROM by_day), '[]') AS "byDay",
           CASE WHEN ${withHours} THEN coalesce((SELECT json_agg(by_hour ORDER BY "startMs") FROM by_hour), '[]') END AS "byHour"`;
  const { byHour, ...takings } = row as Row;
  return { ...takings, byHour: byHour?.map(ofHour) ?? null };
}

function ofHour({ startMs, offset, ...takings }: NonNullable<Row['byHour']>[number]): HourTakings {
  return { start: timeWithOffset(new Date(startMs), offset), ...takings };
}
