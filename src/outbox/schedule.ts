import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { Rounds } from '../platform/schedule/rounds.js';
import { PosTokens } from '../pos/tokens.js';
import { OldCauses } from './old-causes.js';
import { Outages } from './outages.js';
import { Pauses } from './pauses.js';
import { Reaper } from './reaper.js';
import { Worker } from './worker.js';

const CAUSES_INTERVAL_MS = 600_000;
const OUTAGES_INTERVAL_MS = 1_000;
const PAUSES_INTERVAL_MS = 1_000;
const TOKENS_INTERVAL_MS = 5_000;

/**
 * Schedules what delivers orders: the worker every OUTBOX_TICK_MS, the reaper every REAPER_INTERVAL_MS (L1, L2: 20 s), the outages of the
 * POS and the pauses of restaurants every second (O33, O49), and the causes of old jobs every ten minutes (R56), unless WORKER_ENABLED=false (O21). On every instance: the check
 * for deleted POS tokens every 5 s (T6).
 */
@Injectable()
export class OutboxSchedule implements OnModuleInit {
  constructor(
    private readonly worker: Worker,
    private readonly reaper: Reaper,
    private readonly outages: Outages,
    private readonly pauses: Pauses,
    private readonly causes: OldCauses,
    private readonly tokens: PosTokens,
    private readonly rounds: Rounds,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const { tickMs, reaperIntervalMs, pace } = this.config.outbox;
    this.rounds.add(
      { name: 'outbox.tokens', everyMs: TOKENS_INTERVAL_MS, on: 'all', run: () => this.tokens.forgetReplaced() },
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
      { name: 'outbox.pauses', everyMs: PAUSES_INTERVAL_MS, on: 'workers', run: () => this.updatePauses() },
      {
        name: 'outbox.causes',
        everyMs: CAUSES_INTERVAL_MS,
        on: 'workers',
        runsAtOnce: true,
        run: () => this.causes.fill(),
      },
    );
  }

  private async updatePauses(): Promise<void> {
    if (await this.pauses.update()) this.worker.wake();
  }

  private async updateOutages(): Promise<void> {
    if (await this.outages.update()) this.worker.wake();
  }
}
