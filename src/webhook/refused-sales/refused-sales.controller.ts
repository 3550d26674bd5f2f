import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Does } from '../../platform/http/does.js';
import { CursorPageDto } from '../../platform/http/fields/cursor-page.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { RefusedSaleDetailView, RefusedSalePageView } from './refused-sales.dto.js';
import { RefusedSalesReader } from './refused-sales-reader.js';

/** Sales that were not registered, because another one is stored under their key (W46). */
@ApiTags('orders')
@Controller('restaurants/:restaurantId/refused-sales')
export class RefusedSalesController {
  constructor(private readonly reader: RefusedSalesReader) {}

  @Get()
  @ForPermission('view_data')
  @Does(
    'Lists refused sales',
    'Sales of the last 30 days whose transactionKey was that of another sale (`TRANSACTION_KEY_REUSED`): no order was made of them. The newest ' +
      'first, paged by cursor.',
  )
  @ApiOkResponse({ type: RefusedSalePageView, description: 'one page of refused sales' })
  listRefusedSales(@CallerLink() { restaurantId }: Link, @Query() query: CursorPageDto): Promise<RefusedSalePageView> {
    return this.reader.list(restaurantId, query);
  }

  @Get(':saleId')
  @ForPermission('view_data')
  @Does('Returns a refused sale', 'With what the terminal sent, so that it can be entered in the POS by hand.')
  @ApiOkResponse({ type: RefusedSaleDetailView, description: 'the sale' })
  getRefusedSale(
    @CallerLink() { restaurantId, role }: Link,
    @UuidParam('saleId') id: string,
  ): Promise<RefusedSaleDetailView> {
    return this.reader.get(restaurantId, id, role === 'OWNER');
  }
}
