import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ADMINISTERING_ROLES, MANAGING_ROLES, permissionsOf } from '../domain/role.js';
import { CallerLink, ForAnyRole, ForRoles, type Link, validId } from './restaurant.guard.js';
import {
  ChangeRoleDto,
  CreateUserAndLinkDto,
  LinkAnswer,
  LinkedUserAnswer,
  LinkedUsersAnswer,
  LinkUserDto,
  MessageAnswer,
  MyRoleView,
  TransferAnswer,
  TransferOwnershipDto,
  UserStatsView,
} from './user-links.dto.js';
import { UserLinksService } from './user-links.service.js';

@ApiTags('people of a restaurant')
@ApiBearerAuth()
@ApiParam({ name: 'restaurantId', format: 'uuid' })
@Controller('restaurants/:restaurantId')
export class UserLinksController {
  constructor(private readonly links: UserLinksService) {}

  @Get('users')
  @ForRoles(...MANAGING_ROLES)
  @ApiOperation({ summary: 'Who is linked to the restaurant' })
  @ApiOkResponse({ type: LinkedUsersAnswer })
  async list(@CallerLink() { restaurantId }: Link): Promise<LinkedUsersAnswer> {
    return { users: await this.links.list(restaurantId) };
  }

  @Get('user/:userId')
  @ForRoles(...MANAGING_ROLES)
  @ApiOperation({ summary: 'One linked user' })
  @ApiParam({ name: 'userId', format: 'uuid' })
  @ApiOkResponse({ type: LinkedUserAnswer })
  async get(@CallerLink() { restaurantId }: Link, @Param('userId') userId: string): Promise<LinkedUserAnswer> {
    return { user: await this.links.get(restaurantId, validId('userId', userId)) };
  }

  @Post('users/create-and-link')
  @ForRoles(...ADMINISTERING_ROLES)
  @ApiOperation({ summary: 'Links the user of this email, whom it creates when there is none' })
  @ApiCreatedResponse({ type: LinkAnswer, description: 'a new user' })
  @ApiOkResponse({
    type: LinkAnswer,
    description: 'the user existed and was only linked; the password sent is ignored',
  })
  async createAndLink(
    @CallerLink() caller: Link,
    @Body() body: CreateUserAndLinkDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LinkAnswer> {
    const { created, user } = await this.links.createAndLink(caller, body);
    reply.status(created ? HttpStatus.CREATED : HttpStatus.OK);
    return { message: created ? 'user created and linked' : 'user linked', data: user };
  }

  @Post('users')
  @ForRoles(...ADMINISTERING_ROLES)
  @ApiOperation({ summary: 'Links an existing user' })
  @ApiCreatedResponse({ type: LinkAnswer })
  async link(@CallerLink() caller: Link, @Body() { userId, role }: LinkUserDto): Promise<LinkAnswer> {
    return { message: 'user linked', data: await this.links.link(caller, userId, role) };
  }

  @Patch('users/:userId/role')
  @ForRoles('OWNER')
  @ApiOperation({ summary: "Changes a linked user's role" })
  @ApiParam({ name: 'userId', format: 'uuid' })
  @ApiOkResponse({ type: LinkAnswer })
  @ApiResponse({ status: 422, description: 'LAST_OWNER' })
  async changeRole(
    @CallerLink() caller: Link,
    @Param('userId') userId: string,
    @Body() { role }: ChangeRoleDto,
  ): Promise<LinkAnswer> {
    return { message: 'role changed', data: await this.links.changeRole(caller, validId('userId', userId), role) };
  }

  @Delete('users/:userId')
  @ForRoles(...ADMINISTERING_ROLES)
  @ApiOperation({ summary: 'Removes a link; the user stays' })
  @ApiParam({ name: 'userId', format: 'uuid' })
  @ApiOkResponse({ type: MessageAnswer })
  @ApiResponse({ status: 422, description: 'LAST_OWNER' })
  async unlink(@CallerLink() caller: Link, @Param('userId') userId: string): Promise<MessageAnswer> {
    await this.links.unlink(caller, validId('userId', userId));
    return { message: 'user unlinked' };
  }

  @Get('users/stats')
  @ForRoles(...ADMINISTERING_ROLES)
  @ApiOperation({ summary: 'How many users in which role' })
  @ApiOkResponse({ type: UserStatsView })
  stats(@CallerLink() { restaurantId }: Link): Promise<UserStatsView> {
    return this.links.stats(restaurantId);
  }

  @Post('transfer-ownership')
  @HttpCode(200)
  @ForRoles('OWNER')
  @ApiOperation({ summary: 'Makes a linked user OWNER, and the caller ADMIN' })
  @ApiOkResponse({ type: TransferAnswer })
  @ApiResponse({ status: 422, description: 'NOT_LINKED or SAME_USER' })
  async transferOwnership(
    @CallerLink() caller: Link,
    @Body() { newOwnerId }: TransferOwnershipDto,
  ): Promise<TransferAnswer> {
    return {
      message: 'ownership transferred',
      data: await this.links.transferOwnership(caller, newOwnerId.toLowerCase()),
    };
  }

  @Get('my-role')
  @ForAnyRole()
  @ApiOperation({ summary: "The caller's role in the restaurant, and what it permits" })
  @ApiOkResponse({ type: MyRoleView })
  myRole(@CallerLink() { userId, restaurantId, role }: Link): MyRoleView {
    return { userId, restaurantId, role, permissions: permissionsOf(role) };
  }
}
