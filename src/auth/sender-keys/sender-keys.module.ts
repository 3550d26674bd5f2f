import { Module } from '@nestjs/common';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { addTag } from '../../platform/http/openapi/document.js';
import { OldRows } from '../../platform/schedule/old-rows.js';
import { SealedColumns } from '../../platform/secrets/sealed-columns.js';
import './conditions.js';
import './refused-condition.js';
import { endedKeys } from './ended-keys.js';
import { KnownKeys } from './known-keys.js';
import { LastUsed } from './last-used.js';
import { PlatformSenderKeysController } from './platform-sender-keys.controller.js';
import { RefusedKeys } from './refused-keys.js';
import { sealedSecrets } from './sealed-secrets.js';
import { SenderKeysController } from './sender-keys.controller.js';
import { SenderKeysService } from './sender-keys.service.js';

addTag('sender keys', 'The keys with which senders of sales prove who they are');

/** The keys with which senders of sales prove who they are: their management, and what the webhook needs of them. */
@Module({
  imports: [AuditModule],
  controllers: [SenderKeysController, PlatformSenderKeysController],
  providers: [SenderKeysService, KnownKeys, LastUsed, RefusedKeys],
  exports: [SenderKeysService, KnownKeys, LastUsed, RefusedKeys],
})
export class SenderKeysModule {
  constructor(sealed: SealedColumns, oldRows: OldRows, prisma: PrismaService, clock: DatabaseClock) {
    sealed.add(sealedSecrets(prisma));
    oldRows.add(endedKeys(prisma, clock));
  }
}
