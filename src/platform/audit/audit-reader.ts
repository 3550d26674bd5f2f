import { Injectable } from '@nestjs/common';
import { normalizeEmail } from '../../domain/account.js';
import { isAnonymous } from '../database/anonymous.js';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { pageOf, sqlAfterCursor } from '../http/fields/cursor-page.js';
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
    const isHidden =
      restaurantId === undefined ? Prisma.sql`false` : isAnonymous('actor_id', `'${restaurantId}'::uuid`);
    const conditions = [
      // a condition on `at` is always present, so that Postgres uses the indexes of these lists
      Prisma.sql`at >= ${from ?? new Date(0)}`,
      ...(to ? [Prisma.sql`at < ${to}`] : []),
      ...(action === undefined ? [] : [Prisma.sql`action = ${action}`]),
      ...(actor === undefined ? [] : [Prisma.sql`actor_email = ${normalizeEmail(actor)} AND NOT (${isHidden})`]),
      ...(after === undefined ? [] : [sqlAfterCursor(after, [Prisma.sql`at`, Prisma.sql`id`], 'uuid')]),
    ];
    // two scans, each by an index of its own: of the restaurant's entries, and of acts of accounts that it reads with others (R23)
    const scopes =
      restaurantId === undefined
        ? [Prisma.sql`true`]
        : [Prisma.sql`restaurant_id = ${restaurantId}::uuid`, Prisma.sql`reader_ids @> ARRAY[${restaurantId}::uuid]`];
    const scans = scopes.map(
      (scope) => Prisma.sql`SELECT * FROM (
        SELECT * FROM audit_entries WHERE ${Prisma.join([...conditions, scope], ' AND ')}
        ORDER BY at DESC, id DESC LIMIT ${limit + 1}) AS scan`,
    );
    // OWNERs see no other restaurant of the account
    const ofReader = Prisma.sql`${restaurantId ?? null}::uuid`;
    const entries = await this.prisma.$queryRaw<AuditEntryView[]>`
      SELECT entry.id::text, at, actor_id::text AS "actorId", CASE WHEN NOT (${isHidden}) THEN actor_email END AS "actorEmail",
             coalesce(restaurant_id, ${ofReader})::text AS "restaurantId",
             restaurants.name AS "restaurantName", action, target, details, request_id AS "requestId",
             CASE WHEN ${ofReader} IS NULL THEN coalesce(reader_ids, '{}')::text[] ELSE '{}' END AS "restaurantIds"
      FROM (${Prisma.join(scans, ' UNION ALL ')} ORDER BY at DESC, id DESC LIMIT ${limit + 1}) AS entry
      LEFT JOIN restaurants ON restaurants.id = coalesce(restaurant_id, ${ofReader})
      ORDER BY at DESC, entry.id DESC`;
    return pageOf(entries, limit, ({ at }) => at);
  }
}
