import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsEmail, IsIn, IsOptional, IsUUID, Matches, MaxLength } from 'class-validator';
import { IsPassword } from '../auth/password.rule.js';
import { normalizeEmail } from '../domain/account.js';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { NAME } from '../domain/text.js';
import { IsName } from '../platform/http/fields/is-name.js';

const MAX_EMAIL_LENGTH = 320;

const LowerCase = () => Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : value));

/** Validates a DTO field as a restaurant role. */
export const IsRole = () => IsIn(RESTAURANT_ROLES, { message: `role must be one of: ${RESTAURANT_ROLES.join(', ')}` });

/** Validates a DTO field as the email of an account, and normalizes it (A5). */
export const IsAccountEmail = () =>
  applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' && value.length <= MAX_EMAIL_LENGTH ? normalizeEmail(value) : value,
    ),
    IsEmail(),
    MaxLength(MAX_EMAIL_LENGTH),
    Matches(NAME, { message: 'email must not have control characters, or others that are invisible' }),
  );

/** Validates a DTO field as the name of a person. */
export const IsPersonName = () => IsName(200);

/** Body of `POST /restaurants/:restaurantId/users`. */
export class LinkUserDto {
  @ApiProperty({ format: 'uuid' })
  @IsUUID()
  @LowerCase()
  userId: string;

  @ApiProperty({ enum: RESTAURANT_ROLES, enumName: 'RestaurantRole', example: 'MANAGER' })
  @IsRole()
  role: RestaurantRole;
}

/** Body of `POST /restaurants/:restaurantId/users/create-and-link`. */
export class CreateUserAndLinkDto {
  @ApiProperty({ example: 'maria@example.com' })
  @IsAccountEmail()
  email: string;

  @ApiProperty({ example: 'a-long-password', description: 'of the new user, or of the existing account' })
  @IsPassword()
  password: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Maria' })
  @IsOptional()
  @IsPersonName()
  name?: string | null;

  @ApiProperty({ enum: RESTAURANT_ROLES, enumName: 'RestaurantRole', example: 'EMPLOYEE' })
  @IsRole()
  role: RestaurantRole;
}

/** Body of `PATCH /restaurants/:restaurantId/users/:userId/role`. */
export class ChangeRoleDto {
  @ApiProperty({ enum: RESTAURANT_ROLES, enumName: 'RestaurantRole', example: 'ADMIN' })
  @IsRole()
  role: RestaurantRole;
}

/** Body of `POST /restaurants/:restaurantId/transfer-ownership`. */
export class TransferOwnershipDto {
  @ApiProperty({ format: 'uuid', description: 'a user who is linked to the restaurant' })
  @IsUUID()
  @LowerCase()
  newOwnerId: string;
}
