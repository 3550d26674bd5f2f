import { Prisma } from '../database/generated/client.js';
import type { PrismaService } from '../database/prisma.service.js';
import type { Period } from './period.js';
import { businessDay, FATE, OFFSET, STATE, shownAt } from './sale.sql.js';

/** So many sales are read at a time. */
export const PAGE_SIZE = 500;

/** A sale, and what became of its order (R17). */
export interface Sale {
  readonly key: string;
  /** its first 255 characters */
  readonly number: string | null;
  readonly receivedAt: Date;
  /** minutes that the restaurant's clock was ahead of UTC */
  readonly offset: number;
  readonly businessDay: string;
  readonly fate: 'delivered' | 'waiting' | 'parked' | 'cancelled';
  readonly paidCents: bigint;
  /** tender types, of each its first 100 characters, with their cents; the largest first; null when nothing was paid */
  readonly tenders: readonly (readonly [tenderType: string, cents: number])[] | null;
}

/** The sale after which a page begins. */
export type After = Pick<Sale, 'receivedAt' | 'key'>;

/**
 * The next sales of a period by their receipt, without test transactions (R2), at most {@link PAGE_SIZE}. Each is one look into an
 * index for itself and two for its jobs, however long the history. Terminals may send long texts: no row is larger than some 50 KB.
 */
export function salesPage(prisma: PrismaService, period: Period, after?: After): Promise<Sale[]> {
  const { restaurantId, from, to } = period;
  const [at, key] = [after?.receivedAt ?? from, after?.key ?? ''];
  const jobOf = (column: Prisma.Sql, action: Prisma.Sql) => Prisma.sql`
    SELECT ${column} FROM outbox_jobs WHERE outbox_jobs.event_key = page.transaction_key
      AND outbox_jobs.restaurant_id = ${restaurantId}::uuid AND outbox_jobs.action = ${action}`;
  return prisma.reports.$queryRaw`
    WITH page AS MATERIALIZED (
      SELECT transaction_key, left(transaction_number, 255) AS transaction_number, received_at, paid_cents, paid_by_tender
      FROM terminal_events
      WHERE restaurant_id = ${restaurantId}::uuid AND NOT test_mode
        AND received_at >= ${at}::timestamptz AND received_at < ${to}::timestamptz
        AND (received_at > ${at}::timestamptz OR transaction_key > ${key})
      ORDER BY received_at, transaction_key LIMIT ${PAGE_SIZE}::int
    ), sale AS (
      SELECT page.*, (${jobOf(STATE, Prisma.sql`'CREATE'`)}) AS state,
             (${jobOf(Prisma.sql`status`, Prisma.sql`'CANCEL'`)}) AS cancellation
      FROM page
    )
    SELECT transaction_key AS key, transaction_number AS number, received_at AS "receivedAt", ${OFFSET} AS "offset",
           ${businessDay(period)} AS "businessDay", ${FATE}, paid_cents AS "paidCents",
           (SELECT jsonb_agg(jsonb_build_array(left(tender.key, 100), tender.value) ORDER BY tender.value::bigint DESC, tender.key)
            FROM jsonb_each(paid_by_tender) AS tender) AS tenders
    FROM sale, ${shownAt(period)}
    ORDER BY received_at, transaction_key`;
}
