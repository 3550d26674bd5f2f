import { Module } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { PosModule } from '../pos/pos.module.js';
import { Alarms } from './alarms.js';
import { ArrivalLookUp } from './arrival-look-up.js';
import { Completer } from './completer.js';
import { Delivery } from './delivery.js';
import { Instances } from './instances.js';
import { Intake } from './intake.js';
import { JobStore } from './job-store.js';
import { OldCauses } from './old-causes.js';
import { OrderMapper, OrderMappers } from './order-mapper.js';
import { Outages } from './outages.js';
import { Pauses } from './pauses.js';
import { PushDelivery } from './push-delivery.js';
import { Reaper } from './reaper.js';
import { RestaurantCatalogues } from './restaurant-catalogues.js';
import { RestaurantCodes } from './restaurant-codes.js';
import { Retention } from './retention.js';
import { OutboxSchedule } from './schedule.js';
import { OutboxUpkeep } from './upkeep.js';
import { Worker } from './worker.js';

/** Claim, map, send, settle: the jobs of the outbox, their background work, and the job store, in which other modules enqueue jobs. */
@Module({
  imports: [PosModule],
  providers: [
    JobStore,
    Intake,
    { provide: OrderMappers, inject: [Config], useFactory: ({ pos }: Config) => new OrderMappers(pos) },
    { provide: OrderMapper, inject: [OrderMappers], useFactory: (mappers: OrderMappers) => mappers.of(null) },
    RestaurantCodes,
    RestaurantCatalogues,
    ArrivalLookUp,
    PushDelivery,
    Delivery,
    Completer,
    Outages,
    Pauses,
    Worker,
    Reaper,
    Retention,
    OldCauses,
    Alarms,
    Instances,
    // its heartbeat comes before the first tick
    OutboxUpkeep,
    OutboxSchedule,
  ],
  exports: [JobStore, Intake, OrderMapper, OrderMappers, Completer, RestaurantCodes, Worker, Alarms, Instances, Pauses],
})
export class OutboxModule {}
