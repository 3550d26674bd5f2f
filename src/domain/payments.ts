import { allocateCents, type Cents, isAmount, isWithinLimit, TOO_LARGE } from './money.js';
import type { Evidence, OrderPayment, SaleRules } from './order.js';
import { tenderKeys } from './pos-codes.js';
import { readEvidence } from './sent-fields.js';
import { largestTenders, TENDER_LENGTH, TENDERS_OF_A_SALE, tenderName } from './tenders.js';
import type { JsonObject } from './transaction.js';
import type { Warning } from './warnings.js';

/** The valid payments in cents, rounded as in the order (M3 to M5). */
export interface Paid {
  readonly total: Cents;
  /** cents by {@link tenderName}; the smaller tenders are summed by {@link largestTenders} (L22) */
  readonly byTender: Readonly<Record<string, Cents>>;
}

/** Why a refund has no order (M15). */
export const REFUND = 'totalAmount: is negative, and nothing was paid: a refund is entered in the POS';
/** Why any other sale without a valid payment has no order (M8). */
const UNPAID = 'payments: none is greater than zero, and totalAmount is not 0';
const NOT_IN_TABLE = 'is not in the tender table (POS_TENDER_TYPES)';
const LONG_TENDER = `has more than ${TENDER_LENGTH} characters; reports show the first ${TENDER_LENGTH}`;
const MANY_TENDERS = `payments: have more than ${TENDERS_OF_A_SALE} tender types; reports sum all but the largest ${TENDERS_OF_A_SALE} as one`;

const HALF_A_CENT = 0.005; // currency units

/** Whether a payment counts: its amount is a finite number of at least one cent after rounding (M3). */
function counts(amount: unknown): amount is number {
  return typeof amount === 'number' && amount >= HALF_A_CENT && amount < Number.POSITIVE_INFINITY;
}

/** Whether a sale without a valid payment is a refund (M15). The stored payload has null in place of an infinite number. */
function isRefund(totalAmount: unknown): boolean {
  return typeof totalAmount === 'number' && totalAmount < 0 && totalAmount > Number.NEGATIVE_INFINITY;
}

/**
 * Reads the payments of a sale.
 * @param totalAmount as the terminal sent it
 * @param warnings gets the warnings of the payments; with one of the kind `unmappable` the sale has no order (M10)
 * @returns `paid` is null when a valid payment is at or above AMOUNT_LIMIT; `shares` are the payments of the order: a payment whose share
 * is 0 is left out (M5)
 */
export function readPayments(
  payments: readonly JsonObject[],
  totalAmount: unknown,
  rules: SaleRules,
  warnings: Warning[],
): { readonly paid: Paid | null; readonly shares: readonly OrderPayment[] } {
  const warn = (kind: Warning['kind'], text: string) => warnings.push({ kind, text });
  const warnOfTender = (kind: Warning['kind'], text: string, tender: readonly string[]) =>
    warnings.push({ kind, text, tender });
  const valid: { readonly tenderType: unknown; readonly amount: number; readonly evidence: Evidence | undefined }[] =
    [];
  let areAmounts = true;
  for (const [i, payment] of payments.entries()) {
    const { amount, tenderType } = payment;
    const isLong = typeof tenderType === 'string' && tenderType.length > TENDER_LENGTH;
    if (isLong) warn('shortened_tender', `payments[${i}].tenderType: ${LONG_TENDER}`);
    if (!counts(amount)) {
      warn('ignored_payment', `payments[${i}].amount: ${whyIgnored(amount)}; the payment is ignored`);
      continue;
    }
    const evidence = readEvidence(payment, `payments[${i}]`, warnings);
    const brand = evidence?.brand;
    valid.push({ tenderType, amount, evidence });
    if (!isAmount(amount)) {
      areAmounts = false;
      warn('unmappable', `payments[${i}].amount: ${TOO_LARGE}`);
    } else if (!rules.acceptsTender(tenderType, brand)) {
      const text = `payments[${i}].tenderType: ${JSON.stringify(tenderType) ?? 'none'} ${NOT_IN_TABLE}`;
      warnOfTender('unmappable', text, tenderKeys(tenderType, brand));
    } else if (!rules.knowsTender(tenderType, brand)) {
      const shown = JSON.stringify(tenderType)?.slice(0, 100) ?? 'none';
      const text = `payments[${i}].tenderType: ${shown} ${NOT_IN_TABLE}; the default code is sent`;
      warnOfTender('unknown_tender', text, tenderKeys(tenderType, brand));
    }
  }
  if (!areAmounts) return { paid: null, shares: [] };
  if (valid.length === 0 && totalAmount !== 0) warn('unmappable', isRefund(totalAmount) ? REFUND : UNPAID);
  const cents = allocateCents(valid.map(({ amount }) => amount));
  const shares = valid
    .map(({ tenderType, evidence }, i) => ({ tenderType, amount: cents[i] as Cents, evidence }))
    .filter(({ amount }) => amount > 0n);
  let total = 0n;
  const byTender = new Map<string, Cents>();
  for (const { tenderType, amount } of shares) {
    const name = tenderName(tenderType);
    byTender.set(name, (byTender.get(name) ?? 0n) + amount);
    total += amount;
  }
  // first, since only the first warnings of a kind are shown
  if (byTender.size > TENDERS_OF_A_SALE) warnings.unshift({ kind: 'shortened_tender', text: MANY_TENDERS });
  if (!isWithinLimit(total)) warn('unmappable', `payments: their total ${TOO_LARGE}`);
  return { paid: { total, byTender: largestTenders(byTender) }, shares };
}

function whyIgnored(amount: unknown): string {
  if (typeof amount === 'string') return 'is text, not a number';
  if (typeof amount !== 'number') return 'must be a number';
  if (Number.isNaN(amount) || amount === Number.POSITIVE_INFINITY) return 'must be a finite number';
  return amount <= 0 ? 'is not greater than zero' : 'is less than half a cent';
}
