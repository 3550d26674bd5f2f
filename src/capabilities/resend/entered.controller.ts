import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import { RESEND_CODES } from '../../orders/error-codes.js';
import { ApiOrderKey, OrderKey } from '../../orders/order-key.js';
import { RESEND_PERMISSIONS } from '../../orders/staff-resend.js';
import { Does } from '../../platform/http/does.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { EnteredDto, OrderEnteredView } from './entered.dto.js';
import { EnteredService } from './entered.service.js';

/** Records what people entered in the till by hand, for the staff of a restaurant (R65). */
@ApiTags('orders')
@Controller('restaurants/:restaurantId')
export class EnteredController {
  constructor(private readonly service: EnteredService) {}

  @Post('orders/:transactionKey/entered')
  @HttpCode(HttpStatus.ACCEPTED)
  @ForPermission(...RESEND_PERMISSIONS)
  @Refuses(RESEND_CODES.ORDER_CANCELLED, RESEND_CODES.ORDER_DELIVERED, 'ORDER_UNDER_WAY', 'NOT_FOUND', 'QUOTA_REACHED')
  @Does(
    'Records that an order was entered in the till by hand',
    'A parked order, or one that waits, becomes `resolved`: it is not sent any more, and counts as taken. A refund is ticked, and keeps its ' +
      'state. Sending the order again ends this. It is audited. A second call changes nothing.',
  )
  @ApiOrderKey()
  @ApiAcceptedResponse({ type: OrderEnteredView, description: 'it was recorded' })
  async enter(
    @CallerLink() caller: Link,
    @OrderKey() key: string,
    @Body() { note }: EnteredDto,
  ): Promise<OrderEnteredView> {
    const jobId = await this.service.enter(caller, key, note ?? null);
    return { message: 'recorded: the order was entered in the till by hand', data: { jobId } };
  }
}
