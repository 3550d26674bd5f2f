import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { pageOf } from '../../platform/http/fields/cursor-page.js';
import { moneyOf } from './money.js';
import type { OverviewPageView, QueryOverviewDto, RestaurantLight, SetupStep } from './overview.dto.js';
import { type OverviewRow, overviewOf } from './overview.sql.js';

/** Reads the light, the takings and the open set-up of all restaurants of a user (R45), in one statement. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /**
   * One page of the user's restaurants, the oldest first.
   * @throws 400 VALIDATION_FAILED when `after` is not a cursor
   */
  async read(userId: string, { search = '', after, limit }: QueryOverviewDto): Promise<OverviewPageView> {
    const { outbox, pos } = this.config;
    const of = { userId, search: search.trim(), after, limit, lateAlarmMs: outbox.lateAlarmMs };
    const { text, values } = overviewOf(of);
    const { data, meta } = pageOf(
      await this.prisma.unprepared<OverviewRow>(text, values),
      limit,
      ({ createdAt }) => createdAt,
    );
    return {
      data: data.map(({ createdAt: _, signs, money, ...row }) => ({
        ...row,
        ...moneyOf(money),
        refundCents: money.refundedCents,
        light: lightOf(signs, row.orders),
        setup: stepsLeft(signs, row, pos.credentials !== undefined),
      })),
      meta,
    };
  }
}

function lightOf(
  { parkedToday, isSenderRefused, retrying, late, isPaused }: OverviewRow['signs'],
  orders: number,
): RestaurantLight {
  if (parkedToday > 0 || isSenderRefused) return 'bad';
  if (retrying > 0 || late > 0 || isPaused) return 'wait';
  return orders === 0 ? 'idle' : 'good';
}

/** @param areConfigured whether the relay has POS credentials for restaurants without their own */
function stepsLeft(
  { hasCodeStorePos, hasCredentials, hasPolled, openDelivery }: OverviewRow['signs'],
  { currency, lastSaleAt }: Pick<OverviewRow, 'currency' | 'lastSaleAt'>,
  areConfigured: boolean,
): SetupStep[] {
  const steps: SetupStep[] = [];
  if (!hasCodeStorePos) steps.push('codeStorePos');
  if (openDelivery && currency === null) steps.push('currency');
  if (!hasCredentials && (openDelivery || !areConfigured)) steps.push('credentials');
  if (!hasPolled) steps.push('firstPoll');
  if (lastSaleAt === null) steps.push('firstSale');
  return steps;
}
