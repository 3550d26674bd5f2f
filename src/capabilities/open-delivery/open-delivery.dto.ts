import { ApiProperty } from '@nestjs/swagger';
import { Instant, Integer, Uuid } from '../../platform/http/fields/fields.js';
import { EVENT_TYPES, type EventType } from './events.js';

/** Response of `POST /oauth/token`. */
export class TokenView {
  @ApiProperty() access_token: string;
  @ApiProperty({ enum: ['bearer'] }) token_type: string;
  @Integer('seconds') expires_in: number;
}

/** An event of an order. */
export class EventView {
  @Uuid('the same whenever it is offered again') eventId: string;
  @ApiProperty({ enum: EVENT_TYPES, enumName: 'PosEventType' }) eventType: EventType;
  @Uuid() orderId: string;
  @ApiProperty({ format: 'uri' }) orderURL: string;
  @Instant() createdAt: Date;
}

/** An entry of the body of an acknowledgement. */
export class AcknowledgedEventView {
  @Uuid('the `eventId`') id: string;
  @Uuid() orderId: string;
  @ApiProperty({ example: 'CREATED' }) eventType: string;
}
