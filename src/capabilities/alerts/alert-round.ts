import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Rounds } from '../../platform/schedule/rounds.js';
import { Outgoing } from '../channels/outgoing.js';
import { DatabaseAlert } from './database-alert.js';
import { Escalation } from './escalation.js';
import { Reconciler } from './reconciler.js';

/** Time between two rounds, in ms (G2). */
const ROUND_MS = 15_000;
const DATABASE_MS = 10_000;

/**
 * Runs the alerts: on instances that run the outbox (O21), one round each 15 s; while none of them is alive, on the others (G58); on every instance,
 * the watch of the database.
 */
@Injectable()
export class AlertRound implements OnModuleInit {
  private quietUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly reconciler: Reconciler,
    private readonly escalation: Escalation,
    private readonly outgoing: Outgoing,
    private readonly databaseAlert: DatabaseAlert,
    private readonly rounds: Rounds,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.rounds.add(
      { name: 'alerts.database', everyMs: DATABASE_MS, on: 'all', run: () => this.databaseAlert.watch() },
      { name: 'alerts.round', everyMs: ROUND_MS, on: 'all', waitsForDatabase: true, run: () => this.turn() },
    );
  }

  /** A round, if it is for this instance. @throws the database's error */
  async turn(): Promise<void> {
    if (this.config.outbox.workerEnabled || (await this.reconciler.isWithoutWorker())) await this.run();
  }

  /**
   * One round: opens and closes alerts, takes the due steps, sends what is due. After a slow round the next ones are left out, so that alerts
   * use at most a twentieth of a connection's time.
   * @throws the database's error
   */
  async run(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt < this.quietUntil) return;
    await this.reconciler.reconcile();
    this.quietUntil = startedAt + 20 * (performance.now() - startedAt);
    await this.escalation.advance();
    await this.outgoing.send();
  }
}
