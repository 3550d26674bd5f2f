import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Actor } from '../platform/audit/actions.js';
import { Does } from '../platform/http/does.js';
import { MessageView } from '../platform/http/fields/message.view.js';
import { TakesNoTurn } from '../platform/http/limits/shares.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { ChangePasswordDto, LoginDto, LoginView, PASSWORD_CHANGE_REFUSALS, UserView } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { PASSWORD_CODES } from './error-codes.js';
import type { PasswordSender } from './password-queue.js';
import { Acting, Authenticated, Caller, type CurrentUser, Public, SentBy } from './principal.js';
import { TokenEnds } from './token-ends.js';

/** Login, the current user, and the password change (A1, A11). */
@ApiTags('authentication')
@Controller()
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly tokens: TokenEnds,
  ) {}

  @Public()
  @Post('auth/login')
  @HttpCode(200)
  @Does(
    'Signs in',
    'Returns a JWT for an email and a password. Send it as `Authorization: Bearer …`, on this page by ' +
      '**Authorize**. It is valid for `expires_in` seconds, and until the password is changed.',
  )
  @ApiOkResponse({ type: LoginView, description: 'the token and its user' })
  @Refuses(PASSWORD_CODES.INVALID_CREDENTIALS, 'TOO_MANY_REQUESTS', 'TOO_MANY_PASSWORD_CHECKS')
  login(@Body() { email, password }: LoginDto, @SentBy() sender: PasswordSender): Promise<LoginView> {
    return this.auth.login(email, password, sender);
  }

  @Get('auth/me')
  @Authenticated()
  @Does(
    'Returns the current user',
    'The user of the JWT, with the platform role. An OWNER needs the `id` to link this user to a restaurant.',
  )
  @ApiOkResponse({ type: UserView, description: 'the user of the token' })
  getCurrentUser(@Caller() user: CurrentUser): UserView {
    return user;
  }

  @Patch('users/me/password')
  @TakesNoTurn()
  @Authenticated()
  @Does(
    "Changes the current user's password",
    'Every token issued before becomes invalid, the one of this request too: sign in again.',
  )
  @ApiOkResponse({ type: MessageView, description: 'the password is changed' })
  @Refuses(...PASSWORD_CHANGE_REFUSALS)
  async changePassword(
    @Acting() caller: Actor,
    @Body() { currentPassword, newPassword }: ChangePasswordDto,
    @SentBy() sender: PasswordSender,
  ): Promise<MessageView> {
    await this.tokens.changePassword(caller, currentPassword, newPassword, sender);
    return { message: 'password changed; sign in again' };
  }
}
