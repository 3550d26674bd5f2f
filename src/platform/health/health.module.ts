import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

@Module({ imports: [OutboxModule], controllers: [HealthController], providers: [HealthService] })
export class HealthModule {}
