import { Body, Controller, Get, HttpCode, Ip, Patch, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ChangePasswordDto, LoginDto, LoginView, PasswordChangedView, UserView } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { Caller, type CurrentUser, Public } from './principal.js';

@ApiTags('authentication')
@Controller()
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Public()
  @Post('auth/login')
  @HttpCode(200)
  @ApiOperation({ summary: 'A JWT for an email and a password' })
  @ApiOkResponse({ type: LoginView })
  @ApiResponse({ status: 429, description: 'TOO_MANY_REQUESTS: see LOGIN_ATTEMPTS_PER_MINUTE' })
  login(@Body() { email, password }: LoginDto, @Ip() address: string): Promise<LoginView> {
    return this.auth.login(email, password, address);
  }

  @Get('auth/me')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'The current user' })
  @ApiOkResponse({ type: UserView })
  me(@Caller() user: CurrentUser): UserView {
    return user;
  }

  @Patch('users/me/password')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Changes the password; all tokens issued before end' })
  @ApiOkResponse({ type: PasswordChangedView })
  @ApiResponse({ status: 400, description: 'WRONG_PASSWORD, or VALIDATION_FAILED' })
  @ApiResponse({ status: 422, description: 'SAME_PASSWORD' })
  @ApiResponse({ status: 429, description: 'TOO_MANY_REQUESTS: see LOGIN_ATTEMPTS_PER_MINUTE' })
  async changePassword(
    @Caller() user: CurrentUser,
    @Body() { currentPassword, newPassword }: ChangePasswordDto,
    @Ip() address: string,
  ): Promise<PasswordChangedView> {
    await this.auth.changePassword(user.id, currentPassword, newPassword, address);
    return { message: 'password changed; sign in again' };
  }
}
