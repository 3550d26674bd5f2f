import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { ResendModule } from '../resend/resend.module.js';
import { SenderKeysModule } from '../sender-keys/sender-keys.module.js';
import { AdminController } from './admin.controller.js';
import { PlatformAlertsController } from './alerts.controller.js';
import { JobsService } from './jobs.service.js';
import { OperationsController } from './operations.controller.js';
import { OrderSearchController } from './order-search.controller.js';
import { OrderSearchService } from './order-search.service.js';
import { OverviewService } from './overview.service.js';
import { ParkedService } from './parked.service.js';
import { PrometheusController } from './prometheus.controller.js';
import { RefusingService } from './refusing.service.js';
import { PlatformSenderKeysController } from './sender-keys.controller.js';
import { ThroughputService } from './throughput.service.js';
import { UsersController } from './users.controller.js';

/** Reads the deployment for platform administrators, and resets jobs when RESEND allows it. */
@Module({
  imports: [AlertsModule, AuditModule, AuthModule, OutboxModule, OrdersModule, ResendModule, SenderKeysModule],
  controllers: [
    AdminController,
    PlatformAlertsController,
    PlatformSenderKeysController,
    OperationsController,
    OrderSearchController,
    PrometheusController,
    UsersController,
  ],
  providers: [JobsService, OrderSearchService, OverviewService, ParkedService, ThroughputService, RefusingService],
})
export class AdminModule {}
