import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { OrdersModule } from '../../orders/orders.module.js';
import { RestaurantsModule } from '../../restaurants/restaurants.module.js';
import { LiveController } from './live.controller.js';
import { LiveStates } from './live-states.js';

/** The state of a restaurant, pushed to the pages that show it. */
@Module({
  imports: [AuthModule, OrdersModule, RestaurantsModule],
  controllers: [LiveController],
  providers: [LiveStates],
})
export class LiveModule {}
