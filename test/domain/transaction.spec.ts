import { amountMismatch, paidOf } from '../../src/domain/paid.js';
import {
  isAmount,
  isTestMode,
  isTestStore,
  isValidPayment,
  parseTransaction,
  readTransaction,
  storedKey,
  type Transaction,
} from '../../src/domain/transaction.js';
import { paid, transaction } from './builders.js';

/** What is stored of a body with these fields, beside its key. */
function storablePayload({ transactionKey = 'k', ...fields }: Record<string, unknown>): Record<string, unknown> {
  const parsed = parseTransaction({ transactionKey, ...fields });
  if ('problems' in parsed) throw new Error(parsed.problems.join());
  return parsed.payload;
}

const read = (fields: Record<string, unknown>) => readTransaction({ transactionKey: 'sale-1', ...fields });

describe('reading a transaction', () => {
  test('every field of the terminal event is read (W27)', () => {
    const body = {
      transactionKey: 'sale-1',
      transactionNumber: '42',
      isTestTransaction: true,
      storeCode: 'T-1',
      restaurantId: '3F0E8A52-7C6B-4D8E-9A5D-1B2C3D4E5F60',
      transactionDate: '2026-03-01T12:30:00-03:00',
      totalAmount: 17.71,
      items: [{ itemCode: 'M1', itemName: 'Meat', quantity: 0.355, price: 49.9, unit: 'kg' }],
      payments: [{ tenderType: 16, amount: 17.71, brand: 'x' }],
    };
    expect(readTransaction(body)).toEqual({
      ...body,
      restaurantId: '3f0e8a52-7c6b-4d8e-9a5d-1b2c3d4e5f60',
      transactionDate: new Date('2026-03-01T15:30:00.000Z'),
      items: [{ itemCode: 'M1', itemName: 'Meat', quantity: 0.355, price: 49.9 }],
      payments: [{ tenderType: 16, amount: 17.71 }],
    });
  });

  test('what is absent is null, empty or false', () => {
    expect(read({})).toEqual({
      transactionKey: 'sale-1',
      transactionNumber: null,
      isTestTransaction: false,
      storeCode: null,
      restaurantId: null,
      transactionDate: null,
      totalAmount: undefined,
      items: [],
      payments: [],
    });
  });

  test('W13: identifiers sent as numbers beyond 2^53 have lost digits: they are read as null', () => {
    const { transaction } = parseTransaction({
      transactionKey: 'K',
      transactionNumber: 2 ** 53,
      items: [{ itemCode: -(2 ** 60) }, { itemCode: Number.MAX_SAFE_INTEGER }],
    }) as { transaction: Transaction };
    expect(transaction.transactionNumber).toBeNull();
    expect(transaction.items.map(({ itemCode }) => itemCode)).toEqual([null, '9007199254740991']);
  });

  test('W9: a restaurantId that is no UUID is kept, to name nothing; empty or null is none', () => {
    const read = (restaurantId: unknown) =>
      (parseTransaction({ transactionKey: 'K', restaurantId }) as { transaction: Transaction }).transaction
        .restaurantId;
    expect(['My-Place', 5, {}, true].map(read)).toEqual(['my-place', '5', '{}', 'true']);
    expect(['', null, undefined].map(read)).toEqual([null, null, null]);
  });

  test('identifiers sent as numbers are read as strings', () => {
    const { storeCode, transactionNumber, items } = read({
      storeCode: 12,
      transactionNumber: 0,
      items: [{ itemCode: 7 }],
    });
    expect([storeCode, transactionNumber, items[0]?.itemCode]).toEqual(['12', '0', '7']);
  });

  test('an empty identifier is none', () => {
    expect(read({ storeCode: '' }).storeCode).toBeNull();
  });

  test('null items and payments are read as none', () => {
    expect(read({ items: null, payments: null })).toMatchObject({ items: [], payments: [] });
  });

  test('amounts are kept as they were sent, for the mapper to judge', () => {
    const { totalAmount, items, payments } = read({
      totalAmount: '9',
      items: [{ price: '1', quantity: null }],
      payments: [{ amount: -3 }],
    });
    expect([totalAmount, items[0]?.price, items[0]?.quantity, payments[0]?.amount]).toEqual(['9', '1', null, -3]);
  });

  test('an item name is read as it would be stored', () => {
    expect(read({ items: [{ itemName: 'caf\0e\ud800' }] }).items[0]?.itemName).toBe('caf\ufffde\ufffd');
  });
});

describe('transactionDate (W15)', () => {
  test.each<[string, unknown, string]>([
    ['with a zone', '2026-03-01T12:30:00+02:00', '2026-03-01T10:30:00.000Z'],
    ['in UTC', '2026-03-01T12:30:00Z', '2026-03-01T12:30:00.000Z'],
    ['a date alone is midnight UTC', '2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['in epoch milliseconds', 1_772_368_200_000, '2026-03-01T12:30:00.000Z'],
    ['with microseconds', '2026-03-01T12:30:00.123456', '2026-03-01T12:30:00.123Z'],
    ['the first that is read', '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['the last that is read', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s', (_, sent, iso) => {
    expect(read({ transactionDate: sent }).transactionDate?.toISOString()).toBe(iso);
  });

  describe('without a zone is read as UTC, whatever the zone of the instance', () => {
    // Jest hands tests a copy of the environment, so that setting TZ in it would move nothing
    const inUtc = Date;
    class DateInSaoPaulo extends Date {
      constructor(value: string | number) {
        const local = typeof value === 'string' && value.includes(':') && !/(Z|[+-]\d{2}:\d{2})$/.test(value);
        super(local ? `${value}-03:00` : value);
      }
    }
    beforeAll(() => {
      globalThis.Date = DateInSaoPaulo as DateConstructor;
    });
    afterAll(() => {
      globalThis.Date = inUtc;
    });

    test('(in these tests, local time is three hours behind UTC)', () => {
      expect(new Date('2026-03-01T12:30:00').toISOString()).toBe('2026-03-01T15:30:00.000Z');
    });

    test.each(['2026-03-01T12:30', '2026-03-01T12:30:00', '2026-03-01T12:30:00.000', '2026-03-01 12:30:00'])(
      '%s',
      (sent) => {
        expect(read({ transactionDate: sent }).transactionDate?.toISOString()).toBe('2026-03-01T12:30:00.000Z');
      },
    );
  });

  test.each<[string, unknown]>([
    ['words', 'yesterday'],
    ['empty', ''],
    ['an impossible month', '2026-13-01T00:00:00Z'],
    ['NaN', Number.NaN],
    ['beyond what a date holds', 1e18],
    ['a year of five digits', '+010000-01-01T00:00:00Z'],
    ['before 1970', '1969-12-31T23:59:59Z'],
    ['null', null],
    ['an object', {}],
    ['an array', ['2026-03-01']],
    ['a boolean', true],
  ])('that is unreadable is null: %s', (_, sent) => {
    expect(read({ transactionDate: sent }).transactionDate).toBeNull();
  });
});

describe('the payload that is stored', () => {
  test('carries neither email nor password', () => {
    expect(storablePayload({ transactionKey: 'k', email: 'a@b.c', password: 'p' })).toEqual({ transactionKey: 'k' });
  });

  test('keeps unknown fields', () => {
    const body = { transactionKey: 'k', loyalty: { points: [1, 2.5, null, true], note: '' } };
    expect(storablePayload(body)).toEqual(body);
  });

  test('has U+FFFD for NUL and unpaired surrogates, in keys and values, at any depth', () => {
    expect(
      storablePayload({
        transactionKey: 'k',
        'no\0te': 'a\0b\0',
        high: '\ud83d!',
        low: '!\ude00',
        list: ['\0', { 'deep\ud800': [[{ x: 'y\udc00' }]] }],
      }),
    ).toEqual({
      transactionKey: 'k',
      'no\ufffdte': 'a\ufffdb\ufffd',
      high: '\ufffd!',
      low: '!\ufffd',
      list: ['\ufffd', { 'deep\ufffd': [[{ x: 'y\ufffd' }]] }],
    });
  });

  test('keeps a pair of surrogates: an emoji is a character', () => {
    expect(storablePayload({ note: '😀' })).toMatchObject({ note: '😀' });
  });

  test('keeps a field named __proto__ as data', () => {
    const stored = storablePayload(JSON.parse('{"a":{"__proto__":{"polluted":true}}}'));
    expect(JSON.stringify(stored)).toBe('{"transactionKey":"k","a":{"__proto__":{"polluted":true}}}');
    expect((stored.a as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('is a copy: the body that came in is left alone', () => {
    const body = { transactionKey: 'k', email: 'a@b.c', items: [{ itemName: 'a\0' }] };
    parseTransaction(body);
    expect(body).toEqual({ transactionKey: 'k', email: 'a@b.c', items: [{ itemName: 'a\0' }] });
  });
});

describe('test mode', () => {
  test.each([
    { title: 'a test transaction', test: true, storeCode: 'T-1', testStore: 'TEST', mode: true, store: false },
    { title: 'a sale from the test store', test: false, storeCode: 'TEST', testStore: 'TEST', mode: true, store: true },
    { title: 'both', test: true, storeCode: 'TEST', testStore: 'TEST', mode: true, store: true },
    { title: 'neither', test: false, storeCode: 'T-1', testStore: 'TEST', mode: false, store: false },
    {
      title: 'no test store configured',
      test: false,
      storeCode: 'T-1',
      testStore: undefined,
      mode: false,
      store: false,
    },
    {
      title: 'no store code, no test store',
      test: false,
      storeCode: null,
      testStore: undefined,
      mode: false,
      store: false,
    },
    {
      title: 'a test without a test store',
      test: true,
      storeCode: null,
      testStore: undefined,
      mode: true,
      store: false,
    },
    { title: 'another spelling', test: false, storeCode: 'test', testStore: 'TEST', mode: false, store: false },
  ])('$title: $mode', ({ test: isTestTransaction, storeCode, testStore, mode, store }) => {
    const sale = transaction({ isTestTransaction, storeCode });
    expect(isTestMode(sale, testStore)).toBe(mode);
    expect(isTestStore(sale, testStore)).toBe(store);
  });

  test('a production event is stored under its own key', () => {
    expect(storedKey(transaction(), false, 1_772_368_200_000)).toBe('sale-1');
  });

  test('a test event is stored under its key, a hyphen and the receipt time in epoch milliseconds', () => {
    expect(storedKey(transaction(), true, 1_772_368_200_000)).toBe('sale-1-1772368200000');
  });
});

describe('a payment is valid when it is a finite number that rounds to at least one cent (M3)', () => {
  test.each([0.005, 0.01, 1, 0.1 + 0.2, 9_999_999_999.99, 1e15])('%d is', (amount) => {
    expect(isValidPayment(paid(amount))).toBe(true);
  });

  const invalid = [
    0,
    -0,
    -1,
    0.004,
    0.00499999,
    1e-300,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '12',
    null,
    undefined,
    {},
  ];
  test.each(invalid)('%p is not', (amount) => {
    expect(isValidPayment(paid(amount))).toBe(false);
  });
});

test.each<[unknown, boolean]>([
  [0, true],
  [9_999_999_999.99, true],
  [-9_999_999_999.99, true],
  [1e10, false],
  [-1e10, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
  ['5', false],
  [null, false],
])('an amount is a finite number below 10^10: %p %p (L9)', (value, is) => {
  expect(isAmount(value)).toBe(is);
});

test('what was paid is summed under the name of its tender, whatever that is', () => {
  const names = ['16', 'toString', 'constructor', '__proto__'];
  const sums = paidOf(transaction({ payments: names.flatMap((name) => [paid(1, name), paid(0.5, name)]) }))?.byTender;
  expect(Object.entries(sums ?? {})).toEqual(names.map((name) => [name, 150n]));
});

describe('amountMismatch is the terminal’s total less what was paid, in cents (M9)', () => {
  test.each([
    { title: 'equal', totalAmount: 10, payments: [paid(10)], mismatch: null },
    { title: 'the total is higher', totalAmount: 12.5, payments: [paid(10)], mismatch: 250n },
    { title: 'the total is lower', totalAmount: 9.99, payments: [paid(10)], mismatch: -1n },
    { title: '0.1 + 0.2 paid on 0.3', totalAmount: 0.3, payments: [paid(0.1), paid(0.2)], mismatch: null },
    { title: 'the sum paid is rounded once', totalAmount: 0.01, payments: [paid(0.006), paid(0.006)], mismatch: null },
    {
      title: 'ignored payments do not count',
      totalAmount: 10,
      payments: [paid(10), paid(-5), paid('7')],
      mismatch: null,
    },
    { title: 'nothing paid on a free order', totalAmount: 0, payments: [], mismatch: null },
    { title: 'nothing paid on a sale', totalAmount: 10, payments: [], mismatch: 1000n },
    { title: 'no total to compare', totalAmount: undefined, payments: [paid(10)], mismatch: null },
    { title: 'a total in text', totalAmount: '12', payments: [paid(10)], mismatch: null },
    { title: 'a total beyond the limit', totalAmount: 1e10, payments: [paid(10)], mismatch: null },
    { title: 'a payment beyond the limit', totalAmount: 10, payments: [paid(1e10)], mismatch: null },
  ])('$title', ({ totalAmount, payments, mismatch }) => {
    const sale = transaction({ totalAmount, payments });
    expect(amountMismatch(sale, paidOf(sale))).toBe(mismatch);
  });
});
