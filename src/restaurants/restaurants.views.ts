import { ApiProperty } from '@nestjs/swagger';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { Instant, Integer, Uuid } from '../http/fields.js';
import { MessageView } from '../http/message.view.js';

/** A restaurant as the API shows it, without its posSecret (A20). */
export class RestaurantView {
  @Uuid() id: string;
  @ApiProperty() name: string;
  @ApiProperty() slug: string;
  @ApiProperty({ type: String, nullable: true }) address: string | null;
  @ApiProperty({ type: String, nullable: true }) codeStoreTerminal: string | null;
  @ApiProperty({ type: String, nullable: true }) codeStorePos: string | null;
  @ApiProperty({ type: String, nullable: true }) posIdPartner: string | null;
  @ApiProperty() hasPosSecret: boolean;

  @ApiProperty({ example: 'America/Sao_Paulo', description: 'IANA name of the time zone of its business days' })
  timezone: string;

  @ApiProperty({ example: '04:00', description: 'when a business day ends, on the next morning' }) dayClosesAt: string;

  @ApiProperty({
    type: [String],
    maxItems: 20,
    description:
      'what it lacks for its orders to be delivered: store codes, half of its POS credentials; and a time zone that nobody has chosen',
    example: ['codeStorePos is not set: its orders wait until it is'],
  })
  warnings: string[];

  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

/** Response of creating or changing a restaurant. */
export class RestaurantSavedView extends MessageView {
  @ApiProperty() data: RestaurantView;
}

/** A restaurant with the caller's role in it. */
export class OwnRestaurantView extends RestaurantView {
  @ApiProperty({ enum: RESTAURANT_ROLES, enumName: 'RestaurantRole', description: "the caller's role" })
  role: RestaurantRole;

  @ApiProperty({
    description: "whether the link is the caller's own; false until they accept one that others made",
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
  @ApiProperty({ type: [OwnRestaurantView], maxItems: 100 }) data: OwnRestaurantView[];
  @ApiProperty() meta: PageMetaView;
}

/** So many of a user's restaurants are listed at once (L22). */
export const MAX_OWN = 1_000;

/** Response of `GET /users/me/restaurants`. */
export class OwnRestaurantsView {
  @ApiProperty({
    type: [OwnRestaurantView],
    maxItems: MAX_OWN,
    description: 'by name; `GET /restaurants` has them in pages',
  })
  restaurants: OwnRestaurantView[];
}
