import { ApiProperty } from '@nestjs/swagger';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { VENDOR_NAMES, type VendorName } from '../domain/vendor.js';
import { Instant, Integer, ListOf, NullableText, OneOf, Uuid } from '../platform/http/fields/fields.js';
import { MessageWith } from '../platform/http/fields/message.view.js';

/** A restaurant as the API shows it, without its posSecret (A20). */
export class RestaurantView {
  @Uuid() id: string;
  @ApiProperty() name: string;
  @ApiProperty() slug: string;
  @NullableText() address: string | null;
  @NullableText() codeStoreTerminal: string | null;
  @NullableText() codeStorePos: string | null;
  @ApiProperty({
    enum: VENDOR_NAMES,
    enumName: 'PosVendor',
    nullable: true,
    description: "the kind of its POS; null: the deployment's",
  })
  posVendor: VendorName | null;

  @NullableText('where its POS gets events (Open Delivery); null: it asks for them, or is of another vendor', {
    example: 'https://pos.example/relay',
  })
  posBaseUrl: string | null;

  @NullableText() posIdPartner: string | null;
  @ApiProperty() hasPosSecret: boolean;

  @ApiProperty({ example: 'America/Sao_Paulo', description: 'IANA name of the time zone of its business days' })
  timezone: string;

  @ApiProperty({ example: '04:00', description: 'when a business day ends, on the next morning' }) dayClosesAt: string;
  @NullableText('of its amounts, ISO 4217; null: not set', { example: 'BRL' }) currency: string | null;
  @NullableText('the code at the POS of items that have none; null: they are sent without one') defaultItemCode:
    | string
    | null;

  @ApiProperty({
    type: [String],
    maxItems: 20,
    description: 'missing settings: store codes, one of the two POS credentials, a time zone',
    example: ['codeStorePos is not set: its orders wait until it is'],
  })
  warnings: string[];

  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

/** Response of creating or changing a restaurant. */
export class RestaurantSavedView extends MessageWith(RestaurantView) {}

/** A restaurant with the caller's role in it. */
export class OwnRestaurantView extends RestaurantView {
  @OneOf(RESTAURANT_ROLES, 'RestaurantRole', "the caller's role") role: RestaurantRole;

  @ApiProperty({
    description: 'whether the caller has accepted the link; true for links that need no accept',
  })
  accepted: boolean;
}

class PageMetaView {
  @Integer() page: number;
  @Integer() limit: number;
  @Integer() total: number;
  @Integer() pages: number;
}

/** Response of `GET /restaurants` (A22). */
export class RestaurantPageView {
  @ListOf(OwnRestaurantView, 100) data: OwnRestaurantView[];
  @ApiProperty() meta: PageMetaView;
}

/** The most restaurants in the list of a user (L22). */
export const MAX_OWN = 1_000;

/** Response of `GET /users/me/restaurants`. */
export class OwnRestaurantsView {
  @ListOf(OwnRestaurantView, MAX_OWN, 'sorted by name; `GET /restaurants` is paged') restaurants: OwnRestaurantView[];
}
