import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ADMINISTERING_ROLES } from '../../domain/role.js';
import { ApiOrderKey, OrderKey } from '../../orders/order-key.js';
import { Does } from '../../platform/http/does.js';
import { InShare } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForRoles, type Link } from '../../user-links/restaurant.guard.js';
import { EraseDto, OrderErasedView, OrdersErasedView } from './erasure.dto.js';
import { ErasureService } from './erasure.service.js';

/** Erases the content of sales (W40, W41). */
@ApiTags('orders')
@Controller('restaurants/:restaurantId')
export class ErasureController {
  constructor(private readonly service: ErasureService) {}

  @Post('orders/:transactionKey/erase')
  @HttpCode(200)
  @ForRoles('OWNER')
  @Refuses('NOT_FOUND', 'ORDER_UNDER_WAY')
  @Does(
    'Erases the content of a sale',
    'Keys, times and amounts stay, so that takings add up and the sale is still a duplicate if it is posted again. Everything else that ' +
      'the terminal sent is erased, with what was sent to the POS and the texts of errors. It cannot be undone, and it is audited. A ' +
      'repeated request changes nothing.',
  )
  @ApiOrderKey()
  @ApiOkResponse({ type: OrderErasedView, description: 'it is erased; when and by whom' })
  eraseOrder(@CallerLink() caller: Link, @OrderKey() key: string): Promise<OrderErasedView> {
    return this.service.eraseOrder(caller, key);
  }

  @Post('parked/erase')
  @HttpCode(200)
  @InShare('reports')
  @ForRoles(...ADMINISTERING_ROLES)
  @Does(
    'Erases the content of old parked and cancelled orders',
    'Retention removes delivered orders, and keeps those that were parked, or cancelled before they were sent. This erases the content of ' +
      'those that are older than the retention. `dryRun` counts. One call erases at most 10,000. It cannot be undone, and it is audited.',
  )
  @ApiOkResponse({ type: OrdersErasedView, description: 'how many were found, and how many of them were erased' })
  eraseOld(@CallerLink() caller: Link, @Body() { dryRun }: EraseDto): Promise<OrdersErasedView> {
    return this.service.eraseOld(caller, dryRun);
  }
}
