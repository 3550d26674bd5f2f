import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Config } from '../config/config.js';
import { reasonOf } from '../database/errors.js';
import { PosTokens } from '../pos/tokens.js';
import { Log } from '../telemetry/log.js';
import { Alarms } from './alarms.js';
import { BEAT_INTERVAL_MS, Instances } from './instances.js';
import { Reaper } from './reaper.js';
import { Retention } from './retention.js';
import { Worker } from './worker.js';

const ALARMS_INTERVAL_MS = 60_000;
const DATABASE_WATCH_INTERVAL_MS = 10_000;
const RETENTION_INTERVAL_MS = 600_000;
const TOKENS_INTERVAL_MS = 5_000;
/** When a run has taken this time, in ms, the next run may start beside it. Statements and calls have far shorter limits. */
const RUN_LIMIT_MS = 3_600_000;

/**
 * Schedules the outbox's background work: the worker every OUTBOX_TICK_MS, the reaper every REAPER_INTERVAL_MS (L1, L2: 20 s),
 * and the retention every ten minutes, unless WORKER_ENABLED=false (O21). On every instance it schedules the alarms every minute, the
 * check of the database every 10 s (R14), the check for deleted POS tokens every 5 s (T6), and the heartbeat every 15 s (R21). The
 * SchedulerRegistry clears the intervals when the application stops.
 */
@Injectable()
export class OutboxSchedule {
  constructor(
    private readonly worker: Worker,
    private readonly reaper: Reaper,
    private readonly alarms: Alarms,
    private readonly retention: Retention,
    private readonly instances: Instances,
    private readonly tokens: PosTokens,
    private readonly registry: SchedulerRegistry,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** To be called once, when the process listens (S17). */
  start(): void {
    const { workerEnabled, tickMs, reaperIntervalMs, pace } = this.config.outbox;
    this.every(DATABASE_WATCH_INTERVAL_MS, 'database_watch', () => this.alarms.watchDatabase());
    this.every(ALARMS_INTERVAL_MS, 'alarms', () => this.alarms.check());
    this.every(TOKENS_INTERVAL_MS, 'tokens', () => this.tokens.forgetReplaced());
    const beat = this.every(BEAT_INTERVAL_MS, 'instances', () => this.instances.beat());
    void beat();
    if (!workerEnabled) return;
    const tick = this.every(tickMs, 'tick', () => this.worker.tick());
    const reap = this.every(reaperIntervalMs, 'reaper', () => this.reaper.reap());
    this.every(RETENTION_INTERVAL_MS, 'retention', () => this.retention.remove());
    // jobs that an earlier process left claimed or due do not wait for the first interval
    void reap().then(() => (pace === 'eager' ? tick() : undefined));
  }

  /**
   * Calls `run` every `ms` milliseconds, except while the last run continues (for up to RUN_LIMIT_MS) or the process is stopping. An error
   * is logged; the next interval tries again.
   * @returns a function that calls `run` once, with the same exceptions
   */
  private every(ms: number, name: string, run: () => Promise<unknown>): () => Promise<void> {
    let running: { readonly since: number } | undefined;
    const once = async () => {
      if (this.stopping.aborted || (running && performance.now() - running.since < RUN_LIMIT_MS)) return;
      const current = { since: performance.now() };
      running = current;
      try {
        await run();
      } catch (error) {
        this.log.error({ event: `outbox.${name}_failed`, error: reasonOf(error) });
      } finally {
        if (running === current) running = undefined;
      }
    };
    this.registry.addInterval(
      `outbox-${name}`,
      setInterval(() => void once(), ms),
    );
    return once;
  }
}
