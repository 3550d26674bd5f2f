import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { timeWithOffset } from '../../domain/time.js';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { type CsvSeparator, csvLine, decimalCell } from '../../platform/http/csv.js';
import { FileContent } from '../../platform/http/file-content.js';
import { problem } from '../../platform/http/problem.js';
import type { PosVendor } from '../../pos/vendor.js';
import { vendorOf } from '../../pos/vendors.js';
import { type Period, periodOf, receiptsOf, type Span } from './period.js';
import { type Sale, type SalesPage, salesPage } from './sales-page.js';
import type { QueryTakingsDto } from './takings-export.dto.js';

/** The longest span: 31 days, and one hour because the clock may go back on one of these days; ms. */
const LONGEST_MS = (31 * 24 + 1) * 3_600_000;
/** So much longer may days be after a new closing time (12 h) and time zone (26 h), B15; ms. */
const NEW_CLOCK_MS = 38 * 3_600_000;
/** Spreadsheets detect UTF-8 by this mark. */
const BYTE_ORDER_MARK = '\ufeff';

const COLUMNS = [
  ...['transactionKey', 'transactionNumber', 'receivedAt', 'businessDay', 'state', 'tenders', 'tenderNames'],
  ...['paidCents', 'paid', 'transactionDate'],
  // columns are added at the end: programs read the others by their place
  ...['kind', 'currency', 'receivedOnAnotherDay'],
  ...['tipCents', 'serviceFeeCents', 'tip', 'serviceFee'],
];
/** In place of the state of an order, since a refund is none. */
const REFUND_STATE = 'refund';

/** A file that is still being written. */
export interface TakingsFile {
  /** ASCII */
  readonly name: string;
  readonly content: FileContent;
}

/** Writes the sales of a restaurant as CSV (R25). The sales are read page by page: no database transaction lasts longer than a page. */
@Injectable()
export class TakingsExport {
  private readonly vendor: PosVendor;
  /**
   * one page is read at a time for all files, so that statistics can use the other connection of the pool, and no read exceeds the
   * pool's time limit
   */
  private readonly turn = pLimit(1);

  constructor(
    private readonly prisma: PrismaService,
    config: Config,
  ) {
    this.vendor = vendorOf(config.pos);
  }

  /**
   * Opens the file. Its first page has been read when this returns.
   * @throws 400 as {@link periodOf} does, and for a span of more than 31 days; the database's error
   */
  async open(restaurantId: string, { separator, ...span }: QueryTakingsDto): Promise<TakingsFile> {
    const period = await periodOf(this.prisma, restaurantId, span);
    const longest = LONGEST_MS + (period.closed.length > 0 ? NEW_CLOCK_MS : 0);
    if (period.to.getTime() - period.from.getTime() > longest)
      throw problem('VALIDATION_FAILED', ['the span must not be longer than 31 days']);
    const { slug } = await this.prisma.restaurant.findUniqueOrThrow({
      where: { id: restaurantId },
      select: { slug: true },
    });
    const first = await this.page(period, receiptsOf(period).from);
    const content = new FileContent(this.lines(period, first, separator === 'semicolon' ? ';' : ','));
    return { name: fileName(slug, span), content };
  }

  private page(period: Period, at: Date): Promise<SalesPage> {
    return this.turn(() => salesPage(this.prisma, period, at));
  }

  /** Yields the line of the column names, then one text for each page with sales. */
  private async *lines(period: Period, first: SalesPage, separator: CsvSeparator): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + csvLine(COLUMNS, separator);
    const { to } = receiptsOf(period);
    for (let page = first; ; page = await this.page(period, page.ends)) {
      if (page.sales.length > 0) yield page.sales.map((sale) => this.line(sale, period.currency, separator)).join('');
      if (page.ends >= to) return;
    }
  }

  private line(sale: Sale, currency: string | null, separator: CsvSeparator): string {
    const [tip, fee] = [sale.tipCents ?? 0n, sale.serviceFeeCents ?? 0n];
    const tenders = (sale.tenders ?? []).map(([type, cents]) => [type, BigInt(cents)] as const);
    return csvLine(
      [
        sale.key,
        sale.number,
        timeWithOffset(sale.receivedAt, sale.offset),
        sale.businessDay,
        sale.state ?? REFUND_STATE,
        tenders.map(([type, cents]) => `${type}=${decimalCell(cents, separator).amount}`).join(' + '),
        tenders.map(([type]) => this.vendor.tenderName(type) ?? type).join(' + '),
        sale.netCents,
        decimalCell(sale.netCents, separator),
        sale.soldAt && timeWithOffset(sale.soldAt, sale.soldOffset ?? 0),
        sale.kind,
        currency,
        String(sale.receivedOnAnotherDay),
        ...[tip, fee, decimalCell(tip, separator), decimalCell(fee, separator)],
      ],
      separator,
    );
  }
}

/** The name of the file, `takings-pizzeria-roma-2026-11-20.csv`, with the ends of the span as requested. */
function fileName(slug: string, { day, from, to }: Span): string {
  const ends = [day, from, to].filter((end) => end !== undefined);
  const days = ends.map((end) => (typeof end === 'string' ? end : end.toISOString().slice(0, 10)));
  return `${['takings', slug.replaceAll(/[^a-z0-9-]/g, '-'), ...days].join('-')}.csv`;
}
