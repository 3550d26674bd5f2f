import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { OldRows } from '../../platform/schedule/old-rows.js';
import { Rounds } from '../../platform/schedule/rounds.js';
import { BEGIN, COUNT, JUDGE, REMOVE } from './silence.sql.js';

/** Time between two rounds, and the pause after each statement that counts, in which sales use the embedded database; in ms (L247, L246). */
const ROUND_MS = 60_000;
const PAUSE_MS = 10;

/**
 * Counts the sales of each hour after the hour, and finds the restaurants whose sales have stopped (G59, G60). Storing a sale writes nothing for it. The
 * next round does what a stopped process has not done.
 */
@Injectable()
export class Silence implements OnModuleInit {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly rounds: Rounds,
    private readonly oldRows: OldRows,
    private readonly stopping: AbortSignal,
  ) {}

  onModuleInit(): void {
    const run = () => this.run();
    this.rounds.add({ name: 'silence.round', everyMs: ROUND_MS, on: 'workers', waitsForDatabase: true, run });
    this.oldRows.add({ name: 'saleHours', remove: () => this.removeOld() });
  }

  /** One round. It does nothing while the clocks differ or another instance runs it. @throws the database's error */
  async run(): Promise<void> {
    await this.prisma.prepared(BEGIN, [this.clock.trusted]);
    while ((await this.prisma.prepared(COUNT, [this.clock.trusted])).length > 0) {
      if (this.stopping.aborted) return;
      await delay(PAUSE_MS);
    }
    await this.prisma.prepared(JUDGE, [this.clock.trusted]);
  }

  /** Removes counts that are too old to be compared. @returns how many */
  private async removeOld(): Promise<number> {
    return (await this.prisma.prepared(REMOVE, [this.clock.trusted])).length;
  }
}
