import { maskCards, withoutCardNumbers } from './card-numbers.js';
import { type Lines, readItems } from './items.js';
import { AMOUNT_LIMIT, amountCents, type Cents, centsText, isAmount, isWithinLimit, TOO_LARGE } from './money.js';
import type { Order, OrderContent, OrderPayment, OrderReference, SaleRules, Unmappable } from './order.js';
import { type Paid, REFUND, readPayments } from './payments.js';
import { readNotes, readPart } from './sent-fields.js';
import { firstCharacters } from './text.js';
import {
  checkShape,
  entriesOf,
  type JsonObject,
  MAX_NUMBER_LENGTH,
  readTransaction,
  type Transaction,
} from './transaction.js';
import {
  cardInKey,
  lostIdentifier,
  lostNumbers,
  maskedWarnings,
  removedWarnings,
  shownWarnings,
  type Warning,
} from './warnings.js';

/** A webhook body as the relay understands it: what is stored of it, and the order that the POS gets. */
export interface Sale {
  readonly transaction: Transaction;
  /** the body as it is stored (W4, W16) */
  readonly payload: JsonObject;
  /** why there is no order, when there is none (M10, M15) */
  readonly order: OrderContent | Unmappable;
  /** null when a valid payment is at or above AMOUNT_LIMIT */
  readonly paid: Paid | null;
  /** totalAmount minus the amount paid; null when they are equal or cannot be compared (M9); of a refund its amount, below zero (M16) */
  readonly mismatchCents: Cents | null;
  /** tip and service fee (M20), of a refund below zero; null: the terminal sent none, or what was paid is not known */
  readonly tipCents: Cents | null;
  readonly serviceFeeCents: Cents | null;
  /** the fields that make the sale unmappable or look wrong (W26), without the warning that depends on the restaurant */
  readonly warnings: readonly Warning[];
}

/** Checks and reads a webhook body (W12), without card numbers (W38). @returns the problems of a body that is refused, `field: what is required` each */
export function parseSale(body: unknown, rules: SaleRules): Sale | { readonly problems: readonly string[] } {
  const checked = checkShape(body);
  if ('problems' in checked) return checked;
  const { payload, fields, removed, lost } = withoutCardNumbers(checked.payload);
  return readSale(payload, rules, [...maskedWarnings(fields), ...removedWarnings(removed), ...lostNumbers(lost)]);
}

/**
 * Reads a stored payload (M1 to M15). Pure; it refuses nothing: a sale that cannot be mapped has no order, and is a value, not an error.
 * @param found warnings that are already known
 */
export function readSale(payload: JsonObject, rules: SaleRules, found: readonly Warning[] = []): Sale {
  const { totalAmount } = payload;
  const warnings: Warning[] = [...found];
  const transaction = readTransaction(payload);
  warnOfFields(transaction, payload, warnings);
  const lines = readItems(entriesOf(payload.items), rules.foldsOddLines ?? false, warnings);
  const { paid, shares } = readPayments(entriesOf(payload.payments), totalAmount, rules, warnings);
  const mismatchCents = mismatchOf(totalAmount, paid, warnings);
  const notes = readNotes(payload.notes, 'notes', warnings);
  const parts = partsOf(payload, paid, warnings);
  const order = contentOf(lines, shares, paid?.total ?? 0n, parts, notes, mismatchCents, warnings);
  const { tip: tipCents, serviceFee: serviceFeeCents } = parts;
  return {
    transaction,
    payload,
    order,
    paid,
    mismatchCents,
    tipCents,
    serviceFeeCents,
    warnings: shownWarnings(warnings),
  };
}

/** The order of a sale, or why it has none. @param receivedAt used as createdAt when the transaction has no transactionDate */
export function orderOf(sale: Sale, reference: OrderReference, receivedAt: Date): Order | Unmappable {
  const { order, transaction } = sale;
  if ('unmappable' in order) return order;
  const { id, store } = reference;
  const { total, discount, surcharge, tip, serviceFee, notes, items, payments } = order;
  const createdAt = transaction.transactionDate ?? receivedAt;
  // a spread of both objects takes longer than the rest of the mapping
  return { id, store, createdAt, total, discount, surcharge, tip, serviceFee, notes, items, payments };
}

function contentOf(
  lines: Lines,
  payments: readonly OrderPayment[],
  total: Cents,
  parts: Parts,
  notes: string | undefined,
  mismatchCents: Cents | null,
  warnings: Warning[],
): OrderContent | Unmappable {
  const [tip, serviceFee] = [parts.tip ?? 0n, parts.serviceFee ?? 0n];
  const difference = total - lines.total - tip - serviceFee;
  const discount = lines.foldedBelowZero + (difference < 0n ? -difference : 0n);
  const surcharge = lines.foldedAboveZero + tip + serviceFee + (difference > 0n ? difference : 0n);
  const isUnmappable = ({ kind }: Warning) => kind === 'unmappable';
  if (!warnings.some(isUnmappable) && !(isWithinLimit(discount) && isWithinLimit(surcharge))) {
    const text = `items: the difference of their total from the payments ${TOO_LARGE}`;
    warnings.push({ kind: 'unmappable', text });
  }
  if (isRefund(warnings)) {
    const refund = { unmappable: REFUND, refund: true } as const;
    return mismatchCents === null ? refund : { ...refund, recorded: true };
  }
  const why = warnings.find(isUnmappable)?.text;
  if (why !== undefined) return { unmappable: why };
  return { total, discount, surcharge, tip, serviceFee, notes, items: lines.sent, payments };
}

/** The parts of what was paid that are no items, in cents; null: none. */
interface Parts {
  readonly tip: Cents | null;
  readonly serviceFee: Cents | null;
}

const NO_PARTS: Parts = { tip: null, serviceFee: null };

function partsOf({ tipAmount, serviceFeeAmount }: JsonObject, paid: Paid | null, warnings: Warning[]): Parts {
  if ((tipAmount ?? serviceFeeAmount ?? null) === null || paid === null) return NO_PARTS;
  const isPaidBack = isRefund(warnings);
  const tip = readPart(tipAmount, 'tipAmount', isPaidBack, warnings);
  const serviceFee = readPart(serviceFeeAmount, 'serviceFeeAmount', isPaidBack, warnings);
  const above = (tip ?? 0n) + (serviceFee ?? 0n) - paid.total;
  if (above > 0n) {
    const text = `tipAmount, serviceFeeAmount: are ${centsText(above)} more than what was paid, ${centsText(paid.total)}; the difference is a discount`;
    warnings.push({ kind: 'amount_mismatch', text });
  }
  return { tip, serviceFee };
}

/** M15: whatever its items are. */
function isRefund(warnings: readonly Warning[]): boolean {
  return warnings.some(({ text }) => text === REFUND);
}

function mismatchOf(totalAmount: unknown, paid: Paid | null, warnings: Warning[]): Cents | null {
  const warn = (text: string) => warnings.push({ kind: 'amount_mismatch', text: `totalAmount: ${text}` });
  if (!isAmount(totalAmount)) {
    const limits = `must be between -${AMOUNT_LIMIT} and ${AMOUNT_LIMIT}`;
    if (typeof totalAmount === 'number') warn(`${limits}; it is not compared with what was paid`);
    return null;
  }
  if (paid === null) return null;
  const difference = amountCents(totalAmount) - paid.total;
  if (difference === 0n) return null;
  // what was paid back, and no mistake
  if (isRefund(warnings)) return difference;
  const more = difference > 0n ? `${centsText(difference)} more` : `${centsText(-difference)} less`;
  warn(`is ${more} than what was paid, ${centsText(paid.total)}; the order has what was paid`);
  return difference;
}

/** Warns of a date or number that cannot be read, or not as a whole (W15, W13, L20). */
function warnOfFields(transaction: Transaction, payload: JsonObject, warnings: Warning[]) {
  const { transactionKey, transactionDate, transactionNumber } = transaction;
  for (const [field, text] of Object.entries({ transactionKey, transactionNumber }))
    if (text !== null && maskCards(text) !== text) warnings.push(cardInKey(field));
  if (transactionDate === null && (payload.transactionDate ?? null) !== null)
    warnings.push({
      kind: 'unreadable_date',
      text: 'transactionDate: cannot be read; stored as null, and the order carries the time of receipt',
    });
  if (transactionNumber === null) lostIdentifier('transactionNumber', payload.transactionNumber, warnings);
  else if (firstCharacters(transactionNumber, MAX_NUMBER_LENGTH) !== transactionNumber)
    warnings.push({
      kind: 'cut_identifier',
      text: `transactionNumber: is longer than ${MAX_NUMBER_LENGTH} characters; lists and search have its first ${MAX_NUMBER_LENGTH}`,
    });
}
