import type { JsonObject } from '../../src/domain/transaction.js';
import { CARD, CASH, compute, INSTANT, item, OTHER_CARD, paid } from './builders.js';

describe('the order of a transaction', () => {
  test('a cash sale, field by field', () => {
    expect(compute()).toEqual({
      id: 'sale-1',
      store: 'POS-7',
      createdAt: new Date('2026-03-01T12:30:00.000Z'),
      total: 1000n,
      discount: 0n,
      surcharge: 0n,
      tip: 0n,
      serviceFee: 0n,
      items: [{ code: 'C1', name: 'Coffee', quantity: 1, unitPrice: 10 }],
      payments: [{ tenderType: CASH, amount: 1000n }],
    });
  });

  test('its id is the key the event is stored under, which in test mode has a suffix', () => {
    expect(compute({}, {}, 'sale-1-1772368200000').id).toBe('sale-1-1772368200000');
  });

  test('it was created at the receipt when the transaction has no date', () => {
    expect(compute({ transactionDate: null }).createdAt).toEqual(new Date('2026-03-01T12:31:00.000Z'));
  });

  test('items are mapped one to one, in their order, as they were sent (M2)', () => {
    const items = [
      item(5, 2, { itemCode: 'A', itemName: 'Tea' }),
      item(0, 1, { itemCode: 'B', itemName: 'Water' }),
      item(5, 2, { itemCode: 'A', itemName: 'Tea' }),
    ];
    expect(compute({ items }).items).toEqual([
      { code: 'A', name: 'Tea', quantity: 2, unitPrice: 5 },
      { code: 'B', name: 'Water', quantity: 1, unitPrice: 0 },
      { code: 'A', name: 'Tea', quantity: 2, unitPrice: 5 },
    ]);
  });

  test('an item without code or name has them empty', () => {
    expect(compute({ items: [item(10, 1, { itemCode: null, itemName: null })] }).items).toEqual([
      { code: '', name: '', quantity: 1, unitPrice: 10 },
    ]);
  });
});

describe('totals: items + surcharge - discount = total (M6, M7)', () => {
  test.each<[string, JsonObject[], JsonObject[], bigint, bigint, bigint]>([
    ['exactly paid', [item(10)], [paid(10)], 1_000n, 0n, 0n],
    ['a discount', [item(10)], [paid(8.5)], 850n, 150n, 0n],
    ['a surcharge', [item(10)], [paid(11)], 1_100n, 0n, 100n],
    ['a cent off', [item(10)], [paid(9.99)], 999n, 1n, 0n],
    ['0.1 + 0.2', [item(0.1), item(0.2)], [paid(0.3)], 30n, 0n, 0n],
    ['0.1 + 0.2 paid', [item(0.3)], [paid(0.1), paid(0.2)], 30n, 0n, 0n],
    ['0.30000000000000004', [item(0.3)], [paid(0.1 + 0.2)], 30n, 0n, 0n],
    ['0.355 kg at 49.90', [item(49.9, 0.355)], [paid(17.71)], 1_771n, 0n, 0n],
    ['a line of half a cent', [item(1.15, 0.1)], [paid(0.12)], 12n, 0n, 0n],
    ['each line is rounded, not their sum', [item(0.005), item(0.005)], [paid(0.02)], 2n, 0n, 0n],
    ['the sum paid is rounded once', [item(0.01)], [paid(0.006), paid(0.006)], 1n, 0n, 0n],
    ['items of price 0', [item(0)], [paid(2)], 200n, 0n, 200n],
    ['the largest amount', [item(9_999_999_999.99)], [paid(9_999_999_999.99)], 999_999_999_999n, 0n, 0n],
  ])('%s', (_, items, payments, total, discount, surcharge) => {
    expect(compute({ items, payments })).toMatchObject({ total, discount, surcharge });
  });

  test('the terminal’s own totalAmount does not change the order', () => {
    expect(compute({ totalAmount: 99 })).toEqual(compute({ totalAmount: 10 }));
  });
});

describe('odd lines: quantity zero or negative, or price negative (M14)', () => {
  const RETURN = item(5, -1, { itemCode: 'R' });
  const DISCOUNT = item(-3, 1, { itemCode: 'D' });
  const NOTHING = item(9, 0, { itemCode: 'N' });
  const FREE = item(0, 1, { itemCode: 'F' });
  const items = [item(20), RETURN, DISCOUNT, NOTHING, FREE];
  const codes = (order: ReturnType<typeof compute>) => order.items.map(({ code }) => code);

  test('are sent as they are, and count in the items total', () => {
    const order = compute({ items, payments: [paid(12)] });
    expect(codes(order)).toEqual(['C1', 'R', 'D', 'N', 'F']);
    expect(order.items[1]).toEqual({ code: 'R', name: 'Coffee', quantity: -1, unitPrice: 5 });
    expect(order.items[2]).toMatchObject({ quantity: 1, unitPrice: -3 });
    expect(order).toMatchObject({ total: 1200n, discount: 0n, surcharge: 0n });
  });

  test.each([
    ['exactly paid', 12, 800n, 0n],
    ['paid less', 11, 900n, 0n],
    ['paid more: the surcharge is unchanged', 13, 800n, 100n],
  ])('folded: negative lines are in the discount, a line of price 0 stays: %s', (_, amount, discount, surcharge) => {
    const order = compute({ items, payments: [paid(amount)] }, { foldsOddLines: true });
    expect(codes(order)).toEqual(['C1', 'F']);
    expect(order).toMatchObject({ total: BigInt(amount * 100), discount, surcharge });
  });

  test('folded: a negative quantity at a negative price is in the surcharge', () => {
    const order = compute({ items: [item(20), item(-3, -1)], payments: [paid(23)] }, { foldsOddLines: true });
    expect(order).toMatchObject({ total: 2300n, discount: 0n, surcharge: 300n });
    expect(order.items).toHaveLength(1);
  });

  test('folded: without an odd line nothing changes', () => {
    expect(compute({}, { foldsOddLines: true })).toEqual(compute());
  });

  test('an items total below zero makes a surcharge, of a free order too (M7, M8)', () => {
    expect(compute({ items: [item(-5)], payments: [paid(10)] })).toMatchObject({ discount: 0n, surcharge: 1500n });
    const free = compute({ items: [item(-5)], payments: [], totalAmount: 0 });
    expect(free).toMatchObject({ total: 0n, discount: 0n, surcharge: 500n });
  });

  test('a line and its return cancel each other, half cents too: rounding is symmetric (M2)', () => {
    const order = compute({ items: [item(0.335), item(0.335, -1), item(10)], payments: [paid(10)] });
    expect(order).toMatchObject({ discount: 0n, surcharge: 0n });
    expect(compute({ items: [item(-0.005)], payments: [paid(1)] }).surcharge).toBe(101n);
  });
});

describe('payments', () => {
  test('two cards', () => {
    expect(compute({ items: [item(30)], payments: [paid(10, CARD), paid(20, OTHER_CARD)] }).payments).toEqual([
      { tenderType: CARD, amount: 1000n },
      { tenderType: OTHER_CARD, amount: 2000n },
    ]);
  });

  test('a split of cash, card and instant payment keeps its order', () => {
    const payments = [paid(3.34, INSTANT), paid(3.33, CASH), paid(3.33, CARD)];
    expect(compute({ payments }).payments).toEqual([
      { tenderType: INSTANT, amount: 334n },
      { tenderType: CASH, amount: 333n },
      { tenderType: CARD, amount: 333n },
    ]);
  });

  test('an uneven split: the cents left over go to the largest remainders (M5)', () => {
    const order = compute({ payments: [paid(3.333), paid(3.334), paid(3.333)] });
    expect(order.total).toBe(1000n);
    expect(order.payments.map(({ amount }) => amount)).toEqual([333n, 334n, 333n]);
  });

  const ignored = [0, -0, -5, Number.NaN, Number.POSITIVE_INFINITY, '12', null, undefined, 0.004, {}, [10], true];
  test.each(ignored)('an amount of %p is ignored', (amount) => {
    expect(compute({ payments: [paid(amount, CARD), paid(10, CASH), paid(amount, CARD)] })).toEqual(compute({}));
  });

  test('a payment whose share is 0.00 is left out, and its cent is not lost', () => {
    expect(compute({ payments: [paid(0.005, CARD), paid(0.005, CASH)] })).toMatchObject({
      total: 1n,
      payments: [{ tenderType: CARD, amount: 1n }],
    });
    expect(compute({ payments: [paid(9.995, CARD), paid(0.005, INSTANT)] }).payments).toEqual([
      { tenderType: CARD, amount: 1000n },
    ]);
  });

  test('ignored sub-cent amounts do not add up to a cent', () => {
    expect(compute({ payments: [paid(10), paid(0.004), paid(0.004), paid(0.004)] }).total).toBe(1000n);
  });

  test('a free order has a discount of all its items, and no payments (M8)', () => {
    expect(compute({ totalAmount: 0, items: [item(10, 2)], payments: [] })).toMatchObject({
      total: 0n,
      discount: 2000n,
      surcharge: 0n,
      payments: [],
    });
  });

  test('a free order may carry payments that are ignored', () => {
    expect(compute({ totalAmount: 0, payments: [paid(0, CARD)] }).payments).toEqual([]);
  });
});

describe('tender types', () => {
  test('acceptsTender gets each as sent', () => {
    const asked: unknown[] = [];
    const acceptsTender = (tenderType: unknown) => asked.push(tenderType) > 0;
    compute({ payments: [paid(5, '16'), paid(5, 77)] }, { acceptsTender });
    expect(asked).toEqual(['16', 77]);
  });

  test('the tender type of an ignored payment is not checked', () => {
    const acceptsTender = (tenderType: unknown) => tenderType === CASH;
    expect(compute({ payments: [paid(0, 77), paid(10)] }, { acceptsTender }).payments).toHaveLength(1);
  });
});
