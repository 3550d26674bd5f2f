import { mapOrder } from '../../src/domain/pos-order.js';
import { TENDER_TYPES } from '../../src/domain/tender.js';
import { CARD, CASH, context, INSTANT, item, map, OTHER_CARD, orderOf, paid, transaction } from './builders.js';

describe('the POS order', () => {
  test('a cash sale, field by field', () => {
    expect(mapOrder(transaction(), context())).toEqual({
      order: {
        order_id: 'sale-1',
        cod_store: 'POS-7',
        created_at: '2026-03-01T12:30:00.000Z',
        total_amount: 10,
        total_discount: 0,
        total_increase: 0,
        items: [{ integration_code: 'C1', desc_item: 'Coffee', quantity: 1, unit_price: 10 }],
        payment_types: [{ code: 'DIN', amount: 10 }],
      },
    });
  });

  test('order_id is the key the event is stored under, which in test mode has a suffix', () => {
    expect(map({ transactionKey: 'sale-1' }, { orderId: 'sale-1-1772368200000' }).order_id).toBe(
      'sale-1-1772368200000',
    );
  });

  test('created_at is the transaction’s date, in UTC', () => {
    expect(map({ transactionDate: new Date('2026-03-01T12:30:00+02:00') }).created_at).toBe('2026-03-01T10:30:00.000Z');
  });

  test('created_at is the receipt when the transaction has no date', () => {
    expect(map({ transactionDate: null }).created_at).toBe('2026-03-01T12:31:00.000Z');
  });

  test('items are mapped one to one, in their order, as they were sent', () => {
    const items = [
      item(5, 2, { itemCode: 'A', itemName: 'Tea' }),
      item(0, 1, { itemCode: 'B', itemName: 'Water' }),
      item(5, 2, { itemCode: 'A', itemName: 'Tea' }),
    ];
    expect(map({ items }).items).toEqual([
      { integration_code: 'A', desc_item: 'Tea', quantity: 2, unit_price: 5 },
      { integration_code: 'B', desc_item: 'Water', quantity: 1, unit_price: 0 },
      { integration_code: 'A', desc_item: 'Tea', quantity: 2, unit_price: 5 },
    ]);
  });

  test('an item without code or name has them empty', () => {
    expect(map({ items: [item(10, 1, { itemCode: null, itemName: null })] }).items).toEqual([
      { integration_code: '', desc_item: '', quantity: 1, unit_price: 10 },
    ]);
  });
});

describe('totals: items + increase - discount = total_amount', () => {
  const rows = [
    { title: 'exactly paid', items: [item(10)], payments: [paid(10)], total: 10, discount: 0, increase: 0 },
    { title: 'a discount', items: [item(10)], payments: [paid(8.5)], total: 8.5, discount: 1.5, increase: 0 },
    { title: 'a surcharge', items: [item(10)], payments: [paid(11)], total: 11, discount: 0, increase: 1 },
    { title: 'a cent off', items: [item(10)], payments: [paid(9.99)], total: 9.99, discount: 0.01, increase: 0 },
    { title: '0.1 + 0.2', items: [item(0.1), item(0.2)], payments: [paid(0.3)], total: 0.3, discount: 0, increase: 0 },
    {
      title: '0.1 + 0.2 paid',
      items: [item(0.3)],
      payments: [paid(0.1), paid(0.2)],
      total: 0.3,
      discount: 0,
      increase: 0,
    },
    {
      title: '0.30000000000000004',
      items: [item(0.3)],
      payments: [paid(0.1 + 0.2)],
      total: 0.3,
      discount: 0,
      increase: 0,
    },
    {
      title: '0.355 kg at 49.90',
      items: [item(49.9, 0.355)],
      payments: [paid(17.71)],
      total: 17.71,
      discount: 0,
      increase: 0,
    },
    {
      title: 'a line of half a cent',
      items: [item(1.15, 0.1)],
      payments: [paid(0.12)],
      total: 0.12,
      discount: 0,
      increase: 0,
    },
    {
      title: 'each line is rounded, not their sum',
      items: [item(0.005), item(0.005)],
      payments: [paid(0.02)],
      total: 0.02,
      discount: 0,
      increase: 0,
    },
    {
      title: 'the sum paid is rounded once',
      items: [item(0.01)],
      payments: [paid(0.006), paid(0.006)],
      total: 0.01,
      discount: 0,
      increase: 0,
    },
    { title: 'items for nothing', items: [item(0)], payments: [paid(2)], total: 2, discount: 0, increase: 2 },
    {
      title: 'the largest amount there is',
      items: [item(9_999_999_999.99)],
      payments: [paid(9_999_999_999.99)],
      total: 9_999_999_999.99,
      discount: 0,
      increase: 0,
    },
  ];
  test.each(rows)('$title', ({ items, payments, total, discount, increase }) => {
    expect(map({ items, payments })).toMatchObject({
      total_amount: total,
      total_discount: discount,
      total_increase: increase,
    });
  });

  test('the terminal’s own totalAmount does not change the order', () => {
    expect(map({ totalAmount: 99 })).toEqual(map({ totalAmount: 10 }));
  });
});

describe('payments', () => {
  test('two cards', () => {
    expect(map({ items: [item(30)], payments: [paid(10, CARD), paid(20, OTHER_CARD)] }).payment_types).toEqual([
      { code: 'CRE', amount: 10 },
      { code: 'CRE', amount: 20 },
    ]);
  });

  test('a split of cash, card and instant payment keeps its order', () => {
    const payments = [paid(3.34, INSTANT), paid(3.33, CASH), paid(3.33, CARD)];
    expect(map({ payments }).payment_types).toEqual([
      { code: 'PARTNER_PAYMENT', amount: 3.34 },
      { code: 'DIN', amount: 3.33 },
      { code: 'CRE', amount: 3.33 },
    ]);
  });

  test('an uneven split: the cents left over go to the largest remainders', () => {
    const order = map({ payments: [paid(3.333), paid(3.334), paid(3.333)] });
    expect(order.total_amount).toBe(10);
    expect(order.payment_types.map(({ amount }) => amount)).toEqual([3.33, 3.34, 3.33]);
  });

  const ignored = [0, -0, -5, Number.NaN, Number.POSITIVE_INFINITY, '12', null, undefined, 0.004, {}, [10], true];
  test.each(ignored)('an amount of %p is ignored', (amount) => {
    expect(map({ payments: [paid(amount, CARD), paid(10, CASH), paid(amount, CARD)] })).toEqual(map({}));
  });

  test('sub-cent amounts that are ignored do not add up to a cent', () => {
    expect(map({ payments: [paid(10), paid(0.004), paid(0.004), paid(0.004)] }).total_amount).toBe(10);
  });

  test('a free order has a discount of all its items, and no payments', () => {
    expect(map({ totalAmount: 0, items: [item(10, 2)], payments: [] })).toMatchObject({
      total_amount: 0,
      total_discount: 20,
      total_increase: 0,
      payment_types: [],
    });
  });

  test('a free order may carry payments that are ignored', () => {
    expect(map({ totalAmount: 0, payments: [paid(0, CARD)] }).payment_types).toEqual([]);
  });
});

describe('tender rules', () => {
  test('the further fields of a POS_TENDER_TYPES entry go into the payment', () => {
    const table = { ...TENDER_TYPES, 50: { code: 'PARTNER_PAYMENT', complement: 'pix' } };
    expect(map({ payments: [paid(10, INSTANT)] }, { tenders: { table, unknown: 'reject' } }).payment_types).toEqual([
      { code: 'PARTNER_PAYMENT', complement: 'pix', amount: 10 },
    ]);
  });

  test('an entry cannot replace the amount', () => {
    const table = { 1: { code: 'DIN', amount: 999 } };
    expect(map({}, { tenders: { table, unknown: 'reject' } }).payment_types).toEqual([{ code: 'DIN', amount: 10 }]);
  });

  test('an unknown tender type gets the code of POS_UNKNOWN_TENDER', () => {
    const tenders = { table: TENDER_TYPES, unknown: 'OUT' };
    expect(map({ payments: [paid(10, 77)] }, { tenders }).payment_types).toEqual([{ code: 'OUT', amount: 10 }]);
  });

  test('an unknown tender type of an ignored payment rejects nothing', () => {
    const tenders = { table: TENDER_TYPES, unknown: 'reject' };
    expect(map({ payments: [paid(0, 77), paid(10)] }, { tenders }).payment_types).toHaveLength(1);
  });
});

describe('POS_ORDER_EXTRA', () => {
  test('is merged under the body', () => {
    const extra = { order_method: { mode: 'TICKET' } };
    expect(map({}, { extra })).toEqual({ ...map({}), order_method: { mode: 'TICKET' } });
  });

  test('the body wins over it, field by field', () => {
    const order = map({});
    const extra = Object.fromEntries(Object.keys(order).map((field) => [field, 'from extra']));
    expect(map({}, { extra })).toEqual(order);
  });
});

test('a mapped order is what the POS reads: it survives JSON unchanged', () => {
  const order = orderOf(mapOrder(transaction({ payments: [paid(0.1), paid(0.2)] }), context()));
  expect(JSON.parse(JSON.stringify(order))).toEqual(order);
});
