import { allocateCents, type Cents, decimal, toCents } from './money.js';
import { largestTenders, tenderName } from './tenders.js';
import { isAmount, isValidPayment, type Transaction } from './transaction.js';

/** The valid payments in cents, rounded as in the order (M3 to M5). */
export interface Paid {
  readonly total: Cents;
  /** cents by {@link tenderName}; the smaller tenders are summed by {@link largestTenders} (L22) */
  readonly byTender: Readonly<Record<string, Cents>>;
}

/** Sums the valid payments; null when a payment is at or above AMOUNT_LIMIT. */
export function paidOf({ payments }: Transaction): Paid | null {
  const valid = payments.filter(isValidPayment);
  if (!valid.every(({ amount }) => isAmount(amount))) return null;
  const cents = allocateCents(valid.map(({ amount }) => decimal(amount)));
  // no prototype, since a terminal may send a tenderType such as "toString"
  const byTender: Record<string, Cents> = Object.create(null);
  for (const [i, { tenderType }] of valid.entries()) {
    if (cents[i] === 0n) continue;
    const name = tenderName(tenderType);
    byTender[name] = (byTender[name] ?? 0n) + (cents[i] as Cents);
  }
  return { total: cents.reduce((total, share) => total + share, 0n), byTender: largestTenders(byTender) };
}

/** `totalAmount` minus the sum of the valid payments, in cents; null when they are equal or cannot be compared (M9). */
export function amountMismatch({ totalAmount }: Transaction, paid: Paid | null): Cents | null {
  if (!paid || !isAmount(totalAmount)) return null;
  const difference = toCents(decimal(totalAmount)) - paid.total;
  return difference === 0n ? null : difference;
}
