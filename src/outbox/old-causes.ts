import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PrismaService } from '../platform/database/prisma.service.js';
import { Log } from '../platform/telemetry/log.js';
import { fillCauses, type Place, WALKS } from './store/old-causes.js';

const PAUSE_MS = 50;
/** Instances of the version before have stopped when this one has run for this time, in ms. */
const WATCH_MS = 86_400_000;

/**
 * Gives jobs that an earlier version left without a cause the cause of their error (R56): those of before the upgrade, which its migration
 * leaves on a database with rows, and those of instances that still run beside this one.
 */
@Injectable()
export class OldCauses {
  private readonly until = performance.now() + WATCH_MS;

  constructor(
    private readonly prisma: PrismaService,
    private readonly stopping: AbortSignal,
    private readonly log: Log,
  ) {}

  /**
   * Looks at all jobs with an error, in small batches; does nothing when the process has run for a day.
   * @returns how many jobs have a cause now that had none
   * @throws the database's error
   */
  async fill(): Promise<number> {
    if (performance.now() > this.until) return 0;
    let total = 0;
    for (const walk of WALKS) total += await this.fillAll(walk);
    if (total > 0) this.log.info({ event: 'outbox.causes_filled', jobs: total });
    return total;
  }

  private async fillAll(walk: (typeof WALKS)[number]): Promise<number> {
    let total = 0;
    let from: Place | undefined;
    while (!this.stopping.aborted) {
      const { caused, end } = await fillCauses(this.prisma, walk, from);
      total += caused;
      if (!end) break;
      from = end;
      await delay(PAUSE_MS);
    }
    return total;
  }
}
