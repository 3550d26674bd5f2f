import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { PosModule } from '../pos/pos.module.js';
import { Alarms } from './alarms.js';
import { Completer } from './completer.js';
import { Delivery } from './delivery.js';
import { JobStore } from './job-store.js';
import { OrderMapper } from './order-mapper.js';
import { Reaper } from './reaper.js';
import { Retention } from './retention.js';
import { OutboxSchedule } from './schedule.js';
import { SettleQueue } from './settle-queue.js';
import { Worker } from './worker.js';

/** Lock, map, send, settle: the outbox of jobs, its background work, and the job store that other modules enqueue with. */
@Module({
  imports: [ScheduleModule.forRoot(), PosModule],
  providers: [
    JobStore,
    OrderMapper,
    Delivery,
    SettleQueue,
    Completer,
    Worker,
    Reaper,
    Retention,
    Alarms,
    OutboxSchedule,
  ],
  exports: [JobStore, OrderMapper, Worker, Alarms],
})
export class OutboxModule {}
