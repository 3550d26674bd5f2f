import { type ComputedOrder, computeOrder, type Order, type OrderContext } from '../../src/domain/order.js';
import type { Transaction, TransactionItem, TransactionPayment } from '../../src/domain/transaction.js';

export const CASH = 1;
export const CARD = 16;
export const OTHER_CARD = 28;
export const INSTANT = 50;

/** A sale of one coffee for 10.00, paid in cash. */
export function transaction(parts: Partial<Transaction> = {}): Transaction {
  return {
    transactionKey: 'sale-1',
    transactionNumber: null,
    isTestTransaction: false,
    storeCode: 'T-1',
    restaurantId: null,
    transactionDate: new Date('2026-03-01T12:30:00.000Z'),
    totalAmount: 10,
    items: [item(10)],
    payments: [paid(10)],
    ...parts,
  };
}

export function item(price: unknown, quantity: unknown = 1, parts: Partial<TransactionItem> = {}): TransactionItem {
  return { itemCode: 'C1', itemName: 'Coffee', price, quantity, ...parts };
}

export function paid(amount: unknown, tenderType: unknown = CASH): TransactionPayment {
  return { tenderType, amount };
}

export function context(parts: Partial<OrderContext> = {}): OrderContext {
  return {
    id: 'sale-1',
    store: 'POS-7',
    receivedAt: new Date('2026-03-01T12:31:00.000Z'),
    acceptsTender: () => true,
    foldsOddLines: false,
    ...parts,
  };
}

/** The order of a transaction that must be mappable. */
export function orderOf(computed: ComputedOrder): Order {
  if ('unmappable' in computed) throw new Error(`unmappable: ${computed.unmappable}`);
  return computed.order;
}

export function compute(parts: Partial<Transaction> = {}, contextParts: Partial<OrderContext> = {}): Order {
  return orderOf(computeOrder(transaction(parts), context(contextParts)));
}
