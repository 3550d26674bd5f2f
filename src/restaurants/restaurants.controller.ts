import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Caller, type CurrentUser } from '../auth/principal.js';
import { ADMINISTERING_ROLES } from '../domain/role.js';
import { CallerLink, ForAnyRole, ForRoles, type Link } from '../user-links/restaurant.guard.js';
import { MessageAnswer } from '../user-links/user-links.dto.js';
import {
  CreateRestaurantDto,
  OwnRestaurantsAnswer,
  QueryRestaurantDto,
  RestaurantAnswer,
  RestaurantPage,
  RestaurantView,
  UpdateRestaurantDto,
} from './restaurants.dto.js';
import { RestaurantsService } from './restaurants.service.js';
import { QueryStatisticsDto, StatisticsView } from './statistics.dto.js';
import { StatisticsService } from './statistics.service.js';

@ApiTags('restaurants')
@ApiBearerAuth()
@Controller()
export class RestaurantsController {
  constructor(
    private readonly restaurants: RestaurantsService,
    private readonly figures: StatisticsService,
  ) {}

  @Post('restaurants')
  @ApiOperation({ summary: 'Creates a restaurant; its creator becomes OWNER' })
  @ApiCreatedResponse({ type: RestaurantAnswer })
  @ApiConflictResponse({ description: 'CONFLICT: the slug or codeStoreTerminal is taken' })
  async create(@Caller() user: CurrentUser, @Body() body: CreateRestaurantDto): Promise<RestaurantAnswer> {
    return { message: 'restaurant created', data: await this.restaurants.create(user.id, body) };
  }

  @Get('restaurants')
  @ApiOperation({ summary: "The caller's restaurants, filtered and in pages" })
  @ApiOkResponse({ type: RestaurantPage })
  list(@Caller() user: CurrentUser, @Query() query: QueryRestaurantDto): Promise<RestaurantPage> {
    return this.restaurants.list(user.id, query);
  }

  @Get('users/me/restaurants')
  @ApiOperation({ summary: "All of the caller's restaurants, with their role in each" })
  @ApiOkResponse({ type: OwnRestaurantsAnswer })
  async mine(@Caller() user: CurrentUser): Promise<OwnRestaurantsAnswer> {
    return { restaurants: await this.restaurants.listAll(user.id) };
  }

  @Get('restaurants/slug/:slug')
  @ApiOperation({ summary: 'A restaurant by its slug' })
  @ApiOkResponse({ type: RestaurantView })
  getBySlug(@Caller() user: CurrentUser, @Param('slug') slug: string): Promise<RestaurantView> {
    return this.restaurants.getBySlug(user.id, slug);
  }

  @Get('restaurants/:restaurantId')
  @ForAnyRole()
  @ApiOperation({ summary: 'A restaurant' })
  @ApiParam({ name: 'restaurantId', format: 'uuid' })
  @ApiOkResponse({ type: RestaurantView })
  get(@CallerLink() { restaurantId }: Link): Promise<RestaurantView> {
    return this.restaurants.get(restaurantId);
  }

  @Get('restaurants/:restaurantId/statistics')
  @ForAnyRole()
  @ApiOperation({ summary: 'Orders by state, amounts by tender and by day, delivery times' })
  @ApiParam({ name: 'restaurantId', format: 'uuid' })
  @ApiOkResponse({ type: StatisticsView })
  statistics(@CallerLink() { restaurantId }: Link, @Query() query: QueryStatisticsDto): Promise<StatisticsView> {
    return this.figures.of(restaurantId, query);
  }

  @Patch('restaurants/:restaurantId')
  @ForRoles(...ADMINISTERING_ROLES)
  @ApiOperation({ summary: 'Changes the fields that are given' })
  @ApiParam({ name: 'restaurantId', format: 'uuid' })
  @ApiOkResponse({ type: RestaurantAnswer })
  @ApiConflictResponse({ description: 'CONFLICT: the slug or codeStoreTerminal is taken' })
  async update(@CallerLink() { restaurantId }: Link, @Body() body: UpdateRestaurantDto): Promise<RestaurantAnswer> {
    return { message: 'restaurant updated', data: await this.restaurants.update(restaurantId, body) };
  }

  @Delete('restaurants/:restaurantId')
  @ForRoles('OWNER')
  @ApiOperation({ summary: 'Deletes a restaurant that has no undelivered orders' })
  @ApiParam({ name: 'restaurantId', format: 'uuid' })
  @ApiOkResponse({ type: MessageAnswer })
  @ApiConflictResponse({ description: 'UNDELIVERED_ORDERS' })
  async remove(@CallerLink() { restaurantId }: Link): Promise<MessageAnswer> {
    await this.restaurants.remove(restaurantId);
    return { message: 'restaurant deleted' };
  }
}
