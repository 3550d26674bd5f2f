import { OTHER_TENDERS, TENDER_LENGTH } from '../../domain/tenders.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { type MoneySums, moneySums, tipsOfTender } from './money.js';
import type { Period } from './period.js';
import { businessDay, offset, pieceOf, receivedOnAnotherDay, shown } from './sale.sql.js';

/** The sales that one statement reads. This takes about 50 ms of the thread that webhooks share with the embedded database. */
const PIECE_SIZE = 2_000;
/** The tender types that one piece sums separately: ten times the number that a report shows. */
export const TENDERS_KEPT = 1_000;

/** An amount in cents, split by the state of the orders (R17). `cents` is the sum of the four of the states; `resolvedCents` is a part of `parkedCents`. */
export interface Takings {
  readonly cents: number;
  readonly deliveredCents: number;
  readonly waitingCents: number;
  readonly parkedCents: number;
  readonly resolvedCents: number;
  readonly cancelledCents: number;
}

/** The takings of a tender type, of a business day (R15), and of an hour of the restaurant's clock. */
export type TenderTakings = {
  readonly tenderType: string;
  /** of sales that were paid with it alone, without cancelled orders (R69) */
  readonly tipCents: number;
  readonly serviceFeeCents: number;
} & Takings;
export type DayTakings = {
  readonly day: string;
  /** refunds are in none of the other figures (R48), tests in none at all */
  readonly money: MoneySums;
  /** sales and refunds whose own date is on another business day (R28) */
  readonly receivedOnAnotherDay: number;
} & Takings;
/** The start of the hour as epoch ms, and its UTC offset in minutes. */
export type HourTakings = { readonly startMs: number; readonly offset: number; readonly orders: number } & Takings;

/**
 * The figures of one piece of a period, which are added to the figures of the period. Test transactions count only in `tests` (R2),
 * refunds only in `byDay` (R48). The lists are unordered.
 */
export interface PieceFigures {
  /** start of the next piece */
  readonly ends: Date;
  readonly byTender: readonly TenderTakings[];
  readonly byDay: readonly DayTakings[];
  /** empty when no figures by hour were requested */
  readonly byHour: readonly HourTakings[];
  /** the number of orders by the status of the CREATE job; cancelled orders (R17) count only in `cancelled` */
  readonly orders: Readonly<Record<string, number>>;
  readonly tests: number;
  /** delivery time of each delivered order; ms */
  readonly deliveryMs: readonly number[];
  readonly oldestUndelivered: Date | null;
  /** the number of sales whose amount paid differs from their totalAmount (M9) */
  readonly mismatches: number;
}

/** The columns of {@link Takings}. @param amount SQL expression of the cents of a sale */
function sums(amount: Prisma.Sql): Prisma.Sql {
  const part = (state: Prisma.Sql) => Prisma.sql`coalesce(sum(${amount}) FILTER (WHERE state = ${state}), 0)::float8`;
  return Prisma.sql`
    sum(${amount})::float8 AS cents,
    ${part(Prisma.sql`'delivered'`)} AS "deliveredCents", ${part(Prisma.sql`'waiting'`)} AS "waitingCents",
    ${part(Prisma.sql`'parked'`)} AS "parkedCents", ${part(Prisma.sql`'cancelled'`)} AS "cancelledCents",
    coalesce(sum(${amount}) FILTER (WHERE state = 'parked' AND is_resolved), 0)::float8 AS "resolvedCents"`;
}

/** Sums the next sales of a period in one statement, so that all figures come from one snapshot. */
export async function readFigures(
  prisma: PrismaService,
  period: Period,
  at: Date,
  withHours: boolean,
): Promise<PieceFigures> {
  const time = Prisma.sql`counted_at`;
  const clock = shown(period, time);
  const list = (cte: Prisma.Sql) => Prisma.sql`coalesce((SELECT json_agg(${cte}) FROM ${cte}), '[]')`;
  const [figures] = await prisma.reports.$queryRaw<PieceFigures[]>`
    WITH ${pieceOf(period, at, PIECE_SIZE)},
    real AS MATERIALIZED (SELECT * FROM sale WHERE NOT test_mode AND NOT is_refund),
    tender AS (
      -- grouped before the tenders are unfolded: most sales are paid in one of a few ways
      SELECT left(tender.key, ${TENDER_LENGTH}::int) AS name, state, is_resolved, tender.value::bigint * sales AS cents,
             ${tipsOfTender(Prisma.sql`state = 'cancelled'`)}
      FROM (SELECT state, is_resolved, paid_by_tender, count(*) AS sales, sum(tip_cents) AS tip_cents, sum(service_fee_cents) AS service_fee_cents
            FROM real GROUP BY 1, 2, 3) AS alike,
           jsonb_each_text(paid_by_tender) AS tender
    ),
    largest AS (
      SELECT name FROM tender GROUP BY 1 ORDER BY sum(cents) DESC LIMIT ${TENDERS_KEPT}::int
    ),
    by_tender AS (
      SELECT coalesce(largest.name, ${OTHER_TENDERS}) AS "tenderType", ${sums(Prisma.sql`cents`)},
             sum(tip)::float8 AS "tipCents", sum(service_fee)::float8 AS "serviceFeeCents"
      FROM tender LEFT JOIN largest ON largest.name = tender.name GROUP BY 1
    ),
    by_day AS (
      -- what was paid for a refund is nothing
      SELECT ${businessDay(period, time)} AS day, ${moneySums(Prisma.sql`state = 'cancelled'`)} AS money, ${sums(Prisma.sql`paid_cents`)},
             count(*) FILTER (WHERE ${receivedOnAnotherDay(period)})::int AS "receivedOnAnotherDay"
      FROM sale WHERE NOT test_mode GROUP BY 1
    ),
    by_hour AS (
      SELECT floor(extract(epoch FROM counted_at - (${clock} - date_trunc('hour', ${clock}))) * 1000) AS "startMs",
             ${offset(period, time)} AS "offset", count(*)::int AS orders, ${sums(Prisma.sql`paid_cents`)}
      FROM real WHERE ${withHours} GROUP BY 1, 2
    ),
    counted AS (
      SELECT CASE WHEN state = 'cancelled' THEN state ELSE coalesce(status::text, 'PENDING') END AS status, count(*) AS orders
      FROM real GROUP BY 1
    )
    SELECT piece.ends, ${list(Prisma.sql`by_tender`)} AS "byTender", ${list(Prisma.sql`by_day`)} AS "byDay",
           ${list(Prisma.sql`by_hour`)} AS "byHour",
           coalesce((SELECT json_object_agg(status, orders) FROM counted), '{}') AS orders,
           (SELECT count(*) FROM sale WHERE test_mode)::int AS tests,
           coalesce((SELECT json_agg(round(extract(epoch FROM settled_at - received_at) * 1000, 3)) FROM real WHERE status = 'SENT'), '[]')
             AS "deliveryMs",
           (SELECT min(received_at) FROM real WHERE state = 'waiting') AS "oldestUndelivered",
           (SELECT count(amount_mismatch_cents) FROM real)::int AS mismatches
    FROM piece`;
  return figures as PieceFigures;
}
