import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CAUSE_WORDS, type Cause } from '../../domain/cause.js';
import { ORDER_STATES, type OrderState } from '../../domain/order-state.js';
import { KEY_LENGTH } from '../../outbox/job.views.js';
import { Instant, Uuid } from '../../platform/http/fields/fields.js';
import { QueryInteger, QueryText } from '../../platform/http/fields/query-fields.js';
import { MAX_CURSOR } from './receipt-cursor.js';
import { PAGE } from './receipts.sql.js';

/** The longest wait of a poll, in s (L65). */
const MAX_WAIT_SECONDS = 25;

export const RECEIPT_TYPES = [
  'order.stored',
  'order.delivered',
  'order.accepted',
  'order.parked',
  'order.refused',
  'order.resolved',
  'order.cancelled',
] as const;

export class ReceiptsQueryDto {
  @QueryText(MAX_CURSOR, '`cursor` of the previous page; default: the last 24 hours')
  after?: string;

  @QueryInteger({
    default: 0,
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    description: 'how long the answer waits for a receipt, in seconds',
  })
  wait = 0;
}

export class ReceiptView {
  @ApiProperty({ enum: RECEIPT_TYPES, enumName: 'ReceiptType' }) type: (typeof RECEIPT_TYPES)[number];
  @Instant() at: Date;
  @Uuid('whose sale it is') restaurantId: string;
  @ApiProperty({ maxLength: KEY_LENGTH, example: 'T-2026-000123', description: 'as the terminal sent it' })
  transactionKey: string;
  @Uuid() jobId: string;
  @ApiProperty({ enum: ORDER_STATES, enumName: 'OrderState', description: 'the state of the order now' })
  state: OrderState;

  @ApiPropertyOptional({ enum: CAUSE_WORDS, enumName: 'Cause', description: 'order.parked, order.refused: why' })
  cause?: Cause;
}

export class ReceiptsView {
  @ApiProperty({ type: [ReceiptView], maxItems: PAGE, description: 'the oldest first' }) data: readonly ReceiptView[];
  @ApiProperty({ description: 'send it as `after` of the next request' }) cursor: string;
  @ApiProperty({ description: 'whether more receipts exist already' }) more: boolean;
}

export class ReceiptAnswerView {
  @ApiProperty({ type: ReceiptView }) data: ReceiptView;
}
