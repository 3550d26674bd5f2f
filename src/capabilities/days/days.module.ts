import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { Config } from '../../platform/config/config.js';
import { addTag } from '../../platform/http/openapi/document.js';
import { vendorOf } from '../../pos/vendors.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { Outgoing } from '../channels/outgoing.js';
import { closingMails } from './closing-mails.js';
import { ClosingsController } from './closings.controller.js';
import { ClosingsExport } from './closings-export.js';
import { DayCloser } from './day-closer.js';
import { DayRounds } from './day-rounds.js';
import { DaysController } from './days.controller.js';
import { DaysReader } from './days-reader.js';
import { ExportPages } from './export-pages.js';

addTag('days', 'The closed business days of a restaurant: their chain, its check, and files for an accountant');

/** Closes business days, and keeps the chain of their closings. */
@Module({
  imports: [AuditModule, ChannelsModule, OutboxModule],
  controllers: [DaysController, ClosingsController],
  providers: [DayCloser, DayRounds, DaysReader, ClosingsExport, ExportPages],
})
export class DaysModule {
  constructor(outgoing: Outgoing, config: Config) {
    outgoing.add(closingMails(vendorOf(config.pos)));
  }
}
