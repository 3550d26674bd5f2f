import { Injectable } from '@nestjs/common';
import { hides } from '../../../domain/hidden-fields.js';
import { identifier } from '../../../domain/text.js';
import { IS_REFUND, SIGNED_CENTS } from '../../../outbox/sale-kind.sql.js';
import { Config } from '../../../platform/config/config.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PacedPages } from '../../../platform/database/paced-pages.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import type { PosVendor } from '../../../pos/vendor.js';
import { vendorOf } from '../../../pos/vendors.js';
import type { Clock } from '../reading/file-preview.js';
import { businessDayOf, localTime } from '../rules/clock.js';
import type { MatchSale, TakenSale } from '../rules/match-rows.js';
import { type FileDays, MOST_SALES } from '../rules/terminal-file.js';
import { isCounted } from './counted.sql.js';
import type { Page, SalePlace } from './file-questions.js';
import { shownParts } from './shown-parts.sql.js';

const DAY_MS = 86_400_000;
/** Sales are looked for from a day before the file to a week after it, by their receipt; a key also beyond. */
const [BEFORE_DAYS, AFTER_DAYS] = [1, 8];
/** Sales of a page: a larger one would hold up other requests (J17). */
const PAGE = 1_000;
/** Pages of sales whose payloads are searched (J17). */
const PAYLOADS = {
  ...{ first: 4, most: 200, quickMs: 50, slowMs: 100 },
  rest: { fromMs: 50, times: 4, mostMs: 20_000 },
};
const CASH = 'cash';
/** Of a payment (M22): its authorisation, and its terminal. */
const EVIDENCE = ['authorizationCode', 'terminalId'] as const;

/** A file, as sales are looked for it. */
export interface ComparedFile {
  readonly fileId: string;
  readonly restaurantId: string;
  readonly days: FileDays;
  readonly clock: Clock;
  /** another file: rows that are REPEATED of it are compared, too */
  readonly reopened?: string | undefined;
}

interface SaleRow {
  readonly key: string;
  readonly number: string | null;
  readonly isRefund: boolean;
  readonly signed: bigint;
  readonly tenders: Readonly<Record<string, number>>;
  readonly at: Date;
  readonly receivedAt: Date;
  readonly forgotten: MatchSale['forgotten'] | null;
  readonly taken: (Omit<TakenSale, 'cents'> & { readonly cents: string }) | null;
}

/** The lines of the file that is compared whose sale is free: they are compared, too. */
export type FreeRows = 'all' | readonly number[];

/** SQL: another file whose rows have the sale, and the sum of all rows that have it; null: none. Of rows that are compared, these do not count. */
const takenBy = (restaurantId: string, key: Prisma.Sql, free: FreeRows, fileId: string) => Prisma.sql`(
  SELECT jsonb_build_object('fileId', min(taken.file_id::text) FILTER (WHERE taken.file_id <> ${fileId}::uuid), 'cents', sum(taken.cents)::text,
    'isNamed', bool_or(taken.reference IS NOT NULL OR taken.authorisation IS NOT NULL))
  FROM terminal_file_rows taken
  WHERE taken.restaurant_id = ${restaurantId}::uuid AND taken.event_key = ${key} AND taken.answer IN ('MATCHED', 'AMOUNT_DIFFERS', 'ENTERED')
    AND NOT (taken.file_id = ${fileId}::uuid AND ${free === 'all' ? Prisma.sql`true` : Prisma.sql`taken.line = ANY (${[...free]}::int[])`})
    AND ${isCounted('taken')} HAVING count(*) > 0)`;

/** The columns of a sale that is compared. A date beyond the bounds of R29 is the receipt. */
const COLUMNS = Prisma.sql`transaction_key AS key, left(transaction_number, 255) AS number, ${IS_REFUND} AS "isRefund", ${SIGNED_CENTS} AS signed,
  paid_by_tender AS tenders, received_at AS "receivedAt", CASE WHEN erased_at IS NOT NULL THEN 'erased' END AS forgotten,
  CASE WHEN transaction_date BETWEEN received_at - interval '744 hours' AND received_at + interval '24 hours'
       THEN transaction_date ELSE received_at END AS at`;

/** The same of a sale that retention has removed, of its closing (B3). */
const OF_CLOSING = Prisma.sql`event_key AS key, NULL::text AS number, kind = 'REFUND' AS "isRefund", cents AS signed, '{}'::jsonb AS tenders,
  received_at AS "receivedAt", 'removed' AS forgotten, received_at AS at`;

/** Reads the sales that a file is compared with (J9). */
@Injectable()
export class SalesReader {
  private readonly vendor: PosVendor;
  /** the fields of {@link EVIDENCE} that everybody sees; none without the first */
  private readonly evidenceFields: readonly string[];
  /** SQL: what is looked at of a payload, as rows */
  private readonly parts: Prisma.Sql;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {
    this.vendor = vendorOf(config.pos);
    const looked = Prisma.sql`payload - ARRAY['items', 'totalAmount', 'transactionKey', 'transactionDate']`;
    const isShown = (name: string) => !config.payloadHide.some((path) => hides(path, ['payments', name]));
    this.evidenceFields = isShown(EVIDENCE[0]) ? EVIDENCE.filter(isShown) : [];
    this.parts = shownParts(looked, config.payloadHide);
  }

  /** The pages of a comparison, for {@link texts}, or for {@link evidence}, which is quicker. */
  payloadPages(): PacedPages {
    return new PacedPages(this.prisma, PAYLOADS);
  }

  /** A page of the sales of the days of a file. @param free the rows of the file whose sale is free */
  async sales(file: ComparedFile, free: FreeRows, place: SalePlace | null): Promise<Page<MatchSale, SalePlace>> {
    const { restaurantId, fileId } = file;
    const [from, to] = windowOf(file);
    const { at, key: after } = place ?? { at: from, key: '' };
    const page = await this.prisma.reports.$queryRaw<SaleRow[]>`
      SELECT ${COLUMNS}, ${takenBy(restaurantId, Prisma.sql`transaction_key`, free, fileId)} AS taken
      FROM terminal_events
      WHERE restaurant_id = ${restaurantId}::uuid AND received_at >= ${at}::timestamptz AND received_at < ${to}::timestamptz
        AND (received_at, transaction_key) > (${at}::timestamptz, ${after}) AND NOT test_mode
      ORDER BY received_at, transaction_key LIMIT ${PAGE}::int`;
    const removed = place === null ? await this.removed(file, free) : [];
    const items = [...removed, ...page].map((sale) => this.matchSale(sale, file.clock));
    return { items, next: placeAfter(page, PAGE) };
  }

  /** The sales of these days that retention has removed, of the closings. A file of the days that it keeps costs nothing more. */
  private async removed({ restaurantId, fileId, days }: ComparedFile, free: FreeRows): Promise<SaleRow[]> {
    const { retentionDays } = this.config.outbox;
    if (retentionDays === 0) return [];
    return this.prisma.reports.$queryRaw<SaleRow[]>`
      SELECT sale.*, ${takenBy(restaurantId, Prisma.sql`sale.key`, free, fileId)} AS taken
      FROM (
        SELECT number FROM business_days WHERE restaurant_id = ${restaurantId}::uuid
          AND day BETWEEN ${days.from}::date - ${BEFORE_DAYS}::int AND ${days.to}::date + ${AFTER_DAYS}::int
          AND day <= current_date - ${retentionDays - 1}::int) AS closed
      CROSS JOIN LATERAL (
        SELECT ${OF_CLOSING} FROM day_sales line
        WHERE restaurant_id = ${restaurantId}::uuid AND line.number = closed.number AND NOT EXISTS (
          SELECT FROM terminal_events WHERE transaction_key = line.event_key AND restaurant_id = ${restaurantId}::uuid)) AS sale
      LIMIT ${MOST_SALES + 1}::int`;
  }

  /**
   * Which of these texts stand in the payloads of these sales, by key (J9). Items and amounts are not looked at, nor fields that only OWNERs see
   * (S22): a file would tell by its answers what they are.
   * @param pages of the whole comparison
   */
  async texts(
    { restaurantId }: ComparedFile,
    keys: readonly string[],
    texts: readonly string[],
    pages: PacedPages,
  ): Promise<[key: string, texts: string[]][]> {
    const found: [string, string[]][] = [];
    for (let at = 0; at < keys.length; )
      await pages.read(async (size) => {
        const some = keys.slice(at, at + size);
        at += some.length;
        const page = await this.prisma.reports.$queryRaw<{ key: string; texts: string[] }[]>`
          SELECT transaction_key AS key, ARRAY(
            SELECT DISTINCT value #>> '{}'
            FROM (${this.parts}) AS parts(part), jsonb_path_query(part, 'strict $.**') AS inner_value(value)
            WHERE jsonb_typeof(value) IN ('string', 'number') AND value #>> '{}' = ANY (${[...texts]}::text[])) AS texts
          FROM terminal_events
          WHERE transaction_key = ANY (${some}::text[]) AND restaurant_id = ${restaurantId}::uuid AND NOT test_mode`;
        for (const { key, texts } of page) if (texts.length > 0) found.push([key, texts]);
      });
    return found;
  }

  /**
   * Authorisation codes and terminals of the payments of these sales, by key (J22); without sales that have no authorisation code, and without fields
   * that only OWNERs see (S22).
   * @param pages of the whole comparison
   */
  async evidence(
    { restaurantId }: ComparedFile,
    keys: readonly string[],
    pages: PacedPages,
  ): Promise<[key: string, texts: string[]][]> {
    const found: [string, string[]][] = [];
    const [code, terminal = code] = this.evidenceFields;
    for (let at = 0; at < keys.length && code !== undefined; )
      await pages.read(async (size) => {
        const some = keys.slice(at, at + size);
        at += some.length;
        const page = await this.prisma.reports.$queryRaw<{ key: string; codes: unknown[]; terminals: unknown[] }[]>`
          SELECT transaction_key AS key, jsonb_path_query_array(payload, ${pathOf(code)}::jsonpath) AS codes,
                 jsonb_path_query_array(payload, ${pathOf(terminal as string)}::jsonpath) AS terminals
          FROM terminal_events
          WHERE transaction_key = ANY (${some}::text[]) AND restaurant_id = ${restaurantId}::uuid AND NOT test_mode`;
        for (const { key, codes, terminals } of page)
          if (textsIn(codes).length > 0) found.push([key, textsIn([...codes, ...terminals])]);
      });
    return found;
  }

  /** By the primary key; what retention has removed by the closings, which keep key and amount (J15). */
  async byKey(file: ComparedFile, free: FreeRows, keys: readonly string[]): Promise<MatchSale[]> {
    const { restaurantId, fileId } = file;
    const found = await this.prisma.reports.$queryRaw<SaleRow[]>`
      WITH wanted AS (SELECT unnest(${[...keys]}::text[]) AS key)
      SELECT sale.*, ${takenBy(restaurantId, Prisma.sql`sale.key`, free, fileId)} AS taken
      FROM wanted CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM terminal_events
        WHERE transaction_key = wanted.key AND restaurant_id = ${restaurantId}::uuid AND NOT test_mode
        UNION ALL
        SELECT ${OF_CLOSING} FROM day_sales
        WHERE restaurant_id = ${restaurantId}::uuid AND event_key = wanted.key
          AND NOT EXISTS (SELECT FROM terminal_events WHERE transaction_key = wanted.key AND restaurant_id = ${restaurantId}::uuid)
      ) AS sale`;
    return found.map((sale) => this.matchSale(sale, file.clock));
  }

  private matchSale({ key, number, isRefund, signed, tenders, at, ...row }: SaleRow, clock: Clock): MatchSale {
    const byTender = Object.entries(tenders).map(([type, cents]) => ({ type, cents: BigInt(cents) }));
    const cash = byTender
      .filter(({ type }) => this.vendor.tenderName(type) === CASH)
      .reduce((sum, { cents }) => sum + cents, 0n);
    const others = isRefund ? [] : [signed, ...byTender.map(({ cents }) => cents)];
    const day = businessDayOf(at, clock.timezone, clock.dayClosesAt);
    const taken = row.taken && { ...row.taken, cents: BigInt(row.taken.cents) };
    const forgotten = row.forgotten ?? undefined;
    return {
      key,
      number,
      isRefund,
      cents: isRefund ? signed : signed - cash,
      otherCents: others,
      at,
      day,
      taken,
      forgotten,
    };
  }
}

/** All values of a field of payments, as a JSON path. */
const pathOf = (name: string) => `$.payments[*]."${name}"`;

/** The texts and numbers among the values of fields, as evidence is read reads them. */
function textsIn(values: readonly unknown[]): string[] {
  return values.flatMap((value) => identifier(value)?.trim() || []);
}

/** The times of receipt among which sales of a file are looked for. */
function windowOf({ days, clock }: ComparedFile): [from: Date, to: Date] {
  const at = (day: string, after: number) => localTime(Date.parse(day) + after * DAY_MS, clock.timezone);
  return [at(days.from, -BEFORE_DAYS), at(days.to, AFTER_DAYS)];
}

function placeAfter(
  page: readonly { readonly key: string; readonly receivedAt: Date }[],
  size: number,
): SalePlace | null {
  const last = page.at(-1);
  return last && page.length === size ? { at: last.receivedAt, key: last.key } : null;
}
