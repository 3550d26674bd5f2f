import { Injectable } from '@nestjs/common';
import { timeWithOffset } from '../../domain/time.js';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import type { PosVendor } from '../../pos/vendor.js';
import { vendorOf } from '../../pos/vendors.js';
import { readFigures, type Takings } from './figures.sql.js';
import type { CountedMoneyView } from './money.dto.js';
import { moneyOf, sumOfMoney, tipsOfSeveral } from './money.js';
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
    const total = (field: keyof Takings | 'receivedOnAnotherDay') => byDay.reduce((sum, day) => sum + day[field], 0);
    const money = moneyOf({ ...sumOfMoney(byDay.map((day) => day.money)), tests });
    const { closed: _closed, ...shown } = period;
    return {
      ...shown,
      ...money,
      orders: { ...NO_ORDERS, ...figures.orders },
      tests,
      amounts: {
        totalCents: money.takenCents + money.cancelledCents,
        ...amountsOf(money),
        deliveredCents: total('deliveredCents'),
        waitingCents: total('waitingCents'),
        parkedCents: total('parkedCents'),
        resolvedCents: total('resolvedCents'),
        byTender: byTender.map(({ tenderType, ...takings }) => ({
          tenderType,
          name: this.vendor.tenderName(tenderType),
          ...takings,
        })),
        severalTenders: tipsOfSeveral(money, byTender),
        byDay: byDay.map(({ money: ofDay, ...day }) => {
          const counted = moneyOf(ofDay);
          const { sales, cancelled } = counted.counts;
          return { ...day, orders: sales + cancelled, ...amountsOf(counted) };
        }),
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

/** The money of a span or day, with the names that `amounts` had for refunds before R61. */
function amountsOf({ counts, ...money }: CountedMoneyView) {
  const [tipCents, serviceFeeCents] = [money.tipCents ?? 0, money.serviceFeeCents ?? 0];
  return { ...money, tipCents, serviceFeeCents, refunds: counts.refunds, refundCents: money.refundedCents };
}
