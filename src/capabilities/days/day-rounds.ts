import { Injectable, type OnModuleInit } from '@nestjs/common';
import { agreesWith, DatabaseClock } from '../../platform/database/clock.js';
import { reasonOf } from '../../platform/database/errors.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Rounds } from '../../platform/schedule/rounds.js';
import { Log } from '../../platform/telemetry/log.js';
import { DayCloser } from './day-closer.js';

/** Time between two rounds, in ms (L81). */
const ROUND_MS = 30_000;
/** The most days that one round closes (L81). */
const BATCH = 20;
/** A restaurant whose closing failed, or was not to be done, is left out for this time, in ms. */
const FAILED_OUT_MS = 600_000;
const UNDONE_OUT_MS = 60_000;

/**
 * The days that were over two hours ago and are open (B8): the next day of each restaurant, the longest over first. Restaurants of one end
 * are mixed by a hash. The last closing of a restaurant is one look into an index. None while the clocks differ (B19): $2.
 */
const DUE = preparedStatement(
  'days_due',
  `SELECT restaurant.id::text AS "restaurantId", to_char(next.day, 'YYYY-MM-DD') AS day
   FROM restaurants restaurant
   LEFT JOIN LATERAL (
     SELECT day FROM business_days WHERE restaurant_id = restaurant.id ORDER BY number DESC LIMIT 1
   ) AS last ON true
   CROSS JOIN LATERAL (SELECT coalesce(last.day + 1, business_day(days_since, timezone, day_closes_at)) AS day) AS next
   CROSS JOIN LATERAL (SELECT (next.day + 1 + day_closes_at::time) AT TIME ZONE timezone AS at) AS ended
   WHERE ${agreesWith('$2')} AND deleted_at IS NULL AND ended.at <= now() - interval '2 hours' AND id <> ALL ($1::uuid[])
   ORDER BY ended.at, md5(id::text || next.day) LIMIT ${BATCH}`,
);

interface Due {
  readonly restaurantId: string;
  readonly day: string;
}

/** Closes the days that nobody has closed, two hours after their end (B8). */
@Injectable()
export class DayRounds implements OnModuleInit {
  /** restaurants that do not take the place of others in a round, and until when */
  private readonly leftOut = new Map<string, number>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly closer: DayCloser,
    private readonly rounds: Rounds,
    private readonly stopping: AbortSignal,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const run = () => this.run();
    this.rounds.add({ name: 'days.round', everyMs: ROUND_MS, on: 'workers', waitsForDatabase: true, run });
  }

  /**
   * One round. A restaurant whose closing the database refuses is logged and left out for ten minutes, and stops no other.
   * @returns how many days it closed
   * @throws the database's error
   */
  async run(): Promise<number> {
    const now = performance.now();
    for (const [id, until] of this.leftOut) if (until <= now) this.leftOut.delete(id);
    const due = await this.prisma.prepared<Due>(DUE, [[...this.leftOut.keys()], this.clock.trusted]);
    let closed = 0;
    for (const one of due) if (!this.stopping.aborted && (await this.closes(one))) closed++;
    return closed;
  }

  private async closes({ restaurantId, day }: Due): Promise<boolean> {
    try {
      const closed = await this.closer.closeByItself(restaurantId, day);
      if (!closed) this.leftOut.set(restaurantId, performance.now() + UNDONE_OUT_MS);
      return closed;
    } catch (error) {
      // also when it took too long, which looks like an absent database
      this.leftOut.set(restaurantId, performance.now() + FAILED_OUT_MS);
      this.log.warn({ event: 'day.not_closed', restaurantId, day, error: reasonOf(error) });
      return false;
    }
  }
}
