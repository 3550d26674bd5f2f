import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { DatabaseClock } from '../database/clock.js';
import { PrismaService } from '../database/prisma.service.js';
import { Log } from '../telemetry/log.js';
import { RECONCILE, type Reconciled } from './reconcile.sql.js';

/** Opens and closes the alerts (G1 to G3). */
@Injectable()
export class Reconciler {
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
    const changes = await this.prisma.prepared<Reconciled>(RECONCILE, [
      ...[pace === 'tick', refusingAlarmMs],
      this.clock.trusted,
    ]);
    for (const { event, ...alert } of changes) this.log.warn({ event: `alert.${event}`, ...alert });
  }
}
