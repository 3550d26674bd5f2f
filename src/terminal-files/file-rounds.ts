import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AHEAD } from '../database/clock.js';
import { isDatabaseAway, reasonOf } from '../database/errors.js';
import { preparedStatement } from '../database/prepared.js';
import { PrismaService } from '../database/prisma.service.js';
import { Intervals } from '../outbox/intervals.js';
import { Log } from '../telemetry/log.js';
import { Recomparison } from './recomparison.js';

/** Time between two rounds, in ms (L99). */
const ROUND_MS = 60_000;

/** The files with missing sales, the longest not compared first (L99). */
const DUE = preparedStatement(
  'terminal_files_due',
  `SELECT id::text AS "fileId", restaurant_id::text AS "restaurantId" FROM terminal_files
   WHERE missing > 0 AND confirmed_at > now() - interval '31 days' AND matched_at NOT BETWEEN now() - interval '30 seconds' AND ${AHEAD}
   ORDER BY matched_at LIMIT 20`,
);

/** Looks for sales that arrived after their file was compared, so that its alert closes (J12, J14). */
@Injectable()
export class FileRounds {
  constructor(
    private readonly prisma: PrismaService,
    private readonly recomparison: Recomparison,
    private readonly intervals: Intervals,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** To be called once, when the process listens: on instances that run the outbox (O21). */
  start(): void {
    if (this.config.outbox.workerEnabled) this.intervals.every(ROUND_MS, 'terminal_files.round', () => this.run());
  }

  /** One round. A file that cannot be compared is logged, and stops no other. @throws the database's error, unless it is away */
  async run(): Promise<void> {
    try {
      const due = await this.prisma.prepared<{ fileId: string; restaurantId: string }>(DUE, []);
      for (const { fileId, restaurantId } of due) {
        if (this.stopping.aborted) return;
        await this.refresh(restaurantId, fileId);
      }
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      this.log.debug({ event: 'terminal_files.round_left_out', error: reasonOf(error) });
    }
  }

  private async refresh(restaurantId: string, fileId: string): Promise<void> {
    try {
      await this.recomparison.refresh(restaurantId, fileId);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      this.log.warn({ event: 'terminal_file.not_compared', restaurantId, fileId, error: reasonOf(error) });
    }
  }
}
