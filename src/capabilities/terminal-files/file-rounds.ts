import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AHEAD } from '../../platform/database/clock.js';
import { isDatabaseAway, reasonOf } from '../../platform/database/errors.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Rounds } from '../../platform/schedule/rounds.js';
import { Log } from '../../platform/telemetry/log.js';
import { Recomparison } from './matching/recomparison.js';

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
export class FileRounds implements OnModuleInit {
  constructor(
    private readonly prisma: PrismaService,
    private readonly recomparison: Recomparison,
    private readonly rounds: Rounds,
    private readonly stopping: AbortSignal,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const round = { name: 'terminal_files.round', everyMs: ROUND_MS, run: () => this.run() };
    this.rounds.add({ ...round, on: 'workers', waitsForDatabase: true });
  }

  /** One round. A file that cannot be compared is logged, and stops no other. @throws the database's error */
  async run(): Promise<void> {
    const due = await this.prisma.prepared<{ fileId: string; restaurantId: string }>(DUE, []);
    for (const { fileId, restaurantId } of due) {
      if (this.stopping.aborted) return;
      await this.refresh(restaurantId, fileId);
    }
  }

  private async refresh(restaurantId: string, fileId: string): Promise<void> {
    try {
      await this.recomparison.refresh({ restaurantId }, fileId);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      this.log.warn({ event: 'terminal_file.not_compared', restaurantId, fileId, error: reasonOf(error) });
    }
  }
}
