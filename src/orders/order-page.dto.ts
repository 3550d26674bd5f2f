import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CursorPageMetaView, MAX_PAGE } from '../platform/http/fields/cursor-page.js';
import { ListOf } from '../platform/http/fields/fields.js';
import { OrderView } from './orders.dto.js';

export class OrderPageMetaView extends CursorPageMetaView {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'with `q`: the search has read the orders received since this time, and no older ones; null: all of the last seven days',
  })
  readonly searchedFrom?: Date | null;
}

export class OrderPageView {
  @ListOf(OrderView, MAX_PAGE) data: OrderView[];
  @ApiProperty() meta: OrderPageMetaView;
}
