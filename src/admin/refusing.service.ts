import { Injectable } from '@nestjs/common';
import { Alarms } from '../outbox/alarms.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import type { RefusingRestaurantView } from './operations.dto.js';

/** The last delivery of a restaurant is searched among this number of its newest orders. */
const LOOKED_THROUGH = 5_000;
const SHOWN = 200;

interface Since {
  readonly restaurantId: string;
  readonly lastDeliveredAt: Date | null;
  readonly since: Date | null;
  readonly waiting: number;
}

/** Lists the restaurants whose POS accepts nothing (R14), with the time of the first failure, for platform administrators (R22). */
@Injectable()
export class RefusingService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly alarms: Alarms,
  ) {}

  async list(): Promise<RefusingRestaurantView[]> {
    const refusing = (await this.alarms.refusingRestaurants()).slice(0, SHOWN);
    const times = new Map(
      (await this.timesOf(refusing.map(({ restaurantId }) => restaurantId))).map((row) => [row.restaurantId, row]),
    );
    return refusing.map((restaurant) => {
      const { lastDeliveredAt = null, since = null, waiting = 0 } = times.get(restaurant.restaurantId) ?? {};
      return { ...restaurant, since, lastDeliveredAt, waiting };
    });
  }

  /** `since`: the first failed attempt of the orders that were created after the newest delivered order. */
  private timesOf(restaurantIds: readonly string[]): Promise<Since[]> {
    return this.prisma.reports.$queryRaw<Since[]>`
      SELECT restaurant.id::text AS "restaurantId", delivered.updated_at AS "lastDeliveredAt", failed.since, waiting.jobs AS waiting
      FROM unnest(${[...restaurantIds]}::uuid[]) AS restaurant(id)
      LEFT JOIN LATERAL (
        SELECT newest.received_at, job.updated_at FROM (
          SELECT transaction_key, received_at FROM terminal_events
          WHERE restaurant_id = restaurant.id AND received_at <= now()
          ORDER BY received_at DESC LIMIT ${LOOKED_THROUGH}) AS newest
        JOIN outbox_jobs job ON event_key = transaction_key AND restaurant_id = restaurant.id AND action = 'CREATE'
        WHERE status = 'SENT' ORDER BY newest.received_at DESC LIMIT 1) AS delivered ON true
      CROSS JOIN LATERAL (
        SELECT min(started_at) AS since FROM (
          SELECT transaction_key FROM terminal_events
          WHERE restaurant_id = restaurant.id
            AND received_at > coalesce(delivered.received_at, '-infinity') AND received_at <= now()
          ORDER BY received_at LIMIT 100) AS event
        JOIN outbox_jobs job ON event_key = transaction_key AND restaurant_id = restaurant.id AND action = 'CREATE'
        JOIN delivery_attempts ON job_id = job.id AND outcome <> 'SENT') AS failed
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS jobs FROM outbox_jobs
        WHERE restaurant_id = restaurant.id AND status IN ('PENDING', 'FAILED')) AS waiting`;
  }
}
