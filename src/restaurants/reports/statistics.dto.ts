import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import { type Day, isDay } from '../../domain/business-day.js';
import { readTime } from '../../domain/time.js';
import { CountsByStateView } from '../../outbox/job.views.js';
import {
  Instant,
  Integer,
  ListOf,
  NullableInstant,
  NullableText,
  OneOf,
  Uuid,
} from '../../platform/http/fields/fields.js';
import { QueryEnum } from '../../platform/http/fields/query-enum.js';
import { QueryDay } from '../../platform/http/fields/query-fields.js';
import { CountedMoneyView, TipsView } from './money.dto.js';
import { COUNTED_BY, type CountedBy } from './period.js';

/** The most days with sales in a period: ten years (L22). */
export const MAX_DAYS = 3_660;
/** The most tender types in a report: the 100 largest, and one for the rest (L22). */
const MAX_TENDERS = 101;
/** The most hours in a report: a span of 48 hours includes up to 49 hours of the clock, and a change of the clock can add one. */
const MAX_HOURS = 50;

/** An optional end of a span. A date is a business day and stays a text. An ISO 8601 time becomes a Date, in UTC when it has no zone. */
const DayOrTime = (example: string, description: string) =>
  applyDecorators(
    // no `example`: the documentation page would send it
    ApiPropertyOptional({ type: String, description: `${description}; for example ${example}` }),
    IsOptional(),
    Transform(({ value }) => (typeof value === 'string' && !isDay(value) ? (readTime(value) ?? value) : value)),
    ValidateBy({
      name: 'isDayOrTime',
      validator: {
        validate: (value) => value instanceof Date || (typeof value === 'string' && isDay(value)),
        defaultMessage: () =>
          '$property must be a date, for example 2026-11-20, or an ISO 8601 time, for example 2026-11-20T20:00:00Z',
      },
    }),
  );

export class QueryStatisticsDto {
  @QueryDay('one business day; without `from` and `to`; for example 2026-11-20')
  day?: Day;

  @DayOrTime('2026-11-01', 'a business day, or received at or after this time; default: 30 days before the end')
  from?: Day | Date;

  @DayOrTime('2026-11-30', 'a business day, which is included, or received before this time; default: now')
  to?: Day | Date;

  @QueryEnum(COUNTED_BY, 'CountedBy', {
    default: 'receipt',
    description:
      'by which time a sale counts: its receipt, or its own `transactionDate` where that lies within 31 days before and one day after it',
  })
  by?: CountedBy;
}

class OrderCountsView extends CountsByStateView {
  @Integer('orders whose cancel was requested and is not parked; they are in none of the states') cancelled: number;
}

/** The parts of an amount by the state of the orders (R17). Four parts sum to the amount; `resolvedCents` is a part of `parkedCents`. */
class SplitView {
  @Integer('of orders that the POS has') deliveredCents: number;
  @Integer('of orders on their way to the POS') waitingCents: number;
  @Integer('of orders that were given up (DLQ)') parkedCents: number;
  @Integer('of parkedCents, what somebody settled by hand: it was entered in the till, or will not be')
  resolvedCents: number;

  @Integer('of orders whose cancel was requested, delivered or not; one whose cancel is parked is not among them')
  cancelledCents: number;
}

class TenderAmountView extends SplitView {
  @ApiProperty({
    example: '16',
    maxLength: 100,
    description: 'as the terminal sent it, its first 100 characters; `others`: the rest, beside the 100 largest',
  })
  tenderType: string;

  @NullableText('null when its name is not known', { example: 'credit card' }) name: string | null;
  @ApiProperty({ type: 'integer', example: 7980 }) cents: number;
  @Integer('of sales that were paid with it alone, without cancelled orders') tipCents: number;
  @Integer('as tipCents') serviceFeeCents: number;
}

/** What terminals reported as paid back (R48). */
class RefundsView extends SplitView {
  @Integer('refunds that the terminals reported; they are no orders') refunds: number;
  @Integer('the same as refundedCents') refundCents: number;
  @Integer('what was paid for sales; without cancelled orders') takenCents: number;
  @Integer('what was paid back, not below zero') refundedCents: number;
  @Integer('takenCents minus refundedCents; may be below zero') netCents: number;
  @Integer('part of takenCents') tipCents: number;
  @Integer('part of takenCents') serviceFeeCents: number;
}

class DayAmountView extends RefundsView {
  @ApiProperty({ format: 'date', example: '2026-01-31', description: 'business day' }) day: string;
  @Integer('cancelled ones too') orders: number;
  @Integer('takenCents and cancelledCents') cents: number;

  @Integer('sales and refunds whose own date is on another business day than their receipt')
  receivedOnAnotherDay: number;
}

class HourAmountView extends SplitView {
  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T19:00:00-03:00',
    description: "start of the hour that the restaurant's clock showed, with its offset",
  })
  start: string;

  @Integer() orders: number;
  @Integer() cents: number;
}

class AmountsView extends RefundsView {
  @Integer('takenCents and cancelledCents') totalCents: number;
  @ListOf(TenderAmountView, MAX_TENDERS, 'the largest first') byTender: TenderAmountView[];
  @ApiProperty({ description: 'of sales that were paid with several tenders, or with none: of none of byTender' })
  severalTenders: TipsView;

  @ListOf(DayAmountView, MAX_DAYS, 'in order, without days that have neither sale nor refund') byDay: DayAmountView[];

  @ApiProperty({
    type: [HourAmountView],
    maxItems: MAX_HOURS,
    nullable: true,
    description: 'by hour, without hours that sold nothing; null when the period is longer than 48 hours',
  })
  byHour: HourAmountView[] | null;
}

class DeliveryTimeView {
  @ApiProperty({ type: Number, nullable: true }) medianMs: number | null;
  @ApiProperty({ type: Number, nullable: true }) p95Ms: number | null;
}

export class StatisticsView extends CountedMoneyView {
  @Uuid() restaurantId: string;
  @Instant('start of the period, which is in it') from: Date;
  @Instant('end of the period, which is not in it') to: Date;

  @ApiProperty({ example: 'America/Sao_Paulo', description: "the restaurant's, of its business days" })
  timezone: string;

  @ApiProperty({ example: '04:00', description: 'when a business day of the restaurant ends, on the next morning' })
  dayClosesAt: string;

  @NullableText('of the amounts, ISO 4217; null: not set', { example: 'BRL' }) currency: string | null;
  @OneOf(COUNTED_BY, 'CountedBy', 'by which time a sale counts') by: CountedBy;

  @ApiProperty({
    description: 'orders of the period by their current state, each counted once; without test transactions',
  })
  orders: OrderCountsView;

  @Integer('test transactions of the period; in no other figure') tests: number;

  @ApiProperty({ description: 'amounts paid, in cents, without test transactions, split by what became of the orders' })
  amounts: AmountsView;

  @ApiProperty({ description: 'time from receipt to SENT, in ms' }) delivery: DeliveryTimeView;

  @NullableInstant(
    'receipt of the oldest PENDING, PROCESSING or FAILED order of the period whose cancel was not requested',
  )
  oldestUndelivered: Date | null;

  @Integer('transactions whose totalAmount differs from the amount paid; without test transactions and refunds')
  amountMismatches: number;

  @Integer('sales and refunds whose own date is on another business day than their receipt; without test transactions')
  receivedOnAnotherDay: number;
}
