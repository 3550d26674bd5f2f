import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { isDatabaseAway, reasonOf } from '../database/errors.js';
import { Intervals } from '../outbox/intervals.js';
import { Log } from '../telemetry/log.js';
import { DatabaseAlert } from './database-alert.js';
import { Escalation } from './escalation.js';
import { Notifier } from './notifier.js';
import { Reconciler } from './reconciler.js';

/** Time between two rounds, in ms (G2). */
const ROUND_MS = 15_000;
const DATABASE_MS = 10_000;

/** Runs the alerts: on instances that run the outbox (O21), one round each 15 s; on every instance, the watch of the database. */
@Injectable()
export class AlertRound {
  private quietUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly reconciler: Reconciler,
    private readonly escalation: Escalation,
    private readonly notifier: Notifier,
    private readonly databaseAlert: DatabaseAlert,
    private readonly intervals: Intervals,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** To be called once, when the process listens. */
  start(): void {
    this.intervals.every(DATABASE_MS, 'alerts.database', () => this.databaseAlert.watch());
    if (this.config.outbox.workerEnabled) this.intervals.every(ROUND_MS, 'alerts.round', () => this.run());
  }

  /**
   * One round: opens and closes alerts, takes the due steps, sends what is due. After a slow round the next ones are left out, so that alerts
   * use at most a twentieth of a connection's time.
   * @throws the database's error, unless the database is away, which has an alert of its own
   */
  async run(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt < this.quietUntil) return;
    try {
      await this.reconciler.reconcile();
      this.quietUntil = startedAt + 20 * (performance.now() - startedAt);
      await this.escalation.advance();
      await this.notifier.send();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      this.log.debug({ event: 'alerts.round_left_out', error: reasonOf(error) });
    }
  }
}
