import { AMOUNT_LIMIT, type Cents, decimal, fromCents, multiply, shareOut, toCents } from './money.js';
import { type PosPayment, posPayment, type TenderRules } from './tender.js';
import { isAmount, isValidPayment, type Transaction, type TransactionPayment } from './transaction.js';

/** The body of `POST {pos_base_url}/order`; amounts in currency units. The POS's field names live in this file alone. */
export interface PosOrder {
  readonly order_id: string;
  readonly cod_store: string;
  /** ISO 8601 */
  readonly created_at: string;
  readonly total_amount: number;
  readonly total_discount: number;
  readonly total_increase: number;
  readonly items: readonly PosOrderItem[];
  readonly payment_types: readonly PosOrderPayment[];
}

export interface PosOrderItem {
  readonly integration_code: string;
  readonly desc_item: string;
  readonly quantity: number;
  readonly unit_price: number;
}

export interface PosOrderPayment extends PosPayment {
  readonly amount: number;
}

/** The body of a cancel. */
export type PosCancel = Pick<PosOrder, 'order_id' | 'cod_store'>;

/** What the mapper needs to know beside the transaction. */
export interface OrderContext {
  /** the job's eventKey */
  readonly orderId: string;
  /** the restaurant's codeStorePos */
  readonly codStore: string;
  readonly receivedAt: Date;
  readonly tenders: TenderRules;
  /** POS_ORDER_EXTRA: merged under the body, which wins */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The order, or the field that prevents it: `items[2].price: must be ...`. */
export type Mapped = { readonly order: PosOrder } | { readonly unmappable: string };

/**
 * Maps a transaction to the POS order shape (seed, mapping rules; DECISIONS 5). Pure: same input, same output.
 * Items total + increase - discount = total_amount = sum of payment_types, to the cent.
 */
export function mapOrder(transaction: Transaction, context: OrderContext): Mapped {
  const items = itemsTotal(transaction);
  if ('unmappable' in items) return items;
  const payments = sharePayments(transaction, context.tenders);
  if ('unmappable' in payments) return payments;
  const { total } = payments;
  const order: PosOrder = {
    ...context.extra,
    order_id: context.orderId,
    cod_store: context.codStore,
    created_at: (transaction.transactionDate ?? context.receivedAt).toISOString(),
    total_amount: fromCents(total),
    total_discount: fromCents(items.total > total ? items.total - total : 0n),
    total_increase: fromCents(total > items.total ? total - items.total : 0n),
    items: transaction.items.map((item) => ({
      integration_code: item.itemCode ?? '',
      desc_item: item.itemName ?? '',
      quantity: item.quantity as number,
      unit_price: item.price as number,
    })),
    payment_types: payments.shares,
  };
  return { order };
}

type Unmappable = { readonly unmappable: string };

const LIMIT_CENTS = BigInt(AMOUNT_LIMIT) * 100n;
const TOO_LARGE = `must be below ${AMOUNT_LIMIT}`;

/** Sum of the line totals (price x quantity, each rounded half up to cents). */
function itemsTotal({ items }: Transaction): { total: Cents } | Unmappable {
  if (items.length === 0) return { unmappable: 'items: must have at least one entry' };
  let total = 0n;
  for (const [i, { price, quantity }] of items.entries()) {
    if (!isFiniteNumber(price)) return { unmappable: `items[${i}].price: must be a finite number` };
    if (price < 0) return { unmappable: `items[${i}].price: must not be negative` };
    if (!isAmount(price)) return { unmappable: `items[${i}].price: ${TOO_LARGE}` };
    if (!isFiniteNumber(quantity)) return { unmappable: `items[${i}].quantity: must be a finite number` };
    if (quantity <= 0) return { unmappable: `items[${i}].quantity: must be greater than zero` };
    const line = toCents(multiply(decimal(price), decimal(quantity)));
    if (line >= LIMIT_CENTS) return { unmappable: `items[${i}]: price x quantity ${TOO_LARGE}` };
    total += line;
  }
  return total < LIMIT_CENTS ? { total } : { unmappable: `items: their total ${TOO_LARGE}` };
}

/** The valid payments in cents that add up to their exact sum, rounded once. */
function sharePayments(
  { payments, totalAmount }: Transaction,
  tenders: TenderRules,
): { total: Cents; shares: PosOrderPayment[] } | Unmappable {
  const paid: { amount: number; pos: PosPayment }[] = [];
  for (const [i, payment] of payments.entries()) {
    if (!isValidPayment(payment)) continue;
    if (!isAmount(payment.amount)) return { unmappable: `payments[${i}].amount: ${TOO_LARGE}` };
    const pos = posPayment(payment.tenderType, tenders);
    if (!pos) return { unmappable: unknownTender(i, payment) };
    paid.push({ amount: payment.amount, pos });
  }
  if (paid.length === 0 && totalAmount !== 0)
    return { unmappable: 'payments: none is greater than zero, and totalAmount is not 0' };
  const cents = shareOut(paid.map(({ amount }) => decimal(amount)));
  const total = cents.reduce((sum, share) => sum + share, 0n);
  if (total >= LIMIT_CENTS) return { unmappable: `payments: their total ${TOO_LARGE}` };
  return { total, shares: paid.map(({ pos }, i) => ({ ...pos, amount: fromCents(cents[i] as Cents) })) };
}

function unknownTender(index: number, { tenderType }: TransactionPayment): string {
  return `payments[${index}].tenderType: ${JSON.stringify(tenderType) ?? 'none'} is not in the tender table (POS_TENDER_TYPES)`;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
