import { Injectable } from '@nestjs/common';
import { allConditions } from '../../platform/conditions/condition.js';
import { Config } from '../../platform/config/config.js';
import { DatabaseClock } from '../../platform/database/clock.js';
import type { PreparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Log } from '../../platform/telemetry/log.js';
import { type Reconciled, reconciling } from './reconcile.sql.js';

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
