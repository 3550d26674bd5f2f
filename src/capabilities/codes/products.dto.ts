import { ApiProperty } from '@nestjs/swagger';
import { CODE_LENGTH } from '../../domain/pos-codes.js';
import {
  Instant,
  Integer,
  ListOf,
  NullableInstant,
  NullableInteger,
  NullableText,
  OneOf,
} from '../../platform/http/fields/fields.js';

/** The most products of the list, and of one piece of it (L236). */
export const MAX_PRODUCTS = 1_000;

export const PRODUCT_STATES = ['refused', 'unmapped', 'default', 'mapped'] as const;
export type ProductState = (typeof PRODUCT_STATES)[number];

/** A product that a restaurant has sold. */
export class ProductView {
  @NullableText('as the terminal sends it; null: items without a code', { maxLength: CODE_LENGTH })
  terminalCode: string | null;

  @NullableText('the name that the terminal sent last', { maxLength: CODE_LENGTH }) name: string | null;
  @Integer('lines of sales, and options, with it') count: number;

  @ApiProperty({ type: 'number', nullable: true, description: 'of one unit, of the last sale, in currency units' })
  lastPrice: number | null;

  @Instant('receipt of the last sale') lastSoldAt: string;
  @NullableText('what is sent to the POS for it; null: the code of the terminal, or none') posCode: string | null;
  @NullableText('the name that is sent in place of that of the terminal') posName: string | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'whether the catalogue of the POS has what is sent; null: no catalogue, or no code',
  })
  inCatalogue: boolean | null;

  @NullableInteger('the price in the catalogue; null: none') cataloguePriceCents: number | null;

  @OneOf(
    PRODUCT_STATES,
    'ProductState',
    'refused: the POS named it when it refused an order that is parked; mapped: it has a code at the POS; default: items without a code, ' +
      'for which the default item code is sent; unmapped: the code of the terminal is sent, or none',
  )
  state: ProductState;
}

class ProductsMetaView {
  @Integer('sales that were read') sales: number;
  @NullableInstant('the receipt of the oldest sale that was read; null: all of 30 days were') from: string | null;
}

/** Response of `GET /restaurants/:restaurantId/products`. */
export class ProductsView {
  @ListOf(ProductView, MAX_PRODUCTS, 'the refused ones first, then those sold most') data: ProductView[];
  @ApiProperty() meta: ProductsMetaView;
}
