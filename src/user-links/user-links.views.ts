import { ApiProperty } from '@nestjs/swagger';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { Instant, Integer, Uuid } from '../http/fields.js';
import { MessageView } from '../http/message.view.js';

/** So many users of a restaurant are listed (L22). */
export const MAX_LISTED = 1_000;

/** A user linked to a restaurant, as the restaurant's managers see them. */
export class LinkedUserView {
  @Uuid() userId: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null, as the name is, of somebody who was linked by id and has not accepted',
  })
  email: string | null;

  @ApiProperty({ type: String, nullable: true }) name: string | null;
  @ApiProperty({ enum: RESTAURANT_ROLES, enumName: 'RestaurantRole' }) role: RestaurantRole;

  @ApiProperty({
    description: "whether the link is the user's own: made by others, it is from the moment they accept it",
  })
  accepted: boolean;

  @Instant() linkedAt: Date;
}

/** Response of `GET /restaurants/:restaurantId/users`. */
export class LinkedUsersView {
  @ApiProperty({ type: [LinkedUserView], maxItems: MAX_LISTED, description: 'by role, then by time of the link' })
  users: LinkedUserView[];
}

/** Response of `GET /restaurants/:restaurantId/user/:userId`. */
export class OneLinkedUserView {
  @ApiProperty() user: LinkedUserView;
}

/** Response of linking a user or changing a role. */
export class LinkChangedView extends MessageView {
  @ApiProperty() data: LinkedUserView;
}

/** A link of the caller's that they have accepted. */
export class AcceptedLinkView {
  @Uuid() restaurantId: string;
  @ApiProperty({ enum: RESTAURANT_ROLES, enumName: 'RestaurantRole' }) role: RestaurantRole;
  @ApiProperty({ enum: [true] }) accepted: true;
}

/** Response of `POST /users/me/restaurants/:id/accept`. */
export class LinkAcceptedView extends MessageView {
  @ApiProperty() data: AcceptedLinkView;
}

class CountsByRoleView {
  @Integer() OWNER: number;
  @Integer() ADMIN: number;
  @Integer() MANAGER: number;
  @Integer() EMPLOYEE: number;
  @Integer() VIEWER: number;
}

/** Response of `GET /restaurants/:restaurantId/users/stats`. */
export class UserStatsView {
  @Uuid() restaurantId: string;
  @ApiProperty() countsByRole: CountsByRoleView;
  @Integer() total: number;
}

/** Response of `GET /restaurants/:restaurantId/my-role`. */
export class MyRoleView {
  @Uuid() userId: string;
  @Uuid() restaurantId: string;
  @ApiProperty({ enum: RESTAURANT_ROLES, enumName: 'RestaurantRole' }) role: RestaurantRole;
  @ApiProperty({ type: [String], maxItems: 20, example: ['view_data'] }) permissions: string[];
}

/** Response of `POST /restaurants/:restaurantId/transfer-ownership`. */
export class OwnershipTransferredView extends MessageView {
  @ApiProperty({
    type: [LinkedUserView],
    maxItems: 2,
    description: 'the new owner, and the former one, who is ADMIN now',
  })
  data: LinkedUserView[];
}
