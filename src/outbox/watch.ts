import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { Prisma } from '../database/prisma.js';
import { Log } from '../log.js';

/** Fewer attempts than this say nothing about a POS. */
const ENOUGH_ATTEMPTS = 3;

export interface RefusingRestaurant {
  readonly restaurantId: string;
  readonly name: string;
  /** in the time of the alarm, none of them successful */
  readonly attempts: number;
  readonly lastError: string | null;
}

/** What an operator should be woken for, as far as the outbox can tell: jobs nobody takes, restaurants whose POS takes none. */
@Injectable()
export class Watch {
  constructor(
    private readonly prisma: Prisma,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Says in the log what is wrong now. */
  async look(): Promise<void> {
    const seconds = await this.oldestDueSeconds();
    if (seconds * 1_000 > this.config.outbox.lateAlarmMs)
      this.log.error({ event: 'alarm.jobs_late', oldestDueSeconds: Math.round(seconds) });
    for (const restaurant of await this.refusingRestaurants())
      this.log.error({ event: 'alarm.pos_refuses_all', ...restaurant });
  }

  /** How long the oldest due job has been waiting; 0 when none is due. */
  async oldestDueSeconds(): Promise<number> {
    const [row] = await this.prisma.$queryRaw<{ seconds: number }[]>`
      SELECT coalesce(extract(epoch FROM now() - min(next_run_at)), 0)::float8 AS seconds
      FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()`;
    return row?.seconds ?? 0;
  }

  /** Restaurants with several attempts in ALARM_REFUSING_MS, none of them successful. */
  refusingRestaurants(): Promise<RefusingRestaurant[]> {
    return this.prisma.$queryRaw<RefusingRestaurant[]>`
      SELECT restaurant.id::text AS "restaurantId", restaurant.name, count(*)::int AS attempts,
             (array_agg(attempt.error ORDER BY attempt.started_at DESC))[1] AS "lastError"
      FROM delivery_attempts attempt
      JOIN outbox_jobs job ON job.id = attempt.job_id
      JOIN restaurants restaurant ON restaurant.id = job.restaurant_id
      WHERE attempt.started_at > now() - ${this.config.outbox.refusingAlarmMs}::int * interval '1 millisecond'
      GROUP BY restaurant.id
      HAVING count(*) >= ${ENOUGH_ATTEMPTS} AND bool_and(attempt.outcome <> 'SENT')
      ORDER BY attempts DESC`;
  }
}
