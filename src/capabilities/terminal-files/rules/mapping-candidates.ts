import type { FileRecord } from '../../../platform/files/rules/csv.js';
import { isAmountText } from '../../../platform/files/rules/file-amount.js';
import { isDateText } from './file-time.js';
import { MAPPED_COLUMNS, type Mapping } from './terminal-file.js';

/** The most columns that are tried as the reference. */
const MOST_COLUMNS = 8;
const OTHERS = MAPPED_COLUMNS.filter((column) => column !== 'reference' && column !== 'authorisation');

/** What a file may be, too (J5). Each step goes on from the best of the step before. */
export const STEPS: readonly ((best: Mapping, records: readonly FileRecord[], zone: string) => Mapping[])[] = [
  references,
  (best, _, zone) =>
    [...new Set([zone, 'UTC'])].filter((other) => other !== best.zone).map((other) => ({ ...best, zone: other })),
  // reports of one provider have the sales on either side
  (best) => (best.debit === null ? [] : [{ ...best, amount: best.debit, debit: best.amount }]),
  (best) => (best.dateOrder === 'YMD' ? [] : [{ ...best, dateOrder: best.dateOrder === 'DMY' ? 'MDY' : 'DMY' }]),
];

/** Other columns whose cells may be references. */
function references(best: Mapping, records: readonly FileRecord[]): Mapping[] {
  const taken = new Set(OTHERS.map((column) => best[column]));
  const width = Math.max(0, ...records.map(({ cells }) => cells.length));
  const places = Array.from({ length: width }, (_, place) => place).filter(
    (place) => place !== best.reference && !taken.has(place) && mayBeReference(records, place),
  );
  return places.slice(0, MOST_COLUMNS).map((place) => {
    return { ...best, reference: place, ...(best.authorisation === place && { authorisation: null }) };
  });
}

/** Mostly another text in each row, and neither a date nor an amount with cents. */
function mayBeReference(records: readonly FileRecord[], place: number): boolean {
  const cells = records.flatMap(({ cells }) => cells[place] || []);
  if (new Set(cells).size * 2 <= records.length) return false;
  return (
    cells.filter((cell) => isDateText(cell) || (/[.,]\d\d$/.test(cell) && isAmountText(cell))).length * 2 < cells.length
  );
}
