import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiOrderKey, OrderKey } from '../../orders/order-key.js';
import { RESEND_PERMISSIONS, RefusesResend, StaffResend } from '../../orders/staff-resend.js';
import { Does } from '../../platform/http/does.js';
import { InShare } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { CODES_CODES } from './error-codes.js';
import { MapOrderDto, MappableOrderAnswerView, OrderMappedView } from './map.dto.js';
import { MapService } from './map.service.js';

/** Maps the products of an order that the POS refused, and sends it again (I8). */
@ApiTags('codes')
@Controller('restaurants/:restaurantId/orders/:transactionKey/map')
export class MapController {
  constructor(private readonly service: MapService) {}

  @Get()
  @ForPermission(...RESEND_PERMISSIONS)
  @Does(
    'Returns the products of an order and what the POS calls them',
    'Each code of its items once, those first that the POS named when it refused the order.',
  )
  @ApiOrderKey()
  @ApiOkResponse({ type: MappableOrderAnswerView, description: 'the products' })
  @Refuses('NOT_FOUND')
  async readOrderCodes(@CallerLink() caller: Link, @OrderKey() key: string): Promise<MappableOrderAnswerView> {
    return { data: await this.service.read(caller, key) };
  }

  @Post()
  @HttpCode(HttpStatus.ACCEPTED)
  @InShare('reports')
  @StaffResend()
  @RefusesResend()
  @Refuses(CODES_CODES.ORDER_NOT_REFUSED, CODES_CODES.TOO_MANY_CODES)
  @Does(
    'Says what the POS calls products of a refused order, and sends it again',
    'Only with RESEND=restaurants. The codes are kept for the restaurant and hold for each order that is sent from now on. The order becomes ' +
      'due now with attempts 0; both happen, or neither. It is audited.',
  )
  @ApiOrderKey()
  @ApiAcceptedResponse({ type: OrderMappedView, description: 'the codes are set, and the order will be sent' })
  async mapOrder(
    @CallerLink() caller: Link,
    @OrderKey() key: string,
    @Body() body: MapOrderDto,
  ): Promise<OrderMappedView> {
    return {
      message: 'the codes are set, and the order will be sent',
      data: await this.service.map(caller, key, body),
    };
  }
}
