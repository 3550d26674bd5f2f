import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { IS_REFUND, SIGNED_CENTS } from '../database/sale-kind.sql.js';
import { businessDayOf, localTime } from '../domain/clock.js';
import type { MatchRow, MatchSale } from '../domain/file-matching.js';
import type { FileDays } from '../domain/terminal-file.js';
import type { PosVendor } from '../pos/vendor.js';
import { vendorOf } from '../pos/vendors.js';
import type { Clock } from './file-preview.js';
import { fileRefused } from './received-file.js';

const DAY_MS = 86_400_000;
/** Sales are looked for from a day before the file to a week after it, by their receipt; a key also beyond. */
const [BEFORE_DAYS, AFTER_DAYS] = [1, 8];
/** The most sales of these days (L97). */
const MOST = 60_000;
/** Sales of a page, and of a page whose payloads are searched. */
const [PAGE, PAYLOADS] = [5_000, 200];
/** Keys of one look-up. */
const KEYS = 2_000;
const CASH = 'cash';

/** A file, as sales are looked for it. */
export interface ComparedFile {
  readonly fileId: string;
  readonly restaurantId: string;
  readonly days: FileDays;
  readonly clock: Clock;
}

interface SaleRow {
  readonly key: string;
  readonly number: string | null;
  readonly isRefund: boolean;
  readonly signed: bigint;
  readonly tenders: Readonly<Record<string, number>>;
  readonly at: Date;
  readonly receivedAt: Date;
  readonly isTaken: boolean;
}

/** SQL: whether a row of a confirmed file has the sale; of rows that are compared again, these do not count. */
const takenBy = (restaurantId: string, key: Prisma.Sql, lines: readonly number[], fileId: string) => Prisma.sql`EXISTS (
  SELECT FROM terminal_file_rows taken
  WHERE taken.restaurant_id = ${restaurantId}::uuid AND taken.event_key = ${key} AND taken.answer IN ('MATCHED', 'AMOUNT_DIFFERS', 'ENTERED')
    AND NOT (taken.file_id = ${fileId}::uuid AND taken.line = ANY (${[...lines]}::int[])))`;

/** The columns of a sale that is compared. A date beyond the bounds of R29 is the receipt. */
const COLUMNS = Prisma.sql`transaction_key AS key, left(transaction_number, 255) AS number, ${IS_REFUND} AS "isRefund", ${SIGNED_CENTS} AS signed,
  paid_by_tender AS tenders, received_at AS "receivedAt",
  CASE WHEN transaction_date BETWEEN received_at - interval '744 hours' AND received_at + interval '24 hours'
       THEN transaction_date ELSE received_at END AS at`;

/** Reads the sales that a file is compared with (J9). */
@Injectable()
export class SalesReader {
  private readonly vendor: PosVendor;

  constructor(
    private readonly prisma: PrismaService,
    config: Config,
  ) {
    this.vendor = vendorOf(config.pos);
  }

  /**
   * The sales of the days of a file, and those that its references name as keys, whenever they were received.
   * @param rows those that are compared now: a sale that one of them has is free
   * @throws 422 FILE_REFUSED when there are too many sales (L97)
   */
  async sales(file: ComparedFile, rows: readonly MatchRow[]): Promise<MatchSale[]> {
    const lines = rows.map(({ line }) => line);
    const found = new Map<string, SaleRow>();
    for await (const sale of this.ofDays(file, lines)) {
      found.set(sale.key, sale);
      if (found.size > MOST) throw fileRefused(null, `its days have more than ${MOST} sales: export fewer days`);
    }
    const references = [...new Set(rows.flatMap(({ reference }) => reference ?? []))].filter((key) => !found.has(key));
    for (let at = 0; at < references.length; at += KEYS)
      for (const sale of await this.byKey(file, references.slice(at, at + KEYS), lines)) found.set(sale.key, sale);
    return [...found.values()].map((sale) => this.matchSale(sale, file.clock));
  }

  /**
   * Of the sales of the days of a file: which of these authorisations and terminals stand in their payload, by key (J9). Items and amounts are
   * not looked at.
   */
  async textsIn(file: ComparedFile, rows: readonly MatchRow[]): Promise<Map<string, ReadonlySet<string>>> {
    const wanted = [...new Set(rows.flatMap(({ authorisation, terminal }) => [authorisation, terminal]))];
    const texts = wanted.filter((text) => text !== null && text.length >= 3);
    const found = new Map<string, ReadonlySet<string>>();
    if (texts.length === 0) return found;
    const [from, to] = windowOf(file);
    let [at, after] = [from, ''];
    for (;;) {
      const page = await this.prisma.reports.$queryRaw<{ key: string; receivedAt: Date; texts: string[] }[]>`
        SELECT transaction_key AS key, received_at AS "receivedAt", ARRAY(
          SELECT DISTINCT value #>> '{}'
          FROM jsonb_path_query(payload - ARRAY['items', 'totalAmount', 'transactionKey', 'transactionDate'], 'strict $.**') AS inner_value(value)
          WHERE jsonb_typeof(value) IN ('string', 'number') AND value #>> '{}' = ANY (${texts}::text[])) AS texts
        FROM (
          SELECT transaction_key, received_at, payload FROM terminal_events
          WHERE restaurant_id = ${file.restaurantId}::uuid AND received_at >= ${at}::timestamptz AND received_at < ${to}::timestamptz
            AND (received_at, transaction_key) > (${at}::timestamptz, ${after}) AND NOT test_mode
          ORDER BY received_at, transaction_key LIMIT ${PAYLOADS}::int) AS page
        ORDER BY received_at, transaction_key`;
      for (const { key, texts } of page) if (texts.length > 0) found.set(key, new Set(texts));
      const last = page.at(-1);
      if (!last || page.length < PAYLOADS) return found;
      [at, after] = [last.receivedAt, last.key];
    }
  }

  private async *ofDays(file: ComparedFile, lines: readonly number[]): AsyncGenerator<SaleRow> {
    const { restaurantId, fileId } = file;
    const [from, to] = windowOf(file);
    let [at, after] = [from, ''];
    for (;;) {
      const page = await this.prisma.reports.$queryRaw<SaleRow[]>`
        SELECT ${COLUMNS}, ${takenBy(restaurantId, Prisma.sql`transaction_key`, lines, fileId)} AS "isTaken"
        FROM terminal_events
        WHERE restaurant_id = ${restaurantId}::uuid AND received_at >= ${at}::timestamptz AND received_at < ${to}::timestamptz
          AND (received_at, transaction_key) > (${at}::timestamptz, ${after}) AND NOT test_mode
        ORDER BY received_at, transaction_key LIMIT ${PAGE}::int`;
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      [at, after] = [last.receivedAt, last.key];
    }
  }

  /** By the primary key; what retention has removed by the closings, which keep key and amount (J15). */
  private byKey(
    { restaurantId, fileId }: ComparedFile,
    keys: readonly string[],
    lines: readonly number[],
  ): Promise<SaleRow[]> {
    return this.prisma.reports.$queryRaw<SaleRow[]>`
      WITH wanted AS (SELECT unnest(${[...keys]}::text[]) AS key)
      SELECT sale.*, ${takenBy(restaurantId, Prisma.sql`sale.key`, lines, fileId)} AS "isTaken"
      FROM wanted CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM terminal_events
        WHERE transaction_key = wanted.key AND restaurant_id = ${restaurantId}::uuid AND NOT test_mode
        UNION ALL
        SELECT event_key, NULL, kind = 'REFUND', cents, '{}'::jsonb, received_at, received_at FROM day_sales
        WHERE restaurant_id = ${restaurantId}::uuid AND event_key = wanted.key
          AND NOT EXISTS (SELECT FROM terminal_events WHERE transaction_key = wanted.key AND restaurant_id = ${restaurantId}::uuid)
      ) AS sale`;
  }

  private matchSale({ key, number, isRefund, signed, tenders, at, isTaken }: SaleRow, clock: Clock): MatchSale {
    const byTender = Object.entries(tenders).map(([type, cents]) => ({ type, cents: BigInt(cents) }));
    const cash = byTender
      .filter(({ type }) => this.vendor.tenderName(type) === CASH)
      .reduce((sum, { cents }) => sum + cents, 0n);
    const others = isRefund ? [] : [signed, ...byTender.map(({ cents }) => cents)];
    const day = businessDayOf(at, clock.timezone, clock.dayClosesAt);
    return { key, number, isRefund, cents: isRefund ? signed : signed - cash, otherCents: others, at, day, isTaken };
  }
}

/** The times of receipt among which sales of a file are looked for. */
function windowOf({ days, clock }: ComparedFile): [from: Date, to: Date] {
  const at = (day: string, after: number) => localTime(Date.parse(day) + after * DAY_MS, clock.timezone);
  return [at(days.from, -BEFORE_DAYS), at(days.to, AFTER_DAYS)];
}
