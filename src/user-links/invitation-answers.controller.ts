import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiConflictResponse, ApiCreatedResponse, ApiNotFoundResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { bearerTokenOf } from '../auth/bearer-token.js';
import { PASSWORD_CODES } from '../auth/error-codes.js';
import type { PasswordSender } from '../auth/password-queue.js';
import { Acting, Authenticated, Public, SentBy } from '../auth/principal.js';
import type { Actor } from '../platform/audit/actions.js';
import { isBySession } from '../platform/http/console-request.js';
import { Does } from '../platform/http/does.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { LINK_CODES } from './error-codes.js';
import { HAS_ACCOUNT_TEXT, InvitationAnswersService } from './invitation-answers.service.js';
import { InvitationAcceptedView, InvitationOfferView, InvitationTokenDto, JoinDto } from './invitations.dto.js';

const NotFound = () =>
  ApiNotFoundResponse({ description: 'INVITATION_NOT_FOUND: the token is wrong, or the invitation has ended' });

/** Reads and accepts an invitation by its token (A29). The token is in the body, because URLs are logged. */
@ApiTags('users of a restaurant')
@Controller('invitations')
export class InvitationAnswersController {
  constructor(private readonly answers: InvitationAnswersService) {}

  @Public()
  @Post('read')
  @HttpCode(200)
  @Does(
    'Reads an invitation',
    'Returns restaurant, role and email of the invitation. Only a caller who is signed in with this email learns that an account with it ' +
      'exists.',
  )
  @ApiOkResponse({ type: InvitationOfferView, description: 'the invitation' })
  @NotFound()
  @Refuses('TOO_MANY_AT_ONCE')
  readInvitation(
    @Body() { token }: InvitationTokenDto,
    @Req() request: FastifyRequest,
    @SentBy() sender: PasswordSender,
  ): Promise<InvitationOfferView> {
    return this.answers.read(token, { text: bearerTokenOf(request), bySession: isBySession(request) }, sender);
  }

  @Post('accept')
  @HttpCode(200)
  @Authenticated()
  @Does('Accepts an invitation', "The caller's email must be that of the invitation. The new link counts as accepted.")
  @ApiOkResponse({ type: InvitationAcceptedView, description: 'the restaurant and the role' })
  @Refuses(LINK_CODES.OTHER_EMAIL, LINK_CODES.ALREADY_LINKED, 'QUOTA_REACHED')
  @NotFound()
  async acceptInvitation(
    @Acting() caller: Actor,
    @Body() { token }: InvitationTokenDto,
  ): Promise<InvitationAcceptedView> {
    return { message: 'invitation accepted', data: await this.answers.accept(caller, token) };
  }

  @Public()
  @Post('join')
  @Does(
    'Accepts an invitation with a new account',
    'Creates an account with the email of the invitation and this password, and links it. Sign in afterwards.',
  )
  @ApiCreatedResponse({ type: InvitationAcceptedView, description: 'the account, linked' })
  @NotFound()
  @ApiConflictResponse({ description: `ACCOUNT_EXISTS: ${HAS_ACCOUNT_TEXT}` })
  @Refuses(
    PASSWORD_CODES.GUESSABLE_PASSWORD,
    'TOO_MANY_REQUESTS',
    'TOO_MANY_PASSWORD_CHECKS',
    'TOO_MANY_AT_ONCE',
    'QUOTA_REACHED',
  )
  async joinByInvitation(@Body() body: JoinDto, @SentBy() sender: PasswordSender): Promise<InvitationAcceptedView> {
    return { message: 'account created', data: await this.answers.join(body, sender) };
  }
}
