import { Injectable } from '@nestjs/common';
import { CLOCK_STEP_MS } from './clock.js';
import { PrismaService } from './prisma.service.js';

/**
 * Marks from when on the database's clock shows times that it has shown before: when it was set back, and when this process began to look, since
 * nobody may have looked before. So receipts know how far back they look for what is new (V29), whatever the clock shows now, on all instances.
 */
@Injectable()
export class ClockMarks {
  /** what the database's clock showed at least at the origin of performance.now(), epoch ms; undefined: not looked yet */
  private origin: number | undefined;
  /** the lowest time that has to be marked, epoch ms */
  private unmarked = Number.POSITIVE_INFINITY;

  constructor(private readonly prisma: PrismaService) {}

  /** Looks at the clock. A mark that cannot be written is written by a later look. @throws the database's error */
  async look(): Promise<void> {
    const askedAt = performance.now();
    const [row] = await this.prisma.$queryRaw<[{ now: number }]>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;
    const { now } = row;
    const origin = now - performance.now();
    // the clock was read after it was asked: a slow answer is no step
    const wentBack = this.origin === undefined || now - askedAt < this.origin - CLOCK_STEP_MS;
    this.origin = wentBack ? origin : Math.max(this.origin as number, origin);
    if (wentBack) this.unmarked = Math.min(this.unmarked, now);
    if (this.unmarked === Number.POSITIVE_INFINITY) return;
    // written again, the row is of a new transaction
    await this.prisma.$executeRaw`
      INSERT INTO clock_marks (hour) VALUES (date_trunc('hour', to_timestamp(${this.unmarked}::float8 / 1000)))
      ON CONFLICT (hour) DO UPDATE SET hour = excluded.hour`;
    this.unmarked = Number.POSITIVE_INFINITY;
  }
}
