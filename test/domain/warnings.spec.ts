import { digestsOf, notInCatalogue } from '../../src/domain/catalogue.js';
import { otherCurrency } from '../../src/domain/currency.js';
import type { SaleRules } from '../../src/domain/order.js';
import { NO_CODES } from '../../src/domain/pos-codes.js';
import { parseSale, type Sale } from '../../src/domain/sale.js';
import {
  DEFAULT_ITEM,
  FOREIGN_STORE,
  NO_CODE_STORE_POS,
  REUSED_TEST_KEY,
  restaurantWarnings,
  WARNING_KINDS,
} from '../../src/domain/warnings.js';
import { CARD, CASH, RULES } from './builders.js';

const SALE = {
  transactionKey: 'sale-1',
  transactionDate: '2026-03-01T12:30:00Z',
  totalAmount: 10,
  items: [{ itemCode: 'C1', itemName: 'Coffee', quantity: 1, price: 10 }],
  payments: [{ tenderType: CASH, amount: 10 }],
};

/** The warnings of a webhook's body, `kind: text` each. */
function warnings(changes: object = {}, rules: Partial<SaleRules> = {}): string[] {
  const knowsTender = (tenderType: unknown) => tenderType === CASH || tenderType === CARD;
  const sale = parseSale({ ...SALE, ...changes }, { ...RULES, knowsTender, ...rules }) as Sale;
  return sale.warnings.map(({ kind, text }) => `${kind}: ${text}`);
}

describe('the warnings of an accepted transaction (W26)', () => {
  test('none for a correct sale', () => {
    expect(warnings()).toEqual([]);
    expect(warnings({ totalAmount: 0, payments: [] })).toEqual([]);
    expect(warnings({ transactionDate: undefined, totalAmount: undefined })).toEqual([]);
  });

  test('every item that cannot be mapped, with its field, not only the first', () => {
    const [item] = SALE.items;
    const items = [{ ...item, price: '10' }, item, { ...item, quantity: null }, { ...item, price: -1e11 }];
    expect(warnings({ items })).toEqual([
      'unmappable: items[0].price: must be a finite number',
      'unmappable: items[2].quantity: must be a finite number',
      'unmappable: items[3].price: must be above -10000000000',
    ]);
  });

  const ODD = [SALE.items[0], { quantity: 0, price: 1 }, { quantity: -1, price: -1 }, { quantity: 1, price: -1 }];

  test('an odd line is sent as it is (M14); a price of 0 is not odd', () => {
    expect(warnings({ items: [...ODD, { quantity: 1, price: 0 }] })).toEqual([
      'odd_line: items[1].quantity: is zero; the line is sent as it is',
      'odd_line: items[2].quantity: is negative; the line is sent as it is',
      'odd_line: items[3].price: is negative; the line is sent as it is',
    ]);
  });

  test('with POS_ODD_LINES=fold an odd line is left out', () => {
    expect(warnings({ items: ODD }, { foldsOddLines: true })).toEqual([
      'odd_line: items[1].quantity: is zero; the line is left out',
      'odd_line: items[2].quantity: is negative; the line is left out and counts in total_discount or total_increase',
      'odd_line: items[3].price: is negative; the line is left out and counts in total_discount or total_increase',
    ]);
  });

  test.each([
    ['text', '25.50', 'is text, not a number'],
    ['negative', -3, 'is not greater than zero'],
    ['zero', 0, 'is not greater than zero'],
    ['less than half a cent', 0.004, 'is less than half a cent'],
    ['nothing', null, 'must be a number'],
    ['infinite', Number.POSITIVE_INFINITY, 'must be a finite number'],
  ])('a payment that is ignored: %s', (_, amount, why) => {
    const payments = [...SALE.payments, { tenderType: CARD, amount }];
    expect(warnings({ payments })).toEqual([`ignored_payment: payments[1].amount: ${why}; the payment is ignored`]);
  });

  test.each([
    [12.3, 'is 2.30 more than what was paid, 10.00'],
    [9.95, 'is 0.05 less than what was paid, 10.00'],
  ])('a totalAmount of %p', (totalAmount, text) => {
    expect(warnings({ totalAmount })).toEqual([`amount_mismatch: totalAmount: ${text}; the order has what was paid`]);
  });

  test.each([1e308, -1e308, 1e10, Number.POSITIVE_INFINITY])('a totalAmount beyond the limit: %p', (totalAmount) => {
    expect(warnings({ totalAmount })).toEqual([
      'amount_mismatch: totalAmount: must be between -10000000000 and 10000000000; it is not compared with what was paid',
    ]);
  });

  test('every amount beyond the limit, wherever it stands', () => {
    const found = warnings({
      totalAmount: 1e308,
      items: [{ quantity: 1, price: 1e308 }, { quantity: 1e308, price: 1 }, ...SALE.items],
      payments: [...SALE.payments, { tenderType: CASH, amount: 1e308 }],
    });
    for (const field of ['totalAmount:', 'items[0].price:', 'items[1]: price x quantity', 'payments[1].amount:'])
      expect(found.filter((line) => line.includes(field))).toHaveLength(1);
    expect(found).toHaveLength(4);
  });

  test('every problem of items and payments; the first is why there is no order (M10)', () => {
    expect(warnings({ items: [], payments: [], totalAmount: undefined })).toEqual([
      'unmappable: items: must have at least one entry',
      'unmappable: payments: none is greater than zero, and totalAmount is not 0',
    ]);
  });

  test('a tender that is not in the table, unless its payment is ignored', () => {
    const payments = [
      { tenderType: 77, amount: 10 },
      { tenderType: 78, amount: 0 },
    ];
    expect(warnings({ payments })).toEqual([
      'ignored_payment: payments[1].amount: is not greater than zero; the payment is ignored',
      'unknown_tender: payments[0].tenderType: 77 is not in the tender table (POS_TENDER_TYPES); the default code is sent',
    ]);
    expect(warnings({ payments: payments.slice(0, 1) }, { acceptsTender: () => false })).toEqual([
      'unmappable: payments[0].tenderType: 77 is not in the tender table (POS_TENDER_TYPES)',
    ]);
  });

  test('a tender type that reports cut, and more tender types than reports keep (L22)', () => {
    const long = { tenderType: 'x'.repeat(101), amount: 10 };
    expect(warnings({ payments: [long] }, { knowsTender: () => true })).toEqual([
      'shortened_tender: payments[0].tenderType: has more than 100 characters; reports show the first 100',
    ]);
    const payments = Array.from({ length: 21 }, (_, i) => ({ tenderType: `t${i}`, amount: 10 / 20 }));
    expect(warnings({ payments: payments.slice(1) }, { knowsTender: () => true })).toEqual([]);
    expect(warnings({ payments, totalAmount: undefined }, { knowsTender: () => true })).toEqual([
      'shortened_tender: payments: have more than 20 tender types; reports sum all but the largest 20 as one',
    ]);
  });

  test.each(['31/01/2026', '', 20260131])('a transactionDate of %p', (transactionDate) => {
    expect(warnings({ transactionDate })).toEqual([
      'unreadable_date: transactionDate: cannot be read; stored as null, and the order carries the time of receipt',
    ]);
  });

  test('an identifier that is stored as null (W13)', () => {
    const items = [2 ** 53 + 2, { no: 'text' }].map((itemCode) => ({ ...SALE.items[0], itemCode }));
    const payments = [{ tenderType: CASH, amount: 20 }];
    expect(warnings({ items, transactionNumber: 2 ** 53 + 2, payments, totalAmount: 20 })).toEqual([
      'lost_identifier: transactionNumber: a number beyond 2^53 has lost digits; stored as null, send it as text',
      'lost_identifier: items[0].itemCode: a number beyond 2^53 has lost digits; stored as null, send it as text',
      'lost_identifier: items[1].itemCode: must be text; stored as null',
    ]);
    expect(warnings({ transactionNumber: Number.MAX_SAFE_INTEGER })).toEqual([]);
  });

  test('a transactionNumber longer than its column (L20)', () => {
    const [longest, longer] = [255, 256].map((length) => warnings({ transactionNumber: '𠮷'.repeat(length) }));
    expect(longest).toEqual([]);
    expect(longer).toEqual([
      'cut_identifier: transactionNumber: is longer than 255 characters; lists and search have its first 255',
    ]);
  });

  test('beyond 50 of a kind the rest is counted; a long text is cut', () => {
    const many = warnings({ items: Array.from({ length: 500 }, () => ({ quantity: 1, price: 'x' })) });
    expect(many).toHaveLength(51);
    expect(many.at(-1)).toBe('unmappable: and 450 more like these');
    const [long] = warnings(
      { payments: [{ tenderType: 'x'.repeat(9_999), amount: 10 }] },
      { acceptsTender: () => false },
    );
    expect(long).toHaveLength('unmappable: '.length + 300);
  });

  test('a card number is named by its field, without the number (W38)', () => {
    expect(warnings({ customer: { note: 'paid by 4111 1111 1111 1111' } })).toEqual([
      'masked_card: customer.note: looked like a card number; its first six and last four digits are stored',
    ]);
    expect(
      JSON.stringify(parseSale({ ...SALE, note: '4111111111111111' }, RULES), (_, value) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    ).not.toContain('4111111111111111');
  });

  test('a number beyond 2^53 is named, wherever it is (W13)', () => {
    expect(warnings({ nsu: 2 ** 66, terminal: { ids: [1, -(2 ** 60)] }, ratio: 0.5, at: 1763928000000 })).toEqual([
      'lost_identifier: nsu: a number beyond 2^53 has lost digits; send it as text',
      'lost_identifier: terminal.ids[1]: a number beyond 2^53 has lost digits; send it as text',
    ]);
  });

  test('a key that looks like a card number is named, and not masked (W39)', () => {
    for (const field of ['transactionKey', 'transactionNumber'])
      expect(warnings({ [field]: '4111111111111111' })).toEqual([
        `card_in_key: ${field}: looks like a card number, and is stored and sent to the POS as it is; number the sales in another way`,
      ]);
    expect(warnings({ transactionKey: 'T-1795616608278-24677-1' })).toEqual([]);
  });

  test('every kind has its example above, except those of the restaurant and of its other sales', () => {
    const all = warnings({
      transactionKey: '4111111111111111',
      transactionNumber: 'x'.repeat(256),
      transactionDate: 'x',
      totalAmount: 1,
      note: '4111111111111111',
      notes: 7,
      items: [
        { quantity: 0, price: 1, notes: 'x'.repeat(256) },
        { itemCode: { no: 'text' }, quantity: 1, price: 'x' },
      ],
      payments: [
        { tenderType: 9, amount: 2 },
        { tenderType: 1, amount: 'x' },
        { tenderType: 'y'.repeat(101), amount: 'y' },
      ],
    });
    const items = [{ code: 'X', name: '', quantity: 1, unitPrice: 1, options: undefined, notes: undefined }];
    const kinds = new Set(all.map((line) => line.split(':')[0]));
    expect([
      ...kinds,
      NO_CODE_STORE_POS.kind,
      otherCurrency('USD').kind,
      REUSED_TEST_KEY.kind,
      FOREIGN_STORE.kind,
      DEFAULT_ITEM.kind,
      notInCatalogue(items, NO_CODES, digestsOf([]))[0]?.kind,
    ]).toEqual([...WARNING_KINDS]);
  });
});

describe('the warnings of a restaurant (A25, A32)', () => {
  const COMPLETE = {
    codeStoreTerminal: 'T',
    codeStorePos: '1',
    posIdPartner: null,
    hasPosSecret: false,
    timezone: 'Etc/UTC',
    openDelivery: false,
    currency: null,
  };

  test.each([
    ['both codes, credentials of the deployment', {}],
    ['both codes, credentials of its own', { posIdPartner: 'p', hasPosSecret: true }],
    ['a POS that pulls needs a currency alone', { openDelivery: true, currency: 'BRL', codeStorePos: null }],
  ])('nothing: %s', (_, changes) => {
    expect(restaurantWarnings({ ...COMPLETE, ...changes })).toEqual([]);
  });

  test.each([
    [{ codeStoreTerminal: null }, 'codeStoreTerminal is not set'],
    [{ codeStorePos: null }, 'codeStorePos is not set'],
    [{ timezone: 'UTC' }, 'timezone is UTC, the default'],
    [{ posIdPartner: 'p' }, 'posIdPartner is set without posSecret'],
    [{ hasPosSecret: true }, 'posSecret is set without posIdPartner'],
    [{ openDelivery: true }, 'currency is not set'],
  ])('%j', (changes, text) => {
    const [warning, ...rest] = restaurantWarnings({ ...COMPLETE, ...changes });
    expect(warning?.split(':')[0]).toBe(text);
    expect(rest).toEqual([]);
  });
});
