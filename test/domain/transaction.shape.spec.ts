import { parseSale } from '../../src/domain/sale.js';
import { RULES } from './builders.js';

/** The problems of a body; empty when it is parsed. */
function shapeProblems(body: unknown): readonly string[] {
  const parsed = parseSale(body, RULES);
  return 'problems' in parsed ? parsed.problems : [];
}

const GOOD = { transactionKey: 'sale-1' };

/** A value of this many nested levels, itself included. */
function nested(levels: number): unknown {
  return levels === 0 ? 'leaf' : { inner: nested(levels - 1) };
}

describe('a 400 of the webhook names its field (L8)', () => {
  test.each([
    ['null', null],
    ['undefined', undefined],
    ['an array', [GOOD]],
    ['a string', 'sale-1'],
    ['a number', 7],
    ['a boolean', true],
  ])('the body is %s', (_, body) => {
    expect(shapeProblems(body)).toEqual(['body: must be a JSON object']);
  });

  test.each<[string, unknown, string]>([
    ['missing', undefined, 'is required'],
    ['null', null, 'is required'],
    ['a number', 12345, 'must be a string'],
    ['an object', {}, 'must be a string'],
    ['an array', ['sale-1'], 'must be a string'],
    ['a boolean', true, 'must be a string'],
    ['empty', '', 'must not be empty'],
    ['blanks only', '  \u00a0 ', 'must not be empty'],
    ['256 characters long', 'k'.repeat(256), 'must have at most 255 characters'],
    ['with NUL', 'sale\0', 'must not contain control characters'],
    ['with a newline', 'sale\n1', 'must not contain control characters'],
    ['with the last of the C0 controls', 'sale\u001f1', 'must not contain control characters'],
    ['with DEL', 'sale\u007f1', 'must not contain control characters'],
    ['with a C1 control', 'sale\u009f1', 'must not contain control characters'],
    ['with an unpaired surrogate', 'sale\ud83d', 'must not contain unpaired surrogates'],
  ])('transactionKey is %s', (_, transactionKey, problem) => {
    expect(shapeProblems({ transactionKey })).toEqual([`transactionKey: ${problem}`]);
  });

  describe.each(['items', 'payments'])('%s', (field) => {
    test.each<[string, unknown]>([
      ['an object', {}],
      ['a string', 'none'],
      ['a number', 0],
      ['a boolean', false],
      ['an array with a string', [{}, 'x']],
      ['an array with null', [{}, null]],
      ['an array with an array', [[]]],
    ])('is %s', (_, value) => {
      expect(shapeProblems({ ...GOOD, [field]: value })).toEqual([`${field}: must be an array of objects`]);
    });

    test('has 501 entries', () => {
      expect(shapeProblems({ ...GOOD, [field]: Array(501).fill({}) })).toEqual([
        `${field}: must have at most 500 entries`,
      ]);
    });
  });

  test.each<[string, unknown]>([
    ['the text "true"', 'true'],
    ['1', 1],
    ['0', 0],
    ['an empty text', ''],
    ['an object', {}],
  ])('isTestTransaction is %s', (_, isTestTransaction) => {
    expect(shapeProblems({ ...GOOD, isTestTransaction })).toEqual(['isTestTransaction: must be true or false']);
  });

  test.each([true, {}, ['T-1']])('storeCode is neither text nor a number: %j', (storeCode) => {
    expect(shapeProblems({ ...GOOD, storeCode })).toEqual(['storeCode: must be a string']);
  });

  test.each([2 ** 53, -(2 ** 53), 1e300, JSON.parse('9007199254740993')])(
    'W12: storeCode is a number beyond 2^53: %d',
    (storeCode) => {
      expect(shapeProblems({ ...GOOD, storeCode })).toEqual([
        'storeCode: a number beyond 2^53 has lost digits; send it as a string',
      ]);
    },
  );

  test('the body nests 33 levels deep', () => {
    expect(shapeProblems({ ...GOOD, extra: nested(32) })).toEqual(['body: must not nest deeper than 32 levels']);
  });

  test('arrays count as levels', () => {
    let value: unknown = [];
    for (let i = 1; i < 32; i++) value = [value];
    expect(shapeProblems({ ...GOOD, extra: value })).toEqual(['body: must not nest deeper than 32 levels']);
  });

  test('a body nested a hundred thousand levels deep is refused like any other', () => {
    let value: unknown = {};
    for (let i = 0; i < 100_000; i++) value = { value };
    expect(shapeProblems({ ...GOOD, value })).toEqual(['body: must not nest deeper than 32 levels']);
  });

  test('every problem is named', () => {
    expect(shapeProblems({ isTestTransaction: 'yes', items: {}, payments: 'cash' })).toEqual([
      'transactionKey: is required',
      'isTestTransaction: must be true or false',
      'items: must be an array of objects',
      'payments: must be an array of objects',
    ]);
  });
});

describe('a sale is accepted with', () => {
  test.each<[string, Record<string, unknown>]>([
    ['nothing but a key', {}],
    ['an amount as text', { totalAmount: '12,50' }],
    ['a negative amount', { totalAmount: -5, payments: [{ amount: -5 }] }],
    ['an amount that is an object', { totalAmount: {}, items: [{ price: [], quantity: null }] }],
    ['an amount of null', { totalAmount: null, payments: [{ tenderType: 1, amount: null }] }],
    ['a number too large for JSON', { payments: [{ amount: Number.POSITIVE_INFINITY }] }],
    ['an unreadable date', { transactionDate: 'yesterday' }],
    ['a date that is an object', { transactionDate: {} }],
    ['a restaurantId in capitals', { restaurantId: '3F0E8A52-7C6B-4D8E-9A5D-1B2C3D4E5F60' }],
    ['a restaurantId that is not a UUID (W9)', { restaurantId: 'my-place' }],
    ['a storeCode of 2^53 - 1', { storeCode: Number.MAX_SAFE_INTEGER }],
    ['identifiers beyond 2^53 other than storeCode', { transactionNumber: 2 ** 53, items: [{ itemCode: 2 ** 60 }] }],
    ['an unknown field', { loyalty: { points: 3 } }],
    ['a field named like an inherited property', { constructor: 'x', toString: 1 }],
    ['identifiers sent as numbers', { storeCode: 12, transactionNumber: 7, items: [{ itemCode: 5 }] }],
    ['items that are null', { items: null }],
    ['payments that are null', { payments: null }],
    ['an isTestTransaction that is null', { isTestTransaction: null }],
    ['identifiers that are null', { storeCode: null, transactionNumber: null, restaurantId: null }],
    ['no items and no payments', { items: [], payments: [] }],
    ['items without any field', { items: [{}], payments: [{}] }],
    ['500 items and 500 payments', { items: Array(500).fill({}), payments: Array(500).fill({}) }],
    ['NUL and unpaired surrogates outside the key', { note: 'a\0b\ud800', items: [{ itemName: '\udfff' }] }],
    ['32 levels of nesting', { extra: nested(31) }],
  ])('%s', (_, fields) => {
    expect(shapeProblems({ ...GOOD, ...fields })).toEqual([]);
  });

  test.each([
    ['of 255 characters', 'k'.repeat(255)],
    ['of one character', 'k'],
    ['with inner blanks', 'sale 1 of 2'],
    ['with letters beyond ASCII', 'venda-ção-😀'],
    ['just above the control characters', 'a\u00a0b'],
  ])('a key %s', (_, transactionKey) => {
    expect(shapeProblems({ transactionKey })).toEqual([]);
  });
});
