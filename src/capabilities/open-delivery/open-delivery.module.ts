import { Module } from '@nestjs/common';
import { JwtKey } from '../../auth/jwt.key.js';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { addTag } from '../../platform/http/openapi/document.js';
import { OldRows } from '../../platform/schedule/old-rows.js';
import './conditions.js';
import { endedCredentials } from './ended-credentials.js';
import { OauthController } from './oauth.controller.js';
import { OpenDeliveryController } from './open-delivery.controller.js';
import { PosGuard } from './pos.guard.js';
import { PosCredentialsController } from './pos-credentials.controller.js';
import { PosCredentialsService } from './pos-credentials.service.js';
import { PosTokens } from './pos-tokens.js';
import { PosTurns } from './pos-turns.js';
import { PulledOrders } from './pulled-orders.js';

addTag('open delivery', 'A POS that fetches its orders, by the open standard Open Delivery 1.7');

/** POSs that fetch their orders (Q). */
@Module({
  imports: [OutboxModule, AuditModule],
  controllers: [OauthController, OpenDeliveryController, PosCredentialsController],
  providers: [JwtKey, PosCredentialsService, PosGuard, PosTokens, PosTurns, PulledOrders],
})
export class OpenDeliveryModule {
  constructor(oldRows: OldRows, prisma: PrismaService, clock: DatabaseClock) {
    oldRows.add(endedCredentials(prisma, clock));
  }
}
