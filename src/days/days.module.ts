import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { ClosingsController } from './closings.controller.js';
import { ClosingsExport } from './closings-export.js';
import { DayCloser } from './day-closer.js';
import { DayRounds } from './day-rounds.js';
import { DaysController } from './days.controller.js';
import { DaysReader } from './days-reader.js';
import { ExportPages } from './export-pages.js';

/** Closes business days, and keeps the chain of their closings. */
@Module({
  imports: [AuditModule, OutboxModule],
  controllers: [DaysController, ClosingsController],
  providers: [DayCloser, DayRounds, DaysReader, ClosingsExport, ExportPages],
})
export class DaysModule {}
