import { Module } from '@nestjs/common';
import { RestaurantsController } from './restaurants.controller.js';
import { RestaurantsService } from './restaurants.service.js';

/** FOR WHOM. */
@Module({ controllers: [RestaurantsController], providers: [RestaurantsService] })
export class RestaurantsModule {}
