import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Config } from '../config.js';
import { reasonOf } from '../database/errors.js';
import { Log } from '../log.js';
import { Reaper } from './reaper.js';
import { Retention } from './retention.js';
import { Watch } from './watch.js';
import { Worker } from './worker.js';

const WATCH_MS = 60_000;
const RETENTION_MS = 600_000;

/**
 * When the worker and the reaper run: every 20 seconds (seed, Limits; OUTBOX_TICK_MS, REAPER_INTERVAL_MS). With
 * OUTBOX_PACE=eager the worker also wakes as soon as a webhook commits; the tick remains as the safety net.
 */
@Injectable()
export class OutboxSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;
  private wakeAgain = false;
  private stopped = false;

  constructor(
    private readonly worker: Worker,
    private readonly reaper: Reaper,
    private readonly watch: Watch,
    private readonly retention: Retention,
    private readonly registry: SchedulerRegistry,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { workerEnabled, tickMs, reaperIntervalMs, pace } = this.config.outbox;
    if (!workerEnabled) return;
    this.every('outbox-tick', tickMs, () => this.tick());
    this.every('outbox-reaper', reaperIntervalMs, () => this.reap());
    this.every('outbox-watch', WATCH_MS, () => this.guarded('watch', () => this.watch.look()));
    this.every('outbox-retention', RETENTION_MS, () =>
      this.guarded('retention', () => this.retention.remove(() => !this.stopped)),
    );
    // what an earlier process left behind need not wait for the first interval
    void this.reap().then(() => (pace === 'eager' ? this.tick() : undefined));
  }

  /** A webhook has committed. */
  wake(): void {
    if (this.config.outbox.workerEnabled && this.config.outbox.pace === 'eager') void this.tick();
  }

  /** One round at the configured pace; never two at once in this instance. */
  async tick(): Promise<void> {
    if (this.stopped) return;
    const eager = this.config.outbox.pace === 'eager';
    if (this.running) {
      this.wakeAgain = eager;
      return;
    }
    this.running = this.guarded('tick', () => (eager ? this.takeUntilNothingIsDue() : this.takeOneBatch()));
    await this.running;
    this.running = undefined;
    // whoever woke it in its last moment is not forgotten
    if (this.wakeAgain) await this.tick();
  }

  reap(): Promise<void> {
    return this.guarded('reaper', () => this.reaper.reap());
  }

  /** Stop taking, finish what is in flight, release what was locked but not started. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const name of this.registry.getIntervals()) this.registry.deleteInterval(name);
    await this.worker.stop();
    await this.running;
    await this.worker.stop();
  }

  /** The seed's pace: one batch, all of it settled before the next tick may begin. */
  private async takeOneBatch(): Promise<void> {
    await this.worker.takeDue(this.worker.free);
    await this.worker.settled('all');
  }

  /** Keeps the batch full until nothing is due; a slow POS holds its own slot, not the others. */
  private async takeUntilNothingIsDue(): Promise<void> {
    this.wakeAgain = false;
    while (!this.stopped) {
      const { free } = this.worker;
      if (free === 0) await this.worker.settled('one');
      else if ((await this.worker.takeDue(free)) < free) return;
    }
  }

  /** What fails now is tried again by the next interval. */
  private async guarded(name: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.log.error({ event: `outbox.${name}_failed`, error: reasonOf(error) });
    }
  }

  private every(name: string, ms: number, run: () => Promise<void>): void {
    this.registry.addInterval(
      name,
      setInterval(() => void run(), ms),
    );
  }
}
