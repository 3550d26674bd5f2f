import { Injectable } from '@nestjs/common';
import { isAnonymous } from '../../platform/database/anonymous.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { pageOf, sqlAfterCursor } from '../../platform/http/fields/cursor-page.js';
import type { AlertPageView, AlertsQueryDto, AlertView } from './alerts.dto.js';
import { titleOf } from './message.js';

/** The most notifications of an alert in an answer, the newest first. */
const NOTIFICATIONS = 50;

/** Without a title; `timezone` null: of the platform. */
type Row = Omit<AlertView, 'title'> & { readonly timezone: string | null };

/** Reads alerts for the page of a restaurant, and of the platform (G11). */
@Injectable()
export class AlertsReader {
  constructor(private readonly prisma: PrismaService) {}

  /**
   * One page of alerts: the open ones on the first page, before all others; then the closed ones, newest first.
   * @param restaurantId null: those of the platform
   * @throws 400 when `after` is not a cursor
   */
  async list(restaurantId: string | null, { limit, after, language }: AlertsQueryDto): Promise<AlertPageView> {
    const of =
      restaurantId === null ? Prisma.sql`restaurant_id IS NULL` : Prisma.sql`restaurant_id = ${restaurantId}::uuid`;
    const open =
      after === undefined
        ? await this.read(Prisma.sql`${of} AND dedup_key IS NOT NULL ORDER BY opened_at DESC, id DESC LIMIT 100`)
        : [];
    const closed = await this.read(Prisma.sql`${of} AND opened_at IS NOT NULL AND closed_at IS NOT NULL
      ${after === undefined ? Prisma.empty : Prisma.sql`AND ${sqlAfterCursor(after, [Prisma.sql`opened_at`, Prisma.sql`id`], 'uuid')}`}
      ORDER BY opened_at DESC, id DESC LIMIT ${limit + 1}::int`);
    const { data, meta } = pageOf(closed, limit, ({ openedAt }) => openedAt);
    const shown = [...open, ...data].map(({ timezone, ...alert }) => ({
      ...alert,
      title: titleOf({ ...alert, timezone, language }),
    }));
    return { data: shown, meta };
  }

  private read(chosen: Prisma.Sql): Promise<Row[]> {
    return this.prisma.$queryRaw<Row[]>`
      SELECT alert.id::text, kind, cause, count, details, opened_at AS "openedAt", closed_at AS "closedAt",
             acknowledged_at AS "acknowledgedAt", acknowledger.name AS "acknowledgedBy", next_step_at AS "nextStepAt",
             (SELECT timezone FROM restaurants WHERE restaurants.id = alert.restaurant_id) AS timezone,
             (SELECT coalesce(json_agg(told ORDER BY at DESC), '[]') FROM (
                SELECT channel, state, users.name AS recipient, reason, coalesce(ended_at, next_try_at) AS at, attempts
                FROM notifications LEFT JOIN users ON users.id = user_id
                WHERE alert_id = alert.id AND state <> 'SKIPPED' ORDER BY notifications.created_at DESC LIMIT ${NOTIFICATIONS}::int
              ) AS told) AS told
      FROM (SELECT * FROM alerts WHERE ${chosen}) AS alert
      LEFT JOIN users acknowledger ON acknowledger.id = acknowledged_by AND NOT ${isAnonymous('acknowledged_by', 'alert.restaurant_id')}
      ORDER BY alert.opened_at DESC, alert.id DESC`;
  }
}
