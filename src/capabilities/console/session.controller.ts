import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Req, Res } from '@nestjs/common';
import {
  ApiCookieAuth,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangePasswordDto, LoginDto, PASSWORD_CHANGE_REFUSALS } from '../../auth/auth.dto.js';
import { AuthService } from '../../auth/auth.service.js';
import { PASSWORD_CODES } from '../../auth/error-codes.js';
import type { PasswordSender } from '../../auth/password-queue.js';
import { Acting, Caller, type CurrentUser, Public, SentBy } from '../../auth/principal.js';
import { TokenEnds } from '../../auth/token-ends.js';
import type { Actor } from '../../platform/audit/actions.js';
import { browserOf } from '../../platform/http/browser.js';
import { Does } from '../../platform/http/does.js';
import { TakesNoTurn } from '../../platform/http/limits/shares.js';
import { SESSION_COOKIE_AUTH } from '../../platform/http/openapi/document.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { SESSION_PATH } from './door.js';
import { SessionsEndedView, SessionView, SignedInListView } from './session.dto.js';
import { Sessions } from './sessions.js';

/** Sign-in, sign-out and password of the console, by a cookie that scripts cannot read (N3, N4). */
@ApiTags('console')
@ApiForbiddenResponse({ description: 'CROSS_SITE: only for the pages of the console' })
@Controller(SESSION_PATH)
export class SessionController {
  constructor(
    private readonly auth: AuthService,
    private readonly tokens: TokenEnds,
    private readonly sessions: Sessions,
  ) {}

  @Public()
  @Post()
  @HttpCode(200)
  @Does(
    'Signs in to the console',
    'Like `POST /auth/login`, but sets the token as a cookie that scripts cannot read, and that is accepted below `/console` only. Only ' +
      'for pages of this origin.',
  )
  @ApiOkResponse({ type: SessionView, description: 'the user, and when the session ends' })
  @Refuses(PASSWORD_CODES.INVALID_CREDENTIALS, 'TOO_MANY_REQUESTS', 'TOO_MANY_PASSWORD_CHECKS')
  async openSession(
    @Body() { email, password }: LoginDto,
    @SentBy() sender: PasswordSender,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const browser = browserOf(reply.request.headers['user-agent']);
    return this.sessions.begin(await this.auth.loginToConsole(email, password, sender, browser), reply);
  }

  @Get()
  @ApiCookieAuth(SESSION_COOKIE_AUTH)
  @Refuses('TOO_MANY_AT_ONCE')
  @ApiUnauthorizedResponse({ description: 'UNAUTHENTICATED: not signed in' })
  @Does(
    'Returns the session of the console',
    'The user, the end of the session, and settings of this relay that the pages need.',
  )
  @ApiOkResponse({ type: SessionView, description: 'the user, and when the session ends' })
  getSession(@Caller() user: CurrentUser, @Req() request: FastifyRequest): Promise<SessionView> {
    return this.sessions.describe(user, request);
  }

  @Public()
  @Delete()
  @HttpCode(204)
  @Does(
    'Signs out of the console',
    'Ends the session on every instance at once and clears the cookie. Without a session it only clears the cookie.',
  )
  @ApiNoContentResponse({ description: 'signed out' })
  closeSession(@Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    return this.sessions.end(reply);
  }

  @Get('all')
  @ApiCookieAuth(SESSION_COOKIE_AUTH)
  @Refuses('TOO_MANY_AT_ONCE')
  @ApiUnauthorizedResponse({ description: 'UNAUTHENTICATED: not signed in' })
  @Does(
    "Returns the sessions of the console's user",
    'The sessions of the user in all browsers, without tokens of `POST /auth/login`.',
  )
  @ApiOkResponse({ type: SignedInListView, description: 'sessions that have not ended' })
  listSessions(@Caller() user: CurrentUser, @Req() request: FastifyRequest): Promise<SignedInListView> {
    return this.sessions.list(user, request);
  }

  @Delete('others')
  @ApiCookieAuth(SESSION_COOKIE_AUTH)
  @Refuses('TOO_MANY_AT_ONCE')
  @ApiUnauthorizedResponse({ description: 'UNAUTHENTICATED: not signed in' })
  @Does(
    "Ends the other sessions of the console's user",
    'Ends them on every instance at once. This session continues. Tokens of `POST /auth/login` stay valid; a change of the ' +
      'password ends them too.',
  )
  @ApiOkResponse({ type: SessionsEndedView, description: 'the number of ended sessions' })
  async closeOtherSessions(@Caller() user: CurrentUser, @Req() request: FastifyRequest): Promise<SessionsEndedView> {
    return { ended: await this.sessions.endOthers(user, request) };
  }

  @Patch('password')
  @TakesNoTurn()
  @ApiCookieAuth(SESSION_COOKIE_AUTH)
  @Refuses('TOO_MANY_AT_ONCE')
  @ApiUnauthorizedResponse({ description: 'UNAUTHENTICATED: not signed in' })
  @Does(
    "Changes the password of the console's user",
    'Like `PATCH /users/me/password`: all tokens issued before become invalid. This session continues with a new cookie.',
  )
  @ApiOkResponse({ type: SessionView, description: 'the user, and when the session ends' })
  @Refuses(...PASSWORD_CHANGE_REFUSALS)
  async changeSessionPassword(
    @Acting() caller: Actor,
    @Body() { currentPassword, newPassword }: ChangePasswordDto,
    @SentBy() sender: PasswordSender,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const session = await this.sessions.idOf(reply.request);
    const login = await this.tokens.changePassword(caller, currentPassword, newPassword, sender, session);
    return this.sessions.begin(login, reply);
  }
}
