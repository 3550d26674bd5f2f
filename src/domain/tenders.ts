import type { Cents } from './money.js';

/** The most characters of a tender type that reports keep (L22). */
export const TENDER_LENGTH = 100;
/** The most tender types of a sale that reports keep; the largest ones are kept (L22). */
export const TENDERS_OF_A_SALE = 20;
/** The name under which reports sum the other tender types of a sale. */
export const OTHER_TENDERS = 'others';

/** The name under which reports sum a tender type; `none` for a value that is not a number or a string. */
export function tenderName(tenderType: unknown): string {
  if (typeof tenderType !== 'number' && typeof tenderType !== 'string') return 'none';
  return String(tenderType).slice(0, TENDER_LENGTH).toWellFormed();
}

/** The largest tenders of a sale, and the sum of the rest as {@link OTHER_TENDERS}. @param byTender cents by {@link tenderName} */
export function largestTenders(byTender: ReadonlyMap<string, Cents>): Readonly<Record<string, Cents>> {
  if (byTender.size <= TENDERS_OF_A_SALE) return Object.fromEntries(byTender);
  const entries = [...byTender].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
  const kept = new Map(entries.slice(0, TENDERS_OF_A_SALE));
  const rest = entries.slice(TENDERS_OF_A_SALE).reduce((sum, [, cents]) => sum + cents, 0n);
  return Object.fromEntries(kept.set(OTHER_TENDERS, (kept.get(OTHER_TENDERS) ?? 0n) + rest));
}
