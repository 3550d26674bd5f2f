import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { JOB_STATUSES } from '../domain/job.js';
import type { PosVendor } from '../pos/vendor.js';
import { vendorOf } from '../pos/vendors.js';
import { type Period, periodOf } from './period.js';
import type { QueryStatisticsDto, StatisticsView } from './statistics.dto.js';
import { type DayTakings, takingsOf } from './takings.js';

/** A period of at most so many ms is told by the hour too: a business day, however the clock changes in it (R24). */
const BY_HOUR_MS = 48 * 3_600_000;

/** Computes the statistics of a restaurant (R1, R2) in the database, from indexed ranges of time. */
@Injectable()
export class StatisticsService {
  private readonly vendor: PosVendor;

  constructor(
    private readonly prisma: PrismaService,
    config: Config,
  ) {
    this.vendor = vendorOf(config.pos);
  }

  /**
   * Order counts, amounts in cents and delivery times in ms of a period; by default of the last 30 days.
   * @throws 400 when `day` stands beside `from` or `to`, or when `from` is not before `to`
   */
  async compute(restaurantId: string, query: QueryStatisticsDto): Promise<StatisticsView> {
    const period = await periodOf(this.prisma, restaurantId, query);
    const isShort = period.to.getTime() - period.from.getTime() <= BY_HOUR_MS;
    const [orders, { byTender, byDay: days, byHour }] = await Promise.all([
      this.orders(period),
      takingsOf(this.prisma, period, isShort),
    ]);
    const { medianMs, p95Ms, oldestUndelivered, ...counts } = orders;
    return {
      ...period,
      orders: counts,
      amounts: {
        totalCents: total(days, 'cents'),
        deliveredCents: total(days, 'deliveredCents'),
        waitingCents: total(days, 'waitingCents'),
        parkedCents: total(days, 'parkedCents'),
        cancelledCents: total(days, 'cancelledCents'),
        byTender: byTender.map(({ tenderType, ...takings }) => ({
          tenderType,
          name: this.vendor.tenderName(tenderType),
          ...takings,
        })),
        byDay: days.map(({ mismatches: _, ...day }) => day),
        byHour,
      },
      delivery: { medianMs, p95Ms },
      oldestUndelivered,
      amountMismatches: total(days, 'mismatches'),
    };
  }

  /**
   * Counts orders by status, without the withdrawn, and how long those that were delivered took; `cancelled` counts requested
   * cancels, whatever their own status.
   */
  private async orders({ restaurantId, from, to }: Period): Promise<OrderFigures> {
    const inStatus = Prisma.join(
      JOB_STATUSES.map(
        (status) =>
          Prisma.sql`count(*) FILTER (WHERE status = ${status}::job_status AND NOT withdrawn)::int AS ${Prisma.raw(`"${status}"`)}`,
      ),
    );
    // a cancel is never older than its order, so the index serves for `from`
    const [figures] = await this.prisma.reports.$queryRaw<OrderFigures[]>`
      SELECT ${inStatus},
             round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE status = 'SENT'))::float8 AS "medianMs",
             round(percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) FILTER (WHERE status = 'SENT'))::float8 AS "p95Ms",
             min(created_at) FILTER (WHERE status IN ('PENDING', 'PROCESSING', 'FAILED')) AS "oldestUndelivered",
             (SELECT count(*)::int
              FROM outbox_jobs cancel JOIN outbox_jobs job
                ON job.event_key = cancel.event_key AND job.restaurant_id = cancel.restaurant_id AND job.action = 'CREATE'
              WHERE cancel.restaurant_id = ${restaurantId}::uuid AND cancel.action = 'CANCEL'
                AND cancel.created_at >= ${from}::timestamptz
                AND job.created_at >= ${from}::timestamptz AND job.created_at < ${to}::timestamptz) AS cancelled
      FROM (SELECT status, withdrawn, created_at, extract(epoch FROM updated_at - created_at)::float8 * 1000 AS ms FROM outbox_jobs
            WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CREATE'
              AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz) AS job`;
    return figures as OrderFigures;
  }
}

type OrderFigures = StatisticsView['orders'] & StatisticsView['delivery'] & Pick<StatisticsView, 'oldestUndelivered'>;

/** The sum of a field over all days. */
function total(days: readonly DayTakings[], field: Exclude<keyof DayTakings, 'day'>): number {
  return days.reduce((sum, day) => sum + day[field], 0);
}
