import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { PosModule } from '../pos/pos.module.js';
import { JobStore } from './job-store.js';
import { Reaper } from './reaper.js';
import { OutboxSchedule } from './schedule.js';
import { Settlement } from './settlement.js';
import { Worker } from './worker.js';

/** LOCK ... SETTLE: worker, reaper, and the only writer of jobs. */
@Module({
  imports: [ScheduleModule.forRoot(), PosModule],
  providers: [JobStore, Settlement, Worker, Reaper, OutboxSchedule],
  exports: [JobStore, OutboxSchedule],
})
export class OutboxModule {}
