import { Injectable } from '@nestjs/common';
import { timeWithOffset } from '../../domain/time.js';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import type { PosVendor } from '../../pos/vendor.js';
import { vendorOf } from '../../pos/vendors.js';
import { readFigures, type Takings } from './figures.sql.js';
import { type Period, periodOf, receiptsOf } from './period.js';
import { MAX_DAYS, type QueryStatisticsDto, type StatisticsView } from './statistics.dto.js';
import { PeriodFigures } from './takings.js';

/** The longest period with figures by hour: a business day with any change of the clock (R24); ms. */
const BY_HOUR_MS = 48 * 3_600_000;
const NO_ORDERS = { PENDING: 0, PROCESSING: 0, SENT: 0, FAILED: 0, DLQ: 0, cancelled: 0 };

/** Computes the statistics of a restaurant (R1, R2) in the database, piece by piece from indexed ranges of time. */
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
   * Order counts, amounts in cents and delivery times in ms of a period. The default period is the last 30 days.
   * @throws 400 as {@link periodOf} does, and when more than {@link MAX_DAYS} days of the period have sales
   */
  async compute(restaurantId: string, query: QueryStatisticsDto): Promise<StatisticsView> {
    const period = await periodOf(this.prisma, restaurantId, query);
    const isShort = period.to.getTime() - period.from.getTime() <= BY_HOUR_MS;
    const figures = await this.figures(period, isShort);
    const { byDay, byTender, byHour, tests, delivery, oldestUndelivered, mismatches } = figures;
    const total = (field: keyof Takings | 'refunds' | 'refundCents' | 'receivedOnAnotherDay') =>
      byDay.reduce((sum, day) => sum + day[field], 0);
    const { closed: _closed, ...shown } = period;
    return {
      ...shown,
      orders: { ...NO_ORDERS, ...figures.orders },
      tests,
      amounts: {
        totalCents: total('cents'),
        refunds: total('refunds'),
        refundCents: total('refundCents'),
        netCents: total('cents') - total('refundCents'),
        deliveredCents: total('deliveredCents'),
        waitingCents: total('waitingCents'),
        parkedCents: total('parkedCents'),
        cancelledCents: total('cancelledCents'),
        byTender: byTender.map(({ tenderType, ...takings }) => ({
          tenderType,
          name: this.vendor.tenderName(tenderType),
          ...takings,
        })),
        byDay: byDay.map((day) => ({ ...day, netCents: day.cents - day.refundCents })),
        byHour: isShort
          ? byHour.map(({ startMs, offset, ...takings }) => ({
              start: timeWithOffset(new Date(startMs), offset),
              ...takings,
            }))
          : null,
      },
      delivery,
      oldestUndelivered,
      amountMismatches: mismatches,
      receivedOnAnotherDay: total('receivedOnAnotherDay'),
    };
  }

  private async figures(period: Period, withHours: boolean): Promise<PeriodFigures> {
    const figures = new PeriodFigures();
    const receipts = receiptsOf(period);
    for (let at = receipts.from; at < receipts.to; ) {
      const piece = await readFigures(this.prisma, period, at, withHours);
      figures.add(piece);
      if (figures.dayCount > MAX_DAYS)
        throw problem('VALIDATION_FAILED', [`the span has sales on more than ${MAX_DAYS} days`]);
      at = piece.ends;
    }
    return figures;
  }
}
