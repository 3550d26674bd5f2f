import type { Cents } from '../../../domain/money.js';
import type { MatchRow, MatchSale } from './match-rows.js';

/** A sale of passes 1 and 2 is as near to its row, in ms (L95). */
export const NEAR_MS = 12 * 3_600_000;
/** The most sales that are looked at for a row, earlier and later ones: a file of equal rows costs no more than another. */
const LOOKED_AT = 20;

/** The sales that are as near to a row, the nearest first; of a row without a time of day those of its day. @param sales sorted by time */
export function near(row: MatchRow, sales: readonly MatchSale[] = [], ms: number): MatchSale[] {
  if (row.at === null) return [];
  const at = row.at.getTime();
  let [low, high] = [0, sales.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sales[middle] as MatchSale).at.getTime() < at) low = middle + 1;
    else high = middle;
  }
  return sales
    .slice(Math.max(0, low - LOOKED_AT), low + LOOKED_AT)
    .filter((sale) => (row.isDateOnly ? row.day === sale.day : apart(row, sale) <= ms))
    .toSorted((a, b) => apart(row, a) - apart(row, b));
}

/** The time between a row and a sale, in ms. */
export function apart({ at }: MatchRow, sale: MatchSale): number {
  return Math.abs(sale.at.getTime() - (at?.getTime() ?? 0));
}

/** Whether a row of a sale may have this amount (J10). */
export function isAmountOf(sale: MatchSale, cents: Cents | null): boolean {
  return cents !== null && (sale.cents === cents || sale.otherCents.includes(cents));
}

/** Texts that stand in sales, by the keys of these. */
export type Texts = ReadonlyMap<string, ReadonlySet<string>>;

/** Adds to the list of a key. */
export function addTo<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}
