import { ApiProperty } from '@nestjs/swagger';
import type { NamedItem } from '../../domain/named-items.js';
import { CODE_LENGTH } from '../../domain/pos-codes.js';
import { CauseProperty, KEY_LENGTH, SubjectProperty } from '../../outbox/job.views.js';
import {
  Instant,
  Integer,
  ListOf,
  NullableInstant,
  NullableInteger,
  NullableText,
  OneOf,
} from '../../platform/http/fields/fields.js';
import { NAMED, type NeededOrder } from './needs.sql.js';

/** What a restaurant may need somebody for, the worst first (R67). Those that alert have the name of their alert. */
export const NEED_KINDS = [
  'ORDER_PARKED',
  'CANCEL_PARKED',
  'PAUSED',
  'POS_REFUSES',
  'ORDER_LATE',
  'KEY_REUSED',
  'SENDER_REFUSED',
  'SENDER_SILENT',
  'REFUND_TO_ENTER',
  'EARLIER_PARKED',
] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

/** An order that needs somebody. */
export class NeededOrderView implements NeededOrder {
  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @NullableText(undefined, { maxLength: 255 }) transactionNumber: string | null;
  @NullableText('SALE_LABEL_FIELD, such as a table', { maxLength: 60 }) label: string | null;
  @Integer('what was paid; of a refund what was paid back, below zero') cents: number;
  @Instant() receivedAt: string;
  @NullableText('what the POS said', { maxLength: 1_000 }) lastError: string | null;
  @NullableInstant('it was sent again at this time, and parked again') triedAgainAt: string | null;
}

/** The most products of a need (L235). */
export const MOST_PRODUCTS = 5;

/** A product that the POS named when it refused orders (I11). */
export class NeededProductView implements NamedItem {
  @ApiProperty({ maxLength: CODE_LENGTH, description: 'the `itemCode` of the terminal' }) code: string;
  @NullableText('the `itemName` of the terminal', { maxLength: CODE_LENGTH }) name: string | null;
  @ApiProperty({ maxLength: CODE_LENGTH, description: 'what the restaurant sends for it' }) posCode: string;
  @Integer('of how many of `orders`') orders: number;
}

/** Something of a restaurant that needs somebody, for one cause. */
export class NeedView {
  @OneOf(
    NEED_KINDS,
    'NeedKind',
    'ORDER_PARKED, CANCEL_PARKED: of today; EARLIER_PARKED: of earlier days; PAUSED: nothing of the restaurant is sent; POS_REFUSES: every attempt fails; KEY_REUSED: sales that were ' +
      'refused; SENDER_REFUSED: a sender key with which requests are refused; SENDER_SILENT: no sale comes, although some are usual; REFUND_TO_ENTER: refunds of 14 days that nobody has entered in the till',
  )
  kind: NeedKind;

  @NullableText('of the sender key') name: string | null;
  @CauseProperty('of all of them') cause: string | null;
  @SubjectProperty() subject: string | null;
  @Integer('orders, cancels, sales or refunds; up to 1,000 are examined') count: number;
  @NullableInteger('their sum; null: not read') cents: number | null;
  @NullableInstant('receipt of the oldest, or since when it lasts') oldestAt: string | null;
  @NullableInstant('the newest') newestAt: string | null;
  @ListOf(NeededOrderView, NAMED, 'the newest') orders: NeededOrderView[];
  @ListOf(NeededProductView, MOST_PRODUCTS, 'of orders that the POS refused for a product: those that it named')
  products: NeededProductView[];
}
