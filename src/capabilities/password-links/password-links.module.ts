import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { OldRows } from '../../platform/schedule/old-rows.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { Outgoing } from '../channels/outgoing.js';
import { oldLinks } from './old-links.js';
import {
  PasswordLinksController,
  PlatformPasswordLinksController,
  StaffPasswordLinksController,
} from './password-links.controller.js';
import { PasswordLinks } from './password-links.js';
import { passwordMails } from './password-mail.js';
import { PasswordRequests } from './password-requests.js';

/** A new password without the old one: by a link in a mail, or by one that an OWNER or a platform administrator makes. */
@Module({
  imports: [AuditModule, AuthModule, ChannelsModule],
  controllers: [PasswordLinksController, StaffPasswordLinksController, PlatformPasswordLinksController],
  providers: [PasswordLinks, PasswordRequests],
})
export class PasswordLinksModule {
  constructor(outgoing: Outgoing, oldRows: OldRows, prisma: PrismaService, clock: DatabaseClock) {
    outgoing.add(passwordMails(prisma));
    oldRows.add(oldLinks(prisma, clock));
  }
}
