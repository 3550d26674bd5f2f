import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { ORDER_STATES } from '../domain/order-state.js';
import { OrderDetailView } from '../orders/orders.dto.js';
import { KEY_LENGTH } from '../outbox/job.views.js';
import { Instant, Integer, ListOf, OneOf, Uuid } from '../platform/http/fields/fields.js';

/** Query parameters of `GET /admin/orders`. */
export class SearchOrdersDto {
  @ApiProperty({
    minLength: 1,
    maxLength: KEY_LENGTH,
    description:
      'the key of an order, as sent or as stored; its number; the id of one of its jobs; or the id of an audited request',
  })
  @IsString()
  @Length(1, KEY_LENGTH)
  q: string;
}

class FoundOrderView {
  @Uuid() restaurantId: string;
  @ApiProperty() restaurantName: string;
  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @ApiProperty({ type: String, nullable: true, maxLength: 255 }) transactionNumber: string | null;
  @ApiProperty({ description: 'received in test mode' }) test: boolean;
  @Instant() receivedAt: Date;
  @Integer('amount paid, in cents') paidCents: number;
  @OneOf(ORDER_STATES, 'OrderState', 'what became of it (R33)') state: string;
}

/** Response of `GET /admin/orders/:ofRestaurant/:transactionKey`. */
export class OperatorOrderView extends OrderDetailView {
  @ApiProperty() restaurantName: string;
}

class FoundMetaView {
  @ApiProperty({ description: 'more orders match than are shown' }) more: boolean;
}

/** Response of `GET /admin/orders`. */
export class FoundOrdersView {
  @ListOf(FoundOrderView, 50, 'the newest first') data: FoundOrderView[];
  @ApiProperty() meta: FoundMetaView;
}
