import fc from 'fast-check';
import { mapOrder, type PosOrder } from '../../src/domain/pos-order.js';
import { centsOf, type Sale, sale, total } from './arbitraries.js';
import { context, orderOf } from './builders.js';

const RUNS = 100_000;
const CONTEXT = context();

/** The most decimals that `sale` gives an amount. */
const SCALE = 4;
const PER_CENT = 10n ** BigInt(SCALE - 2);

/** Whole cents of an amount in the order; an amount with a fraction of a cent is no amount. */
function cents(amount: number): bigint {
  const whole = Math.round(amount * 100);
  if (whole / 100 !== amount) throw new Error(`${amount} is not in whole cents`);
  return BigInt(whole);
}

function itemsTotal({ items }: Sale): bigint {
  return items.reduce(
    (sum, { price, quantity }) => sum + centsOf(price.units * quantity.units, price.scale + quantity.scale),
    0n,
  );
}

/** `input` is the transaction as text, before it was mapped. */
type Rule = (order: PosOrder, sold: Sale, input: string) => boolean;

/** Plain comparisons: `expect` a million times over would cost more than the mapping. */
const RULES: Readonly<Record<string, Rule>> = {
  'the payments add up to total_amount, to the cent': (order) =>
    order.payment_types.reduce((sum, { amount }) => sum + cents(amount), 0n) === cents(order.total_amount),

  'total_amount is the exact sum of the valid payments, rounded once': (order, { paid }) =>
    cents(order.total_amount) === centsOf(total(paid, SCALE), SCALE),

  'items total + increase - discount = total_amount': (order, sold) =>
    itemsTotal(sold) + cents(order.total_increase) - cents(order.total_discount) === cents(order.total_amount),

  'every valid payment is there, within a cent of what was paid': (order, { paid }) =>
    order.payment_types.length === paid.length &&
    order.payment_types.every(({ amount }, i) => {
      const difference = cents(amount) * PER_CENT - total(paid.slice(i, i + 1), SCALE);
      return -PER_CENT < difference && difference < PER_CENT;
    }),

  'nothing is negative': (order) =>
    [
      order.total_amount,
      order.total_discount,
      order.total_increase,
      ...order.payment_types.map(({ amount }) => amount),
      ...order.items.flatMap((item) => [item.quantity, item.unit_price]),
    ].every((amount) => amount >= 0),

  'there is never both a discount and an increase': (order) => order.total_discount === 0 || order.total_increase === 0,

  'the same input gives the same output, and is left as it was': (order, { transaction }, input) => {
    const again = orderOf(mapOrder(transaction, CONTEXT));
    return JSON.stringify(again) === JSON.stringify(order) && JSON.stringify(transaction) === input;
  },
};

describe(`every one of ${RUNS.toLocaleString('en')} sales`, () => {
  test(`keeps these rules: ${Object.keys(RULES).join('; ')}`, () => {
    fc.assert(
      fc.property(sale, (sold) => {
        const input = JSON.stringify(sold.transaction);
        const order = orderOf(mapOrder(sold.transaction, CONTEXT));
        const broken = Object.keys(RULES).filter((rule) => !RULES[rule]?.(order, sold, input));
        if (broken.length > 0) throw new Error(`broken: ${broken.join('; ')}`);
      }),
      { numRuns: RUNS },
    );
  });
});
