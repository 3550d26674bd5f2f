import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { AuditModule } from '../platform/audit/audit.module.js';
import { AdminController } from './admin.controller.js';
import { IncidentsService } from './incidents.service.js';
import { JobsService } from './jobs.service.js';
import { OperationsController } from './operations.controller.js';
import { OrderSearchController } from './order-search.controller.js';
import { OrderSearchService } from './order-search.service.js';
import { OverviewService } from './overview.service.js';
import { ParkedService } from './parked.service.js';
import { PrometheusController } from './prometheus.controller.js';
import { RefusingService } from './refusing.service.js';
import { ThroughputService } from './throughput.service.js';
import { UsersController } from './users.controller.js';

/** Reads the deployment for platform administrators. */
@Module({
  imports: [AuditModule, AuthModule, OutboxModule, OrdersModule],
  controllers: [AdminController, OperationsController, OrderSearchController, PrometheusController, UsersController],
  providers: [
    IncidentsService,
    JobsService,
    OrderSearchService,
    OverviewService,
    ParkedService,
    ThroughputService,
    RefusingService,
  ],
})
export class AdminModule {}
