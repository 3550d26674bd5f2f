import { parseSale, type Sale } from '../../src/domain/sale.js';
import { isTestMode, isTestStore, type JsonObject, readTransaction, storedKey } from '../../src/domain/transaction.js';
import { compute, item, paid, RULES, sale } from './builders.js';

/** The payload that is stored of a body with these fields. */
function storablePayload({ transactionKey = 'k', ...fields }: Record<string, unknown>): Record<string, unknown> {
  return (parseSale({ transactionKey, ...fields }, RULES) as Sale).payload;
}

/** The item codes of the order, by the codes sent. */
const codesOf = (sent: unknown[]) =>
  compute({ items: sent.map((itemCode) => item(10, 1, { itemCode })) }).items.map(({ code }) => code);

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
    };
    const sold = {
      totalAmount: 17.75,
      items: [{ itemCode: 'M1', itemName: 'Meat', quantity: 0.355, price: 49.9, unit: 'kg' }],
      payments: [{ tenderType: 16, amount: 17.71, network: 'x' }],
    };
    expect(parseSale({ ...body, ...sold }, RULES)).toEqual({
      transaction: {
        ...body,
        restaurantId: '3f0e8a52-7c6b-4d8e-9a5d-1b2c3d4e5f60',
        transactionDate: new Date('2026-03-01T15:30:00.000Z'),
      },
      payload: { ...body, ...sold },
      order: {
        ...{ total: 1771n, discount: 0n, surcharge: 0n, tip: 0n, serviceFee: 0n },
        items: [{ code: 'M1', name: 'Meat', quantity: 0.355, unitPrice: 49.9 }],
        payments: [{ tenderType: 16, amount: 1771n }],
      },
      paid: { total: 1771n, byTender: { 16: 1771n } },
      mismatchCents: 4n,
      tipCents: null,
      serviceFeeCents: null,
      warnings: [{ kind: 'amount_mismatch', text: expect.stringContaining('is 0.04 more') }],
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
    });
  });

  test('W13: identifiers sent as numbers beyond 2^53 are read as null', () => {
    expect(read({ transactionNumber: 2 ** 53 }).transactionNumber).toBeNull();
    expect(codesOf([-(2 ** 60), Number.MAX_SAFE_INTEGER])).toEqual(['', '9007199254740991']);
  });

  test('W9: a restaurantId that is not a UUID is kept and matches nothing; empty is read as null', () => {
    const idOf = (restaurantId: unknown) => read({ restaurantId }).restaurantId;
    expect(['My-Place', 5, {}, true].map(idOf)).toEqual(['my-place', '5', '{}', 'true']);
    expect(['', null, undefined].map(idOf)).toEqual([null, null, null]);
  });

  test('identifiers sent as numbers are read as strings, an empty one as null', () => {
    const { storeCode, transactionNumber } = read({ storeCode: '', transactionNumber: 0 });
    expect([storeCode, transactionNumber, ...codesOf([7])]).toEqual([null, '0', '7']);
  });

  test('null items and payments are read as empty', () => {
    expect(sale({ items: null, payments: null }).order).toEqual(sale({ items: [], payments: [] }).order);
  });

  test('an item name is read as it would be stored', () => {
    const items = [item(10, 1, { itemName: 'caf\0e\ud800' })];
    expect(compute({ items }).items[0]?.name).toBe('caf\ufffde\ufffd');
  });
});

describe('transactionDate (W15)', () => {
  test.each<[string, unknown, string]>([
    ['with a zone', '2026-03-01T12:30:00+02:00', '2026-03-01T10:30:00.000Z'],
    ['with hours as offset', '2026-03-01T12:30:00+03', '2026-03-01T09:30:00.000Z'],
    ['as Postgres writes it', '2026-03-01 12:30:00.5-03', '2026-03-01T15:30:00.500Z'],
    ['in the basic format', '20260301T123000Z', '2026-03-01T12:30:00.000Z'],
    ['in the basic format, to the minute, with an offset', '20260301T1230+0530', '2026-03-01T07:00:00.000Z'],
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
    // tests get a copy of the environment, so setting TZ in it has no effect
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
    ['beyond the range of dates', 1e18],
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
  test('keeps unknown fields, without email and password', () => {
    const body = { transactionKey: 'k', loyalty: { points: [1, 2.5, null, true], note: '' } };
    expect(storablePayload({ ...body, email: 'a@b.c', password: 'p' })).toEqual(body);
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

  test('is a copy: the body is not changed', () => {
    const body = { transactionKey: 'k', email: 'a@b.c', items: [{ itemName: 'a\0' }] };
    parseSale(body, RULES);
    expect(body).toEqual({ transactionKey: 'k', email: 'a@b.c', items: [{ itemName: 'a\0' }] });
  });
});

describe('test mode', () => {
  test.each<[string, boolean, string | null, string | undefined, { mode: boolean; store: boolean }]>([
    ['a test transaction', true, 'T-1', 'TEST', { mode: true, store: false }],
    ['a sale from the test store', false, 'TEST', 'TEST', { mode: true, store: true }],
    ['both', true, 'TEST', 'TEST', { mode: true, store: true }],
    ['neither', false, 'T-1', 'TEST', { mode: false, store: false }],
    ['no test store configured', false, 'T-1', undefined, { mode: false, store: false }],
    ['no store code, no test store', false, null, undefined, { mode: false, store: false }],
    ['a test transaction without a test store', true, null, undefined, { mode: true, store: false }],
    ['the test store code in another case', false, 'test', 'TEST', { mode: false, store: false }],
  ])('%s', (_, isTestTransaction, storeCode, testStore, expected) => {
    const sold = read({ isTestTransaction, storeCode });
    expect({ mode: isTestMode(sold, testStore), store: isTestStore(sold, testStore) }).toEqual(expected);
  });

  test('a production event keeps its key; a test event gets a hyphen and its time of receipt in epoch ms (M1)', () => {
    expect(storedKey(read({}), false, 1_772_368_200_000)).toBe('sale-1');
    expect(storedKey(read({}), true, 1_772_368_200_000)).toBe('sale-1-1772368200000');
  });
});

describe('a payment is valid when it is a finite number that rounds to at least one cent (M3)', () => {
  const kindsOf = (amount: unknown) => sale({ payments: [paid(amount)] }).warnings.map(({ kind }) => kind);

  test.each([0.005, 0.01, 1, 0.1 + 0.2, 9_999_999_999.99, 1e15])('%d is valid', (amount) => {
    expect(kindsOf(amount)).not.toContain('ignored_payment');
  });

  const invalid = [0, -0, -1, 0.004, 0.00499999, 1e-300, Number.NaN, Infinity, '12', null, undefined, {}];
  test.each(invalid)('%p is not', (amount) => {
    expect(kindsOf(amount)).toContain('ignored_payment');
  });
});

test('payments are summed by the name of their tender, inherited property names included', () => {
  const names = ['16', 'toString', 'constructor', '__proto__'];
  const sums = sale({ payments: names.flatMap((name) => [paid(1, name), paid(0.5, name)]) }).paid?.byTender;
  expect(Object.entries(sums ?? {})).toEqual(names.map((name) => [name, 150n]));
});

describe('mismatchCents is totalAmount minus the sum of the payments, in cents (M9)', () => {
  test.each<[string, unknown, JsonObject[], bigint | null]>([
    ['equal', 10, [paid(10)], null],
    ['the total is higher', 12.5, [paid(10)], 250n],
    ['the total is lower', 9.99, [paid(10)], -1n],
    ['0.1 + 0.2 paid on 0.3', 0.3, [paid(0.1), paid(0.2)], null],
    ['the sum paid is rounded once', 0.01, [paid(0.006), paid(0.006)], null],
    ['ignored payments do not count', 10, [paid(10), paid(-5), paid('7')], null],
    ['nothing paid on a free order', 0, [], null],
    ['nothing paid on a sale', 10, [], 1000n],
    ['no total to compare', undefined, [paid(10)], null],
    ['a total in text', '12', [paid(10)], null],
    ['a total beyond the limit', 1e10, [paid(10)], null],
    ['a payment beyond the limit', 10, [paid(1e10)], null],
  ])('%s', (_, totalAmount, payments, mismatch) => {
    expect(sale({ totalAmount, payments }).mismatchCents).toBe(mismatch);
  });
});
