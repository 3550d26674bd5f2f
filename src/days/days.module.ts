import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { DayCloser } from './day-closer.js';
import { DayRounds } from './day-rounds.js';
import { DaysController } from './days.controller.js';
import { DaysReader } from './days-reader.js';

/** Closes business days, and keeps the chain of their closings. */
@Module({
  imports: [AuditModule, OutboxModule],
  controllers: [DaysController],
  providers: [DayCloser, DayRounds, DaysReader],
})
export class DaysModule {}
