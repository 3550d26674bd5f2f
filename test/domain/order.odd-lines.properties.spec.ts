import fc from 'fast-check';
import type { Order } from '../../src/domain/order.js';
import { centsOf, oddSale, RUNS, type Sold, total } from './arbitraries.js';
import { compute, computed } from './builders.js';

type SoldLine = Sold['items'][number];

/** The line's own total, half away from zero (M2). */
function lineCents({ price, quantity }: SoldLine): bigint {
  const units = price.units * quantity.units;
  const cents = centsOf(units < 0n ? -units : units, price.scale + quantity.scale);
  return units < 0n ? -cents : cents;
}

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);
const isOdd = ({ price, quantity }: SoldLine) => quantity.units <= 0n || price.value < 0;

/** What is left to send: all lines, or with `fold` those that no POS refuses. */
function checked(sold: Sold, sent: readonly SoldLine[], order: Order): string[] {
  const { items, payments, discount, surcharge } = order;
  const rules = {
    'the lines are those to be sent, in their order, as they were sent':
      items.length === sent.length &&
      items.every(({ quantity, unitPrice }, i) => {
        return quantity === sent[i]?.quantity.value && unitPrice === sent[i]?.price.value;
      }),
    'what is sent adds up: items + surcharge - discount = total (M7)':
      sumOf(sent.map(lineCents)) + surcharge - discount === order.total,
    'the total is what was paid (M4)': order.total === centsOf(total(sold.paid, 4), 4),
    'the payments add up to it (M5)': sumOf(payments.map(({ amount }) => amount)) === order.total,
    'discount and surcharge are not negative': discount >= 0n && surcharge >= 0n,
  };
  return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));
}

function expectNone(broken: readonly string[]): void {
  if (broken.length > 0) throw new Error(`broken: ${broken.join('; ')}`);
}

describe(`every one of ${RUNS.toLocaleString('en')} sales with odd lines (M14)`, () => {
  test('POS_ODD_LINES=send: keeps M7, with every line sent as it is', () => {
    fc.assert(
      fc.property(oddSale, (sold) => {
        const order = compute(sold.parts);
        const both = order.discount > 0n && order.surcharge > 0n;
        expectNone([...checked(sold, sold.items, order), ...(both ? ['discount and surcharge at once'] : [])]);
      }),
      { numRuns: RUNS },
    );
  });

  test('POS_ODD_LINES=fold: keeps M7 without the odd lines; what they amount to is in discount and surcharge', () => {
    fc.assert(
      fc.property(oddSale, (sold) => {
        const order = computed(sold.parts, { foldsOddLines: true });
        const sent = sold.items.filter((line) => !isOdd(line));
        if (sent.length === 0)
          return expectNone('unmappable' in order ? [] : ['an order without a line is unmappable']);
        if ('unmappable' in order) throw new Error(order.unmappable);
        const asSent = compute(sold.parts);
        const folded = sold.items.filter(isOdd).map(lineCents);
        const below = sumOf(folded.filter((cents) => cents < 0n));
        const above = sumOf(folded.filter((cents) => cents > 0n));
        expectNone([
          ...checked(sold, sent, order),
          ...(order.discount === asSent.discount - below ? [] : ['lines below zero are in the discount']),
          ...(order.surcharge === asSent.surcharge + above ? [] : ['lines above zero are in the surcharge']),
        ]);
      }),
      { numRuns: RUNS },
    );
  });
});
