import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import type { FileWorker } from '../../../platform/files/file-queue.js';
import { type CsvCell, type CsvSeparator, csvLine, decimalCell } from '../../../platform/http/csv.js';
import { FileContent } from '../../../platform/http/file-content.js';
import { Recomparison } from '../matching/recomparison.js';
import { offsetAt } from '../rules/clock.js';
import { notConfirmed, storedFile } from '../stored-file.js';
import type { DifferenceView } from './differences.dto.js';
import { DifferencesReader } from './differences-reader.js';

const BYTE_ORDER_MARK = '\ufeff';
const COLUMNS = [
  ...[
    'answer',
    'line',
    'reference',
    'authorisation',
    'terminal',
    'kind',
    'at',
    'tender',
    'cents',
    'amount',
    'transactionKey',
  ],
  ...[
    'transactionNumber',
    'saleAt',
    'saleCents',
    'saleAmount',
    'differenceCents',
    'repeatOf',
    'problem',
    'note',
    'decidedBy',
    'decidedAt',
  ],
];

/** A file that is still being written. */
export interface DifferencesFile {
  /** ASCII */
  readonly name: string;
  readonly content: FileContent;
}

/** Writes what differs as CSV (J12). */
@Injectable()
export class DifferencesExport {
  constructor(
    private readonly prisma: PrismaService,
    private readonly differences: DifferencesReader,
    private readonly recomparison: Recomparison,
  ) {}

  /** @throws 404, 409 FILE_NOT_CONFIRMED */
  async open(caller: FileWorker, fileId: string, separator: CsvSeparator): Promise<DifferencesFile> {
    const { restaurantId } = caller;
    await this.recomparison.refresh(caller, fileId);
    const { days, mapping } = await storedFile(this.prisma, restaurantId, fileId);
    if (!days) throw notConfirmed();
    const content = new FileContent(this.lines(fileId, separator, mapping.zone));
    return { name: `differences-${days.from}-${days.to}.csv`, content };
  }

  private async *lines(fileId: string, separator: CsvSeparator, zone: string): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + csvLine(COLUMNS, separator);
    for await (const difference of this.differences.all(fileId))
      yield csvLine(cellsOf(difference, separator, zone), separator);
  }
}

/** A row without a time of day has the date of the file alone. @param zone the clock of the file */
function atCell({ at, isDateOnly }: DifferenceView, zone: string): string | null {
  if (!at || !isDateOnly) return at?.toISOString() ?? null;
  return new Date(at.getTime() + offsetAt(at.getTime(), zone)).toISOString().slice(0, 10);
}

function cellsOf(difference: DifferenceView, separator: CsvSeparator, zone: string): CsvCell[] {
  const { answer, line, reference, authorisation, terminal, kind, tender, cents, sale, saleRows, repeatOf } =
    difference;
  const compared = saleRows?.cents ?? cents;
  const amount = (of: number | null | undefined) =>
    of === null || of === undefined ? null : decimalCell(BigInt(of), separator);
  return [
    ...[answer, line, reference, authorisation, terminal, kind, atCell(difference, zone), tender, cents, amount(cents)],
    ...[
      sale?.transactionKey ?? null,
      sale?.transactionNumber ?? null,
      sale?.at.toISOString() ?? null,
      sale?.cents ?? null,
    ],
    ...[amount(sale?.cents), answer === 'AMOUNT_DIFFERS' && sale && compared !== null ? compared - sale.cents : null],
    ...[
      repeatOf?.name ?? null,
      difference.problem,
      difference.note,
      difference.decidedBy,
      difference.decidedAt?.toISOString() ?? null,
    ],
  ];
}
