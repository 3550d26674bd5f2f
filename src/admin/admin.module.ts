import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { AdminController } from './admin.controller.js';
import { JobResetService } from './job-reset.service.js';
import { JobsService } from './jobs.service.js';
import { OperationsController } from './operations.controller.js';
import { OverviewService } from './overview.service.js';
import { ParkedService } from './parked.service.js';
import { PrometheusController } from './prometheus.controller.js';
import { RefusingService } from './refusing.service.js';
import { ThroughputService } from './throughput.service.js';

/** Reads the deployment for platform administrators, and resets jobs with OPERATOR_ACTIONS=true. */
@Module({
  imports: [AuditModule, OutboxModule],
  controllers: [AdminController, OperationsController, PrometheusController],
  providers: [JobsService, OverviewService, ParkedService, ThroughputService, RefusingService, JobResetService],
})
export class AdminModule {}
