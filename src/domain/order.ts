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
  /** items total - total, in cents, when less was paid than the items cost; else 0 (M6) */
  readonly discount: Cents;
  /** total - items total, in cents, when more was paid than the items cost; else 0 (M6) */
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
}

/** The order, or why it cannot be computed. */
export type ComputedOrder = { readonly order: Order } | Unmappable;

/** Why a transaction cannot be mapped to an order (M10). */
export interface Unmappable {
  /** the field and its rule, for example `items[2].price: must be a finite number` */
  readonly unmappable: string;
}

/** Computes the order of a transaction (M1 to M11). Pure; a transaction that cannot be mapped is a value, not an error. */
export function computeOrder(transaction: Transaction, context: OrderContext): ComputedOrder {
  const items = itemsTotal(transaction);
  if ('unmappable' in items) return items;
  const paid = allocatePayments(transaction, context.acceptsTender);
  if ('unmappable' in paid) return paid;
  const { total, payments } = paid;
  const order: Order = {
    id: context.id,
    store: context.store,
    createdAt: transaction.transactionDate ?? context.receivedAt,
    total,
    discount: items.total > total ? items.total - total : 0n,
    surcharge: total > items.total ? total - items.total : 0n,
    items: transaction.items.map((item) => ({
      code: item.itemCode ?? '',
      name: item.itemName ?? '',
      quantity: item.quantity as number,
      unitPrice: item.price as number,
    })),
    payments,
  };
  return { order };
}

const LIMIT_CENTS = BigInt(AMOUNT_LIMIT) * 100n;
const TOO_LARGE = `must be below ${AMOUNT_LIMIT}`;

/** Sum of the line totals in cents; a line total is price x quantity, rounded half up (M2). */
function itemsTotal({ items }: Transaction): { total: Cents } | Unmappable {
  if (items.length === 0) return { unmappable: 'items: must have at least one entry' };
  let total = 0n;
  for (const [i, item] of items.entries()) {
    const unmappable = itemProblem(item, i);
    if (unmappable) return { unmappable };
    total += lineTotal(item.price as number, item.quantity as number);
  }
  return total < LIMIT_CENTS ? { total } : { unmappable: `items: their total ${TOO_LARGE}` };
}

/** Why the item cannot be mapped (M10): its field and the rule; null when it can. */
export function itemProblem({ price, quantity }: TransactionItem, index: number): string | null {
  if (!isFiniteNumber(price)) return `items[${index}].price: must be a finite number`;
  if (price < 0) return `items[${index}].price: must not be negative`;
  if (!isAmount(price)) return `items[${index}].price: ${TOO_LARGE}`;
  if (!isFiniteNumber(quantity)) return `items[${index}].quantity: must be a finite number`;
  if (quantity <= 0) return `items[${index}].quantity: must be greater than zero`;
  return lineTotal(price, quantity) < LIMIT_CENTS ? null : `items[${index}]: price x quantity ${TOO_LARGE}`;
}

function lineTotal(price: number, quantity: number): Cents {
  return toCents(multiply(decimal(price), decimal(quantity)));
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
  if (paid.length === 0 && totalAmount !== 0)
    return { unmappable: 'payments: none is greater than zero, and totalAmount is not 0' };
  const cents = allocateCents(paid.map(({ amount }) => decimal(amount)));
  const total = cents.reduce((sum, amount) => sum + amount, 0n);
  if (total >= LIMIT_CENTS) return { unmappable: `payments: their total ${TOO_LARGE}` };
  const shares = paid.map(({ tenderType }, i) => ({ tenderType, amount: cents[i] as Cents }));
  return { total, payments: shares.filter(({ amount }) => amount > 0n) };
}

/** Why the payment cannot be mapped (M10): its field and the rule; null when it can, or is ignored (M3). */
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
