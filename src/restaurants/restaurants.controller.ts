import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Acting, Authenticated, Caller, type CurrentUser } from '../auth/principal.js';
import { ADMINISTERING_ROLES } from '../domain/role.js';
import type { Actor } from '../platform/audit/actions.js';
import { Does } from '../platform/http/does.js';
import { MessageView } from '../platform/http/fields/message.view.js';
import { InShare } from '../platform/http/limits/shares.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { CallerLink, ForAnyRole, ForPermission, ForRoles, type Link } from '../user-links/restaurant.guard.js';
import { RESTAURANT_CODES } from './error-codes.js';
import { StateView } from './reports/state.dto.js';
import { StateService } from './reports/state.service.js';
import { QueryStatisticsDto, StatisticsView } from './reports/statistics.dto.js';
import { StatisticsService } from './reports/statistics.service.js';
import {
  CHANGED_RESTAURANT_EXAMPLES,
  CreateRestaurantDto,
  DeleteRestaurantDto,
  NEW_RESTAURANT_EXAMPLES,
  QueryRestaurantDto,
  UpdateRestaurantDto,
} from './restaurants.dto.js';
import { ONBOARDING_TEXT, RestaurantsService } from './restaurants.service.js';
import { OwnRestaurantsView, RestaurantPageView, RestaurantSavedView, RestaurantView } from './restaurants.views.js';

/** Restaurants, their statistics and their state (A17 to A22, R1, R19). */
@ApiTags('restaurants')
@Controller()
export class RestaurantsController {
  constructor(
    private readonly restaurants: RestaurantsService,
    private readonly statistics: StatisticsService,
    private readonly state: StateService,
  ) {}

  @Post('restaurants')
  @Authenticated()
  @Does(
    'Creates a restaurant',
    "The caller becomes its OWNER. `codeStoreTerminal` is the `storeCode` of the terminal's transactions, `codeStorePos` is " +
      'sent to the POS. Without `posIdPartner` and `posSecret` its orders use the configured credentials.',
  )
  @ApiBody({ type: CreateRestaurantDto, examples: NEW_RESTAURANT_EXAMPLES })
  @ApiForbiddenResponse({ description: `ONBOARDING_BY_ADMIN: ${ONBOARDING_TEXT}` })
  @ApiCreatedResponse({ type: RestaurantSavedView, description: 'the new restaurant' })
  @ApiConflictResponse({ description: 'CONFLICT: the slug or codeStoreTerminal is taken' })
  @Refuses('QUOTA_REACHED')
  async createRestaurant(
    @Caller() user: CurrentUser,
    @Acting() actor: Actor,
    @Body() body: CreateRestaurantDto,
  ): Promise<RestaurantSavedView> {
    return { message: 'restaurant created', data: await this.restaurants.create(user, actor, body) };
  }

  @Get('restaurants')
  @Authenticated()
  @Does(
    "Lists the caller's restaurants",
    "The restaurants that the caller is linked to, with the caller's role in each; filtered, sorted and paged.",
  )
  @ApiOkResponse({ type: RestaurantPageView, description: 'one page of restaurants' })
  listRestaurants(@Caller() user: CurrentUser, @Query() query: QueryRestaurantDto): Promise<RestaurantPageView> {
    return this.restaurants.list(user.id, query);
  }

  @Get('users/me/restaurants')
  @Authenticated()
  @Does("Lists all of the caller's restaurants", 'As `GET /restaurants`, all on one page.')
  @ApiOkResponse({ type: OwnRestaurantsView, description: 'the restaurants' })
  async listOwnRestaurants(@Caller() user: CurrentUser): Promise<OwnRestaurantsView> {
    return { restaurants: await this.restaurants.listAll(user.id) };
  }

  @Get('restaurants/slug/:slug')
  @Authenticated()
  @Does('Returns a restaurant by its slug', 'A restaurant the caller is not linked to is a 404.')
  @ApiOkResponse({ type: RestaurantView, description: 'the restaurant' })
  getRestaurantBySlug(@Caller() user: CurrentUser, @Param('slug') slug: string): Promise<RestaurantView> {
    return this.restaurants.getBySlug(user.id, slug);
  }

  @Get('restaurants/:restaurantId')
  @ForAnyRole()
  @Does('Returns a restaurant', '`posSecret` is never shown; `hasPosSecret` says whether it is set.')
  @ApiOkResponse({ type: RestaurantView, description: 'the restaurant' })
  getRestaurant(@CallerLink() { restaurantId }: Link): Promise<RestaurantView> {
    return this.restaurants.get(restaurantId);
  }

  @Get('restaurants/:restaurantId/statistics')
  @InShare('reports')
  @ForAnyRole()
  @Does(
    "Returns a restaurant's statistics",
    'Orders by state, amounts paid by tender, by business day and, of 48 hours at most, by hour, and delivery times. ' +
      'Test transactions count as orders, not as amounts.',
  )
  @ApiOkResponse({ type: StatisticsView, description: 'the statistics of the period' })
  getStatistics(@CallerLink() { restaurantId }: Link, @Query() query: QueryStatisticsDto): Promise<StatisticsView> {
    return this.statistics.compute(restaurantId, query);
  }

  @Get('restaurants/:restaurantId/state')
  @ForPermission('view_data')
  @Does(
    "Returns the state of a restaurant's orders",
    'The orders of the current business day by state; the waiting orders, since when the POS accepts none, and the next ' +
      'attempt; the parked orders by cause. Cheap enough to be requested every few seconds.',
  )
  @ApiOkResponse({ type: StateView, description: 'the current state' })
  getState(@CallerLink() { restaurantId }: Link): Promise<StateView> {
    return this.state.read(restaurantId);
  }

  @Patch('restaurants/:restaurantId')
  @ForRoles(...ADMINISTERING_ROLES)
  @Does(
    'Changes a restaurant',
    'Absent fields stay unchanged, null clears an optional field. FAILED orders that lack a code or credentials, or whose ' +
      'sign-in was refused, are due at once after a change of these.',
  )
  @ApiBody({ type: UpdateRestaurantDto, examples: CHANGED_RESTAURANT_EXAMPLES })
  @ApiOkResponse({ type: RestaurantSavedView, description: 'the restaurant after the change' })
  @Refuses(RESTAURANT_CODES.ONBOARDING_BY_ADMIN, RESTAURANT_CODES.VENDOR_HAS_ORDERS, 'QUOTA_REACHED')
  @ApiConflictResponse({ description: 'CONFLICT: the slug or codeStoreTerminal is taken' })
  async updateRestaurant(
    @Caller() user: CurrentUser,
    @CallerLink() caller: Link,
    @Body() body: UpdateRestaurantDto,
  ): Promise<RestaurantSavedView> {
    return { message: 'restaurant updated', data: await this.restaurants.update(user, caller, body) };
  }

  @Delete('restaurants/:restaurantId')
  @ForRoles('OWNER')
  @Does(
    'Deletes a restaurant',
    'Refused while it has undelivered orders, and, without `parked=abandon`, while orders are parked. Its slug and store code ' +
      'can be used again; its orders stay in the database and are never sent.',
  )
  @ApiOkResponse({ type: MessageView, description: 'the restaurant is deleted' })
  @Refuses(RESTAURANT_CODES.UNDELIVERED_ORDERS, RESTAURANT_CODES.PARKED_ORDERS)
  async deleteRestaurant(@CallerLink() caller: Link, @Query() query: DeleteRestaurantDto): Promise<MessageView> {
    await this.restaurants.remove(caller, query);
    return { message: 'restaurant deleted' };
  }
}
