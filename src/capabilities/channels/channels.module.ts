import { Module } from '@nestjs/common';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { addTag } from '../../platform/http/openapi/document.js';
import { OutboundModule } from '../../platform/outbound/outbound.module.js';
import { SealedColumns } from '../../platform/secrets/sealed-columns.js';
import { AlertWebhookController } from './alert-webhook.controller.js';
import { AlertWebhookService } from './alert-webhook.service.js';
import { Channels } from './channel.js';
import { ChannelsService } from './channels.service.js';
import { DevicesController } from './devices.controller.js';
import { DevicesService } from './devices.service.js';
import { Mail } from './mail.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsService } from './notifications.service.js';
import { Outgoing } from './outgoing.js';
import { Push } from './push.js';
import { PushKeys } from './push-keys.js';
import { sealedSecrets } from './sealed-secrets.js';
import { TestMessages } from './test-messages.js';
import { Webhook } from './webhook.js';

addTag('notifications', 'Notifications of alerts: devices, mail, quiet hours; the alert webhook of a restaurant');

/** The channels that carry messages (web push, mail, webhooks), and the queue of messages. Other modules decide who gets which message, and when. */
@Module({
  imports: [AuditModule, OutboundModule],
  controllers: [NotificationsController, DevicesController, AlertWebhookController],
  providers: [
    ...[ChannelsService, { provide: Channels, useExisting: ChannelsService }],
    ...[Outgoing, Push, PushKeys, Mail, Webhook, TestMessages],
    ...[NotificationsService, DevicesService, AlertWebhookService],
  ],
  exports: [Channels, Outgoing],
})
export class ChannelsModule {
  constructor(sealed: SealedColumns, prisma: PrismaService) {
    sealed.add(...sealedSecrets(prisma));
  }
}
