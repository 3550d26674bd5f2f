import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { AuditModule } from '../platform/audit/audit.module.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { SealedColumns } from '../platform/secrets/sealed-columns.js';
import { PosModule } from '../pos/pos.module.js';
import { OverviewController } from './overview.controller.js';
import { PauseController } from './pause.controller.js';
import { PauseService } from './pause.service.js';
import { OverviewService } from './reports/overview.service.js';
import { StateService } from './reports/state.service.js';
import { StatisticsService } from './reports/statistics.service.js';
import { TakingsExport } from './reports/takings-export.js';
import { RestaurantAuditController } from './restaurant-audit.controller.js';
import { RestaurantsController } from './restaurants.controller.js';
import { RestaurantsService } from './restaurants.service.js';
import { sealedPosSecrets } from './sealed-pos-secrets.js';
import { TakingsController } from './takings.controller.js';

/** Restaurants, their statistics, state, takings and audit. */
@Module({
  imports: [AuditModule, AuthModule, OutboundModule, OutboxModule, PosModule],
  controllers: [
    OverviewController,
    RestaurantsController,
    PauseController,
    TakingsController,
    RestaurantAuditController,
  ],
  providers: [RestaurantsService, PauseService, StatisticsService, StateService, OverviewService, TakingsExport],
  exports: [StateService],
})
export class RestaurantsModule {
  constructor(sealed: SealedColumns, prisma: PrismaService) {
    sealed.add(sealedPosSecrets(prisma));
  }
}
