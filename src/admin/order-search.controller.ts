import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PlatformAdmin } from '../auth/platform-admin.guard.js';
import { Acting } from '../auth/principal.js';
import { ApiOrderKey, OrderKey } from '../orders/order-key.js';
import type { Actor } from '../platform/audit/actions.js';
import { Does } from '../platform/http/does.js';
import { UuidParam } from '../platform/http/fields/uuid.pipe.js';
import { InShare } from '../platform/http/limits/shares.js';
import { FoundOrdersView, OperatorOrderView, SearchOrdersDto } from './order-search.dto.js';
import { OrderSearchService } from './order-search.service.js';

/** Orders of all restaurants for platform administrators; read only (R37). */
@ApiTags('admin')
@PlatformAdmin()
@Controller('admin/orders')
export class OrderSearchController {
  constructor(private readonly orders: OrderSearchService) {}

  @Get()
  @InShare('reports')
  @Does(
    'Looks for an order in all restaurants',
    'By its key, its number, the id of a job, or the id of an audited request; exactly, the newest first.',
  )
  @ApiOkResponse({ type: FoundOrdersView, description: 'the orders; perhaps none' })
  searchOrders(@Query() { q }: SearchOrdersDto): Promise<FoundOrdersView> {
    return this.orders.search(q);
  }

  @Get(':ofRestaurant/:transactionKey')
  @Does(
    'Returns an order of a restaurant',
    'As the OWNERs of the restaurant see it. Each call is audited, and the OWNERs of the restaurant can read the entry.',
  )
  @ApiOrderKey()
  @ApiOkResponse({ type: OperatorOrderView, description: 'the order, its jobs and their attempts, and its restaurant' })
  readOrder(
    @Acting() actor: Actor,
    @UuidParam('ofRestaurant') restaurantId: string,
    @OrderKey() key: string,
  ): Promise<OperatorOrderView> {
    return this.orders.read(actor, restaurantId, key);
  }
}
