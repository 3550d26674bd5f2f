import { HttpStatus, Injectable } from '@nestjs/common';
import { Prisma } from '../database/prisma.js';
import { JOB_STATUSES } from '../domain/job.js';
import { problem } from '../problem.js';
import type { QueryStatisticsDto, StatisticsView } from './statistics.dto.js';

const DEFAULT_DAYS_MS = 30 * 86_400_000;

interface Period {
  readonly restaurantId: string;
  readonly from: Date;
  readonly to: Date;
}

/** A restaurant's figures, computed in the database from indexed ranges of time. */
@Injectable()
export class StatisticsService {
  constructor(private readonly prisma: Prisma) {}

  /** @throws 400 when `from` is not before `to` */
  async of(restaurantId: string, query: QueryStatisticsDto): Promise<StatisticsView> {
    const to = query.to ?? new Date();
    const from = query.from ?? new Date(to.getTime() - DEFAULT_DAYS_MS);
    if (from >= to) throw problem(HttpStatus.BAD_REQUEST, 'VALIDATION_FAILED', ['from must be before to']);
    const period = { restaurantId, from, to };
    const [orders, delivery, byTender, days] = await Promise.all([
      this.ordersByState(period),
      this.delivery(period),
      this.byTender(period),
      this.byDay(period),
    ]);
    return {
      ...period,
      orders,
      amounts: {
        totalCents: days.reduce((sum, { cents }) => sum + cents, 0),
        byTender,
        byDay: days.map(({ day, orders, cents }) => ({ day, orders, cents })),
      },
      delivery: { medianMs: delivery.medianMs, p95Ms: delivery.p95Ms },
      oldestUndelivered: delivery.oldestUndelivered,
      amountMismatches: days.reduce((sum, { mismatches }) => sum + mismatches, 0),
    };
  }

  private async ordersByState({ restaurantId, from, to }: Period): Promise<StatisticsView['orders']> {
    const groups = await this.prisma.outboxJob.groupBy({
      by: ['status'],
      where: { restaurantId, action: 'CREATE', createdAt: { gte: from, lt: to } },
      _count: true,
    });
    const counted = new Map(groups.map(({ status, _count }) => [status, _count]));
    return Object.fromEntries(
      JOB_STATUSES.map((status) => [status, counted.get(status) ?? 0]),
    ) as unknown as StatisticsView['orders'];
  }

  private async delivery({ restaurantId, from, to }: Period) {
    const [row] = await this.prisma.$queryRaw<
      { medianMs: number | null; p95Ms: number | null; oldestUndelivered: Date | null }[]
    >`
      SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE status = 'SENT'))::float8 AS "medianMs",
             round(percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) FILTER (WHERE status = 'SENT'))::float8 AS "p95Ms",
             min(created_at) FILTER (WHERE status IN ('PENDING', 'PROCESSING', 'FAILED')) AS "oldestUndelivered"
      FROM (SELECT status, created_at, extract(epoch FROM updated_at - created_at)::float8 * 1000 AS ms FROM outbox_jobs
            WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CREATE'
              AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz) AS job`;
    return row ?? { medianMs: null, p95Ms: null, oldestUndelivered: null };
  }

  private byTender({ restaurantId, from, to }: Period) {
    return this.prisma.$queryRaw<{ tenderType: string; cents: number }[]>`
      SELECT tender.key AS "tenderType", sum(tender.value::bigint)::float8 AS cents
      FROM terminal_events, jsonb_each_text(paid_by_tender) AS tender
      WHERE restaurant_id = ${restaurantId}::uuid AND NOT test_mode
        AND received_at >= ${from}::timestamptz AND received_at < ${to}::timestamptz
      GROUP BY 1 ORDER BY 2 DESC, 1`;
  }

  private byDay({ restaurantId, from, to }: Period) {
    return this.prisma.$queryRaw<{ day: string; orders: number; cents: number; mismatches: number }[]>`
      SELECT to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*)::int AS orders,
             sum(paid_cents)::float8 AS cents, count(amount_mismatch_cents)::int AS mismatches
      FROM terminal_events
      WHERE restaurant_id = ${restaurantId}::uuid AND NOT test_mode
        AND received_at >= ${from}::timestamptz AND received_at < ${to}::timestamptz
      GROUP BY 1 ORDER BY 1`;
  }
}
