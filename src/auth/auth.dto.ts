import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { PLATFORM_ROLES, type PlatformRole } from '../domain/role.js';
import { IsPassword } from './password.rule.js';

export class LoginDto {
  @ApiProperty({ example: 'admin@example.com' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(320)
  email: string;

  @ApiProperty({ example: 'a-long-password' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(1_024)
  password: string;
}

export class UserView {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty()
  email: string;

  @ApiProperty({ type: String, nullable: true })
  name: string | null;

  @ApiProperty({ enum: PLATFORM_ROLES, description: 'the platform role; roles in restaurants are on the links' })
  role: PlatformRole;
}

export class LoginView {
  @ApiProperty()
  access_token: string;

  @ApiProperty({ enum: ['Bearer'] })
  token_type: 'Bearer';

  @ApiProperty({ description: 'seconds' })
  expires_in: number;

  @ApiProperty()
  user: UserView;
}

export class ChangePasswordDto {
  @ApiProperty({ example: 'a-long-password' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(1_024)
  currentPassword: string;

  @ApiProperty({ example: 'another-long-password', description: '8 characters to 72 bytes' })
  @IsPassword()
  newPassword: string;
}

export class PasswordChangedView {
  @ApiProperty()
  message: string;
}
