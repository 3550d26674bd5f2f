import type { Order, SaleRules, Unmappable } from '../../src/domain/order.js';
import { orderOf, readSale, type Sale } from '../../src/domain/sale.js';
import type { JsonObject } from '../../src/domain/transaction.js';

export const CASH = 1;
export const CARD = 16;
export const OTHER_CARD = 28;
export const INSTANT = 50;

/** A vendor that takes every tender. */
export const RULES: SaleRules = { acceptsTender: () => true, knowsTender: () => true, foldsOddLines: false };

/** The payload of a sale of one coffee for 10.00, paid in cash. */
export function payload(parts: JsonObject = {}): JsonObject {
  return {
    transactionKey: 'sale-1',
    storeCode: 'T-1',
    transactionDate: '2026-03-01T12:30:00.000Z',
    totalAmount: 10,
    items: [item(10)],
    payments: [paid(10)],
    ...parts,
  };
}

export function item(price: unknown, quantity: unknown = 1, parts: JsonObject = {}): JsonObject {
  return { itemCode: 'C1', itemName: 'Coffee', price, quantity, ...parts };
}

export function paid(amount: unknown, tenderType: unknown = CASH): JsonObject {
  return { tenderType, amount };
}

export function sale(parts: JsonObject = {}, rules: Partial<SaleRules> = {}): Sale {
  return readSale(payload(parts), { ...RULES, ...rules });
}

/** The order of a sale that was received a minute after it was made. */
export function computed(parts: JsonObject = {}, rules: Partial<SaleRules> = {}, id = 'sale-1'): Order | Unmappable {
  return orderOf(sale(parts, rules), { id, store: 'POS-7' }, new Date('2026-03-01T12:31:00.000Z'));
}

/** The same of a sale that must be mappable. */
export function compute(parts: JsonObject = {}, rules: Partial<SaleRules> = {}, id?: string): Order {
  const order = computed(parts, rules, id);
  if ('unmappable' in order) throw new Error(`unmappable: ${order.unmappable}`);
  return order;
}
