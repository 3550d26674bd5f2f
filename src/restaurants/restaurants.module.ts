import { Module } from '@nestjs/common';
import { StatisticsService } from '../reports/statistics.service.js';
import { RestaurantsController } from './restaurants.controller.js';
import { RestaurantsService } from './restaurants.service.js';
import { SecretRotation } from './secret-rotation.js';

/** Restaurants and their statistics. */
@Module({ controllers: [RestaurantsController], providers: [RestaurantsService, StatisticsService, SecretRotation] })
export class RestaurantsModule {}
