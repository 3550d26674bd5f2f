import { ApiProperty } from '@nestjs/swagger';
import { ORDER_STATES } from '../../domain/order-state.js';
import { MAX_ENTRIES, MAX_NUMBER_LENGTH } from '../../domain/transaction.js';
import { KEY_LENGTH } from '../../outbox/job.views.js';
import { SALE_KINDS } from '../../outbox/sale-kind.sql.js';
import {
  Instant,
  Integer,
  ListOf,
  NullableInteger,
  NullableText,
  OneOf,
  Uuid,
} from '../../platform/http/fields/fields.js';
import { LANGUAGES, type Language } from '../../platform/http/fields/languages.js';
import { QueryEnum } from '../../platform/http/fields/query-enum.js';
import { QueryDay } from '../../platform/http/fields/query-fields.js';
import { LINE_KINDS } from './day-chain.js';
import { Day, DayFiguresView, DayStatesView, Hash, MAX_TENDERS } from './days.dto.js';

const SEPARATORS = ['comma', 'semicolon'] as const;

/** Query parameters of the export of closings: business days. */
export class QueryClosingsDto {
  @QueryDay('the first business day; default: the first that was closed')
  from?: string;

  @QueryDay('the last business day, which is included; default: the last that was closed')
  to?: string;

  @QueryEnum(SEPARATORS, 'CsvSeparator', {
    default: 'comma',
    description: 'what separates the cells of CSV; with `semicolon` decimals stand after a comma; default: comma',
  })
  separator: (typeof SEPARATORS)[number] = 'comma';
}

/** `records`: each closing with its lines, sales, payments and items; `days`: one row a day. */
export const CLOSINGS_FORMATS = ['records', 'days'] as const;

/** Query parameters of `GET /restaurants/:restaurantId/closings.csv`. */
export class QueryClosingsFileDto extends QueryClosingsDto {
  @QueryEnum(CLOSINGS_FORMATS, 'ClosingsFormat', {
    default: 'records',
    description:
      'what a row is: `records`, each closing with its lines, sales, payments and items; `days`, a closed day',
  })
  format: (typeof CLOSINGS_FORMATS)[number] = 'records';

  @QueryEnum(LANGUAGES, 'Language', {
    default: 'en',
    description: 'of the names of tenders with `format=days`; default: en',
  })
  lang: Language = 'en';
}

/** Rows of the file, which is written in pages (L108): their number has no bound. */
const Rows = (view: new () => object) => ApiProperty({ type: [view] });

/** Fields that closings of versions before do not have (B22). */
const SEALED = { required: false } as const;

/** What was hashed of a closing (B4). */
class ClosingContentView {
  @Uuid() restaurant: string;
  @Integer('without gaps, from 1') number: number;
  @Day('the business day') day: string;
  @Instant('the end of the day before') beginsAt: string;
  @Instant('its end, which is not a part of it') endsAt: string;
  @ApiProperty() timezone: string;
  @ApiProperty({ example: '04:00' }) dayClosesAt: string;
  @ApiProperty({ description: 'empty: not set' }) currency: string;
  @Instant() closedAt: string;
  @ApiProperty({ description: 'the id of who closed it, or `relay`' }) closedBy: string;
  @ApiProperty() sales: DayFiguresView;
  @ApiProperty() refunds: DayFiguresView;
  @Integer('sales and refunds, cancelled orders included') netCents: number;
  @Integer('`netCents` of this and all closings before') perpetualCents: number;
  @ApiProperty() states: DayStatesView;

  @ApiProperty({
    type: 'array',
    maxItems: MAX_TENDERS,
    description: 'each tender with its payments and their cents, the largest first',
    items: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] }, minItems: 3, maxItems: 3 },
    example: [['16', 2, 7_980]],
  })
  tenders: (string | number)[][];

  @Integer() salesCount: number;
  @Hash('of the rows of its sales') salesHash: string;
  @Integer() linesCount: number;
  @Hash('of the rows of its lines') linesHash: string;

  @ApiProperty({
    ...SEALED,
    type: 'integer',
    description: 'without cancelled orders; not there: a version before closed it',
  })
  tipCents?: number;

  @ApiProperty({ ...SEALED, type: 'integer', description: 'as tipCents' }) serviceFeeCents?: number;

  @ApiProperty({
    ...SEALED,
    type: 'array',
    maxItems: MAX_TENDERS,
    description: 'tip and service fee of sales that were paid with the tender alone; without tenders that have neither',
    items: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] }, minItems: 3, maxItems: 3 },
    example: [['16', 500, 0]],
  })
  tipTenders?: (string | number)[][];
}

class ExportedLineView {
  @Day('the day on which it happened') onDay: string;
  @Day('the day of the sale') forDay: string;
  @OneOf(LINE_KINDS, 'DayLineKind', 'NOTE: settled by hand') kind: string;
  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @Integer('of the sale') cents: number;

  @ApiProperty({ required: false, enum: [true], description: 'written wrongly by a version before: it does not count' })
  wrong?: true;
}

class ExportedItemView {
  @ApiProperty() code: string;
  @ApiProperty() name: string;
  @ApiProperty() quantity: number;
  @ApiProperty({ description: 'in currency units, as the terminal sent it' }) unitPrice: number;
}

class ExportedPaymentView {
  @ApiProperty({ description: 'as the terminal sent it' }) tender: string;
  @NullableText('null: the POS has no name for it') name: string | null;
  @NullableText('the code at the POS; null: it has none, or is one of Open Delivery') posCode: string | null;
  @Integer() cents: number;
}

class ExportedSaleView {
  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @OneOf(SALE_KINDS, 'SaleKind') kind: string;
  @Integer('below zero for a refund') cents: number;
  @OneOf(ORDER_STATES, 'OrderState', 'as it was hashed') state: string;
  @Instant() receivedAt: string;
  @NullableText(undefined, { maxLength: MAX_NUMBER_LENGTH }) transactionNumber: string | null;
  @NullableInteger() discountCents: number | null;
  @NullableInteger() surchargeCents: number | null;
  @NullableInteger('null: nothing is stored of it any more') tipCents: number | null;
  @NullableInteger('as tipCents') serviceFeeCents: number | null;

  @ApiProperty({
    type: [ExportedItemView],
    maxItems: MAX_ENTRIES,
    nullable: true,
    description: 'null: nothing is stored of them any more',
  })
  items: ExportedItemView[] | null;

  @ListOf(ExportedPaymentView, MAX_ENTRIES) payments: ExportedPaymentView[];
}

class ExportedClosingView {
  @ApiProperty({ description: 'the content that was hashed' }) closing: ClosingContentView;
  @ApiProperty({ description: 'the hash of the closing before; empty for the first' }) previous: string;
  @Hash('SHA-256 of this closing and the one before') hash: string;
  @Rows(ExportedLineView) lines: ExportedLineView[];
  @Rows(ExportedSaleView) sales: ExportedSaleView[];
}

/** The export of closings as JSON (B10). */
export class ClosingsExportView {
  @Rows(ExportedClosingView) closings: ExportedClosingView[];
}
