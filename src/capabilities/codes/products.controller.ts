import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Does } from '../../platform/http/does.js';
import { InShare } from '../../platform/http/limits/shares.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { ProductsView } from './products.dto.js';
import { Products } from './products.js';

/** What a restaurant has sold, and what the POS calls it (I10). */
@ApiTags('codes')
@Controller('restaurants/:restaurantId/products')
export class ProductsController {
  constructor(private readonly products: Products) {}

  @Get()
  @InShare('reports')
  @ForPermission('manage_data')
  @Does(
    'Lists the products that a restaurant has sold',
    'The codes of the sales of the last 30 days, without test sales: how often, the last name and price, what is sent to the POS, and whether the POS ' +
      'has refused it.',
  )
  @ApiOkResponse({ type: ProductsView, description: 'the products' })
  listProducts(@CallerLink() { restaurantId, role }: Link): Promise<ProductsView> {
    return this.products.list(restaurantId, role === 'OWNER');
  }
}
