import { Module } from '@nestjs/common';
import { AdminController } from './admin.controller.js';
import { JobsService } from './jobs.service.js';
import { MetricsService } from './metrics.service.js';

/** HOW IT GOES: reads, never writes. */
@Module({ controllers: [AdminController], providers: [JobsService, MetricsService] })
export class AdminModule {}
