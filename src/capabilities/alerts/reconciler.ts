import { Injectable } from '@nestjs/common';
import { NO_WORKER } from '../../outbox/conditions.sql.js';
import { allConditions } from '../../platform/conditions/condition.js';
import { Config } from '../../platform/config/config.js';
import { DatabaseClock } from '../../platform/database/clock.js';
import { type PreparedStatement, preparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Log } from '../../platform/telemetry/log.js';
import { type Reconciled, reconciling } from './reconcile.sql.js';

const WITHOUT_WORKER = preparedStatement('without_worker', `SELECT ${NO_WORKER} AS alone`);

/** Opens and closes the alerts (G1 to G3). */
@Injectable()
export class Reconciler {
  private statement: PreparedStatement | undefined;

  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Whether no process that delivers is alive (G58). @throws the database's error */
  async isWithoutWorker(): Promise<boolean> {
    const [row] = await this.prisma.prepared<{ alone: boolean }>(WITHOUT_WORKER, []);
    return row?.alone === true;
  }

  /**
   * Compares what holds now with the open alerts. While another instance does so, it does nothing.
   * @throws the database's error
   */
  async reconcile(): Promise<void> {
    const { pace, refusingAlarmMs } = this.config.outbox;
    this.statement ??= reconciling(allConditions());
    const changes = await this.prisma.prepared<Reconciled>(this.statement, [
      ...[pace === 'tick', refusingAlarmMs],
      this.clock.trusted,
    ]);
    for (const { event, ...alert } of changes) this.log.warn({ event: `alert.${event}`, ...alert });
  }
}
