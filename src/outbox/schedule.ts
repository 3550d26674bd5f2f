import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { type Round, Rounds } from '../platform/schedule/rounds.js';
import { PosTokens } from '../pos/tokens.js';
import { Alarms } from './alarms.js';
import { BEAT_INTERVAL_MS, Instances } from './instances.js';
import { OldCauses } from './old-causes.js';
import { Outages } from './outages.js';
import { Reaper } from './reaper.js';
import { Retention } from './retention.js';
import { Worker } from './worker.js';

const ALARMS_INTERVAL_MS = 60_000;
const CAUSES_INTERVAL_MS = 600_000;
const DATABASE_WATCH_INTERVAL_MS = 10_000;
const OUTAGES_INTERVAL_MS = 1_000;
const RETENTION_INTERVAL_MS = 600_000;
const TOKENS_INTERVAL_MS = 5_000;

/**
 * Schedules the outbox's background work: the worker every OUTBOX_TICK_MS, the reaper every REAPER_INTERVAL_MS (L1, L2: 20 s),
 * the outages of the POS every second (O33)
 * and the retention, the removal of old rows (R58) and the causes of old jobs (R56) every ten minutes, unless WORKER_ENABLED=false (O21). On every instance it schedules the alarms every minute, the
 * check of the database and of its clock every 10 s (R14, S37), the check for deleted POS tokens every 5 s (T6), and the heartbeat every 15 s (R21).
 */
@Injectable()
export class OutboxSchedule implements OnModuleInit {
  constructor(
    private readonly worker: Worker,
    private readonly reaper: Reaper,
    private readonly outages: Outages,
    private readonly alarms: Alarms,
    private readonly retention: Retention,
    private readonly causes: OldCauses,
    private readonly instances: Instances,
    private readonly tokens: PosTokens,
    private readonly rounds: Rounds,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const { tickMs, reaperIntervalMs, pace } = this.config.outbox;
    const all: Round[] = [
      {
        name: 'outbox.database_watch',
        everyMs: DATABASE_WATCH_INTERVAL_MS,
        on: 'all',
        run: () => this.alarms.watchDatabase(),
      },
      { name: 'outbox.alarms', everyMs: ALARMS_INTERVAL_MS, on: 'all', run: () => this.alarms.check() },
      { name: 'outbox.tokens', everyMs: TOKENS_INTERVAL_MS, on: 'all', run: () => this.tokens.forgetReplaced() },
      {
        name: 'outbox.instances',
        everyMs: BEAT_INTERVAL_MS,
        on: 'all',
        runsAtOnce: true,
        run: () => this.instances.beat(),
      },
      // jobs that an earlier process left claimed or due do not wait for the first interval
      {
        name: 'outbox.reaper',
        everyMs: reaperIntervalMs,
        on: 'workers',
        runsAtOnce: true,
        run: () => this.reaper.reap(),
      },
      {
        name: 'outbox.tick',
        everyMs: tickMs,
        on: 'workers',
        runsAtOnce: pace === 'eager',
        run: () => this.worker.tick(),
      },
      { name: 'outbox.outages', everyMs: OUTAGES_INTERVAL_MS, on: 'workers', run: () => this.updateOutages() },
      { name: 'outbox.retention', everyMs: RETENTION_INTERVAL_MS, on: 'workers', run: () => this.retention.remove() },
      {
        name: 'outbox.causes',
        everyMs: CAUSES_INTERVAL_MS,
        on: 'workers',
        runsAtOnce: true,
        run: () => this.causes.fill(),
      },
    ];
    this.rounds.add(...all);
  }

  private async updateOutages(): Promise<void> {
    if (await this.outages.update()) this.worker.wake();
  }
}
