import type { JsonObject } from '../../src/domain/transaction.js';
import { CASH, computed, item, paid } from './builders.js';

/** A vendor that has a code for cash only. */
const CASH_ONLY = { acceptsTender: (tenderType: unknown) => tenderType === CASH };
const LARGE = 'must be below 10000000000';
const SMALL = 'must be above -10000000000';

/** As the third item, so that the field's name must have its index. */
const third = (value: ReturnType<typeof item>) => ({ items: [item(1), item(1), value] });

describe('an unmappable transaction names the field that prevents the order (M10)', () => {
  test.each<[string, JsonObject, string]>([
    ['no items', { items: [] }, 'items: must have at least one entry'],
    ['a price in text', third(item('10')), 'items[2].price: must be a finite number'],
    ['no price', third(item(undefined)), 'items[2].price: must be a finite number'],
    ['a price of null', third(item(null)), 'items[2].price: must be a finite number'],
    ['a price that is NaN', third(item(Number.NaN)), 'items[2].price: must be a finite number'],
    ['an infinite price', third(item(Number.POSITIVE_INFINITY)), 'items[2].price: must be a finite number'],
    ['a price at the limit', third(item(1e10)), `items[2].price: ${LARGE}`],
    ['a price at the limit below zero', third(item(-1e10)), `items[2].price: ${SMALL}`],
    ['a quantity in text', third(item(1, '1')), 'items[2].quantity: must be a finite number'],
    ['no quantity', third({ ...item(1), quantity: undefined }), 'items[2].quantity: must be a finite number'],
    ['a quantity of null', third(item(1, null)), 'items[2].quantity: must be a finite number'],
    ['a quantity that is NaN', third(item(1, Number.NaN)), 'items[2].quantity: must be a finite number'],
    ['an infinite quantity', third(item(1, Number.POSITIVE_INFINITY)), 'items[2].quantity: must be a finite number'],
    ['a line total at the limit', third(item(1e9, 10)), `items[2]: price x quantity ${LARGE}`],
    ['a line total that rounds up to the limit', third(item(9_999_999_999.995)), `items[2]: price x quantity ${LARGE}`],
    ['a line total at the limit below zero', third(item(1e9, -10)), `items[2]: price x quantity ${SMALL}`],
    ['items whose total is at the limit', { items: [item(6e9), item(4e9)] }, `items: their total ${LARGE}`],
    [
      'items whose total is at the limit below zero',
      { items: [item(-6e9), item(-4e9)] },
      `items: their total ${LARGE}`,
    ],
    [
      'a difference at the limit',
      { items: [item(-6e9)], payments: [paid(4e9)] },
      `items: the difference of their total from the payments ${LARGE}`,
    ],
    ['a payment at the limit', { payments: [paid(5), paid(1e10)] }, `payments[1].amount: ${LARGE}`],
    ['a payment of 21 digits', { payments: [paid(1e21)] }, `payments[0].amount: ${LARGE}`],
    ['payments whose total is at the limit', { payments: [paid(6e9), paid(4e9)] }, `payments: their total ${LARGE}`],
  ])('%s', (_, parts, unmappable) => {
    expect(computed(parts)).toEqual({ unmappable });
  });

  test.each<[string, unknown]>([
    ['10', 10],
    ['missing', undefined],
    ['null', null],
    ['the text "0"', '0'],
    ['NaN', Number.NaN],
    ['infinite, which is stored as null', Number.NEGATIVE_INFINITY],
    ['below a cent', 0.001],
  ])('no valid payment, and totalAmount is %s (M8)', (_, totalAmount) => {
    expect(computed({ totalAmount, payments: [paid(0), paid(-1)] })).toEqual({
      unmappable: 'payments: none is greater than zero, and totalAmount is not 0',
    });
  });

  test.each([-10, -0.01, -1e308])('no valid payment, and totalAmount is %p: a refund (M15)', (totalAmount) => {
    expect(computed({ totalAmount, items: [item(10, -1)], payments: [paid(-10)] })).toEqual({
      unmappable: 'totalAmount: is negative, and nothing was paid: a refund is entered in the POS',
      refund: true,
      // M16: the amount is known
      ...(totalAmount > -1e10 && { recorded: true }),
    });
  });

  test.each<[string, JsonObject, string]>([
    ['only odd lines', { items: [item(-1), item(1, 0)] }, 'items: none is left to send, since POS_ODD_LINES=fold'],
    [
      'lines to send whose total is at the limit',
      { items: [item(6e9), item(6e9), item(-6e9)] },
      `items: their total ${LARGE}`,
    ],
    [
      'a discount at the limit',
      { items: [item(1), item(-6e9), item(-6e9), item(-6e9, -1), item(-6e9, -1)] },
      `items: the difference of their total from the payments ${LARGE}`,
    ],
  ])('with odd lines folded (M14): %s', (_, parts, unmappable) => {
    expect(computed(parts, { foldsOddLines: true })).toEqual({ unmappable });
  });

  test.each<[unknown, string]>([
    [77, '77'],
    ['pix', '"pix"'],
    [null, 'null'],
    [undefined, 'none'],
  ])('a tender type of %p, for which the vendor has no code', (tenderType, named) => {
    expect(computed({ payments: [paid(5), { amount: 5, tenderType }] }, CASH_ONLY)).toEqual({
      unmappable: `payments[1].tenderType: ${named} is not in the tender table (POS_TENDER_TYPES)`,
    });
  });
});

describe('just inside the limits is mappable', () => {
  test.each<[string, JsonObject]>([
    ['a price of zero', { items: [item(0)] }],
    ['a price of a hundredth of a cent', { items: [item(0.0001)] }],
    ['a negative price', { items: [item(-0.01)] }],
    ['the lowest price', { items: [item(-9_999_999_999.98)], payments: [paid(0.01)] }],
    ['a quantity of zero', { items: [item(1, 0)] }],
    ['a negative quantity', { items: [item(1, -2)] }],
    ['an enormous negative quantity of something cheap', { items: [item(0.01, -1e10)] }],
    ['a tiny quantity', { items: [item(1, 1e-9)] }],
    ['an enormous quantity of something cheap', { items: [item(0.01, 1e11)] }],
    ['the highest price', { items: [item(9_999_999_999.99)] }],
    ['the highest payment', { payments: [paid(9_999_999_999.99)] }],
    ['500 items and 500 payments', { items: Array(500).fill(item(1)), payments: Array(500).fill(paid(1)) }],
  ])('%s', (_, parts) => {
    expect(computed(parts)).toHaveProperty('total');
  });
});
