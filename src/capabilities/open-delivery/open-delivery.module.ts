import { Module } from '@nestjs/common';
import { JwtKey } from '../../auth/jwt.key.js';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { addTag } from '../../platform/http/openapi/document.js';
import { OldRows } from '../../platform/schedule/old-rows.js';
import { SealedColumns } from '../../platform/secrets/sealed-columns.js';
import './conditions.js';
import { endedCredentials } from './ended-credentials.js';
import { OauthController } from './oauth.controller.js';
import { OpenDeliveryController } from './open-delivery.controller.js';
import { OrderStatesController } from './order-states.controller.js';
import { OrderStates } from './order-states.js';
import { PosGuard } from './pos.guard.js';
import { PosCredentialsController } from './pos-credentials.controller.js';
import { PosCredentialsService } from './pos-credentials.service.js';
import { PosOrders } from './pos-orders.js';
import { PosTokens } from './pos-tokens.js';
import { PosTurns } from './pos-turns.js';
import { PulledOrders } from './pulled-orders.js';
import { sealedClientSecrets } from './sealed-client-secrets.js';

addTag('open delivery', 'A POS that fetches its orders, by the open standard Open Delivery 1.7');

/** POSs that fetch their orders (Q). */
@Module({
  imports: [OutboxModule, AuditModule],
  controllers: [OauthController, OpenDeliveryController, OrderStatesController, PosCredentialsController],
  providers: [JwtKey, OrderStates, PosCredentialsService, PosGuard, PosOrders, PosTokens, PosTurns, PulledOrders],
})
export class OpenDeliveryModule {
  constructor(sealed: SealedColumns, oldRows: OldRows, prisma: PrismaService, clock: DatabaseClock) {
    sealed.add(sealedClientSecrets(prisma));
    oldRows.add(endedCredentials(prisma, clock));
  }
}
