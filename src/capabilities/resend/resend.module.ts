import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { EnteredController } from './entered.controller.js';
import { EnteredService } from './entered.service.js';
import { PlatformResetsController } from './platform-resets.controller.js';
import { ResendController } from './resend.controller.js';
import { ResendService } from './resend.service.js';
import { Resets } from './resets.js';
import { ResolveController } from './resolve.controller.js';
import { ResolveService } from './resolve.service.js';

/** What people do about parked orders: send them again (the one way to reset jobs over the API), or settle them by hand. */
@Module({
  imports: [AuditModule, OutboxModule],
  controllers: [ResendController, ResolveController, EnteredController, PlatformResetsController],
  providers: [ResendService, Resets, ResolveService, EnteredService],
})
export class ResendModule {}
