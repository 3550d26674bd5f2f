import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { SALE_STATES } from '../../domain/order-state.js';
import { KEY_LENGTH } from '../../outbox/job.views.js';
import { MAX_PAGE } from '../../platform/http/fields/cursor-page.js';
import { Instant, Integer, OneOf } from '../../platform/http/fields/fields.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { QueryDay, QueryInteger } from '../../platform/http/fields/query-fields.js';
import { CountedMoneyView, TipsView } from '../../restaurants/reports/money.dto.js';
import { BREAKS, type Break, LINE_KINDS } from './day-chain.js';

const HASH = /^[0-9a-f]{64}$/;
export const Day = (description: string) => ApiProperty({ type: String, format: 'date', description });
export const Hash = (description: string) => ApiProperty({ pattern: HASH.source, description });

/** Query parameters of `GET /restaurants/:restaurantId/days`. */
export class QueryDaysDto {
  @QueryInteger({ default: 31, minimum: 1, maximum: MAX_PAGE })
  limit = 31;

  @QueryDay('cursor: `meta.next` of the previous page')
  after?: string;
}

/** Query parameters of `GET /restaurants/:restaurantId/days/check`: a head that somebody noted. */
export class QueryCheckDto {
  @QueryDay('the day of a head that somebody noted; beside `hash`')
  day?: string;

  @ApiPropertyOptional({ pattern: HASH.source, description: 'the hash of a head that somebody noted; beside `day`' })
  @IsOptional()
  @Matches(HASH, { message: '$property must be the 64 hexadecimal digits of a head' })
  hash?: string;
}

export class DayFiguresView {
  @Integer() count: number;
  @Integer() cents: number;
}

export class DayStatesView {
  @ApiProperty({ description: 'on their way to the POS' }) waiting: DayFiguresView;
  @ApiProperty({ description: 'the POS has them' }) delivered: DayFiguresView;
  @ApiProperty({ description: 'given up' }) parked: DayFiguresView;
  @ApiProperty({ description: 'cancelled, delivered or not' }) cancelled: DayFiguresView;
  @ApiProperty({ description: 'given up or waiting, and settled by hand before the close' }) resolved: DayFiguresView;
}

/** The tenders of a closing: the largest, and `others` (L22). */
export const MAX_TENDERS = 101;

/** Its tip and service fee are of the sales that were paid with it alone, without cancelled orders (R69). */
class DayTenderView extends TipsView {
  @ApiProperty({
    example: '16',
    maxLength: 100,
    description: 'as the terminal sent it; `others`: the rest, beside the 100 largest',
  })
  tenderType: string;

  @ApiProperty({ type: String, nullable: true, description: 'null: the POS has no name for it' }) name: string | null;
  @Integer('payments') count: number;
  @Integer() cents: number;
}

/** A closed day (B4), with its money (R61, B20). */
export class ClosedDayView extends CountedMoneyView {
  @Integer('without gaps, from 1') number: number;
  @Day('the business day') day: string;
  @Instant('the end of the day before') beginsAt: string;
  @Instant('its end, which is not a part of it') endsAt: string;
  @ApiProperty() timezone: string;
  @ApiProperty({ example: '04:00' }) dayClosesAt: string;
  @ApiProperty({ type: String, nullable: true, description: 'of its amounts; null: not set' }) currency: string | null;
  @Instant() closedAt: string;

  @ApiProperty({ description: 'closed by itself, two hours after its end' })
  closedByRelay: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'the name of who closed it; null: the relay, or not known',
  })
  closedBy: string | null;

  @ApiProperty({ description: 'by their receipt, cancelled ones too' }) sales: DayFiguresView;
  @ApiProperty({ description: 'that the terminal reported; the cents are below zero' }) refunds: DayFiguresView;
  @Integer('sales and refunds of this and all closings before, cancelled orders included') perpetualCents: number;
  @ApiProperty({ description: 'the sales by what had become of them when the day was closed' }) states: DayStatesView;

  @ApiProperty({
    type: [DayTenderView],
    maxItems: MAX_TENDERS,
    description: 'payments of the sales, the largest first',
  })
  tenders: DayTenderView[];

  @ApiProperty({ description: 'tip and service fee of sales that were paid with several tenders, or with none' })
  severalTenders: TipsView;

  @Integer('lines of what happened on this day to sales of earlier days') linesCount: number;
  @Hash('SHA-256 of this closing and the one before') hash: string;
}

class DayLineView {
  @Day('the day of the sale') forDay: string;

  @OneOf(LINE_KINDS, 'DayLineKind', 'NOTE: settled by hand') kind: string;

  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @Integer('of the sale') cents: number;

  @ApiProperty({ description: 'written wrongly by a version before, about a refund: it does not count' })
  wrong: boolean;
}

class UndeliveredView {
  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @OneOf(SALE_STATES, 'SaleState') state: string;
  @Integer() cents: number;
}

/** A closed day with what is listed of it. */
export class ClosedDayDetailView extends ClosedDayView {
  @ApiProperty({ description: 'the hash of the closing before; empty for the first' }) previous: string;
  @ApiProperty({ type: [DayLineView], maxItems: 100, description: 'the first 100; the export has all' })
  lines: DayLineView[];

  @ApiProperty({
    type: [UndeliveredView],
    maxItems: 100,
    description: 'the sales that the POS did not have when the day was closed: the first 100; the export has all',
  })
  undelivered: UndeliveredView[];
}

/** The newest closing of a chain. */
export class DayHeadView {
  @Integer() number: number;
  @Day('its business day') day: string;
  @Hash('note it: a chain does not show that its end was cut') hash: string;
}

/** The day that is closed next, with its money so far (R61). */
export class OpenDayView extends CountedMoneyView {
  @Day('the business day') day: string;
  @Instant() beginsAt: Date;
  @Instant() endsAt: Date;
  @ApiProperty({ description: 'it may be closed' }) isOver: boolean;
  @ApiProperty({ description: 'so far, with cancelled ones and those that came late for closed days' })
  sales: DayFiguresView;
  @ApiProperty({ description: 'the cents are below zero' }) refunds: DayFiguresView;
}

class DaysMetaView {
  @Integer() readonly limit: number;

  @ApiProperty({
    type: String,
    format: 'date',
    nullable: true,
    description: 'cursor of the next page: send it as `after`; null on the last page',
  })
  readonly next: string | null;
}

/** Response of `GET /restaurants/:restaurantId/days`. */
export class DaysPageView {
  @ApiProperty({ type: [ClosedDayView], maxItems: MAX_PAGE }) data: ClosedDayView[];
  @ApiProperty() meta: DaysMetaView;

  @ApiProperty({
    type: OpenDayView,
    nullable: true,
    description: 'the day that is closed next; null beyond the first page',
  })
  open: OpenDayView | null;

  @ApiProperty({ type: DayHeadView, nullable: true, description: 'the newest closing; null: none yet' })
  head: DayHeadView | null;
}

/** Response of `GET /restaurants/:restaurantId/days/:day`. */
export class ClosedDayAnswerView {
  @ApiProperty() data: ClosedDayDetailView;
}

/** Response of `POST /restaurants/:restaurantId/days/:day/close`. */
export class DayClosedView extends MessageView {
  @ApiProperty() data: ClosedDayDetailView;
}

/** What a check of the chain found (B7). */
export class CheckedDaysView {
  @Integer('closings') days: number;
  @ApiProperty({ type: DayHeadView, nullable: true }) head: DayHeadView | null;

  @ApiProperty({
    type: String,
    format: 'date',
    nullable: true,
    description: 'the first day that breaks; null: the chain holds',
  })
  firstBroken: string | null;

  @ApiProperty({
    ...{ enum: [...BREAKS], enumName: 'DayBreak', nullable: true },
    description:
      'MISSING: its closing is not there; CHANGED: its closing is not what was closed; SALES, LINES: its sales or lines are not; HEAD: it ' +
      'is not the head that was noted',
  })
  reason: Break | null;

  @Integer(
    'lines that a version before wrote wrongly, about refunds: they stay, and do not count; the chain holds with them',
  )
  wrongLines: number;
}

/** Response of `GET /restaurants/:restaurantId/days/check`. */
export class CheckedDaysAnswerView {
  @ApiProperty() data: CheckedDaysView;
}
