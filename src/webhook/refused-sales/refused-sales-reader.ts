import { Injectable } from '@nestjs/common';
import { withoutFields } from '../../domain/hidden-fields.js';
import type { JsonObject } from '../../domain/transaction.js';
import { Config } from '../../platform/config/config.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { type CursorPageDto, pageOf, sqlAfterCursor } from '../../platform/http/fields/cursor-page.js';
import { problem } from '../../platform/http/problem.js';
import type { RefusedSaleDetailView, RefusedSalePageView, RefusedSaleView } from './refused-sales.dto.js';

/** SQL: the columns of a {@link RefusedSaleView}. */
const COLUMNS = Prisma.sql`
  id::text, transaction_key AS "transactionKey", transaction_number AS "transactionNumber", received_at AS "receivedAt", last_at AS "lastAt",
  times, differs, net_cents::float8 AS "netCents", NOT payload ? 'transactionKey' AS erased`;

/** Reads the sales that were refused because their key was used before (W46). */
@Injectable()
export class RefusedSalesReader {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /** One page, the newest first. @throws 400 when `after` is not a cursor */
  async list(restaurantId: string, { limit, after }: CursorPageDto): Promise<RefusedSalePageView> {
    const rows = await this.prisma.$queryRaw<RefusedSaleView[]>`
      SELECT ${COLUMNS} FROM refused_sales WHERE restaurant_id = ${restaurantId}::uuid
      ${after === undefined ? Prisma.empty : Prisma.sql`AND ${sqlAfterCursor(after, [Prisma.sql`received_at`, Prisma.sql`id`], 'uuid')}`}
      ORDER BY received_at DESC, id DESC LIMIT ${limit + 1}::int`;
    return pageOf(rows, limit, ({ receivedAt }) => receivedAt);
  }

  /**
   * One of them, with its content.
   * @param seesAll false: without the fields of PAYLOAD_HIDE (S22)
   * @throws 404 when the restaurant has no such sale
   */
  async get(restaurantId: string, id: string, seesAll: boolean): Promise<RefusedSaleDetailView> {
    const [row] = await this.prisma.$queryRaw<(RefusedSaleView & { readonly payload: JsonObject })[]>`
      SELECT ${COLUMNS}, payload FROM refused_sales WHERE restaurant_id = ${restaurantId}::uuid AND id = ${id}::uuid`;
    if (!row) throw problem('NOT_FOUND', 'this restaurant has no such refused sale');
    const { payload, ...sale } = row;
    const shown = withoutFields(payload, seesAll ? [] : this.config.payloadHide);
    return { ...sale, event: shown.payload, hidden: [...shown.hidden] };
  }
}
