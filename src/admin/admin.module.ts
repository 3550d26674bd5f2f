import { Module } from '@nestjs/common';
import { OutboxModule } from '../outbox/outbox.module.js';
import { AdminController } from './admin.controller.js';
import { JobsService } from './jobs.service.js';
import { OverviewService } from './overview.service.js';
import { PrometheusController } from './prometheus.controller.js';

/** Metrics and jobs for platform administrators; reads, never writes. */
@Module({
  imports: [OutboxModule],
  controllers: [AdminController, PrometheusController],
  providers: [JobsService, OverviewService],
})
export class AdminModule {}
