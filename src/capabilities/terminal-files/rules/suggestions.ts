import type { Cents } from '../../../domain/money.js';
import type { MatchRow, MatchSale } from './match-rows.js';
import { addTo, apart, isAmountOf, near } from './near-sales.js';

/** A sale that is suggested by its time is as near to its row, in ms (L96). */
export const SUGGESTED_MS = 60_000;
const DAY_MS = 86_400_000;

/** A row, and a sale that it may be. */
interface Suggestion {
  readonly row: MatchRow;
  readonly sale: MatchSale;
  /** in ms */
  readonly apart: number;
}

/** The sales that rows may be by their amounts (J9), the nearest first, free ones before those that another file has. @param sales by time */
export function suggestions(rows: readonly MatchRow[], sales: readonly MatchSale[]): Suggestion[] {
  const order = (a: Suggestion, b: Suggestion) =>
    a.apart - b.apart || Number(a.sale.taken !== null) - Number(b.sale.taken !== null) || a.row.line - b.row.line;
  const near = [...byTime(rows, sales), ...byNumber(rows, sales)].toSorted(order);
  return [...near, ...forgotten(rows, sales).toSorted(order)];
}

/** Of the same day, with the same amount: of a sale whose number and payments are not known any more nothing else can be compared. */
function forgotten(rows: readonly MatchRow[], sales: readonly MatchSale[]): Suggestion[] {
  const ofDay = new Map<string, MatchSale[]>();
  for (const sale of sales)
    if (sale.forgotten !== undefined)
      for (const cents of new Set([sale.cents, ...sale.otherCents])) addTo(ofDay, `${sale.day} ${cents}`, sale);
  if (ofDay.size === 0) return [];
  return rows.flatMap((row) => of(row, near(row, ofDay.get(`${row.day} ${row.cents}`), DAY_MS)));
}

/** Of the same minute. */
function byTime(rows: readonly MatchRow[], sales: readonly MatchSale[]): Suggestion[] {
  const byAmount = new Map<Cents, MatchSale[]>();
  for (const sale of sales) for (const cents of new Set([sale.cents, ...sale.otherCents])) addTo(byAmount, cents, sale);
  return rows
    .filter((row) => row.at !== null && !row.isDateOnly)
    .flatMap((row) => of(row, near(row, byAmount.get(row.cents as Cents), SUGGESTED_MS)));
}

/** Of the same day, with the same number but for zeros before it and `.0` after it, as spreadsheets write it. */
function byNumber(rows: readonly MatchRow[], sales: readonly MatchSale[]): Suggestion[] {
  const numbered = rows.filter((row) => digitsOf(row.reference) !== null);
  if (numbered.length === 0) return [];
  const known = new Map<string, MatchSale[]>();
  for (const sale of sales)
    for (const digits of new Set([digitsOf(sale.key), digitsOf(sale.number)]))
      if (digits !== null) addTo(known, digits, sale);
  return numbered.flatMap((row) => {
    const found = near(row, known.get(digitsOf(row.reference) ?? ''), DAY_MS);
    const fitting = found.filter((sale) => sale.day === row.day && isAmountOf(sale, row.cents));
    return of(row, fitting);
  });
}

function of(row: MatchRow, sales: readonly MatchSale[]): Suggestion[] {
  const isNamed = row.reference !== null || row.authorisation !== null;
  return (
    sales
      .filter((sale) => !row.refused.includes(sale.key))
      // two payments with names of their own are two
      .filter((sale) => !(isNamed && sale.taken?.isNamed))
      .map((sale) => ({ row, sale, apart: apart(row, sale) }))
  );
}

/** A number without zeros before it, and `.0` after it; null: it is no number. */
function digitsOf(text: string | null): string | null {
  return /^0*(\d+)(?:\.0+)?$/.exec(text ?? '')?.[1] ?? null;
}
