import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Owners } from './authentication/owners.js';
import { RestaurantFinder } from './restaurant-finder.js';
import { WebhookController } from './webhook.controller.js';
import { WebhookService } from './webhook.service.js';

/** Receive and store: the webhook of the payment terminals. */
@Module({
  imports: [AuthModule, OutboxModule],
  controllers: [WebhookController],
  providers: [WebhookService, RestaurantFinder, Owners],
  exports: [Owners],
})
export class WebhookModule {}
