import { Injectable } from '@nestjs/common';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { normalizeEmail } from '../domain/account.js';
import { pageOf, sqlAfterCursor } from '../http/cursor-page.js';
import type { AuditEntryView, AuditPageView, QueryAuditDto } from './audit.dto.js';

/** Reads audit entries, newest first (R23). */
@Injectable()
export class AuditReader {
  constructor(private readonly prisma: PrismaService) {}

  /**
   * Returns one page of entries.
   * @param restaurantId undefined: entries of all restaurants, and entries without a restaurant
   * @throws 400 when `after` is not a cursor
   */
  async list({ limit, after, action, actor, from, to }: QueryAuditDto, restaurantId?: string): Promise<AuditPageView> {
    const conditions = [
      // a condition on `at` is always present, so that Postgres uses the indexes of these lists
      Prisma.sql`at >= ${from ?? new Date(0)}`,
      ...(to ? [Prisma.sql`at < ${to}`] : []),
      ...(restaurantId === undefined ? [] : [Prisma.sql`restaurant_id = ${restaurantId}::uuid`]),
      ...(action === undefined ? [] : [Prisma.sql`action = ${action}`]),
      ...(actor === undefined ? [] : [Prisma.sql`actor_email = ${normalizeEmail(actor)}`]),
      ...(after === undefined ? [] : [sqlAfterCursor(after, [Prisma.sql`at`, Prisma.sql`id`], 'uuid')]),
    ];
    const entries = await this.prisma.$queryRaw<AuditEntryView[]>`
      SELECT entry.id::text, at, actor_id::text AS "actorId", actor_email AS "actorEmail", restaurant_id::text AS "restaurantId",
             restaurants.name AS "restaurantName", action, target, details, request_id AS "requestId"
      FROM (SELECT * FROM audit_entries WHERE ${Prisma.join(conditions, ' AND ')} ORDER BY at DESC, id DESC LIMIT ${limit + 1}) AS entry
      LEFT JOIN restaurants ON restaurants.id = restaurant_id
      ORDER BY at DESC, entry.id DESC`;
    return pageOf(entries, limit, ({ at }) => at);
  }
}
