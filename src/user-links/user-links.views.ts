import { ApiProperty } from '@nestjs/swagger';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { Instant, Integer, ListOf, NullableText, OneOf, Uuid } from '../platform/http/fields/fields.js';
import { MessageView, MessageWith } from '../platform/http/fields/message.view.js';

/** The most users in the list of a restaurant (L22). */
export const MAX_LISTED = 1_000;

/** A user linked to a restaurant, as the restaurant's managers see them. */
export class LinkedUserView {
  @Uuid() userId: string;
  @NullableText('null, like the name, while a user who was linked by id has not accepted') email: string | null;
  @NullableText() name: string | null;
  @OneOf(RESTAURANT_ROLES, 'RestaurantRole') role: RestaurantRole;

  @ApiProperty({
    description: 'whether the user has accepted the link; true for links that need no accept',
  })
  accepted: boolean;

  @Instant() linkedAt: Date;
}

/** Response of `GET /restaurants/:restaurantId/users`. */
export class LinkedUsersView {
  @ListOf(LinkedUserView, MAX_LISTED, 'by role, then by time of the link') users: LinkedUserView[];
}

/** Response of `GET /restaurants/:restaurantId/user/:userId`. */
export class OneLinkedUserView {
  @ApiProperty() user: LinkedUserView;
}

/** Response of linking a user or changing a role. */
export class LinkChangedView extends MessageWith(LinkedUserView) {}

/** An accepted link of the caller. */
export class AcceptedLinkView {
  @Uuid() restaurantId: string;
  @OneOf(RESTAURANT_ROLES, 'RestaurantRole') role: RestaurantRole;
  @ApiProperty({ enum: [true] }) accepted: true;
}

/** Response of `POST /users/me/restaurants/:id/accept`. */
export class LinkAcceptedView extends MessageWith(AcceptedLinkView) {}

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
  @OneOf(RESTAURANT_ROLES, 'RestaurantRole') role: RestaurantRole;
  @ApiProperty({ type: [String], maxItems: 20, example: ['view_data'] }) permissions: string[];
}

/** Response of `POST /restaurants/:restaurantId/transfer-ownership`. */
export class OwnershipTransferredView extends MessageView {
  @ListOf(LinkedUserView, 2, 'the new owner, and the former owner, who is ADMIN now') data: LinkedUserView[];
}
