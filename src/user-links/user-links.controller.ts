import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Patch, Post, Res } from '@nestjs/common';
import { ApiConflictResponse, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PASSWORD_CODES } from '../auth/error-codes.js';
import type { PasswordSender } from '../auth/password-queue.js';
import { SentBy } from '../auth/principal.js';
import { ADMINISTERING_ROLES, MANAGING_ROLES, permissionsOf } from '../domain/role.js';
import { Does } from '../platform/http/does.js';
import { MessageView } from '../platform/http/fields/message.view.js';
import { UuidParam } from '../platform/http/fields/uuid.pipe.js';
import { TakesNoTurn } from '../platform/http/limits/shares.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { LINK_CODES } from './error-codes.js';
import { CallerLink, ForAnyRole, ForRoles, type Link } from './restaurant.guard.js';
import { ChangeRoleDto, CreateUserAndLinkDto, LinkUserDto, TransferOwnershipDto } from './user-links.dto.js';
import { ACCOUNT_EXISTS_TEXT, UserLinksService } from './user-links.service.js';
import {
  LinkChangedView,
  LinkedUsersView,
  MyRoleView,
  OneLinkedUserView,
  OwnershipTransferredView,
  UserStatsView,
} from './user-links.views.js';

/** The users linked to a restaurant, their roles, and the transfer of ownership (A13 to A17, A23, A24). */
@ApiTags('users of a restaurant')
@Controller('restaurants/:restaurantId')
export class UserLinksController {
  constructor(private readonly links: UserLinksService) {}

  @Get('users')
  @ForRoles(...MANAGING_ROLES)
  @Does('Lists the users of a restaurant', 'Each linked user with role and time of the link.')
  @ApiOkResponse({ type: LinkedUsersView, description: 'the linked users' })
  async listUsers(@CallerLink() { restaurantId }: Link): Promise<LinkedUsersView> {
    return { users: await this.links.list(restaurantId) };
  }

  @Get('user/:userId')
  @ForRoles(...MANAGING_ROLES)
  @Does('Returns a user of a restaurant', 'A user who is not linked to the restaurant is a 404.')
  @ApiOkResponse({ type: OneLinkedUserView, description: 'the user, with role and time of the link' })
  async getUser(@CallerLink() { restaurantId }: Link, @UuidParam('userId') userId: string): Promise<OneLinkedUserView> {
    return { user: await this.links.get(restaurantId, userId) };
  }

  @Post('users/create-and-link')
  @TakesNoTurn()
  @ForRoles(...ADMINISTERING_ROLES)
  @Does(
    'Creates and links a user',
    'Creates an account and links it to the restaurant, or links the existing account of this email. The role may not be above the ' +
      "caller's own.",
  )
  @ApiCreatedResponse({ type: LinkChangedView, description: 'a new user' })
  @ApiOkResponse({
    type: LinkChangedView,
    description:
      'an existing account was linked: the password was right, or the account is linked to another restaurant of the caller',
  })
  @ApiConflictResponse({ description: `ACCOUNT_EXISTS: ${ACCOUNT_EXISTS_TEXT}` })
  @Refuses(
    LINK_CODES.ALREADY_LINKED,
    LINK_CODES.ROLE_ABOVE_OWN,
    PASSWORD_CODES.GUESSABLE_PASSWORD,
    'TOO_MANY_REQUESTS',
    'TOO_MANY_PASSWORD_CHECKS',
    'QUOTA_REACHED',
  )
  async createAndLinkUser(
    @CallerLink() caller: Link,
    @Body() body: CreateUserAndLinkDto,
    @SentBy() sender: PasswordSender,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LinkChangedView> {
    const { created, user } = await this.links.createAndLink(caller, body, sender);
    reply.status(created ? HttpStatus.CREATED : HttpStatus.OK);
    return { message: created ? 'user created and linked' : 'user linked', data: user };
  }

  @Post('users')
  @ForRoles(...ADMINISTERING_ROLES)
  @Does(
    'Links an existing user',
    '`userId` is the id that `GET /auth/me` shows to that user. The role may not be above your own.',
  )
  @ApiCreatedResponse({ type: LinkChangedView, description: 'the user is linked' })
  @Refuses(LINK_CODES.ALREADY_LINKED, LINK_CODES.ROLE_ABOVE_OWN, 'NOT_FOUND', 'QUOTA_REACHED')
  async linkUser(@CallerLink() caller: Link, @Body() { userId, role }: LinkUserDto): Promise<LinkChangedView> {
    return { message: 'user linked', data: await this.links.link(caller, userId, role) };
  }

  @Patch('users/:userId/role')
  @ForRoles('OWNER')
  @Does("Changes a user's role", 'The last OWNER of a restaurant keeps the role.')
  @ApiOkResponse({ type: LinkChangedView, description: 'the role is changed' })
  @Refuses(LINK_CODES.LAST_OWNER, LINK_CODES.ROLE_ABOVE_OWN, 'QUOTA_REACHED')
  async changeUserRole(
    @CallerLink() caller: Link,
    @UuidParam('userId') userId: string,
    @Body() { role }: ChangeRoleDto,
  ): Promise<LinkChangedView> {
    return { message: 'role changed', data: await this.links.changeRole(caller, userId, role) };
  }

  @Delete('users/:userId')
  @ForRoles(...ADMINISTERING_ROLES)
  @Does(
    'Removes a user from a restaurant',
    'The link is removed, the account stays. The last OWNER cannot be removed, nor a user with a role above your own.',
  )
  @ApiOkResponse({ type: MessageView, description: 'the link is removed' })
  @Refuses(LINK_CODES.LAST_OWNER, LINK_CODES.ROLE_ABOVE_OWN)
  async unlinkUser(@CallerLink() caller: Link, @UuidParam('userId') userId: string): Promise<MessageView> {
    await this.links.unlink(caller, userId);
    return { message: 'user unlinked' };
  }

  @Get('users/stats')
  @ForRoles(...ADMINISTERING_ROLES)
  @Does('Counts the users of a restaurant', 'The number of linked users, in total and by role.')
  @ApiOkResponse({ type: UserStatsView, description: 'the number of users, in total and by role' })
  countUsers(@CallerLink() { restaurantId }: Link): Promise<UserStatsView> {
    return this.links.stats(restaurantId);
  }

  @Post('transfer-ownership')
  @HttpCode(200)
  @ForRoles('OWNER')
  @Does('Transfers the ownership', 'The new owner must be linked already; the caller becomes ADMIN.')
  @ApiOkResponse({ type: OwnershipTransferredView, description: 'the links of the new and the former owner' })
  @Refuses(LINK_CODES.NOT_LINKED, LINK_CODES.SAME_USER, 'QUOTA_REACHED')
  async transferOwnership(
    @CallerLink() caller: Link,
    @Body() { newOwnerId }: TransferOwnershipDto,
  ): Promise<OwnershipTransferredView> {
    return { message: 'ownership transferred', data: await this.links.transferOwnership(caller, newOwnerId) };
  }

  @Get('my-role')
  @ForAnyRole()
  @Does("Returns the caller's role", "The caller's role in the restaurant, and the permissions that come with it.")
  @ApiOkResponse({ type: MyRoleView, description: "the caller's role and permissions" })
  getOwnRole(@CallerLink() { userId, restaurantId, role }: Link): MyRoleView {
    return { userId, restaurantId, role, permissions: permissionsOf(role) };
  }
}
