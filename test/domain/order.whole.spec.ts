import { readFileSync } from 'node:fs';
import { parseSale, type Sale } from '../../src/domain/sale.js';
import type { JsonObject } from '../../src/domain/transaction.js';
import { CARD, CASH, compute, computed, item, paid, payload, RULES, sale } from './builders.js';

const option = (price: unknown, quantity?: unknown, parts: JsonObject = {}): JsonObject => ({
  ...{ itemCode: 'O1', itemName: 'Cheese', price },
  ...(quantity !== undefined && { quantity }),
  ...parts,
});
const dish = (options: unknown, price: unknown = 10, quantity: unknown = 1) => item(price, quantity, { options });
const texts = ({ warnings }: Pick<Sale, 'warnings'>) => warnings.map(({ kind, text }) => `${kind}: ${text}`);

describe('the options of an item (M17)', () => {
  test('are in the order with code, name, quantity for one unit of the item, and price', () => {
    const order = compute({ items: [dish([option(2.5, 2), option(1, 1, { itemCode: 'O2', itemName: 'Ham' })])] });
    expect(order.items[0]?.options).toEqual([
      { code: 'O1', name: 'Cheese', quantity: 2, unitPrice: 2.5 },
      { code: 'O2', name: 'Ham', quantity: 1, unitPrice: 1 },
    ]);
  });

  test('without quantity it is one, without price it is free', () => {
    const order = compute({
      items: [dish([{ itemCode: 'O1' }, { itemName: 'No onion', quantity: null, price: null }])],
    });
    expect(order.items[0]?.options).toEqual([
      { code: 'O1', name: '', quantity: 1, unitPrice: 0 },
      { code: '', name: 'No onion', quantity: 1, unitPrice: 0 },
    ]);
    expect(order).toMatchObject({ discount: 0n, surcharge: 0n });
  });

  test.each([[undefined], [null], [[]]])('%p: the item has none', (options) => {
    expect(compute({ items: [dish(options)] })).toEqual(compute());
    expect(texts(sale({ items: [dish(options)] }))).toEqual([]);
  });

  test('of 50 all are in the order; of 51 the first 50, with a warning (L220)', () => {
    const options = Array.from({ length: 51 }, (_, n) => option(1, 1, { itemCode: `O${n}` }));
    expect(compute({ items: [dish(options.slice(0, 50))], payments: [paid(60)] })).toMatchObject({ surcharge: 0n });
    expect(texts(sale({ totalAmount: 60, items: [dish(options.slice(0, 50))], payments: [paid(60)] }))).toEqual([]);
    const cut = compute({ items: [dish(options)], payments: [paid(61)] });
    expect(cut.items[0]?.options?.map(({ code }) => code)).toEqual(
      options.slice(0, 50).map(({ itemCode }) => itemCode),
    );
    expect(cut).toMatchObject({ discount: 0n, surcharge: 100n });
    expect(texts(sale({ totalAmount: 61, items: [dish(options)], payments: [paid(61)] }))).toEqual([
      'changed_field: items[0].options: are more than 50; the order has the first ones',
    ]);
  });

  test('of a sale at most 2,000 are in the order (L220)', () => {
    const options = Array.from({ length: 50 }, () => option(1));
    const order = compute({ items: Array.from({ length: 41 }, () => dish(options)) });
    expect(order.items.map(({ options: { length } = [] }) => length)).toEqual([...Array(40).fill(50), 0]);
    expect(texts(sale({ totalAmount: 10, items: Array.from({ length: 41 }, () => dish(options)) }))).toEqual([
      'changed_field: items[40].options: the sale has more than 2000 options; the order has the first ones',
    ]);
  });

  test('options of options become options of the item, with a warning; quantities are multiplied', () => {
    const deep = option(1, 2, {
      options: [option(0.5, 3, { itemCode: 'O2', options: [{ itemCode: 'O3', quantity: 0.1 }] })],
    });
    const order = compute({ items: [dish([deep, option(2)])], payments: [paid(17)] });
    expect(order.items[0]?.options?.map(({ code, quantity }) => [code, quantity])).toEqual([
      ['O1', 2],
      ['O2', 6],
      ['O3', 0.6],
      ['O1', 1],
    ]);
    expect(order).toMatchObject({ discount: 0n, surcharge: 0n });
    expect(texts(sale({ totalAmount: 17, items: [dish([deep])], payments: [paid(17)] }))).toEqual([
      'changed_field: items[0].options: have options of their own; the order has them as options of the item',
    ]);
  });
});

describe('a new field of the wrong type or beyond its limit (W52)', () => {
  test.each<[string, JsonObject, string]>([
    [
      'options that are no list',
      { items: [dish('cheese')] },
      'items[0].options: must be a list of objects; the order has none of them',
    ],
    [
      'an option that is no object',
      { items: [dish(['cheese'])] },
      'items[0].options[0]: must be an object; it is left out',
    ],
    [
      'an empty option',
      { items: [dish([{ quantity: 2 }])] },
      'items[0].options[0]: has neither itemCode nor itemName nor price; it is left out',
    ],
    [
      'a price as text',
      { items: [dish([option('1')])] },
      'items[0].options[0].price: must be a number between -10000000000 and 10000000000; the order has 0',
    ],
    [
      'a quantity as text',
      { items: [dish([option(0, '2')])] },
      'items[0].options[0].quantity: must be a number between -10000000000 and 10000000000; the order has 1',
    ],
    [
      'a price beyond the limit',
      { items: [dish([option(1e10)])] },
      'items[0].options[0].price: must be a number between -10000000000 and 10000000000; the order has 0',
    ],
    [
      'an amount beyond the limit',
      { items: [dish([option(1e6, 1e4)])] },
      'items[0].options[0]: price x quantity must be below 10000000000; it is left out',
    ],
    [
      'notes of an item that are no text',
      { items: [item(10, 1, { notes: ['x'] })] },
      'items[0].notes: must be text; the order has none',
    ],
    ['notes that are no text', { notes: 7 }, 'notes: must be text; the order has none'],
    ['a tip as text', { tipAmount: '1' }, 'tipAmount: must be a number from 0 to below 10000000000; it is left out'],
    ['a tip below zero', { tipAmount: -1 }, 'tipAmount: must be a number from 0 to below 10000000000; it is left out'],
    [
      'a fee beyond the limit',
      { serviceFeeAmount: 1e10 },
      'serviceFeeAmount: must be a number from 0 to below 10000000000; it is left out',
    ],
    [
      'a long authorisation',
      { payments: [{ ...paid(10), authorizationCode: 'x'.repeat(41) }] },
      'payments[0].authorizationCode: must be text of at most 40 characters; it is left out',
    ],
    [
      'a brand with a line feed',
      { payments: [{ ...paid(10), brand: 'a\nb' }] },
      'payments[0].brand: must be text of at most 40 characters; it is left out',
    ],
    [
      'a terminal that is no text',
      { payments: [{ ...paid(10), terminalId: {} }] },
      'payments[0].terminalId: must be text of at most 40 characters; it is left out',
    ],
    [
      'a document of 13 digits',
      { payments: [{ ...paid(10), acquirerDocument: '1234567890123' }] },
      'payments[0].acquirerDocument: must be 14 digits; it is left out',
    ],
    [
      '100 instalments',
      { payments: [{ ...paid(10), installments: 100 }] },
      'payments[0].installments: must be a whole number from 1 to 99; it is left out',
    ],
    [
      'half an instalment',
      { payments: [{ ...paid(10), installments: 1.5 }] },
      'payments[0].installments: must be a whole number from 1 to 99; it is left out',
    ],
  ])(
    '%s: the sale is as without it, with a warning that names the field; it stays in the payload',
    (_, parts, text) => {
      const read = parseSale(payload(parts), RULES) as Sale;
      expect(texts(read)).toEqual([`ignored_field: ${text}`]);
      expect(read.payload).toEqual(payload(parts));
      expect('unmappable' in read.order).toBe(false);
      const { total, discount, surcharge, tip, serviceFee, notes } = compute(parts);
      expect({ total, discount, surcharge, tip, serviceFee, notes }).toEqual({
        ...{ total: 1000n, discount: 0n, surcharge: 0n, tip: 0n, serviceFee: 0n, notes: undefined },
      });
    },
  );
});

describe('the line total with options (M18)', () => {
  test.each<[string, JsonObject[], number]>([
    ['quantity x (price + options)', [dish([option(2.5, 2), option(1)], 10, 3)], 48],
    ['rounded once: three thirds of a cent are a cent', [dish([option(0.0033), option(0.0033)], 0.0034)], 0.01],
    ['half a cent away from zero', [dish([option(0.002)], 0.003)], 0.01],
    ['of a return too', [dish([option(0.002)], 0.003, -1), item(1)], 0.99],
    ['by weight', [dish([option(1.5, 0.5)], 49.9, 0.355)], 17.98],
    ['an option below zero', [dish([option(-2)])], 8],
    ['no price', [dish([option(0)], 0)], 0.0],
  ])('%s', (_, items, amount) => {
    const parts = amount === 0 ? { totalAmount: 0, payments: [] } : { payments: [paid(amount)] };
    expect(compute({ items, ...parts })).toMatchObject({ discount: 0n, surcharge: 0n });
  });

  test('beyond the limit the item cannot be mapped (M10)', () => {
    const items = [dish([option(9e9), option(9e9)])];
    expect(computed({ items })).toEqual({
      unmappable: 'items[0]: price x quantity with options must be below 10000000000',
    });
  });
});

describe('odd lines with options (M23)', () => {
  test('sent as it is, an odd line has its options; folded, it takes them with it', () => {
    const items = [item(20), dish([option(2)], 10, -1)];
    expect(compute({ items, payments: [paid(8)] })).toMatchObject({
      ...{ discount: 0n, surcharge: 0n },
      items: [{}, { quantity: -1, options: [{ unitPrice: 2 }] }],
    });
    const folded = compute({ items, payments: [paid(8)] }, { foldsOddLines: true });
    expect(folded).toMatchObject({ discount: 1200n, surcharge: 0n });
    expect(folded.items).toHaveLength(1);
  });

  test('an odd option of another line is sent as it is, or folded alone', () => {
    const items = [dish([option(2), option(-3, 1, { itemCode: 'WITHOUT' }), option(5, 0)])];
    const parts = { totalAmount: 9, items, payments: [paid(9)] };
    expect(compute(parts)).toMatchObject({ discount: 0n, surcharge: 0n, items: [{ options: [{}, {}, {}] }] });
    const folded = compute(parts, { foldsOddLines: true });
    expect(folded).toMatchObject({ discount: 300n, surcharge: 0n });
    expect(folded.items[0]?.options).toEqual([{ code: 'O1', name: 'Cheese', quantity: 1, unitPrice: 2 }]);
    expect(texts(sale(parts, { foldsOddLines: true }))).toEqual([
      'odd_line: items[0].options[1].price: is negative; the line is left out and counts in total_discount or total_increase',
      'odd_line: items[0].options[2].quantity: is zero; the line is left out',
    ]);
  });
});

describe('tip and service fee: items + tip + fee + other - discount = total (M20)', () => {
  test.each<[string, JsonObject, object]>([
    ['a tip', { tipAmount: 2, payments: [paid(12)] }, { tip: 200n, serviceFee: 0n, surcharge: 200n, discount: 0n }],
    [
      'a fee',
      { serviceFeeAmount: 1, payments: [paid(11)] },
      { tip: 0n, serviceFee: 100n, surcharge: 100n, discount: 0n },
    ],
    [
      'both, and something else',
      { tipAmount: 2, serviceFeeAmount: 1, payments: [paid(15)] },
      { tip: 200n, serviceFee: 100n, surcharge: 500n, discount: 0n },
    ],
    [
      'what is missing is the discount',
      { tipAmount: 2, payments: [paid(11)] },
      { tip: 200n, surcharge: 200n, discount: 100n },
    ],
    [
      'a tip above what was paid',
      { tipAmount: 50, payments: [paid(20)] },
      { tip: 5000n, surcharge: 5000n, discount: 4000n, total: 2000n },
    ],
    ['half a cent', { tipAmount: 0.005, payments: [paid(10.01)] }, { tip: 1n, surcharge: 1n, discount: 0n }],
    ['no tip', { tipAmount: 0 }, { tip: 0n, surcharge: 0n, discount: 0n }],
    [
      'of a free order',
      { tipAmount: 5, totalAmount: 0, payments: [] },
      { tip: 500n, surcharge: 500n, discount: 1500n, total: 0n },
    ],
  ])('%s', (_, parts, expected) => {
    expect(compute(parts)).toMatchObject(expected);
  });

  test('above what was paid there is a warning', () => {
    expect(texts(sale({ totalAmount: 20, tipAmount: 50, serviceFeeAmount: 1, payments: [paid(20)] }))).toEqual([
      'amount_mismatch: tipAmount, serviceFeeAmount: are 31.00 more than what was paid, 20.00; the difference is a discount',
    ]);
  });

  test('are known of every sale: null where the terminal sent none, of a refund below zero', () => {
    const parts = ({ tipCents, serviceFeeCents }: Sale) => [tipCents, serviceFeeCents];
    expect(parts(sale())).toEqual([null, null]);
    expect(parts(sale({ tipAmount: 0, serviceFeeAmount: 1.5 }))).toEqual([0n, 150n]);
    expect(parts(sale({ tipAmount: 1, items: [] }))).toEqual([100n, null]);
    expect(parts(sale({ tipAmount: 1, payments: [paid(1e11)] }))).toEqual([null, null]);
    for (const tipAmount of [2, -2]) {
      const refund = sale({ totalAmount: -12, tipAmount, payments: [], items: [dish([option(1)], 10, -1)] });
      expect(parts(refund)).toEqual([-200n, null]);
      expect(refund).toMatchObject({ mismatchCents: -1200n, order: { refund: true, recorded: true } });
      expect(texts(refund).filter((text) => !/^(unmappable|odd_line)/.test(text))).toEqual([]);
    }
  });
});

describe('notes (M21, L221)', () => {
  const CUT = 'changed_field: notes: has more than 255 characters; the order has the first 255';
  test.each<[string, string, string | undefined, string[]]>([
    ['are text', 'no onion', 'no onion', []],
    ['line feeds and tabs become blanks', ' no\r\nonion,\tno\u2028salt\n', 'no onion, no salt', []],
    ['control characters are removed', 'no\u001b[31m onion\u0007\u0085', 'no[31m onion', []],
    ['so are those that turn the direction of the text', 'no \u202eonion\u2066', 'no onion', []],
    ['emoji stay, joined ones too', 'no 🧅, 👩‍👩‍👧 ❤️', 'no 🧅, 👩‍👩‍👧 ❤️', []],
    ['255 characters', '🧅'.repeat(255), '🧅'.repeat(255), []],
    ['a character is never cut in half', '🧅'.repeat(256), '🧅'.repeat(255), [CUT]],
    ['nothing', ' \n', undefined, []],
    ['empty', '', undefined, []],
  ])('%s', (_, notes, expected, warnings) => {
    expect(compute({ notes }).notes).toBe(expected);
    expect(compute({ items: [item(10, 1, { notes })] }).items[0]?.notes).toBe(expected);
    expect(texts(sale({ notes }))).toEqual(warnings);
  });
});

describe('the evidence of a payment (M22, L222)', () => {
  test('is in the order with its payment', () => {
    const evidence = {
      ...{ authorizationCode: '004213', acquirerDocument: '01027058000191', brand: 'VISA', installments: 3 },
      terminalId: 'PX-77',
    };
    const payments = [
      { ...paid(4, CARD), ...evidence },
      paid(5),
      { ...paid(1, CASH), terminalId: 77, brand: '', installments: null },
    ];
    expect(compute({ payments }).payments).toEqual([
      { tenderType: CARD, amount: 400n, evidence },
      { tenderType: CASH, amount: 500n },
      { tenderType: CASH, amount: 100n, evidence: { terminalId: '77' } },
    ]);
  });

  test('a card number in it, or in notes, is masked (W38), although their names have a word of another number (W39)', () => {
    const card = '4111111111111111';
    const evidence = { authorizationCode: card, terminalId: `T ${card}`, brand: card };
    const body = payload({
      notes: `card ${card}`,
      items: [item(10, 1, { notes: card })],
      payments: [{ ...paid(10), ...evidence }],
    });
    const read = parseSale(body, RULES) as Sale;
    expect(read.order).toMatchObject({
      notes: 'card 411111******1111',
      items: [{ notes: '411111******1111' }],
      payments: [
        {
          evidence: {
            authorizationCode: '411111******1111',
            terminalId: 'T 411111******1111',
            brand: '411111******1111',
          },
        },
      ],
    });
    expect(JSON.stringify(read.payload)).not.toContain(card);
    expect(texts(read).filter((text) => text.startsWith('masked_card'))).toHaveLength(5);
  });

  test('a sale that an older version stored is masked when it is read', () => {
    const payments = [{ ...paid(10), authorizationCode: '4111111111111111' }];
    expect(compute({ payments }).payments[0]?.evidence).toEqual({ authorizationCode: '411111******1111' });
  });
});

test('the example of docs/terminals.md adds up, without a warning (M18, M20)', () => {
  const document = readFileSync(new URL('../../docs/terminals.md', import.meta.url), 'utf8');
  const [, example = ''] = /## The whole sale[\s\S]*?```json\n([\s\S]*?)```/.exec(document) ?? [];
  const read = parseSale(JSON.parse(example), RULES) as Sale;
  expect(texts(read)).toEqual([]);
  expect(read.order).toMatchObject({ total: 10128n, discount: 0n, surcharge: 1298n, tip: 500n, serviceFee: 798n });
});
