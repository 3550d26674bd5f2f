import { Injectable } from '@nestjs/common';
import { PrismaService } from '../platform/database/prisma.service.js';
import { Log } from '../platform/telemetry/log.js';
import { PER_MINUTE, pausings, resume } from './store/pause.js';

/** Ends the pauses whose time is over (O49). */
@Injectable()
export class Pauses {
  constructor(
    private readonly prisma: PrismaService,
    private readonly log: Log,
  ) {}

  /**
   * To be called once a second. Instances may do so at the same time.
   * @returns whether orders of a restaurant are becoming due after a pause
   * @throws the database's error; what was not ended is ended by the next call
   */
  async update(): Promise<boolean> {
    const found = await pausings(this.prisma);
    let isResuming = found.some((each) => each.isResuming);
    for (const { restaurantId, isOver } of found) {
      if (!isOver) continue;
      const resumed = await resume(this.prisma, restaurantId, PER_MINUTE, 'over');
      if (!resumed) continue;
      isResuming = true;
      this.log.info(
        { event: 'outbox.pause_over', restaurantId, jobs: resumed.jobs },
        'the pause has ended by itself: what waited is sent, the oldest first',
      );
    }
    return isResuming;
  }
}
