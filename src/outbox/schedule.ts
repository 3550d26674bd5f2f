import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { PosTokens } from '../pos/tokens.js';
import { Alarms } from './alarms.js';
import { BEAT_INTERVAL_MS, Instances } from './instances.js';
import { Intervals } from './intervals.js';
import { OldCauses } from './old-causes.js';
import { OldRows } from './old-rows.js';
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
export class OutboxSchedule {
  constructor(
    private readonly worker: Worker,
    private readonly reaper: Reaper,
    private readonly outages: Outages,
    private readonly alarms: Alarms,
    private readonly retention: Retention,
    private readonly oldRows: OldRows,
    private readonly causes: OldCauses,
    private readonly instances: Instances,
    private readonly tokens: PosTokens,
    private readonly intervals: Intervals,
    private readonly config: Config,
  ) {}

  /** To be called once, when the process listens (S17). */
  start(): void {
    const { workerEnabled, tickMs, reaperIntervalMs, pace } = this.config.outbox;
    this.intervals.every(DATABASE_WATCH_INTERVAL_MS, 'outbox.database_watch', () => this.alarms.watchDatabase());
    this.intervals.every(ALARMS_INTERVAL_MS, 'outbox.alarms', () => this.alarms.check());
    this.intervals.every(TOKENS_INTERVAL_MS, 'outbox.tokens', () => this.tokens.forgetReplaced());
    const beat = this.intervals.every(BEAT_INTERVAL_MS, 'outbox.instances', () => this.instances.beat());
    void beat();
    if (!workerEnabled) return;
    const tick = this.intervals.every(tickMs, 'outbox.tick', () => this.worker.tick());
    const reap = this.intervals.every(reaperIntervalMs, 'outbox.reaper', () => this.reaper.reap());
    this.intervals.every(OUTAGES_INTERVAL_MS, 'outbox.outages', async () => {
      if (await this.outages.update()) this.worker.wake();
    });
    this.intervals.every(RETENTION_INTERVAL_MS, 'outbox.retention', () => this.retention.remove());
    this.intervals.every(RETENTION_INTERVAL_MS, 'outbox.old_rows', () => this.oldRows.remove());
    const causes = this.intervals.every(CAUSES_INTERVAL_MS, 'outbox.causes', () => this.causes.fill());
    void causes();
    // jobs that an earlier process left claimed or due do not wait for the first interval
    void reap().then(() => (pace === 'eager' ? tick() : undefined));
  }
}
