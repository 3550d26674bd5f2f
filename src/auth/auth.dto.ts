import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { PASSWORD_RULE } from '../domain/account.js';
import { PLATFORM_ROLES, type PlatformRole } from '../domain/role.js';
import type { ErrorCode } from '../platform/http/error-codes.js';
import { NullableText, OneOf, Uuid } from '../platform/http/fields/fields.js';
import { PASSWORD_CODES } from './error-codes.js';
import { IsPassword } from './password.rule.js';

/** The most characters of an email, and of a password that is compared. A5 limits new passwords. */
const MAX_EMAIL_LENGTH = 320;
const MAX_SENT_PASSWORD_LENGTH = 1_024;

/** An email and a password, as sent. */
export interface SentCredentials {
  readonly email: string;
  readonly password: string;
}

/** Whether the email or the password is too long for any account, so that no query is needed. */
export function isTooLong({ email, password }: SentCredentials): boolean {
  return email.length > MAX_EMAIL_LENGTH || password.length > MAX_SENT_PASSWORD_LENGTH;
}

/** Body of `POST /auth/login`. */
export class LoginDto {
  @ApiProperty({ example: 'admin@example.com' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_EMAIL_LENGTH)
  email: string;

  @ApiProperty({ example: 'change-me-please' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_SENT_PASSWORD_LENGTH)
  password: string;
}

/** A user as the API shows it, without the password hash. */
export class UserView {
  @Uuid() id: string;
  @ApiProperty() email: string;
  @NullableText() name: string | null;
  @OneOf(PLATFORM_ROLES, 'PlatformRole', 'the platform role; restaurant roles belong to the links') role: PlatformRole;
}

/** Response of `POST /auth/login` (A1). */
export class LoginView {
  @ApiProperty() access_token: string;
  @ApiProperty({ enum: ['Bearer'] }) token_type: 'Bearer';
  @ApiProperty({ description: 'validity of the token in seconds' }) expires_in: number;
  @ApiProperty() user: UserView;
}

/** The codes with which a password change is refused (A11). */
export const PASSWORD_CHANGE_REFUSALS: readonly ErrorCode[] = [
  PASSWORD_CODES.WRONG_PASSWORD,
  PASSWORD_CODES.SAME_PASSWORD,
  PASSWORD_CODES.GUESSABLE_PASSWORD,
  'TOO_MANY_REQUESTS',
  'TOO_MANY_PASSWORD_CHECKS',
  'QUOTA_REACHED',
];

/** Body of `PATCH /users/me/password`. */
export class ChangePasswordDto {
  @ApiProperty({ example: 'change-me-please' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_SENT_PASSWORD_LENGTH)
  currentPassword: string;

  @ApiProperty({ example: 'a-better-password', description: PASSWORD_RULE })
  @IsPassword()
  newPassword: string;
}
