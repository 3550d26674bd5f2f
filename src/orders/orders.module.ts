import { Module } from '@nestjs/common';
import { OutboxModule } from '../outbox/outbox.module.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

/** Staff's view of an order's journey; cancel. */
@Module({ imports: [OutboxModule], controllers: [OrdersController], providers: [OrdersService] })
export class OrdersModule {}
