import { ApiProperty } from '@nestjs/swagger';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';

/** A user linked to a restaurant, as the restaurant's managers see them. */
export class LinkedUserView {
  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty()
  email: string;

  @ApiProperty({ type: String, nullable: true })
  name: string | null;

  @ApiProperty({ enum: RESTAURANT_ROLES })
  role: RestaurantRole;

  @ApiProperty({ type: String, format: 'date-time' })
  linkedAt: Date;
}

/** Response of `GET /restaurants/:restaurantId/users`. */
export class LinkedUsersView {
  @ApiProperty({ type: [LinkedUserView] })
  users: LinkedUserView[];
}

/** Response of `GET /restaurants/:restaurantId/user/:userId`. */
export class OneLinkedUserView {
  @ApiProperty()
  user: LinkedUserView;
}

/** Response of linking a user or changing a role. */
export class LinkChangedView {
  @ApiProperty()
  message: string;

  @ApiProperty()
  data: LinkedUserView;
}

class CountsByRoleView {
  @ApiProperty({ type: 'integer' })
  OWNER: number;

  @ApiProperty({ type: 'integer' })
  ADMIN: number;

  @ApiProperty({ type: 'integer' })
  MANAGER: number;

  @ApiProperty({ type: 'integer' })
  EMPLOYEE: number;

  @ApiProperty({ type: 'integer' })
  VIEWER: number;
}

/** Response of `GET /restaurants/:restaurantId/users/stats`. */
export class UserStatsView {
  @ApiProperty({ format: 'uuid' })
  restaurantId: string;

  @ApiProperty()
  countsByRole: CountsByRoleView;

  @ApiProperty({ type: 'integer' })
  total: number;
}

/** Response of `GET /restaurants/:restaurantId/my-role`. */
export class MyRoleView {
  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({ format: 'uuid' })
  restaurantId: string;

  @ApiProperty({ enum: RESTAURANT_ROLES })
  role: RestaurantRole;

  @ApiProperty({ type: [String], example: ['view_data'] })
  permissions: string[];
}

/** Response of `POST /restaurants/:restaurantId/transfer-ownership`. */
export class OwnershipTransferredView {
  @ApiProperty()
  message: string;

  @ApiProperty({ type: [LinkedUserView], description: 'the new owner, and the former one, who is ADMIN now' })
  data: LinkedUserView[];
}
