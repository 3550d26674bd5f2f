import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { IntakeService } from './intake.service.js';
import { RestaurantFinder } from './restaurant-finder.js';
import { WebhookController } from './webhook.controller.js';

/** RECEIVE, STORE. */
@Module({
  imports: [AuthModule, OutboxModule],
  controllers: [WebhookController],
  providers: [IntakeService, RestaurantFinder],
})
export class WebhookModule {}
