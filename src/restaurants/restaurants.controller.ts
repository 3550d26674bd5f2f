import { Body, Controller, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, type CurrentUser } from '../auth/principal.js';
import { CreateRestaurantDto, RestaurantAnswer } from './restaurants.dto.js';
import { RestaurantsService } from './restaurants.service.js';

@ApiTags('restaurants')
@ApiBearerAuth()
@Controller('restaurants')
export class RestaurantsController {
  constructor(private readonly restaurants: RestaurantsService) {}

  @Post()
  @ApiOperation({ summary: 'Creates a restaurant; its creator becomes OWNER' })
  @ApiCreatedResponse({ type: RestaurantAnswer })
  async create(@Caller() user: CurrentUser, @Body() body: CreateRestaurantDto): Promise<RestaurantAnswer> {
    return { message: 'restaurant created', data: await this.restaurants.create(user.id, body) };
  }
}
