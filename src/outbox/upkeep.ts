import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseClock } from '../platform/database/clock.js';
import { ClockMarks } from '../platform/database/clock-marks.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { OldRows } from '../platform/schedule/old-rows.js';
import { Rounds } from '../platform/schedule/rounds.js';
import { Alarms } from './alarms.js';
import { BEAT_INTERVAL_MS, Instances } from './instances.js';
import { oldClockMarks } from './old-clock-marks.js';
import { oldUnheardOrders } from './old-unheard-orders.js';
import { Retention } from './retention.js';

const CLOCK_INTERVAL_MS = 1_000;
const ALARMS_INTERVAL_MS = 60_000;
const DATABASE_WATCH_INTERVAL_MS = 10_000;
const RETENTION_INTERVAL_MS = 600_000;

/**
 * Schedules what an order does not wait for. On every instance: the look at the database's clock every second (V29), the heartbeat every 15 s (R21), the alarms
 * every minute, the check of the database and of its clock every 10 s (R14, S37). Unless WORKER_ENABLED=false (O21): the removal of old rows every ten minutes (R58).
 */
@Injectable()
export class OutboxUpkeep implements OnModuleInit {
  constructor(
    private readonly alarms: Alarms,
    private readonly instances: Instances,
    private readonly retention: Retention,
    private readonly marks: ClockMarks,
    private readonly rounds: Rounds,
    oldRows: OldRows,
    prisma: PrismaService,
    clock: DatabaseClock,
  ) {
    oldRows.add(oldUnheardOrders(prisma, clock));
    oldRows.add(oldClockMarks(prisma, clock));
  }

  onModuleInit(): void {
    const { alarms, instances, marks, retention } = this;
    this.rounds.add(
      {
        name: 'outbox.clock_marks',
        everyMs: CLOCK_INTERVAL_MS,
        on: 'all',
        // a list that is read before it goes back to it once more
        runsAtOnce: true,
        waitsForDatabase: true,
        run: () => marks.look(),
      },
      {
        name: 'outbox.instances',
        everyMs: BEAT_INTERVAL_MS,
        on: 'all',
        runsAtOnce: true,
        run: () => instances.beat(),
      },
      {
        name: 'outbox.database_watch',
        everyMs: DATABASE_WATCH_INTERVAL_MS,
        on: 'all',
        run: () => alarms.watchDatabase(),
      },
      { name: 'outbox.alarms', everyMs: ALARMS_INTERVAL_MS, on: 'all', run: () => alarms.check() },
      { name: 'outbox.retention', everyMs: RETENTION_INTERVAL_MS, on: 'workers', run: () => retention.remove() },
    );
  }
}
