import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsEmail, IsIn, IsOptional, IsString, IsUUID, Length, Matches, MaxLength } from 'class-validator';
import { normalEmail } from '../auth/auth.service.js';
import { IsPassword } from '../auth/password.rule.js';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';

const IsRole = () => IsIn(RESTAURANT_ROLES, { message: `role must be one of: ${RESTAURANT_ROLES.join(', ')}` });

export class LinkUserDto {
  @ApiProperty({ format: 'uuid' })
  @IsUUID()
  userId: string;

  @ApiProperty({ enum: RESTAURANT_ROLES, example: 'MANAGER' })
  @IsRole()
  role: RestaurantRole;
}

export class CreateUserAndLinkDto {
  @ApiProperty({ example: 'maria@example.com' })
  @Transform(({ value }) => (typeof value === 'string' ? normalEmail(value) : value))
  @IsEmail()
  @MaxLength(320)
  email: string;

  @ApiProperty({ example: 'a-long-password', description: 'ignored when the user exists already' })
  @IsPassword()
  password: string;

  @ApiPropertyOptional({ example: 'Maria' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  @Matches(/^\P{Cc}*$/u, { message: 'name must not contain control characters' })
  name?: string;

  @ApiProperty({ enum: RESTAURANT_ROLES, example: 'EMPLOYEE' })
  @IsRole()
  role: RestaurantRole;
}

export class ChangeRoleDto {
  @ApiProperty({ enum: RESTAURANT_ROLES, example: 'ADMIN' })
  @IsRole()
  role: RestaurantRole;
}

export class TransferOwnershipDto {
  @ApiProperty({ format: 'uuid', description: 'a user who is linked to the restaurant' })
  @IsUUID()
  newOwnerId: string;
}

/** A user as the people of a restaurant see them. */
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

export class LinkedUsersAnswer {
  @ApiProperty({ type: [LinkedUserView] })
  users: LinkedUserView[];
}

export class LinkedUserAnswer {
  @ApiProperty()
  user: LinkedUserView;
}

export class LinkAnswer {
  @ApiProperty()
  message: string;

  @ApiProperty()
  data: LinkedUserView;
}

export class MessageAnswer {
  @ApiProperty()
  message: string;
}

class CountsByRole {
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

export class UserStatsView {
  @ApiProperty({ format: 'uuid' })
  restaurantId: string;

  @ApiProperty()
  countsByRole: CountsByRole;

  @ApiProperty({ type: 'integer' })
  total: number;
}

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

export class TransferAnswer {
  @ApiProperty()
  message: string;

  @ApiProperty({ type: [LinkedUserView], description: 'the new owner, and the former one, who is ADMIN now' })
  data: LinkedUserView[];
}
