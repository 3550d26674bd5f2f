import { Body, Controller, Delete, Get, HttpCode, Ip, Patch, Post, Req, Res } from '@nestjs/common';
import {
  ApiCookieAuth,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangePasswordDto, LoginDto } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { Caller, type CurrentUser, Public, RequestId } from '../auth/principal.js';
import { browserOf } from '../domain/browser.js';
import { ClientGone } from '../http/client-gone.js';
import { SESSION_COOKIE_AUTH } from '../http/openapi.js';
import { Refuses } from '../http/openapi-errors.js';
import { SESSION_PATH } from './door.js';
import { SessionsEndedView, SessionView, SignedInListView } from './session.dto.js';
import { Sessions } from './sessions.js';

/** Sign-in, sign-out and password of the console, by a cookie that scripts cannot read (N3, N4). */
@ApiTags('console')
@ApiForbiddenResponse({ description: 'CROSS_SITE: this is for the pages of the console alone' })
@Controller(SESSION_PATH)
export class SessionController {
  constructor(
    private readonly auth: AuthService,
    private readonly sessions: Sessions,
  ) {}

  @Public()
  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Signs in to the console',
    description:
      'As `POST /auth/login`, but the token is set as a cookie that scripts cannot read, and that only the routes below ' +
      '`/console` get. Only for a page of this origin.',
  })
  @ApiOkResponse({ type: SessionView, description: 'who is signed in, and until when' })
  @Refuses('INVALID_CREDENTIALS', 'TOO_MANY_REQUESTS', 'TOO_MANY_PASSWORD_CHECKS')
  async openSession(
    @Body() { email, password }: LoginDto,
    @Ip() address: string,
    @ClientGone() gone: AbortSignal,
    @RequestId() requestId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const browser = browserOf(reply.request.headers['user-agent']);
    const sender = { address, gone, requestId };
    return this.sessions.begin(await this.auth.loginToConsole(email, password, sender, browser), reply);
  }

  @Get()
  @ApiCookieAuth(SESSION_COOKIE_AUTH)
  @ApiUnauthorizedResponse({ description: 'UNAUTHENTICATED: nobody is signed in' })
  @ApiOperation({
    summary: 'Returns the session of the console',
    description: 'Who is signed in, until when, and what this relay lets its pages offer.',
  })
  @ApiOkResponse({ type: SessionView, description: 'who is signed in, and until when' })
  getSession(@Caller() user: CurrentUser, @Req() request: FastifyRequest): Promise<SessionView> {
    return this.sessions.describe(user, request);
  }

  @Public()
  @Delete()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Signs out of the console',
    description:
      'The session ends at once on every instance, and the cookie is taken back; also when nobody is signed in.',
  })
  @ApiNoContentResponse({ description: 'signed out' })
  closeSession(@Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    return this.sessions.end(reply);
  }

  @Get('all')
  @ApiCookieAuth(SESSION_COOKIE_AUTH)
  @ApiUnauthorizedResponse({ description: 'UNAUTHENTICATED: nobody is signed in' })
  @ApiOperation({
    summary: "Returns the sessions of the console's user",
    description:
      'Where the user is signed in to the console, in all browsers. Tokens of `POST /auth/login` are not among them.',
  })
  @ApiOkResponse({ type: SignedInListView, description: 'the sessions that go on' })
  listSessions(@Caller() user: CurrentUser, @Req() request: FastifyRequest): Promise<SignedInListView> {
    return this.sessions.list(user, request);
  }

  @Delete('others')
  @ApiCookieAuth(SESSION_COOKIE_AUTH)
  @ApiUnauthorizedResponse({ description: 'UNAUTHENTICATED: nobody is signed in' })
  @ApiOperation({
    summary: "Ends the other sessions of the console's user",
    description:
      'At once, on every instance; this session goes on. Tokens of `POST /auth/login` stay valid: a change of the ' +
      'password ends them, too.',
  })
  @ApiOkResponse({ type: SessionsEndedView, description: 'how many ended' })
  async closeOtherSessions(@Caller() user: CurrentUser, @Req() request: FastifyRequest): Promise<SessionsEndedView> {
    return { ended: await this.sessions.endOthers(user, request) };
  }

  @Patch('password')
  @ApiCookieAuth(SESSION_COOKIE_AUTH)
  @ApiUnauthorizedResponse({ description: 'UNAUTHENTICATED: nobody is signed in' })
  @ApiOperation({
    summary: "Changes the password of the console's user",
    description:
      'As `PATCH /users/me/password`: every token issued before becomes invalid. This session goes on, by a new cookie.',
  })
  @ApiOkResponse({ type: SessionView, description: 'who is signed in, and until when' })
  @Refuses('WRONG_PASSWORD', 'SAME_PASSWORD', 'TOO_MANY_REQUESTS', 'TOO_MANY_PASSWORD_CHECKS')
  async changeSessionPassword(
    @Caller() user: CurrentUser,
    @Body() { currentPassword, newPassword }: ChangePasswordDto,
    @Ip() address: string,
    @ClientGone() gone: AbortSignal,
    @RequestId() requestId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const sender = { address, gone, requestId };
    const session = await this.sessions.idOf(reply.request);
    const login = await this.auth.changePassword(user.id, currentPassword, newPassword, sender, session);
    return this.sessions.begin(login, reply);
  }
}
