import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { Outgoing } from '../channels/outgoing.js';
import './order-conditions.js';
import './outage-conditions.js';
import './platform-conditions.js';
import { Acknowledgements } from './acknowledgements.js';
import { alertMessages } from './alert-messages.js';
import { AlertRound } from './alert-round.js';
import { AlertsController, AlertTokensController } from './alerts.controller.js';
import { AlertsReader } from './alerts-reader.js';
import { DatabaseAlert } from './database-alert.js';
import { Escalation } from './escalation.js';
import { PlatformAlertsController } from './platform-alerts.controller.js';
import { Reconciler } from './reconciler.js';

/** Tells people what needs them, until somebody acknowledges it or it is solved. */
@Module({
  imports: [AuditModule, ChannelsModule, OutboxModule],
  controllers: [AlertsController, AlertTokensController, PlatformAlertsController],
  providers: [Reconciler, Escalation, DatabaseAlert, AlertRound, Acknowledgements, AlertsReader],
})
export class AlertsModule {
  constructor(outgoing: Outgoing, prisma: PrismaService) {
    outgoing.add(alertMessages(prisma));
  }
}
