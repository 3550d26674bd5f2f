import { Module } from '@nestjs/common';
import { RestaurantsController } from './restaurants.controller.js';
import { RestaurantsService } from './restaurants.service.js';
import { SecretRotation } from './secret-rotation.js';
import { StatisticsService } from './statistics.service.js';

/** FOR WHOM. */
@Module({ controllers: [RestaurantsController], providers: [RestaurantsService, StatisticsService, SecretRotation] })
export class RestaurantsModule {}
