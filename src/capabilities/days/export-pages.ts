import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import type { JsonObject } from '../../domain/transaction.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { IS_WRONG } from './wrong-lines.sql.js';

/** The closings, the lines and the sales of a page (L108). */
const CLOSINGS = 31;
const LINES = 500;
const SALES = 250;
/** A page of sales ends with the sale whose payload passes this sum, in bytes as stored: a payload may be long (L108). */
const PAYLOADS = 524_288;

/** The closings of a period. */
export interface ExportPeriod {
  readonly restaurantId: string;
  /** business days, both included */
  readonly from: string;
  readonly to: string;
}

/** A closing as it is exported: `content` is the text that was hashed. */
export interface ExportedClosing {
  readonly number: number;
  readonly day: string;
  readonly content: string;
  readonly previous: string;
  readonly hash: string;
  /** UTC offsets of the clock of the day at its begin, at its end, and when it was closed, in minutes */
  readonly offsets: readonly [begin: number, end: number, closed: number];
}

/** SQL: the UTC offset of the clock of a closing (`said`) at a time that it names, in minutes. */
const offsetAt = (name: 'beginsAt' | 'endsAt' | 'closedAt') => {
  const at = Prisma.sql`(said ->> ${name})::timestamptz`;
  return Prisma.sql`(extract(epoch FROM (${at} AT TIME ZONE (said ->> 'timezone')) - (${at} AT TIME ZONE 'UTC')) / 60)::int`;
};

export interface ExportedLine {
  readonly line: number;
  readonly onDay: string;
  readonly forDay: string;
  readonly kind: string;
  readonly key: string;
  readonly cents: bigint;
  /** written wrongly by a version before (B14) */
  readonly wrong: boolean;
}

/** A sale as it was sealed, and what is stored of it: `payload` is null when retention has removed it. */
export interface ExportedSale {
  readonly line: number;
  readonly key: string;
  readonly kind: string;
  readonly cents: bigint;
  readonly state: string;
  readonly receivedAt: Date;
  readonly number: string | null;
  readonly tenders: Readonly<Record<string, number>> | null;
  readonly payload: JsonObject | null;
  /** M20; null: removed */
  readonly tipCents: bigint | null;
  readonly serviceFeeCents: bigint | null;
}

interface SalesRow extends ExportedSale {
  readonly isLast: boolean;
}

/** Reads closings with their lines and sales page by page: no connection is held between two pages, and each page goes by an index. */
@Injectable()
export class ExportPages {
  /** one page is read at a time for all files, as for takings (R25) */
  private readonly turn = pLimit(1);

  constructor(private readonly prisma: PrismaService) {}

  async *closings({ restaurantId, from, to }: ExportPeriod): AsyncGenerator<ExportedClosing> {
    let after = 0;
    for (;;) {
      const page = await this.read<ExportedClosing>(Prisma.sql`
        SELECT number, to_char(day, 'YYYY-MM-DD') AS day, content, previous, hash,
               json_build_array(${offsetAt('beginsAt')}, ${offsetAt('endsAt')}, ${offsetAt('closedAt')}) AS offsets
        FROM business_days CROSS JOIN LATERAL (SELECT content::jsonb AS said OFFSET 0) AS clock
        WHERE restaurant_id = ${restaurantId}::uuid AND number > ${after}::int
          AND number >= (SELECT coalesce(min(number), 0) FROM (
            SELECT number FROM business_days WHERE restaurant_id = ${restaurantId}::uuid AND day >= ${from}::date ORDER BY day LIMIT 1) AS first)
          AND day BETWEEN ${from}::date AND ${to}::date
        ORDER BY number LIMIT ${CLOSINGS}::int`);
      yield* page;
      if (page.length < CLOSINGS) return;
      after = (page.at(-1) as ExportedClosing).number;
    }
  }

  lines(restaurantId: string, number: number): AsyncGenerator<ExportedLine> {
    return this.pages<ExportedLine>(
      LINES,
      (after) => Prisma.sql`
      SELECT line, to_char(on_day, 'YYYY-MM-DD') AS "onDay", to_char(for_day, 'YYYY-MM-DD') AS "forDay", kind, event_key AS key,
             amount_cents AS cents, ${IS_WRONG} AS wrong
      FROM day_lines line
      WHERE restaurant_id = ${restaurantId}::uuid AND number = ${number}::int AND line > ${after}::int ORDER BY line LIMIT ${LINES}::int`,
    );
  }

  async *sales(restaurantId: string, number: number): AsyncGenerator<ExportedSale> {
    for (let after = 0; ; ) {
      const page = await this.read<SalesRow>(Prisma.sql`
        SELECT * FROM (
          SELECT line, event_key AS key, kind, cents, state, sealed.received_at AS "receivedAt", event.number, tenders, payload,
                 tip AS "tipCents", fee AS "serviceFeeCents",
                 count(*) OVER () < ${SALES}::int AND line = max(line) OVER () AS "isLast",
                 sum(coalesce(size, 0)) OVER (ORDER BY line) - coalesce(size, 0) AS before
          FROM (
            SELECT * FROM day_sales
            WHERE restaurant_id = ${restaurantId}::uuid AND number = ${number}::int AND line > ${after}::int ORDER BY line LIMIT ${SALES}::int
          ) AS sealed
          LEFT JOIN LATERAL (
            SELECT left(transaction_number, 255) AS number, paid_by_tender AS tenders, payload, coalesce(tip_cents, 0) AS tip, coalesce(service_fee_cents, 0) AS fee, pg_column_size(payload) AS size
            FROM terminal_events WHERE transaction_key = event_key AND restaurant_id = ${restaurantId}::uuid OFFSET 0
          ) AS event ON true
        ) AS page
        WHERE before < ${PAYLOADS}::int ORDER BY line`);
      yield* page;
      const last = page.at(-1);
      if (!last || last.isLast) return;
      after = last.line;
    }
  }

  private async *pages<Row extends { readonly line: number }>(
    size: number,
    pageAfter: (after: number) => Prisma.Sql,
  ): AsyncGenerator<Row> {
    for (let after = 0; ; ) {
      const page = await this.read<Row>(pageAfter(after));
      yield* page;
      if (page.length < size) return;
      after = (page.at(-1) as Row).line;
    }
  }

  private read<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return this.turn(() => this.prisma.reports.$queryRaw<Row[]>(statement));
  }
}
