import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** An addition to the standard (Q23). */
const EventId = () =>
  ApiPropertyOptional({
    format: 'uuid',
    description:
      '`eventId` of the event CREATED that it answers; not of the standard. Of an order that was sent again after a refusal it says which offer is meant',
  });

/** Body of `POST /v1/orders/:orderId/confirm`. */
export class ConfirmationDto {
  @ApiProperty({ minLength: 1, maxLength: 100, description: 'the number of the order at the POS' })
  orderExternalCode: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'of the standard; the time of the request counts' })
  createdAt?: string;

  @ApiPropertyOptional() reason?: string;
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 10_080, description: 'minutes' })
  preparationTime?: number;
  @EventId() eventId?: string;
}

/** Body of `POST /v1/orders/:orderId/requestCancellation`. */
export class RefusalDto {
  @ApiProperty({ minLength: 1, description: 'for people; the first 500 characters are kept' }) reason: string;
  @ApiProperty({ minLength: 1, maxLength: 100, example: 'OUTDATED_MENU' }) code: string;
  @ApiPropertyOptional({ example: 'AUTO', description: 'of the standard; it is not kept' }) mode?: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: 100,
    description: 'ids of the items of the order whose codes the POS does not know',
  })
  invalidItems?: string[];

  @ApiPropertyOptional({ type: [String], maxItems: 100, description: 'of the standard; it is not kept' })
  outOfStockItems?: string[];

  @EventId() eventId?: string;
}
