import type { SaleState } from '../../domain/order-state.js';
import { TENDER_LENGTH } from '../../domain/tenders.js';
import type { SaleKind } from '../../outbox/sale-kind.sql.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { Period } from './period.js';
import { businessDay, offset, pieceOf, receivedOnAnotherDay } from './sale.sql.js';

/** The number of sales of a page. */
const PAGE_SIZE = 500;

/** A sale and the state of its order (R17), or a refund. */
export interface Sale {
  readonly key: string;
  /** the first 255 characters of the transactionNumber */
  readonly number: string | null;
  readonly receivedAt: Date;
  /** UTC offset of the restaurant's zone, in minutes */
  readonly offset: number;
  /** the date of the sale, by the terminal */
  readonly soldAt: Date | null;
  readonly soldOffset: number | null;
  readonly businessDay: string;
  /** of a refund, which is no order, null */
  readonly state: SaleState | null;
  readonly kind: SaleKind;
  /** what was paid; of a refund what was paid back, below zero (R48) */
  readonly netCents: bigint;
  /** M20, below zero of a refund; null: none */
  readonly tipCents: bigint | null;
  readonly serviceFeeCents: bigint | null;
  /** R28 */
  readonly receivedOnAnotherDay: boolean;
  /** pairs of a tender type (its first 100 characters) and its cents, the largest amount first; null when nothing was paid */
  readonly tenders: readonly (readonly [tenderType: string, cents: number])[] | null;
}

/** Sales, and the start of the next page. */
export interface SalesPage {
  readonly sales: readonly Sale[];
  readonly ends: Date;
}

/** The next sales of a period in the order of their receipt, without test transactions (R2). */
export async function salesPage(prisma: PrismaService, period: Period, at: Date): Promise<SalesPage> {
  const [received, sold] = [Prisma.sql`received_at`, Prisma.sql`transaction_date`];
  // LEFT JOIN: there is a row with `ends` even when the page has no sale
  const rows = await prisma.reports.$queryRaw<(Sale & { ends: Date; key: string | null })[]>`
    WITH ${pieceOf(period, at, PAGE_SIZE)}
    SELECT piece.ends, real.*
    FROM piece LEFT JOIN (
      SELECT transaction_key AS key, left(transaction_number, 255) AS number, received_at AS "receivedAt",
             ${offset(period, received)} AS "offset", transaction_date AS "soldAt", ${offset(period, sold)} AS "soldOffset",
             ${businessDay(period, Prisma.sql`counted_at`)} AS "businessDay", CASE WHEN NOT is_refund THEN state END AS state,
             CASE WHEN is_refund THEN 'REFUND' ELSE 'SALE' END AS kind, net_cents AS "netCents",
             tip_cents AS "tipCents", service_fee_cents AS "serviceFeeCents",
             ${receivedOnAnotherDay(period)} AS "receivedOnAnotherDay",
             (SELECT jsonb_agg(jsonb_build_array(left(tender.key, ${TENDER_LENGTH}::int), tender.value)
                               ORDER BY tender.value::bigint DESC, tender.key)
              FROM jsonb_each(paid_by_tender) AS tender) AS tenders
      FROM sale WHERE NOT test_mode
    ) AS real ON true
    ORDER BY "receivedAt", key`;
  const sales = rows.filter(({ key }) => key !== null);
  return { sales, ends: (rows[0] as { ends: Date }).ends };
}
