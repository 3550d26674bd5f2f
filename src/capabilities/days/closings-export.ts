import { Injectable } from '@nestjs/common';
import type { OrderContent } from '../../domain/order.js';
import { readSale } from '../../domain/sale.js';
import { isOpenDelivery, type VendorName } from '../../domain/vendor.js';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { type CsvCell, type CsvSeparator, csvLine, decimalCell } from '../../platform/http/csv.js';
import type { Language } from '../../platform/http/fields/languages.js';
import { FileContent } from '../../platform/http/file-content.js';
import { problem } from '../../platform/http/problem.js';
import type { PosVendor } from '../../pos/vendor.js';
import { formatOf, vendorOf } from '../../pos/vendors.js';
import { dayRow, daysHeader } from './closings-by-day.js';
import type { QueryClosingsDto, QueryClosingsFileDto } from './closings-export.dto.js';
import { canonical } from './day-chain.js';
import {
  type ExportedClosing,
  type ExportedLine,
  type ExportedSale,
  ExportPages,
  type ExportPeriod,
} from './export-pages.js';

const BYTE_ORDER_MARK = '\ufeff';

/** The state of a line that a version before wrote wrongly (B14). */
const WRONG = 'wrong';

/** The columns of every record; a record leaves those empty that it does not have. */
const COLUMNS = [
  ...[
    'record',
    'number',
    'day',
    'forDay',
    'kind',
    'transactionKey',
    'transactionNumber',
    'at',
    'state',
    'count',
    'cents',
    'amount',
  ],
  ...[
    'perpetualCents',
    'discount',
    'surcharge',
    'tender',
    'tenderName',
    'posCode',
    'itemCode',
    'itemName',
    'quantity',
    'unitPrice',
  ],
  ...['currency', 'hash'],
  // columns are added at the end: programs read the others by their place
  ...['tipCents', 'serviceFeeCents'],
] as const;
type Cells = Partial<Record<(typeof COLUMNS)[number], CsvCell>>;

/** A file that is still being written. */
export interface ClosingsFile {
  /** ASCII */
  readonly name: string;
  readonly content: FileContent;
}

/** A period, and what the restaurant says of its POS. */
interface OwnPeriod extends ExportPeriod {
  readonly posVendor: VendorName | null;
}

/** Writes the closings of a period with their lines and sales, for an accountant (B10). */
@Injectable()
export class ClosingsExport {
  /** the deployment's; its names of tenders are those of the terminal, whatever the POS of a restaurant */
  private readonly vendor: PosVendor;

  constructor(
    private readonly prisma: PrismaService,
    private readonly pages: ExportPages,
    private readonly config: Config,
  ) {
    this.vendor = vendorOf(config.pos);
  }

  /** Opens the file as CSV: all records of each closing, or one row a day. @throws 400 when `from` is after `to` */
  openCsv(restaurantId: string, query: QueryClosingsFileDto): Promise<ClosingsFile> {
    const separator = query.separator === 'semicolon' ? ';' : ',';
    const isByDay = query.format === 'days';
    const texts = (period: OwnPeriod) =>
      isByDay ? this.days(period, separator, query.lang) : this.csv(period, separator);
    return this.open(restaurantId, query, `${isByDay ? 'closed-days' : 'closings'}.csv`, texts);
  }

  /** Opens the file as JSON. @throws 400 when `from` is after `to` */
  openJson(restaurantId: string, query: QueryClosingsDto): Promise<ClosingsFile> {
    return this.open(restaurantId, query, 'closings.json', (period) => this.json(period));
  }

  private async open(
    restaurantId: string,
    { from, to }: QueryClosingsDto,
    named: `${string}.${'csv' | 'json'}`,
    texts: (period: OwnPeriod) => AsyncGenerator<string>,
  ): Promise<ClosingsFile> {
    if (from !== undefined && to !== undefined && from > to)
      throw problem('VALIDATION_FAILED', ['from must not be after to']);
    const { slug, posVendor } = await this.prisma.restaurant.findUniqueOrThrow({
      where: { id: restaurantId },
      select: { slug: true, posVendor: true },
    });
    const period = {
      ...{ restaurantId, from: from ?? '1970-01-01', to: to ?? '9999-12-31' },
      posVendor: posVendor as VendorName | null,
    };
    const [kind, extension] = named.split('.');
    const name = [kind, slug.replaceAll(/[^a-z0-9-]/g, '-'), from, to].filter((part) => part !== undefined).join('-');
    return { name: `${name}.${extension}`, content: new FileContent(texts(period)) };
  }

  private async *days(period: ExportPeriod, separator: CsvSeparator, language: Language): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + daysHeader(separator);
    const style = { separator, language, vendor: this.vendor };
    for await (const closing of this.pages.closings(period)) yield dayRow(closing, style);
  }

  private async *csv(period: OwnPeriod, separator: CsvSeparator): AsyncGenerator<string> {
    const line = (cells: Cells) =>
      csvLine(
        COLUMNS.map((column) => cells[column] ?? null),
        separator,
      );
    yield BYTE_ORDER_MARK + csvLine([...COLUMNS], separator);
    for await (const closing of this.pages.closings(period)) {
      const said = JSON.parse(closing.content);
      const of = { number: closing.number, day: closing.day, currency: said.currency };
      yield line({
        ...{
          record: 'closing',
          ...of,
          at: said.closedAt,
          count: said.salesCount,
          cents: said.netCents,
          hash: closing.hash,
        },
        ...{ amount: decimalCell(BigInt(said.netCents), separator), perpetualCents: said.perpetualCents },
        ...{ tipCents: said.tipCents, serviceFeeCents: said.serviceFeeCents },
      });
      for await (const one of this.pages.lines(period.restaurantId, closing.number))
        yield line({
          ...{ record: 'line', ...of, day: one.onDay, forDay: one.forDay, kind: one.kind, transactionKey: one.key },
          // who adds the amounts leaves it out
          ...(one.wrong ? { state: WRONG } : { cents: one.cents, amount: decimalCell(one.cents, separator) }),
        });
      for await (const sale of this.pages.sales(period.restaurantId, closing.number))
        for (const cells of this.recordsOf(sale, period.posVendor, separator)) yield line({ ...of, ...cells });
    }
  }

  /** The records of a sale: the sale, its payments, its items. */
  private recordsOf(sale: ExportedSale, posVendor: VendorName | null, separator: CsvSeparator): Cells[] {
    const { order, payments } = this.read(sale, posVendor);
    const transactionKey = sale.key;
    const amount = (cents: bigint) => decimalCell(cents, separator);
    return [
      {
        ...{ record: 'sale', transactionKey, kind: sale.kind, transactionNumber: sale.number },
        // a version before sealed refunds as parked; the JSON has what was hashed
        state: sale.kind === 'REFUND' ? 'refund' : sale.state,
        ...{ at: sale.receivedAt.toISOString(), cents: sale.cents, amount: amount(sale.cents) },
        ...{ tipCents: sale.tipCents, serviceFeeCents: sale.serviceFeeCents },
        ...(order && { discount: amount(order.discount), surcharge: amount(order.surcharge) }),
      },
      ...payments.map(({ tender, name, posCode, cents }) => ({
        ...{ record: 'payment', transactionKey, tender, tenderName: name, posCode, cents, amount: amount(cents) },
      })),
      ...(order?.items ?? []).map(({ code, name, quantity, unitPrice }) => ({
        ...{ record: 'item', transactionKey, itemCode: code, itemName: name },
        ...{ quantity: numberCell(quantity, separator), unitPrice: numberCell(unitPrice, separator) },
      })),
    ];
  }

  /** One object: `closings`, each with the text that was hashed as an object, its lines and its sales. */
  private async *json(period: OwnPeriod): AsyncGenerator<string> {
    yield '{"closings":[';
    let separator = '';
    for await (const closing of this.pages.closings(period)) {
      yield `${separator}\n${headOf(closing)}`;
      separator = ',';
      yield* listOf(this.pages.lines(period.restaurantId, closing.number), lineJson);
      yield ',"sales":';
      yield* listOf(this.pages.sales(period.restaurantId, closing.number), (sale) =>
        this.saleJson(sale, period.posVendor),
      );
      yield '}';
    }
    yield ']}\n';
  }

  private saleJson(sale: ExportedSale, posVendor: VendorName | null): string {
    const { order, payments } = this.read(sale, posVendor);
    const { key, number, kind, state, cents, receivedAt } = sale;
    const sealed = { transactionKey: key, kind, cents, state, receivedAt: receivedAt.toISOString() };
    const text = JSON.stringify({
      transactionNumber: number,
      discountCents: order ? Number(order.discount) : null,
      surchargeCents: order ? Number(order.surcharge) : null,
      tipCents: sale.tipCents === null ? null : Number(sale.tipCents),
      serviceFeeCents: sale.serviceFeeCents === null ? null : Number(sale.serviceFeeCents),
      // without notes, which may be hidden (S22)
      items: order?.items.map(({ code, name, quantity, unitPrice }) => ({ code, name, quantity, unitPrice })) ?? null,
      payments: payments.map((payment) => ({ ...payment, cents: Number(payment.cents) })),
    });
    return `${canonical(sealed).slice(0, -1)},${text.slice(1)}`;
  }

  /** What is stored of a sale; no order when it cannot be mapped, is a refund, or was removed. */
  private read({ payload, tenders }: ExportedSale, posVendor: VendorName | null) {
    const order = payload && readSale(payload, formatOf(this.config.pos, posVendor)).order;
    return {
      order: order && !('unmappable' in order) ? (order as OrderContent) : null,
      payments: Object.entries(tenders ?? {}).map(([tender, cents]) => ({
        ...{
          tender,
          name: this.vendor.tenderName(tender),
          // Open Delivery has no code of a tender
          posCode: isOpenDelivery(posVendor) ? null : this.vendor.tenderCode(tender),
          cents: BigInt(cents),
        },
      })),
    };
  }
}

function headOf({ content, previous, hash }: ExportedClosing): string {
  return `{"closing":${content},"previous":"${previous}","hash":"${hash}","lines":`;
}

function lineJson({ onDay, forDay, kind, key, cents, wrong }: ExportedLine): string {
  const line = canonical({ onDay, forDay, kind, transactionKey: key, cents });
  return wrong ? `${line.slice(0, -1)},"wrong":true}` : line;
}

async function* listOf<Row>(rows: AsyncIterable<Row>, write: (row: Row) => string): AsyncGenerator<string> {
  let separator = '[';
  for await (const row of rows) {
    yield `${separator}\n${write(row)}`;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** A number of the terminal; with semicolons as separators the decimal sign is a comma. */
function numberCell(value: number, separator: CsvSeparator): CsvCell {
  return { amount: separator === ';' ? String(value).replace('.', ',') : String(value) };
}
