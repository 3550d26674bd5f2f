import { timeWithOffset } from '../../domain/time.js';
import { type CsvSeparator, csvLine, decimalCell } from '../../platform/http/csv.js';
import type { Language } from '../../platform/http/fields/languages.js';
import type { PosVendor } from '../../pos/vendor.js';
import { severalName, tenderNameOf } from './closing-message.js';
import type { ExportedClosing } from './export-pages.js';
import { moneyOfClosing, type Said, type TenderTips, tipsOfClosing } from './said.js';

const COLUMNS = [
  ...['day', 'number', 'beginsAt', 'endsAt', 'closedAt', 'sales', 'refunds', 'cancelledSales'],
  ...['taken', 'cancelled', 'refunded', 'net', 'notInPosSales', 'notInPos', 'tenders', 'lines', 'currency'],
  ...['takenCents', 'cancelledCents', 'refundedCents', 'netCents', 'hash'],
  // columns are added at the end: programs read the others by their place
  ...['tipCents', 'serviceFeeCents', 'tip', 'serviceFee', 'tips', 'serviceFees'],
];

/** How the file is written. */
export interface DaysFileStyle {
  readonly separator: CsvSeparator;
  /** of the names of tenders */
  readonly language: Language;
  readonly vendor: Pick<PosVendor, 'tenderName'>;
}

/** The line of the column names of the file with one row a day (B21). */
export const daysHeader = (separator: CsvSeparator): string => csvLine(COLUMNS, separator);

/** The row of a closing (B21): local times with the offset of its own clock, money as {@link moneyOfClosing}, tenders by name. Tip and service fee are empty where a version before closed the day (B22). */
export function dayRow(
  { content, hash, offsets: [begin, end, closed] }: ExportedClosing,
  { separator, language, vendor }: DaysFileStyle,
): string {
  const said = JSON.parse(content) as Said;
  const { counts, ...money } = moneyOfClosing(said);
  const { waiting, parked } = said.states;
  const amount = (cents: number) => decimalCell(BigInt(cents), separator);
  const known = (cents: number | null) => (cents === null ? null : amount(cents));
  const { tenders, severalTenders } = tipsOfClosing(said);
  const byTender = (part: 'tipCents' | 'serviceFeeCents') =>
    [...tenders, { tenderType: null, ...severalTenders }]
      .filter((tips: TenderTips) => (tips[part] ?? 0) !== 0)
      .map(({ tenderType, ...tips }: TenderTips) => {
        const name = tenderType === null ? severalName(language) : tenderNameOf(tenderType, language, vendor);
        return `${name}=${amount(tips[part] ?? 0).amount}`;
      })
      .join(' + ');
  return csvLine(
    [
      ...[
        said.day,
        said.number,
        timeWithOffset(new Date(said.beginsAt), begin),
        timeWithOffset(new Date(said.endsAt), end),
      ],
      ...[timeWithOffset(new Date(said.closedAt), closed), counts.sales, counts.refunds, counts.cancelled],
      ...[amount(money.takenCents), amount(money.cancelledCents), amount(money.refundedCents), amount(money.netCents)],
      ...[waiting.count + parked.count, amount(waiting.cents + parked.cents)],
      said.tenders
        .map(([type, , cents]) => `${tenderNameOf(type, language, vendor)}=${amount(cents).amount}`)
        .join(' + '),
      ...[said.linesCount, said.currency],
      ...[money.takenCents, money.cancelledCents, money.refundedCents, money.netCents, hash],
      ...[money.tipCents, money.serviceFeeCents, known(money.tipCents), known(money.serviceFeeCents)],
      ...[byTender('tipCents'), byTender('serviceFeeCents')],
    ],
    separator,
  );
}
