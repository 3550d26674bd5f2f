import fc from 'fast-check';
import type { Order } from '../../src/domain/order.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';
import type { PosOrder } from '../../src/pos/vendors/partner/wire.js';
import { centsOf, RUNS, type Sold, sale, total } from './arbitraries.js';
import { compute } from './builders.js';

const VENDOR = partner({});

/** The most decimals that `sale` gives an amount. */
const SCALE = 4;
const PER_CENT = 10n ** BigInt(SCALE - 2);

/** Whole cents of an amount on the wire; an amount with a fraction of a cent is no amount. */
function cents(amount: number): bigint {
  const whole = Math.round(amount * 100);
  if (whole / 100 !== amount) throw new Error(`${amount} is not in whole cents`);
  return BigInt(whole);
}

function itemsTotal({ items }: Sold): bigint {
  return items.reduce(
    (sum, { price, quantity }) => sum + centsOf(price.units * quantity.units, price.scale + quantity.scale),
    0n,
  );
}

/** Whether the shares are those of the amounts paid, each less than a cent from it; an amount below a cent may have none. */
function arePayments([share, ...shares]: readonly bigint[], [amount, ...amounts]: readonly bigint[]): boolean {
  if (amount === undefined) return share === undefined;
  const near = share !== undefined && share - amount < PER_CENT && amount - share < PER_CENT;
  if (near && arePayments(shares, amounts)) return true;
  return amount < PER_CENT && arePayments(share === undefined ? [] : [share, ...shares], amounts);
}

/** `input` is the payload as text, before it was mapped. */
type Rule = (order: Order, sold: Sold, input: string) => boolean;

/** Plain comparisons: `expect` a million times over would cost more than the mapping. */
const RULES: Readonly<Record<string, Rule>> = {
  'the payments add up to the total, to the cent': (order) =>
    order.payments.reduce((sum, { amount }) => sum + amount, 0n) === order.total,

  'the total is the exact sum of the valid payments, rounded once': (order, { paid }) =>
    order.total === centsOf(total(paid, SCALE), SCALE),

  'items total + surcharge - discount = total': (order, sold) =>
    itemsTotal(sold) + order.surcharge - order.discount === order.total,

  'every valid payment is there in its order, within a cent of what was paid; one below a cent may be left out': (
    { payments },
    { paid },
  ) =>
    arePayments(
      payments.map(({ amount }) => amount * PER_CENT),
      paid.map((amount) => total([amount], SCALE)),
    ),

  'no payment is 0': ({ payments }) => payments.every(({ amount }) => amount > 0n),

  'nothing is negative': ({ total, discount, surcharge, payments, items }) =>
    [total, discount, surcharge, ...payments.map(({ amount }) => amount)].every((amount) => amount >= 0n) &&
    items.every(({ quantity, unitPrice }) => quantity >= 0 && unitPrice >= 0),

  'there is never both a discount and a surcharge': ({ discount, surcharge }) => discount === 0n || surcharge === 0n,

  'on the wire every amount is its cents exactly, and every item as it was sent': (order, { items }) => {
    const body = VENDOR.createOrder(order).body as PosOrder;
    return (
      cents(body.total_amount) === order.total &&
      cents(body.total_discount) === order.discount &&
      cents(body.total_increase) === order.surcharge &&
      body.payment_types.length === order.payments.length &&
      body.payment_types.every(({ amount }, i) => cents(amount) === order.payments[i]?.amount) &&
      body.items.every(
        ({ unit_price, quantity }, i) => unit_price === items[i]?.price.value && quantity === items[i]?.quantity.value,
      )
    );
  },

  'the same input gives the same output, also when it was stored, and is left as it was': (order, { parts }, input) =>
    wireText(compute(JSON.parse(input), VENDOR)) === wireText(order) && JSON.stringify(parts) === input,
};

function wireText(order: Order): string {
  return JSON.stringify(VENDOR.createOrder(order).body);
}

describe(`every one of ${RUNS.toLocaleString('en')} sales`, () => {
  test(`keeps these rules (M2 to M7): ${Object.keys(RULES).join('; ')}`, () => {
    fc.assert(
      fc.property(sale, (sold) => {
        const input = JSON.stringify(sold.parts);
        const order = compute(sold.parts, VENDOR);
        const broken = Object.keys(RULES).filter((rule) => !RULES[rule]?.(order, sold, input));
        if (broken.length > 0) throw new Error(`broken: ${broken.join('; ')}`);
      }),
      { numRuns: RUNS },
    );
  });
});
