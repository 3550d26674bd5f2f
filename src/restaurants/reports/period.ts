import type { Day } from '../../domain/business-day.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { type ClosedSpan, closedSpans, dayBegins, dayEnds } from './closed-spans.js';

/** The span of a report of one restaurant (R16), with the settings of the restaurant's business days (R15). */
export interface Period {
  readonly restaurantId: string;
  /** inclusive */
  readonly from: Date;
  /** exclusive */
  readonly to: Date;
  /** IANA name */
  readonly timezone: string;
  /** HH:MM */
  readonly dayClosesAt: string;
  /** of the amounts, ISO 4217; null: not set */
  readonly currency: string | null;
  readonly by: CountedBy;
  /** days whose bounds are not those of the clock above (B15) */
  readonly closed: readonly ClosedSpan[];
}

/** The time by which a sale is assigned to a period (R29): the time of its receipt, or its date. */
export const COUNTED_BY = ['receipt', 'sale'] as const;
export type CountedBy = (typeof COUNTED_BY)[number];

/** A date counts only if the sale was received at most LATE_MS after it and at most EARLY_MS before it (R29); ms. */
const LATE_MS = 31 * 24 * 3_600_000;
const EARLY_MS = 24 * 3_600_000;
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The span of a request: a business day, or two ends that are instants or business days. */
export interface Span {
  readonly day?: Day | undefined;
  readonly from?: Day | Date | undefined;
  readonly to?: Day | Date | undefined;
  readonly by?: CountedBy | undefined;
}

/** The span in which the sales of a period were received. */
export function receiptsOf({ from, to, by }: Period): { readonly from: Date; readonly to: Date } {
  if (by === 'receipt') return { from, to };
  const end = Math.min(to.getTime() + LATE_MS, LAST_INSTANT);
  return { from: new Date(from.getTime() - EARLY_MS), to: new Date(end) };
}

/**
 * Reads the restaurant's business days and turns a span into instants (R16).
 * @throws 400 when `day` is combined with `from` or `to`, or when `from` is not before `to`
 */
export async function periodOf(prisma: PrismaService, restaurantId: string, span: Span): Promise<Period> {
  const { day, by = 'receipt' } = span;
  if (day !== undefined && (span.from ?? span.to) !== undefined) throw invalid('day must not stand beside from or to');
  const [from, to] = [split(day ?? span.from), split(day ?? span.to)];
  const begins = (of: Day | null, back = 0) => dayBegins(restaurantId, Prisma.sql`(${of}::date - ${back}::int)`);
  // Postgres computes the start of a day in the zone. 720 hours are used because 30 days would depend on the zone of the session. The
  // ends have years of at most four digits.
  const [period] = await prisma.$queryRaw<Omit<Period, 'restaurantId' | 'by' | 'closed'>[]>`
    SELECT timezone, "dayClosesAt", currency, "to",
           coalesce(${from.instant}::timestamptz, ${begins(from.day)}, ${begins(to.day, 29)}, "to" - interval '720 hours') AS "from"
    FROM (
      SELECT timezone, "dayClosesAt", currency, closes,
             least(timestamptz '9999-12-31 23:59:59.999Z', coalesce(${to.instant}::timestamptz,
               ${dayEnds(restaurantId, Prisma.sql`${to.day}::date`)},
               date_trunc('milliseconds', now()) + interval '1 millisecond')) AS "to"
      FROM (
        SELECT timezone, day_closes_at AS "dayClosesAt", currency, day_closes_at::time AS closes FROM restaurants WHERE id = ${restaurantId}::uuid
      ) AS restaurant
    ) AS restaurant`;
  if (!period) throw problem('NOT_FOUND', 'there is no such restaurant');
  if (period.from >= period.to) throw invalid('from must be before to');
  return { restaurantId, ...period, by, closed: await closedSpans(prisma, restaurantId, period) };
}

function split(end: Day | Date | undefined): { readonly day: Day | null; readonly instant: Date | null } {
  return typeof end === 'string' ? { day: end, instant: null } : { day: null, instant: end ?? null };
}

function invalid(message: string) {
  return problem('VALIDATION_FAILED', [message]);
}
