import { IS_REFUND, SIGNED_CENTS } from '../../outbox/sale-kind.sql.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { type Period, receiptsOf } from './period.js';

// SQL parts of reports about sales.

/** SQL: the business day (R15) of a time, as a date: that of the closing that has it (B15), else by the clock of the restaurant. */
function dayOf({ timezone, dayClosesAt, closed }: Period, time: Prisma.Sql): Prisma.Sql {
  const byClock = Prisma.sql`business_day(${time}, ${timezone}, ${dayClosesAt})`;
  if (closed.length === 0) return byClock;
  return Prisma.sql`coalesce((
    SELECT day FROM json_to_recordset(${JSON.stringify(closed)}::json) AS closed(day date, begins timestamptz, ends timestamptz)
    WHERE ${time} >= begins AND ${time} < ends LIMIT 1), ${byClock})`;
}

/** SQL: the business day of a time, as text. */
export const businessDay = (period: Period, time: Prisma.Sql) =>
  Prisma.sql`to_char(${dayOf(period, time)}, 'YYYY-MM-DD')`;

/** SQL: whether a sale has a date whose business day is not the one of its receipt (R28). */
export const receivedOnAnotherDay = (period: Period) =>
  Prisma.sql`coalesce(${dayOf(period, Prisma.sql`transaction_date`)} <> ${dayOf(period, Prisma.sql`received_at`)}, false)`;

/** SQL: a time as local time in the zone of a period. */
export const shown = ({ timezone }: Period, time: Prisma.Sql) => Prisma.sql`(${time} AT TIME ZONE ${timezone})`;

/** SQL: the UTC offset of the zone of a period at a time, in minutes. */
export const offset = (period: Period, time: Prisma.Sql) =>
  Prisma.sql`(extract(epoch FROM ${shown(period, time)} - (${time} AT TIME ZONE 'UTC')) / 60)::int`;

/**
 * SQL: the time by which a sale is assigned to a period (R29). A sale with an implausible date counts by its receipt, so that no sale
 * is missing from reports.
 */
const COUNTED_AT = {
  receipt: Prisma.sql`received_at`,
  sale: Prisma.sql`CASE WHEN transaction_date BETWEEN received_at - interval '744 hours' AND received_at + interval '24 hours'
                        THEN transaction_date ELSE received_at END`,
};

/**
 * SQL: the next sales of a period in the order of their receipt, as the CTEs `piece` and `sale`. `piece.ends` is the start of the next
 * piece. `sale` has the columns of the event that reports read, `counted_at` (R29), `is_refund`, `net_cents` (R48), `state`, and from the CREATE job `status`, `is_resolved` and
 * `settled_at`, the time of its last move. Jobs are looked up by key, and a statement reads at most one piece, with any statistics and
 * for a period of any length (decisions/032).
 * @param at the start of the piece
 * @param size the number of sales in the piece, without those received in the same millisecond as the first sale
 */
export function pieceOf(period: Period, at: Date, size: number): Prisma.Sql {
  const { restaurantId, from, to, by } = period;
  const end = receiptsOf(period).to;
  const job = (action: Prisma.Sql) => Prisma.sql`outbox_jobs.event_key = event.transaction_key
          AND outbox_jobs.restaurant_id = ${restaurantId}::uuid AND outbox_jobs.action = ${action}`;
  return Prisma.sql`
    piece AS MATERIALIZED (
      SELECT coalesce((
        SELECT received_at FROM terminal_events
        WHERE restaurant_id = ${restaurantId}::uuid AND received_at > ${at}::timestamptz AND received_at < ${end}::timestamptz
        ORDER BY received_at OFFSET ${size}::int LIMIT 1), ${end}::timestamptz) AS ends
    ),
    sale AS MATERIALIZED (
      SELECT event.*, created.status, created.settled_at, created.is_resolved,
             -- R17 differs from R33 only here: while the cancel is parked, the POS has the order and its money
             order_state(created.status, created.withdrawn,
               nullif((SELECT status FROM outbox_jobs WHERE ${job(Prisma.sql`'CANCEL'`)}), 'DLQ')) AS state
      FROM (
        SELECT transaction_key, transaction_number, transaction_date, test_mode, received_at, paid_cents, paid_by_tender,
               amount_mismatch_cents, tip_cents, service_fee_cents, ${IS_REFUND} AS is_refund, ${SIGNED_CENTS} AS net_cents, ${COUNTED_AT[by]} AS counted_at
        FROM terminal_events
        WHERE restaurant_id = ${restaurantId}::uuid
          AND received_at >= ${at}::timestamptz AND received_at < (SELECT ends FROM piece)
      ) AS event
      LEFT JOIN LATERAL (
        SELECT status, withdrawn, resolved_at IS NOT NULL AS is_resolved, updated_at AS settled_at FROM outbox_jobs WHERE ${job(Prisma.sql`'CREATE'`)} OFFSET 0
      ) AS created ON true
      WHERE counted_at >= ${from}::timestamptz AND counted_at < ${to}::timestamptz
    )`;
}
