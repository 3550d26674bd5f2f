import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Config } from '../config.js';
import { reasonOf } from '../database/errors.js';
import { Log } from '../log.js';
import { Reaper } from './reaper.js';
import { Worker } from './worker.js';

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
    private readonly registry: SchedulerRegistry,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { workerEnabled, tickMs, reaperIntervalMs, pace } = this.config.outbox;
    if (!workerEnabled) return;
    this.every('outbox-tick', tickMs, () => this.tick());
    this.every('outbox-reaper', reaperIntervalMs, () => this.reap());
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
    if (this.running) {
      this.wakeAgain = true;
      return;
    }
    const round = this.config.outbox.pace === 'eager' ? this.takeUntilNothingIsDue() : this.takeOneBatch();
    this.running = round.catch((error: Error) =>
      this.log.error({ event: 'outbox.tick_failed', error: reasonOf(error) }),
    );
    await this.running;
    this.running = undefined;
  }

  async reap(): Promise<void> {
    await this.reaper
      .reap()
      .catch((error: Error) => this.log.error({ event: 'outbox.reaper_failed', error: reasonOf(error) }));
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
    do {
      this.wakeAgain = false;
      for (;;) {
        const { free } = this.worker;
        if (this.stopped) return;
        if (free === 0) await this.worker.settled('one');
        else if ((await this.worker.takeDue(free)) < free) break;
      }
    } while (this.wakeAgain);
  }

  private every(name: string, ms: number, run: () => Promise<void>): void {
    this.registry.addInterval(
      name,
      setInterval(() => void run(), ms),
    );
  }
}
