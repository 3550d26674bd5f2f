import { Module } from '@nestjs/common';
import { OutboxModule } from '../outbox/outbox.module.js';
import { AdminController } from './admin.controller.js';
import { JobsService } from './jobs.service.js';
import { MetricsService } from './metrics.service.js';

/** HOW IT GOES: reads, never writes. */
@Module({ imports: [OutboxModule], controllers: [AdminController], providers: [JobsService, MetricsService] })
export class AdminModule {}
