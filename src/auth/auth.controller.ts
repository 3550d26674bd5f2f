import { Body, Controller, Get, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LoginDto, LoginView, UserView } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { Caller, type CurrentUser, Public } from './principal.js';

@ApiTags('authentication')
@Controller('auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Public()
  @Post('login')
  @HttpCode(200)
  @ApiOperation({ summary: 'A JWT for an email and a password' })
  @ApiOkResponse({ type: LoginView })
  login(@Body() { email, password }: LoginDto, @Ip() address: string): Promise<LoginView> {
    return this.auth.login(email, password, address);
  }

  @Get('me')
  @ApiBearerAuth()
  @ApiOperation({ summary: 'The current user' })
  @ApiOkResponse({ type: UserView })
  me(@Caller() user: CurrentUser): UserView {
    return user;
  }
}
