import { Injectable } from '@nestjs/common';
import { conditionOf, urgentKinds } from '../../platform/conditions/condition.js';
import { isAnonymous } from '../../platform/database/anonymous.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { MAX_PAGE, pageOf, sqlAfterCursor } from '../../platform/http/fields/cursor-page.js';
import type { AlertPageView, AlertsQueryDto, AlertView } from './alerts.dto.js';
import { titleOf } from './message.js';

/** The most notifications of an alert in an answer, the newest first. */
const NOTIFICATIONS = 50;

/** A cursor within the open alerts begins so; one within the closed ones has no prefix. No other cursor has a dot. */
const OPEN_CURSOR = /^(urgent|other)\.(.*)$/;
const KEY = [Prisma.sql`opened_at`, Prisma.sql`id`] as const;

/** Without a title; `timezone` null: of the platform. */
type Row = Omit<AlertView, 'title'> & { readonly timezone: string | null };

/** Reads alerts for the page of a restaurant, and of the platform (G11). */
@Injectable()
export class AlertsReader {
  constructor(private readonly prisma: PrismaService) {}

  /**
   * One page of alerts: the open ones, the urgent kinds before others; when all are listed the closed ones. Each newest first.
   * @param restaurantId null: those of the platform
   * @throws 400 when `after` is not a cursor
   */
  async list(restaurantId: string | null, { limit, after, language }: AlertsQueryDto): Promise<AlertPageView> {
    const of =
      restaurantId === null ? Prisma.sql`restaurant_id IS NULL` : Prisma.sql`restaurant_id = ${restaurantId}::uuid`;
    const [, part, openAfter] = OPEN_CURSOR.exec(after ?? '') ?? [];
    const isWithinOpen = after === undefined || part !== undefined;
    const open = isWithinOpen ? await this.open(of, part, openAfter) : { data: [], next: null };
    const closed =
      open.next === null
        ? await this.closed(of, limit, isWithinOpen ? undefined : after)
        : { data: [], next: open.next };
    const data = [...open.data, ...closed.data].map(({ timezone, ...alert }) => ({
      ...alert,
      title: titleOf({ ...alert, timezone, language }),
    }));
    return { data, meta: { limit, next: closed.next } };
  }

  private async open(of: Prisma.Sql, part: string | undefined, after = '') {
    const urgent = Prisma.sql`(alert.kind = ANY (${urgentKinds()}::text[]))`;
    const rest = {
      urgent: () => Prisma.sql`AND (NOT ${urgent} OR ${sqlAfterCursor(after, KEY, 'uuid')})`,
      other: () => Prisma.sql`AND NOT ${urgent} AND ${sqlAfterCursor(after, KEY, 'uuid')}`,
    }[part ?? ''];
    const order = Prisma.sql`${urgent} DESC, alert.opened_at DESC, alert.id DESC`;
    const rows = await this.read(
      Prisma.sql`${of} AND dedup_key IS NOT NULL ${rest?.() ?? Prisma.empty}`,
      order,
      MAX_PAGE,
    );
    const { data, meta } = pageOf(rows, MAX_PAGE, ({ openedAt }) => openedAt);
    const isUrgent = conditionOf(data.at(-1)?.kind ?? '')?.isUrgent;
    return { data, next: meta.next && `${isUrgent ? 'urgent' : 'other'}.${meta.next}` };
  }

  private async closed(of: Prisma.Sql, limit: number, after: string | undefined) {
    const rest = after === undefined ? Prisma.empty : Prisma.sql`AND ${sqlAfterCursor(after, KEY, 'uuid')}`;
    const chosen = Prisma.sql`${of} AND opened_at IS NOT NULL AND closed_at IS NOT NULL ${rest}`;
    const rows = await this.read(chosen, Prisma.sql`alert.opened_at DESC, alert.id DESC`, limit);
    const { data, meta } = pageOf(rows, limit, ({ openedAt }) => openedAt);
    return { data, next: meta.next };
  }

  /** @returns one more than the limit when there are more */
  private read(chosen: Prisma.Sql, order: Prisma.Sql, limit: number): Promise<Row[]> {
    return this.prisma.$queryRaw<Row[]>`
      SELECT alert.id::text, kind, cause, count, details, opened_at AS "openedAt", closed_at AS "closedAt",
             acknowledged_at AS "acknowledgedAt", acknowledger.name AS "acknowledgedBy", next_step_at AS "nextStepAt",
             (SELECT timezone FROM restaurants WHERE restaurants.id = alert.restaurant_id) AS timezone,
             (SELECT coalesce(json_agg(told ORDER BY at DESC), '[]') FROM (
                SELECT channel, state, users.name AS recipient, reason, coalesce(ended_at, next_try_at) AS at, attempts
                FROM notifications LEFT JOIN users ON users.id = user_id
                WHERE alert_id = alert.id AND state <> 'SKIPPED' ORDER BY notifications.created_at DESC LIMIT ${NOTIFICATIONS}::int
              ) AS told) AS told
      FROM (SELECT * FROM alerts alert WHERE ${chosen} ORDER BY ${order} LIMIT ${limit + 1}::int) AS alert
      LEFT JOIN users acknowledger ON acknowledger.id = acknowledged_by AND NOT ${isAnonymous('acknowledged_by', 'alert.restaurant_id')}
      ORDER BY ${order}`;
  }
}
