import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { dayAfter } from '../../domain/business-day.js';
import { Config } from '../../platform/config/config.js';
import { isAnonymous } from '../../platform/database/anonymous.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import type { PosVendor } from '../../pos/vendor.js';
import { vendorOf } from '../../pos/vendors.js';
import type { TipsView } from '../../restaurants/reports/money.dto.js';
import { moneyOf } from '../../restaurants/reports/money.js';
import type { Break } from './day-chain.js';
import { RELAY } from './day-closer.js';
import type {
  CheckedDaysView,
  ClosedDayDetailView,
  ClosedDayView,
  DayHeadView,
  DaysPageView,
  OpenDayView,
  QueryCheckDto,
  QueryDaysDto,
} from './days.dto.js';
import { moneyOfClosing, type Said, tipsOfClosing } from './said.js';
import { nextDay, openMoney } from './seal.sql.js';
import { IS_WRONG } from './wrong-lines.sql.js';

/** The most lines, and the most sales that are not in the POS, of a closing in an answer (L82). */
const SHOWN = 100;
/** The closings that one statement recomputes. */
const PIECE = 31;

/** A closing in the database: `said` is its content. */
interface Row {
  readonly number: number;
  readonly day: string;
  readonly closedAt: Date;
  readonly closedBy: string | null;
  readonly content: string;
  readonly previous: string;
  readonly hash: string;
}

/** Reads closings (B9), and recomputes their chain (B7). */
@Injectable()
export class DaysReader {
  private readonly vendor: PosVendor;
  /** one piece of a chain is recomputed at a time, so that other reports can use the other connection of the pool */
  private readonly turn = pLimit(1);

  constructor(
    private readonly prisma: PrismaService,
    config: Config,
  ) {
    this.vendor = vendorOf(config.pos);
  }

  /** One page of closings, the latest first; the first page has the day that is open. */
  async list(restaurantId: string, { limit, after }: QueryDaysDto): Promise<DaysPageView> {
    const rows = await this.read(Prisma.sql`restaurant_id = ${restaurantId}::uuid
      AND business_days.day < ${after ?? '9999-12-31'}::date ORDER BY business_days.day DESC LIMIT ${limit + 1}::int`);
    const data = rows.slice(0, limit).map((row) => this.viewOf(row));
    const next = rows.length > limit ? (data.at(-1)?.day ?? null) : null;
    const open = after === undefined ? await this.open(restaurantId) : null;
    return { data, meta: { limit, next }, open, head: await this.head(restaurantId) };
  }

  /** @throws 404 when the day is not closed */
  async one(restaurantId: string, day: string): Promise<ClosedDayDetailView> {
    const [row] = await this.read(
      Prisma.sql`restaurant_id = ${restaurantId}::uuid AND business_days.day = ${day}::date`,
    );
    if (!row) throw problem('NOT_FOUND', `${day} is not closed`);
    const { number } = row;
    const of = Prisma.sql`restaurant_id = ${restaurantId}::uuid AND number = ${number}::int`;
    const lines = await this.prisma.reports.$queryRaw<ClosedDayDetailView['lines']>`
      SELECT to_char(for_day, 'YYYY-MM-DD') AS "forDay", kind, event_key AS "transactionKey", amount_cents::float8 AS cents,
             ${IS_WRONG} AS wrong
      FROM day_lines line WHERE ${of} ORDER BY line LIMIT ${SHOWN}::int`;
    const undelivered = await this.prisma.reports.$queryRaw<ClosedDayDetailView['undelivered']>`
      SELECT event_key AS "transactionKey", state, cents::float8 AS cents
      FROM day_sales WHERE ${of} AND kind = 'SALE' AND state IN ('waiting', 'parked') ORDER BY line LIMIT ${SHOWN}::int`;
    return { ...this.viewOf(row), previous: row.previous, lines, undelivered };
  }

  /**
   * Recomputes the whole chain in pieces (B7).
   * @param noted a head that somebody noted: the closing of that day must have this hash
   */
  async check(restaurantId: string, noted: QueryCheckDto): Promise<CheckedDaysView> {
    if ((noted.day === undefined) !== (noted.hash === undefined))
      throw problem('VALIDATION_FAILED', ['day and hash of a noted head belong together']);
    const head = await this.head(restaurantId);
    const broken = await this.firstBreak(restaurantId);
    const [counted] = await this.prisma.reports.$queryRaw<{ days: number; wrongLines: number }[]>`
      SELECT (SELECT count(*)::int FROM business_days WHERE restaurant_id = ${restaurantId}::uuid) AS days,
             (SELECT count(*)::int FROM day_lines line WHERE restaurant_id = ${restaurantId}::uuid AND ${IS_WRONG}) AS "wrongLines"`;
    const cut = await this.compare(restaurantId, head, noted);
    const first = [broken, cut].filter((one) => one !== undefined).toSorted((a, b) => (a.day < b.day ? -1 : 1))[0];
    const { days = 0, wrongLines = 0 } = counted ?? {};
    return { days, head, firstBroken: first?.day ?? null, reason: first?.reason ?? null, wrongLines };
  }

  private async firstBreak(restaurantId: string): Promise<{ day: string; reason: Break } | undefined> {
    for (let after = 0; ; ) {
      const [piece] = await this.turn(
        () => this.prisma.reports.$queryRaw<{ last: number | null; day: string | null; reason: Break | null }[]>`
          SELECT last_number AS last, to_char(broken_day, 'YYYY-MM-DD') AS day, reason
          FROM day_chain_break(${restaurantId}::uuid, ${after}::int, ${PIECE}::int, true)`,
      );
      if (piece?.day && piece.reason) return { day: piece.day, reason: piece.reason };
      if (piece?.last == null) return undefined;
      after = piece.last;
    }
  }

  /** A chain does not show that its end was cut: a head that was noted does. */
  private async compare(restaurantId: string, head: DayHeadView | null, { day, hash }: QueryCheckDto) {
    if (day === undefined || hash === undefined) return undefined;
    const [row] = await this.read(
      Prisma.sql`restaurant_id = ${restaurantId}::uuid AND business_days.day = ${day}::date`,
    );
    if (row?.hash === hash) return undefined;
    const reason: Break = 'HEAD';
    return { day: head && day > head.day ? dayAfter(head.day) : day, reason };
  }

  private async open(restaurantId: string): Promise<OpenDayView | null> {
    const next = await nextDay(this.prisma.reports, restaurantId);
    if (!next) return null;
    const money = moneyOf(await openMoney(this.prisma.reports, restaurantId, next));
    const { day, beginsAt, endsAt, isOver } = next;
    const { counts, takenCents, cancelledCents } = money;
    // as a closing seals them (B20)
    const sales = { count: counts.sales + counts.cancelled, cents: takenCents + cancelledCents };
    const refunds = { count: counts.refunds, cents: 0 - money.refundedCents };
    return { day, beginsAt, endsAt, isOver, sales, refunds, ...money };
  }

  private async head(restaurantId: string): Promise<DayHeadView | null> {
    const [head] = await this.prisma.reports.$queryRaw<DayHeadView[]>`
      SELECT number, to_char(day, 'YYYY-MM-DD') AS day, hash FROM business_days
      WHERE restaurant_id = ${restaurantId}::uuid ORDER BY number DESC LIMIT 1`;
    return head ?? null;
  }

  private read(chosen: Prisma.Sql): Promise<Row[]> {
    return this.prisma.reports.$queryRaw<Row[]>`
      SELECT number, to_char(business_days.day, 'YYYY-MM-DD') AS day, closed_at AS "closedAt", users.name AS "closedBy", content, previous,
             hash
      FROM (SELECT * FROM business_days WHERE ${chosen}) AS business_days
      LEFT JOIN users ON users.id = closed_by AND NOT ${isAnonymous('closed_by', 'restaurant_id')}
      ORDER BY business_days.day DESC`;
  }

  private viewOf({ content, closedBy, hash }: Row): ClosedDayView {
    const sealed = JSON.parse(content) as Said;
    const { restaurant, salesCount, salesHash, linesHash, tenders, currency, tipTenders: _sealed, ...said } = sealed;
    const tips = tipsOfClosing(sealed);
    return {
      ...said,
      states: { ...said.states, resolved: said.states.resolved ?? { count: 0, cents: 0 } },
      ...moneyOfClosing(sealed),
      closedByRelay: said.closedBy === RELAY,
      closedBy,
      currency: currency === '' ? null : currency,
      tenders: tenders.map(([tenderType, count, cents], i) => ({
        ...{ name: this.vendor.tenderName(tenderType), count, cents },
        ...(tips.tenders[i] as TipsView),
        tenderType,
      })),
      severalTenders: tips.severalTenders,
      hash,
    };
  }
}
