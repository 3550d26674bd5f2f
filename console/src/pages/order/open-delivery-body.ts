import type { OrderOption } from '../../../../src/domain/order.js';
import { type Body, cents, type Json, objects, text } from './bodies.js';

/** Whether an order is one of Open Delivery (Q9). */
export const isOpenDelivery = (order: Json): boolean => order.displayId !== undefined && isObject(order.total);

/** Reads an order of Open Delivery, for a POS that fetches its orders. */
export function readOpenDelivery(order: Json): Body {
  const total = objectOf(order.total);
  return {
    isTerminal: false,
    items: objects(order.items).map((item, index) => ({
      index,
      ...named(item),
      price: amountOf(item.unitPrice),
      options: objects(item.options).map(optionOf),
      notes: typeof item.specialInstructions === 'string' ? item.specialInstructions : undefined,
    })),
    payments: objects(objectOf(order.payments).methods).map(({ method, methodInfo, value }, index) => ({
      index,
      type: [text(method), text(methodInfo)].filter((part) => part !== '').join(': '),
      name: undefined,
      amount: value,
      evidence: undefined,
    })),
    total: cents(amountOf(total.orderAmount)),
    discount: cents(amountOf(total.discount)),
    surcharge: cents(amountOf(total.otherFees)),
    tip: undefined,
    serviceFee: undefined,
    notes: undefined,
  };
}

function optionOf(option: Json): OrderOption {
  return { ...named(option), unitPrice: Number(amountOf(option.unitPrice)), quantity: Number(option.quantity) };
}

function named({ externalCode, name, quantity }: Json) {
  return { code: text(externalCode), name: text(name), quantity: quantity as number };
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const amountOf = (price: unknown): unknown => objectOf(price).value;
