import { AMOUNT_LIMIT, allocateCents, type Cents, decimal, multiply, toCents } from './money.js';
import {
  isAmount,
  isValidPayment,
  type Transaction,
  type TransactionItem,
  type TransactionPayment,
} from './transaction.js';

/**
 * The order computed from a transaction, independent of the POS vendor; each vendor converts it to its own request body.
 * Items total + surcharge - discount = total = sum of the payments, to the cent (M7).
 */
export interface Order extends OrderReference {
  readonly createdAt: Date;
  /** sum of the valid payments, in cents (M4) */
  readonly total: Cents;
  /** in cents, not negative: items total minus total, if positive (M6), plus the folded lines below zero (M14) */
  readonly discount: Cents;
  /** in cents, not negative: total minus items total, if positive (M6), plus the folded lines above zero (M14) */
  readonly surcharge: Cents;
  readonly items: readonly OrderItem[];
  readonly payments: readonly OrderPayment[];
}

/** Identifies an order at the POS; a cancel needs no more. */
export interface OrderReference {
  /** the POS order_id: the job's eventKey (M1) */
  readonly id: string;
  /** the restaurant's codeStorePos */
  readonly store: string;
}

export interface OrderItem {
  /** itemCode; empty when the terminal sent none */
  readonly code: string;
  /** itemName; empty when the terminal sent none */
  readonly name: string;
  readonly quantity: number;
  /** currency units, as the terminal sent them */
  readonly unitPrice: number;
}

export interface OrderPayment {
  /** as the terminal sent it */
  readonly tenderType: unknown;
  readonly amount: Cents;
}

/** The inputs of an order that are not in its transaction. */
export interface OrderContext extends OrderReference {
  /** used as createdAt when the transaction has no transactionDate */
  readonly receivedAt: Date;
  /** whether the POS vendor has a payment code for the tender type (M11) */
  readonly acceptsTender: (tenderType: unknown) => boolean;
  /** whether odd lines are folded into discount and surcharge (M14) */
  readonly foldsOddLines: boolean;
}

/** The order, or why it cannot be computed. */
export type ComputedOrder = { readonly order: Order } | Unmappable;

/** Why a transaction cannot be mapped to an order (M10). */
export interface Unmappable {
  /** the field and its rule, for example `items[2].price: must be a finite number` */
  readonly unmappable: string;
  /** true: the transaction is a refund (M15); absent: it is not */
  readonly refund?: true;
}

/** Computes the order of a transaction (M1 to M14). Pure; a transaction that cannot be mapped gives a value, not an error. */
export function computeOrder(transaction: Transaction, context: OrderContext): ComputedOrder {
  const lines = readLines(transaction, context.foldsOddLines);
  if ('unmappable' in lines) return lines;
  const paid = allocatePayments(transaction, context.acceptsTender);
  if ('unmappable' in paid) return paid;
  const { total, payments } = paid;
  const difference = total - lines.total;
  const discount = lines.foldedBelowZero + (difference < 0n ? -difference : 0n);
  const surcharge = lines.foldedAboveZero + (difference > 0n ? difference : 0n);
  if (discount >= LIMIT_CENTS || surcharge >= LIMIT_CENTS)
    return { unmappable: `items: the difference of their total from the payments ${TOO_LARGE}` };
  const order: Order = {
    id: context.id,
    store: context.store,
    createdAt: transaction.transactionDate ?? context.receivedAt,
    total,
    discount,
    surcharge,
    items: lines.sent.map(({ itemCode, itemName, quantity, price }) => ({
      code: itemCode ?? '',
      name: itemName ?? '',
      quantity,
      unitPrice: price,
    })),
    payments,
  };
  return { order };
}

const LIMIT_CENTS = BigInt(AMOUNT_LIMIT) * 100n;
const TOO_LARGE = `must be below ${AMOUNT_LIMIT}`;
const TOO_SMALL = `must be above -${AMOUNT_LIMIT}`;

/** An item whose quantity and price are finite numbers. */
type Line = TransactionItem & { readonly quantity: number; readonly price: number };

/** The lines of an order, in cents; total = total of the lines sent - foldedBelowZero + foldedAboveZero. */
interface Lines {
  readonly sent: readonly Line[];
  /** the items total: sum of all line totals, folded ones too (M2) */
  readonly total: Cents;
  /** sum of the folded lines below zero, as a positive amount (M14) */
  readonly foldedBelowZero: Cents;
  /** sum of the folded lines above zero: negative quantity at a negative price (M14) */
  readonly foldedAboveZero: Cents;
}

/** The lines to send and their sums; a line total is price x quantity, rounded half away from zero (M2). */
function readLines({ items }: Transaction, foldsOddLines: boolean): Lines | Unmappable {
  if (items.length === 0) return { unmappable: 'items: must have at least one entry' };
  const sent: Line[] = [];
  let [total, foldedBelowZero, foldedAboveZero] = [0n, 0n, 0n];
  for (const [i, item] of items.entries()) {
    const unmappable = itemProblem(item, i);
    if (unmappable) return { unmappable };
    const line = item as Line;
    const cents = lineTotal(line);
    total += cents;
    if (!foldsOddLines || !isOddLine(line)) sent.push(line);
    else if (cents < 0n) foldedBelowZero -= cents;
    else foldedAboveZero += cents;
  }
  if (sent.length === 0) return { unmappable: 'items: none is left to send, since POS_ODD_LINES=fold' };
  const sentTotal = total + foldedBelowZero - foldedAboveZero;
  if (!isWithinLimit(total) || !isWithinLimit(sentTotal)) return { unmappable: `items: their total ${TOO_LARGE}` };
  return { sent, total, foldedBelowZero, foldedAboveZero };
}

/** Whether a POS may refuse the line: its quantity is zero or negative, or its price is negative (M14). A price of 0 is allowed. */
export function isOddLine({ quantity, price }: Pick<Line, 'quantity' | 'price'>): boolean {
  return quantity <= 0 || price < 0;
}

/** Why the item cannot be mapped (M10): the field and the rule; null when the item can be mapped. */
export function itemProblem({ price, quantity }: TransactionItem, index: number): string | null {
  if (!isFiniteNumber(price)) return `items[${index}].price: must be a finite number`;
  if (!isAmount(price)) return `items[${index}].price: ${price < 0 ? TOO_SMALL : TOO_LARGE}`;
  if (!isFiniteNumber(quantity)) return `items[${index}].quantity: must be a finite number`;
  const cents = lineTotal({ price, quantity });
  return isWithinLimit(cents) ? null : `items[${index}]: price x quantity ${cents < 0n ? TOO_SMALL : TOO_LARGE}`;
}

function lineTotal({ price, quantity }: Pick<Line, 'quantity' | 'price'>): Cents {
  return toCents(multiply(decimal(price), decimal(quantity)));
}

function isWithinLimit(cents: Cents): boolean {
  return cents < LIMIT_CENTS && cents > -LIMIT_CENTS;
}

/** The valid payments and their total, in cents (M3 to M5); a payment whose share is 0 is left out. */
function allocatePayments(
  { payments, totalAmount }: Transaction,
  acceptsTender: OrderContext['acceptsTender'],
): { total: Cents; payments: OrderPayment[] } | Unmappable {
  const paid: { tenderType: unknown; amount: number }[] = [];
  for (const [i, payment] of payments.entries()) {
    if (!isValidPayment(payment)) continue;
    const unmappable = paymentProblem(payment, i, acceptsTender);
    if (unmappable) return { unmappable };
    paid.push(payment);
  }
  if (paid.length === 0 && totalAmount !== 0) return unpaid(totalAmount);
  const cents = allocateCents(paid.map(({ amount }) => decimal(amount)));
  const total = cents.reduce((sum, amount) => sum + amount, 0n);
  if (total >= LIMIT_CENTS) return { unmappable: `payments: their total ${TOO_LARGE}` };
  const shares = paid.map(({ tenderType }, i) => ({ tenderType, amount: cents[i] as Cents }));
  return { total, payments: shares.filter(({ amount }) => amount > 0n) };
}

/** Why a transaction without a valid payment has no order (M8, M15). @param totalAmount not 0 */
function unpaid(totalAmount: unknown): Unmappable {
  return typeof totalAmount === 'number' && totalAmount < 0
    ? { unmappable: 'totalAmount: is negative, and nothing was paid: a refund is entered in the POS', refund: true }
    : { unmappable: 'payments: none is greater than zero, and totalAmount is not 0' };
}

/** Why the payment cannot be mapped (M10): the field and the rule; null when the payment can be mapped, or is ignored (M3). */
export function paymentProblem(
  payment: TransactionPayment,
  index: number,
  acceptsTender: OrderContext['acceptsTender'],
): string | null {
  if (!isValidPayment(payment)) return null;
  if (!isAmount(payment.amount)) return `payments[${index}].amount: ${TOO_LARGE}`;
  return acceptsTender(payment.tenderType) ? null : rejectedTender(index, payment);
}

function rejectedTender(index: number, { tenderType }: TransactionPayment): string {
  return `payments[${index}].tenderType: ${JSON.stringify(tenderType) ?? 'none'} is not in the tender table (POS_TENDER_TYPES)`;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
