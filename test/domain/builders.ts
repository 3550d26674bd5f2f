import { type Mapped, mapOrder, type OrderContext, type PosOrder } from '../../src/domain/pos-order.js';
import { TENDER_TYPES } from '../../src/domain/tender.js';
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
    orderId: 'sale-1',
    codStore: 'POS-7',
    receivedAt: new Date('2026-03-01T12:31:00.000Z'),
    tenders: { table: TENDER_TYPES, unknown: 'PARTNER_PAYMENT' },
    extra: {},
    ...parts,
  };
}

/** The order of a transaction that must be mappable. */
export function orderOf(mapped: Mapped): PosOrder {
  if ('unmappable' in mapped) throw new Error(`unmappable: ${mapped.unmappable}`);
  return mapped.order;
}

export function map(parts: Partial<Transaction>, contextParts: Partial<OrderContext> = {}): PosOrder {
  return orderOf(mapOrder(transaction(parts), context(contextParts)));
}
