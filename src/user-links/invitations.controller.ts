import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Does } from '../platform/http/does.js';
import { MessageView } from '../platform/http/fields/message.view.js';
import { UuidParam } from '../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { LINK_CODES } from './error-codes.js';
import { InvitationsView, InviteDto, InvitedView } from './invitations.dto.js';
import { InvitationsService } from './invitations.service.js';
import { CallerLink, ForPermission, type Link } from './restaurant.guard.js';

/** Invitations by email to a restaurant (A28). */
@ApiTags('users of a restaurant')
@Controller('restaurants/:restaurantId/invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Post()
  @ForPermission('manage_users')
  @Does(
    'Invites a person by email',
    'Returns a link that is valid for 7 days, can be used once, and is not shown again. Give it to the person, who accepts ' +
      'with the account of this email or creates one. A new invitation of the same email replaces the previous one. The role ' +
      "may not be above the caller's own.",
  )
  @ApiCreatedResponse({ type: InvitedView, description: 'the invitation, with the token of its link' })
  @Refuses(LINK_CODES.TOO_MANY_INVITATIONS, LINK_CODES.ALREADY_LINKED, LINK_CODES.ROLE_ABOVE_OWN, 'QUOTA_REACHED')
  async invite(@CallerLink() caller: Link, @Body() { email, role }: InviteDto): Promise<InvitedView> {
    return { message: 'invited', data: await this.invitations.invite(caller, email, role) };
  }

  @Get()
  @ForPermission('manage_users')
  @Does('Lists the invitations of a restaurant', 'The invitations that can still be accepted, without their tokens.')
  @ApiOkResponse({ type: InvitationsView, description: 'the open invitations' })
  async listInvitations(@CallerLink() { restaurantId }: Link): Promise<InvitationsView> {
    return { invitations: await this.invitations.list(restaurantId) };
  }

  @Delete(':invitationId')
  @ForPermission('manage_users')
  @Does('Revokes an invitation', 'Its link can no longer be used.')
  @ApiOkResponse({ type: MessageView, description: 'the invitation is revoked' })
  @Refuses(LINK_CODES.ROLE_ABOVE_OWN)
  async revokeInvitation(
    @CallerLink() caller: Link,
    @UuidParam('invitationId') invitationId: string,
  ): Promise<MessageView> {
    await this.invitations.revoke(caller, invitationId);
    return { message: 'invitation revoked' };
  }
}
