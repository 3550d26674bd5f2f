import { Injectable } from '@nestjs/common';
import { Prisma } from './generated/client.js';
import { PrismaService } from './prisma.service.js';

/** From this difference between two clocks on, nothing is closed or removed by the clock (S36, L145); ms. */
export const CLOCK_LIMIT_MS = 300_000;
/** For this time after a step of this machine's clock nothing is closed or removed (L146); ms. */
const STEADY_MS = 3_600_000;

/** From this step on, the database's clock has jumped (O40, V29, L147); ms. */
export const CLOCK_STEP_MS = 10_000;

/**
 * SQL: a stored time after this one was written while the database's clock was ahead (O39, L147). Transactions that run beside each other
 * differ by less.
 */
export const AHEAD = "now() + interval '10 seconds'";

/**
 * SQL condition of each statement that closes or removes by the clock: the database's clock agrees with this process's (S36).
 * @param time SQL of the value of {@link DatabaseClock.trusted}; null: the condition does not hold
 */
export const agreesWith = (time: string) =>
  `(abs(extract(epoch FROM now())::float8 * 1000 - ${time}::float8) <= ${CLOCK_LIMIT_MS}) IS TRUE`;

/** The database's clock, compared with this machine's (S36, S37). */
@Injectable()
export class DatabaseClock {
  /** this machine's clock at the origin of performance.now(), epoch ms: a step of the clock changes it */
  private origin = originNow();
  /** when a step was last seen, or feared, by performance.now(), ms */
  private steppedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly prisma: PrismaService) {}

  /**
   * This machine's clock, epoch ms, for a statement with {@link agreesWith}; null within an hour after a step of this clock: with the embedded
   * database, and a database on the same machine, both clocks step together.
   */
  get trusted(): number | null {
    const origin = originNow();
    if (Math.abs(origin - this.origin) > CLOCK_LIMIT_MS) {
      this.origin = origin;
      this.steppedAt = performance.now();
    }
    return performance.now() - this.steppedAt < STEADY_MS ? null : Date.now();
  }

  /** Both clocks may be wrong together: for an hour nothing is closed or removed by them, as after a step (S36). */
  doubt(): void {
    this.steppedAt = performance.now();
  }

  /** {@link agreesWith} for a statement of Prisma. */
  get condition(): Prisma.Sql {
    const [before = '', after = ''] = agreesWith('|').split('|');
    return Prisma.sql([before, after], this.trusted);
  }

  /** Whether a time of the database is trusted; see {@link agreesWith}. */
  agrees(now: Date): boolean {
    const { trusted } = this;
    return trusted !== null && Math.abs(now.getTime() - trusted) <= CLOCK_LIMIT_MS;
  }

  /**
   * How far the database's clock is ahead of this machine's, in ms; negative: behind. Half of the round trip counts as the way there.
   * @throws the database's error
   */
  async aheadMs(): Promise<number> {
    const [before, startedAt] = [Date.now(), performance.now()];
    const [row] = await this.prisma.$queryRaw<{ now: number }[]>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;
    return (row?.now ?? before) - before - (performance.now() - startedAt) / 2;
  }
}

const originNow = () => Date.now() - performance.now();
