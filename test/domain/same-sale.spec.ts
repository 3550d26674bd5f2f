import { differencesFrom } from '../../src/domain/same-sale.js';

type Changes = Readonly<Record<string, unknown>>;

const PIZZA = { itemCode: 'PZ-01', itemName: 'Pizza', quantity: 2, price: 39.9 };
const COFFEE = { itemCode: 'CF-01', itemName: 'Espresso', quantity: 1, price: 4.5 };
const HAM = { itemCode: 'HAM', itemName: 'Ham', quantity: 2, price: 1.5 };
const OLIVES = { itemCode: 'OLV', itemName: 'Olives' };
const CARD = { tenderType: 16, amount: 50 };
const CASH = { tenderType: 1, amount: 34.3 };
const SALE = { transactionKey: 'K', totalAmount: 84.3, items: [PIZZA, COFFEE], payments: [CARD, CASH] };

const differs = (changes: Changes, first: Changes = SALE) => differencesFrom({ ...first }, { ...SALE, ...changes });

describe('a sale whose key exists, compared with the stored one (W45)', () => {
  test.each<[string, Changes, Changes?]>([
    ['the same', {}],
    [
      'another time of sending, number and unknown fields',
      { transactionDate: '2026-02-01', transactionNumber: '9', retry: 2 },
    ],
    ['another store code', { storeCode: 'ELSEWHERE' }],
    ['another order of the lists', { items: [COFFEE, PIZZA], payments: [CASH, CARD] }],
    [
      'another order of fields',
      { items: [{ price: 39.9, quantity: 2, itemName: 'Pizza', itemCode: 'PZ-01' }, COFFEE] },
    ],
    [
      'unknown fields of items and payments',
      { items: [{ ...PIZZA, line: 1 }, COFFEE], payments: [{ ...CARD, nsu: 7 }, CASH] },
    ],
    [
      'options in another order, with their defaults, and an empty list of them',
      {
        items: [
          { ...PIZZA, options: [HAM, { ...OLIVES, quantity: 1, price: 0 }] },
          { ...COFFEE, options: [] },
        ],
      },
      { ...SALE, items: [{ ...PIZZA, options: [OLIVES, HAM] }, COFFEE] },
    ],
    ['notes, tip and evidence', { notes: 'x', tipAmount: 1, payments: [{ ...CARD, brand: 'VISA' }, CASH] }],
    ['no total, where lines and payments agree', { totalAmount: undefined }],
    ['less than half a cent more', { totalAmount: 84.3000001, payments: [{ ...CARD, amount: 50.001 }, CASH] }],
    ['a tender as text', { payments: [{ tenderType: '16', amount: 50 }, CASH] }],
  ])('a repeat: %s', (_, changes, first = SALE) => {
    expect(differs(changes, first)).toEqual([]);
  });

  test.each<[string, Changes, string[]]>([
    ['the total', { totalAmount: 84.31 }, ['totalAmount']],
    ['the total as a text', { totalAmount: '84.30' }, ['totalAmount']],
    ['a quantity', { items: [{ ...PIZZA, quantity: 3 }, COFFEE] }, ['items']],
    ['a price', { items: [{ ...PIZZA, price: 39.901 }, COFFEE] }, ['items']],
    ['a code', { items: [{ ...PIZZA, itemCode: 'PZ-02' }, COFFEE] }, ['items']],
    ['a name', { items: [{ ...PIZZA, itemName: 'Calzone' }, COFFEE] }, ['items']],
    ['an option', { items: [{ ...PIZZA, options: [HAM] }, COFFEE] }, ['items']],
    ['one item less', { items: [PIZZA] }, ['items']],
    ['the same item twice', { items: [PIZZA, COFFEE, COFFEE] }, ['items']],
    ['no items', { items: undefined }, ['items']],
    ['an amount', { payments: [{ ...CARD, amount: 50.01 }, CASH] }, ['payments']],
    ['a tender', { payments: [{ ...CARD, tenderType: 28 }, CASH] }, ['payments']],
    ['one payment of the same sum', { payments: [{ ...CARD, amount: 84.3 }] }, ['payments']],
    ['all of it', { totalAmount: 1, items: [], payments: [] }, ['totalAmount', 'items', 'payments']],
  ])('another sale: %s', (_, changes, expected) => {
    expect(differs(changes)).toEqual(expected);
  });

  test('amounts that cannot be read count by their text; one beyond the range of numbers is stored as null', () => {
    const text = { ...SALE, payments: [{ ...CARD, amount: '50,00' }] };
    expect(differs({ payments: text.payments }, text)).toEqual([]);
    expect(differs({ payments: [{ ...CARD, amount: '51,00' }] }, text)).toEqual(['payments']);
    const stored = { ...SALE, totalAmount: null, items: [{ ...PIZZA, quantity: null }, COFFEE] };
    expect(
      differs(
        { totalAmount: Number.POSITIVE_INFINITY, items: [{ ...PIZZA, quantity: Number.POSITIVE_INFINITY }, COFFEE] },
        stored,
      ),
    ).toEqual([]);
    expect(differs({ totalAmount: 1e300 }, { ...SALE, totalAmount: 1e300 })).toEqual([]);
  });

  test('a card number that a version before did not mask makes no difference', () => {
    const item = { ...PIZZA, itemName: 'paid by 4111111111111111' };
    const masked = { ...PIZZA, itemName: 'paid by 411111******1111' };
    expect(differs({ items: [masked] }, { ...SALE, items: [item] })).toEqual([]);
  });
});
