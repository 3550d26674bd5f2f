import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { PosModule } from '../pos/pos.module.js';
import { JobStore } from './job-store.js';
import { Reaper } from './reaper.js';
import { Retention } from './retention.js';
import { OutboxSchedule } from './schedule.js';
import { Settlement } from './settlement.js';
import { Watch } from './watch.js';
import { Worker } from './worker.js';

/** LOCK ... SETTLE: worker, reaper, and the only writer of jobs. */
@Module({
  imports: [ScheduleModule.forRoot(), PosModule],
  providers: [JobStore, Settlement, Worker, Reaper, Retention, Watch, OutboxSchedule],
  exports: [JobStore, OutboxSchedule, Watch],
})
export class OutboxModule {}
